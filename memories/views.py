"""Pages and pieces of what is remembered."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.middleware import HtmxDetails

from characters.models import Character
from memories import moving
from memories.engine.decay import DORMANT_AFTER
from memories.models import Memory, limits
from memories.shown import View
from reverie.accounts.middleware import PersonRequest

asks = require_http_methods(["GET", "HEAD", "POST"])
LIST = "memory-list"  # the id of the part that is fetched anew when something changed
MORE = "memory-more"  # and of the one that a further page takes the place of


class PieceRequest(PersonRequest):
    """A request that may want a piece of a page only."""

    htmx: HtmxDetails


@login_required
@asks
def delete_character(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Deleting a character moves its memories to global, and says so before (D12)."""
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    if request.method != "POST":
        mine = Memory.objects.of(request.user).within(character)
        context = {"character": character, "moving": mine.count()}
        return render(request, "characters/delete.html", context)
    moving.delete_character(character)
    messages.success(request, _("%(name)s is deleted.") % {"name": character.name})
    return redirect("character-list")


@login_required
@require_safe
@never_cache
def memories(request: PieceRequest) -> HttpResponse:
    """Everything that is remembered, over all characters; `of` names one."""
    only = owned(request, request.GET["of"]) if request.GET.get("of") else None
    return facts(request, View(request.user, request.GET, only=only))


@login_required
@require_safe
@never_cache
def memories_with(request: PieceRequest, pk: UUID) -> HttpResponse:
    """What one character reads: its own memories, or the global ones."""
    return facts(request, View(request.user, request.GET, owned(request, pk)))


@login_required
@require_safe
@never_cache
def journal(request: PieceRequest) -> HttpResponse:
    return _activity(request, View(request.user, request.GET))


@login_required
@require_safe
@never_cache
def journal_with(request: PieceRequest, pk: UUID) -> HttpResponse:
    return _activity(request, View(request.user, request.GET, owned(request, pk)))


def owned(request: PersonRequest, pk: UUID | str) -> Character:
    """A character of whoever asks. Raises `Http404`."""
    try:
        wanted = UUID(str(pk))
    except ValueError as problem:
        raise Http404 from problem
    return get_object_or_404(Character.objects.of(request.user), pk=wanted)


def facts(
    request: PieceRequest, view: View, *, typed: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """The list; `typed` is what a person wrote that could not be saved."""
    revision = view.revision()  # before the rows: what comes in between is then fetched anew
    rows, following = view.rows()
    context = {
        **_common(view, revision),
        "rows": rows,
        "following": following,
        "meters": view.meters(),
        "learns": view.learns(),
        "typed": typed or {},
        "characters": [] if view.character else Character.objects.of(request.user).order_by("name"),
    }
    pieces = {LIST: "memories/parts.html", MORE: "memories/rows.html"}
    return _shown(request, "memories/facts.html", pieces, context, status)


def _activity(request: PieceRequest, view: View) -> HttpResponse:
    revision = view.revision()
    lines, following = view.lines()
    context = {**_common(view, revision), "lines": lines, "following": following}
    pieces = {LIST: "memories/journal.html", MORE: "memories/lines.html"}
    return _shown(request, "memories/activity.html", pieces, context)


def _common(view: View, revision: int) -> dict[str, Any]:
    return {
        "view": view,
        "character": view.character,
        "revision": revision,
        "limits": limits(),
        "dormant_after": DORMANT_AFTER,
    }


def _shown(
    request: PieceRequest,
    piece: str,
    pieces: dict[str, str],
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """The page, or the piece of it that takes the place of what was asked for."""
    context["piece"] = piece
    asked = pieces.get(request.htmx.target or "", piece) if request.htmx else "memories/list.html"
    return render(request, asked, context, status=status)
