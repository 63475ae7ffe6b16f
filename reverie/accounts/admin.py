from typing import Any
from uuid import UUID

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from reverie.accounts import invitations, signin
from reverie.accounts.models import ApiToken, Invitation, User

for model in (EmailAddress, UserSession, Authenticator):
    admin.site.unregister(model)

POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class PersonAdmin(UserAdmin):
    list_display = ("username", "shown_name", "language", "is_staff", "is_active", "last_login")
    search_fields = ("=id", "username", "email", "shown_name")
    change_form_template = "admin/person.html"
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (
            gettext_lazy("In chats"),
            {"fields": ("shown_name", "language", "time_zone", "privacy")},
        ),
    )

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Who may change people may not become one who may do more."""
        return super().has_change_permission(request, obj) and _below(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and _below(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        fields = super().get_readonly_fields(request, obj)
        return fields if _is_superuser(request) else (*fields, *POWERS)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.sign_in_link)
        name = "accounts_user_sign_in_link"
        return [path("<uuid:pk>/sign-in-link/", view, name=name), *super().get_urls()]

    @method_decorator(require_POST)
    def sign_in_link(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """A link that lets a person in once: the way back where no mail is sent."""
        person = get_object_or_404(User, pk=pk)
        if not person.is_active or not self.has_change_permission(request, person):
            raise PermissionDenied
        self.log_change(request, person, "Made a sign-in link.")
        link = request.build_absolute_uri(signin.link_path(person))
        context = {"person": person, "link": link, "title": _("Sign-in link"), "opts": self.opts}
        context |= self.admin_site.each_context(request)
        return render(request, "admin/sign_in_link.html", context)


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_superuser


def _below(request: HttpRequest, person: User | None) -> bool:
    powerful = person is not None and (person.is_superuser or person.is_staff)
    return not powerful or _is_superuser(request)


class NeverMadeHere(admin.ModelAdmin):
    """Can be looked at and taken away here, and neither made nor changed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(NeverMadeHere):
    """Tokens can be taken away here, and neither read nor made."""

    list_display = ("name", "user", "created_at")
    search_fields = ("=user__id", "user__username", "name")
    readonly_fields = ("user", "created_at")


@admin.register(Authenticator)
class AuthenticatorAdmin(NeverMadeHere):
    """Second factors: taken away when somebody lost their phone and their codes."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_filter = ("type",)
    search_fields = ("=user__id", "user__username")
    fields = readonly_fields = list_display

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = obj.user if obj else None
        return super().has_delete_permission(request, obj) and _below(request, person)


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):
    """The link is shown once, in the message after it is made; a note is its host's alone."""

    shown = ("made_by", "created_at", "expires_at", "used_at", "used_by", "revoked_at")
    list_display = ("__str__", *shown)
    search_fields = ("=made_by__id", "made_by__username", "used_by__username")
    actions = ("withdraw",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.shown if obj else ("note", "email")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and obj is None

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        host = User.objects.get(username=request.user.get_username())
        made, token = invitations.make(host, note=obj.note, email=obj.email)
        obj.pk, obj.made_by = made.pk, host
        link = request.build_absolute_uri(reverse("join", args=[token]))
        messages.info(request, _("The link, shown only now: %(link)s") % {"link": link})

    @admin.action(description=gettext_lazy("Withdraw"), permissions=["delete"])
    def withdraw(self, request: HttpRequest, rows: Any) -> None:
        done = sum(invitations.withdraw(row.made_by, row.pk) for row in rows)
        messages.success(request, _("Withdrawn: %(count)d") % {"count": done})
