"""A person's own settings, and for hosts the invitations of others."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from reverie.accounts import addresses, sessions
from reverie.accounts import invitations as invites
from reverie.accounts.forms import (
    Address,
    NewInvitation,
    NewToken,
    Preferences,
    Privacy,
    password_form,
)
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.models import ApiToken, Invitation, User

Forms = dict[str, Any]


@sensitive_post_parameters()
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: PersonRequest) -> HttpResponse:
    """Several forms on one page; `form` in the POST says which of them was sent."""
    sent = request.POST.get("form", "")
    shown = _forms(request, sent)
    if sent not in SAVE or not shown[sent].is_valid():
        return _page(request, shown)
    try:
        return SAVE[sent](request, shown[sent]) or redirect("settings")
    except ValidationError as problem:
        shown[sent].add_error(None, problem)
        return _page(request, shown)


def _forms(request: PersonRequest, sent: str) -> Forms:
    def told(name: str) -> Any:
        return request.POST if sent == name else None

    # A copy: what is refused must not show up in the page around the form.
    person = User.objects.get(pk=request.user.pk)
    return {
        "preferences": Preferences(told("preferences"), instance=person),
        "privacy": Privacy(told("privacy"), instance=person),
        "email": Address(request.user, told("email")),
        "password": password_form(request.user, told("password")),
        "token": NewToken(request.user, told("token"), auto_id="token_%s"),
    }


def _page(request: PersonRequest, shown: Forms, **more: Any) -> HttpResponse:
    user = request.user
    context = {
        "forms": shown,
        "waiting": addresses.waiting(user),
        "has_second_factor": is_mfa_enabled(user),
        "sessions": sessions.of(user, request.session.session_key),
        "tokens": user.tokens.order_by("-created_at"),
        **more,
    }
    return render(request, "accounts/settings.html", context)


def _save_preferences(request: PersonRequest, form: Preferences) -> None:
    with translation.override(form.save().language):
        messages.success(request, _("Saved."))


def _save_privacy(request: PersonRequest, form: Privacy) -> None:
    form.save()
    messages.success(request, _("Saved."))


def _change_address(request: PersonRequest, form: Address) -> None:
    asked = addresses.change(request, request.user, form.cleaned_data["email"])
    sent = _("An email is on its way to %(email)s. Open the link in it.")
    said = sent % {"email": asked.email} if asked else _("Saved.")
    messages.success(request, said)


def _change_password(request: PersonRequest, form: forms.Form) -> None:
    update_session_auth_hash(request, form.save())  # type: ignore[attr-defined]  # of both kinds
    messages.success(request, _("Your password is set."))
    if count := request.user.tokens.count():
        told = ngettext(
            "%(count)s token still works without it. Delete it below if you do not know it.",
            "%(count)s tokens still work without it. Delete below those that you do not know.",
            count,
        )
        messages.warning(request, told % {"count": count})


def _make_token(request: PersonRequest, form: NewToken) -> HttpResponse:
    """The one answer that shows the token; it is kept nowhere else."""
    token = ApiToken.issue(request.user, name=form.cleaned_data["name"])
    return _page(request, _forms(request, ""), token=token)


SAVE: dict[str, Callable[[PersonRequest, Any], HttpResponse | None]] = {
    "preferences": _save_preferences,
    "privacy": _save_privacy,
    "email": _change_address,
    "password": _change_password,
    "token": _make_token,
}


@login_required
@require_POST
def delete_token(request: PersonRequest, pk: int) -> HttpResponse:
    get_object_or_404(request.user.tokens, pk=pk).delete()
    messages.success(request, _("The token is deleted. What used it is signed out."))
    return redirect(resolve_url("settings") + "#tokens")


@login_required
@require_POST
def end_sessions(request: PersonRequest) -> HttpResponse:
    """One session (`session` in the POST) or all but this one (`others`)."""
    chosen = request.POST.get("session", "")
    if not chosen.isascii() or not (chosen.isdigit() or "others" in request.POST):
        raise Http404
    pk = int(chosen[:18]) if chosen else None
    ended = sessions.end(request.user, request.session.session_key, pk)
    if pk is not None and not ended:
        raise Http404
    said = ngettext("%(count)d session is ended.", "%(count)d sessions are ended.", ended)
    messages.success(request, said % {"count": ended})
    return redirect(resolve_url("settings") + "#sessions")


def hosts_only(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For those who may invite; to everybody else there is no such page."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **told: Any) -> HttpResponse:
        if not (isinstance(request.user, User) and request.user.is_staff):
            raise Http404
        return view(request, *args, **told)

    return guarded


@hosts_only
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitations(request: PersonRequest) -> HttpResponse:
    """The invitations that one made; after a POST also the new one's link, shown only then."""
    form = NewInvitation(request.POST or None)
    link = ""
    if form.is_valid():
        _row, token = invites.make(request.user, **form.cleaned_data)
        link, form = request.build_absolute_uri(reverse("join", args=[token])), NewInvitation()
    rows = Invitation.objects.of(request.user).select_related("used_by")
    context = {"form": form, "invitations": rows, "link": link}
    return render(request, "accounts/invitations.html", context)


@hosts_only
@require_POST
def withdraw_invitation(request: PersonRequest, pk: UUID) -> HttpResponse:
    get_object_or_404(Invitation.objects.of(request.user), pk=pk)
    if invites.withdraw(request.user, pk):
        messages.success(request, _("The invitation is withdrawn."))
    else:
        messages.info(request, _("This invitation lets nobody in any more."))
    return redirect("invitation-list")
