"""The pages on which the site's owner connects models. For everybody else they are not there."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from . import connecting, environment_model, verdicts
from .errors import ProviderError, explain
from .forms import ModelForm
from .listing import Listed
from .models import ConnectedModel
from .presets import KINDS, PRESETS

View = Callable[..., HttpResponse]
asks = require_http_methods(["GET", "HEAD", "POST"])


def operators(view: View) -> View:
    """Only for who runs the site (A6); for others there is no such page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        if not (request.user.is_active and request.user.is_superuser):
            raise Http404
        return view(request, *args, **options)

    return login_required(never_cache(guarded))


@operators
@require_safe
def models(request: HttpRequest) -> HttpResponse:
    rows = ConnectedModel.objects.order_by("-is_default", "id")
    return render(request, "models/list.html", {"rows": rows, "own": _own(rows)})


@operators
@asks
@sensitive_post_parameters("api_key")
def new_model(request: HttpRequest) -> HttpResponse:
    """A blank one of a kind, or the double of another; a key is never copied."""
    row = _double(request.GET.get("like", "")) or _blank(request.GET.get("kind", ""))
    return _edit(request, row)


@operators
@asks
@sensitive_post_parameters("api_key")
def model(request: HttpRequest, pk: UUID) -> HttpResponse:
    return _edit(request, get_object_or_404(ConnectedModel, pk=pk))


@sensitive_variables("form")
def _edit(request: HttpRequest, row: ConnectedModel) -> HttpResponse:
    form = ModelForm(request.POST or None, instance=row)
    found: dict[str, Any] = {}
    if request.method == "POST" and "offered" in request.POST:
        found = _offered(form)
    elif request.method == "POST" and form.is_valid():
        return _kept(request, form)
    kept = ConnectedModel.objects.filter(pk=row.pk).first()
    context = {
        "form": form,
        "row": kept,
        "preset": KINDS.get(form["kind"].value() or "", KINDS["other"]),
        "presets": PRESETS,
        **found,
    }
    piece = getattr(request, "htmx", False) and found
    return render(request, "models/edit.html#offers" if piece else "models/edit.html", context)


def _kept(request: HttpRequest, form: ModelForm) -> HttpResponse:
    forgotten = form.keep() and not form.cleaned_data["forget_key"]
    messages.success(request, _("%(name)s is saved. Test it now.") % {"name": form.instance})
    if forgotten:
        messages.warning(
            request,
            _(
                "The address changed, so the key for the old one was forgotten. Type in the key"
                " for the new one, if it needs any."
            ),
        )
    return redirect("model-list")


@sensitive_variables("form")
def _offered(form: ModelForm) -> dict[str, Any]:
    """What the address of the form offers. Its other fields may still be wrong."""
    form.is_valid()
    wrong = [*form.errors.get("base_url", []), *form.errors.get("api_key", [])]
    offered: list[Listed] = []
    detail = ""
    if not wrong:
        try:
            offered = form.listed()
        except ProviderError as error:
            wrong, detail = [_no_list(error)], error.detail
    for name in list(form.errors):  # it was not sent to be saved
        del form.errors[name]
    return {"asked": True, "offered": offered, "wrong": wrong, "detail": detail}


def _no_list(error: ProviderError) -> str:
    if error.code == "auth":
        return str(explain("auth"))
    if "address refused" in error.detail or error.code == "network":
        return _("Nothing answers there, or it may not be called. Save it and test it to see why.")
    return _("This provider gives no list. Type the model’s name in, as its pages have it.")


@operators
@asks
def delete_model(request: HttpRequest, pk: UUID) -> HttpResponse:
    row = get_object_or_404(ConnectedModel, pk=pk)
    if request.method != "POST":
        return render(request, "models/delete.html", {"row": row, "uses": row.uses()})
    row.delete()
    messages.success(request, _("%(name)s is deleted.") % {"name": row})
    return redirect("model-list")


@operators
@require_POST
def default(request: HttpRequest) -> HttpResponse:
    """`model`: the id of the new default; without one, the environment's or the demo."""
    row = _named(request)
    try:
        connecting.make_default(row.pk if row else None)
    except ValidationError as refusal:
        messages.error(request, " ".join(refusal.messages))
    return redirect("model-list")


@operators
@require_POST
def test(request: HttpRequest) -> HttpResponse:
    """`model`: the id of what is tested; without one, the environment's."""
    row = _named(request)
    if row is None and not settings.CHAT_BASE_URL:
        raise Http404
    checks = connecting.test(row) if row else connecting.test_environment()
    if row:
        row.refresh_from_db()
    piece = bool(getattr(request, "htmx", False))
    context = {"row": row, "checks": checks, "trouble": verdicts.trouble(checks), "again": piece}
    return render(request, "models/test.html#result" if piece else "models/test.html", context)


def _named(request: HttpRequest) -> ConnectedModel | None:
    told = request.POST.get("model", "")
    return get_object_or_404(ConnectedModel, pk=_uuid(told)) if told else None


def _uuid(told: str) -> UUID:
    try:
        return UUID(told)
    except ValueError:
        raise Http404 from None


def _blank(kind: str) -> ConnectedModel:
    preset = KINDS.get(kind, PRESETS[0])
    first = not (settings.CHAT_BASE_URL or ConnectedModel.objects.default())
    return ConnectedModel(kind=preset.kind, base_url=preset.base_url, is_default=first)


def _double(told: str) -> ConnectedModel | None:
    if not told:
        return None
    like = get_object_or_404(ConnectedModel, pk=_uuid(told))
    return ConnectedModel(
        kind=like.kind, base_url=like.base_url, context_tokens=like.context_tokens
    )


def _own(rows: Any) -> dict[str, Any]:
    """What there is without any row: the environment's model, or the demo."""
    model = environment_model()
    return {
        "name": model.name,
        "is_demo": model.is_demo,
        "context_tokens": model.context_tokens,
        "base_url": settings.CHAT_BASE_URL,
        "is_default": not any(row.is_default for row in rows),
    }
