"""What people do with memories on a page: as a plain form, or in place through htmx."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from django_htmx.http import trigger_client_event

from characters import keeping as bonds
from memories import activity, keeping
from memories.forms import Edited, NewMemory, checked
from memories.models import Memory, MemoryChange, limits
from memories.shown import View
from memories.views import PieceRequest, asks, facts, owned
from reverie.text import clean

P = ParamSpec("P")
QUOTED = 60  # code points of a memory in a notice
WRONG_WORDS = {"empty", "too_long"}  # 422; whatever else refuses is 409: it may work later


def act(view: Callable[Concatenate[PieceRequest, P], HttpResponse]) -> Callable[..., HttpResponse]:
    """A POST of a person on what is theirs; a refusal is said in words."""

    @login_required
    @require_POST
    @wraps(view)
    def answered(request: PieceRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ValidationError as problem:
            return _refused(request, problem)

    return answered


@act
def add(request: PieceRequest) -> HttpResponse:
    """Save what a person typed. Refused without htmx, the page comes back with it."""
    new = checked(NewMemory(request.user, request.POST))
    try:
        keeping.add(request.user, new["text"], **_without(new, "text"))
    except ValidationError as problem:
        if request.htmx:
            raise
        typed = {**new, **_words(request, problem)}
        view = View(request.user, QueryDict())
        return facts(request, view, typed=typed, status=_status(problem))
    return _done(request, "saved", _("Saved: %(text)s"), new["text"])


@login_required
@asks
@never_cache
def edit(request: PieceRequest, pk: UUID) -> HttpResponse:
    """The words of one memory, to change them."""
    memory = get_object_or_404(Memory.objects.of(request.user).select_related("scope"), pk=pk)
    if request.method != "POST":
        return _editor(request, memory, {"text": memory.text, "seen": memory.updated_at})
    changed = checked(Edited(request.POST))
    try:
        keeping.edit(request.user, pk, changed["text"], seen=changed["seen"])
    except ValidationError as problem:
        memory.refresh_from_db()
        stale = problem.code == "changed_elsewhere"
        refusal = {**_words(request, problem), "now": memory if stale else None}
        if request.htmx:
            return render(request, "memories/refusal.html", refusal, status=_status(problem))
        return _editor(request, memory, {**changed, **refusal}, _status(problem))
    return _done(request, "edited", _("Changed: %(text)s"), changed["text"])


@act
def pin(request: PieceRequest, pk: UUID) -> HttpResponse:
    memory = keeping.pin(request.user, pk)
    return _done(request, "pinned", _("Pinned: %(text)s"), memory.text)


@act
def unpin(request: PieceRequest, pk: UUID) -> HttpResponse:
    agreed = checked(NewMemory(request.user, request.POST))
    memory = keeping.unpin(request.user, pk, forget=agreed["forget"])
    return _done(request, "unpinned", _("Unpinned: %(text)s"), memory.text)


@act
def make_global(request: PieceRequest, pk: UUID) -> HttpResponse:
    memory = keeping.make_global(request.user, pk)
    line = MemoryChange.objects.of(request.user).filter(memory_uid=memory.pk).latest("id")
    return _done(request, "moved", _("Global now: %(text)s"), memory.text, line)


@act
def delete(request: PieceRequest, pk: UUID) -> HttpResponse:
    line = keeping.delete(request.user, pk)
    text = line.before["text"] if line.before else ""
    return _done(request, "deleted", _("Deleted: %(text)s"), text, line)


@act
def undo(request: PieceRequest, pk: UUID) -> HttpResponse:
    activity.undo(request.user, pk)
    return _done(request, "undone", _("That is undone."))


@act
def learn(request: PieceRequest, pk: UUID) -> HttpResponse:
    """Let a character save and read memories again (R109)."""
    character = owned(request, pk)
    bonds.write_bond(request.user, character, {"learns": True})
    words = _("%(name)s learns from your chats again.") % {"name": character.called}
    return _done(request, "learns", words)


def _done(
    request: PieceRequest, name: str, words: str, text: str = "", line: MemoryChange | None = None
) -> HttpResponse:
    """Say what was done: the page fetches what it shows by itself, a plain form goes back."""
    said = words % {"text": _quoted(text)} if text else words
    undo = reverse("memory-undo", args=[line.pk]) if line else ""
    if not request.htmx:
        messages.success(request, said)
        return redirect(_back(request))
    response = HttpResponse(status=204)
    return trigger_client_event(response, "memory-done", {"act": name, "words": said, "undo": undo})


def _refused(request: PieceRequest, problem: ValidationError) -> HttpResponse:
    if not request.htmx:
        messages.error(request, " ".join(problem.messages))
        return redirect(_back(request))
    words = _words(request, problem)
    return render(request, "memories/refusal.html", words, status=_status(problem))


def _words(request: PieceRequest, problem: ValidationError) -> dict[str, Any]:
    """Why it was refused, and the ways out of that."""
    candidate = getattr(problem, "candidate", None)
    return {"problem": " ".join(problem.messages), "candidate": candidate, "again": request.path}


def _editor(
    request: PieceRequest, memory: Memory, typed: dict[str, Any], status: int = 200
) -> HttpResponse:
    template = "memories/editor.html" if request.htmx else "memories/edit.html"
    context = {"memory": memory, "typed": typed, "limits": limits(), "back": _back(request)}
    return render(request, template, context, status=status)


def _status(problem: ValidationError) -> int:
    return 422 if problem.code in WRONG_WORDS else 409


def _back(request: PieceRequest) -> str:
    """The list that a plain form came from."""
    told = request.POST.get("next") or request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(told, {request.get_host()}, request.is_secure())
    return told if safe else resolve_url("memory-list")


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTED else f"{clean.cut(text, QUOTED)}…"


def _without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key != name}
