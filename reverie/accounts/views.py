"""Coming in, going out, and a person's own settings."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from reverie.accounts import signin
from reverie.accounts.forms import Preferences, password_form
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.models import User


class SignIn(LoginView):
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        if isinstance(user := form.get_user(), User):
            signin.settle_language(user, self.request)
        return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_link(request: HttpRequest, pk: UUID, token: str) -> HttpResponse:
    """Let the bearer of a link in. Opening it only asks: a link preview must not use it up."""
    user = signin.bearer(str(pk), token)
    if user is None:
        return render(request, "accounts/link_used.html", status=404)
    if request.method != "POST":
        return render(request, "accounts/sign_in_link.html", {"person": user})
    signin.settle_language(user, request)
    login(request, user)
    return redirect("home") if user.has_usable_password() else _ask_for_password(request, user)


def _ask_for_password(request: HttpRequest, user: User) -> HttpResponse:
    with translation.override(user.language):
        messages.info(
            request,
            _("You are in. That link is used up now: set a password, so that you can come back."),
        )
    return redirect(resolve_url("settings") + "#password")


@sensitive_post_parameters()
@login_required
@require_http_methods(["GET", "POST"])
def settings(request: PersonRequest) -> HttpResponse:
    """Two forms on one page; `form` in the POST says which of them was sent."""
    sent = request.POST.get("form")
    preferences = Preferences(
        request.POST if sent == "preferences" else None,
        # A copy: what is refused must not show up in the page around the form.
        instance=User.objects.get(pk=request.user.pk),
    )
    password = password_form(request.user, request.POST if sent == "password" else None)
    if sent == "preferences" and preferences.is_valid():
        return _save_preferences(request, preferences)
    if sent == "password" and password.is_valid():
        update_session_auth_hash(request, password.save())
        messages.success(request, _("Your password is set."))
        return redirect("settings")
    return render(
        request, "accounts/settings.html", {"preferences": preferences, "password": password}
    )


def _save_preferences(request: PersonRequest, form: Preferences) -> HttpResponse:
    with translation.override(form.save().language):
        messages.success(request, _("Saved."))
    return redirect("settings")
