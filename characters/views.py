"""Pages of the library: characters, and the personas that people wear."""

import mimetypes
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from characters import demo
from characters import personas as wardrobe
from characters.forms import CharacterForm, PersonaForm
from characters.models import Character, Persona
from reverie.accounts.middleware import PersonRequest
from reverie.text import clean

asks = require_http_methods(["GET", "HEAD", "POST"])
STAND_INS = {"char": "{{char}}", "user": "{{user}}"}
PICTURES = {"image/webp", "image/png", "image/jpeg", "image/gif"}


@login_required
@require_safe
def characters(request: PersonRequest) -> HttpResponse:
    """The library, searched by name, tagline and tag."""
    demo.welcome(request.user)
    query = clean.clean(request.GET.get("q", "")).strip()
    owned = Character.objects.of(request.user)
    found = owned.filter(_mentions(query)) if query else owned
    return render(
        request,
        "characters/list.html",
        {"characters": found, "query": query, "any": owned.exists()},
    )


@login_required
@asks
def new_character(request: PersonRequest) -> HttpResponse:
    blank = Character(owner=request.user, language=request.user.language or "en")
    return _edit_character(request, blank)


@login_required
@asks
def character(request: PersonRequest, pk: UUID) -> HttpResponse:
    return _edit_character(request, get_object_or_404(Character.objects.of(request.user), pk=pk))


def _edit_character(request: PersonRequest, character: Character) -> HttpResponse:
    form = CharacterForm(request.POST or None, request.FILES or None, instance=character)
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.success(request, _("%(name)s is saved.") % {"name": saved.name})
        return redirect("character", pk=saved.pk)
    new = character._state.adding
    kept = None if new else Character.objects.get(pk=character.pk)
    return render(
        request,
        "characters/edit.html",
        {"form": form, "character": kept, "open": bool(form.errors), "stand_ins": STAND_INS},
    )


@login_required
@require_safe
def avatar(request: PersonRequest, pk: UUID) -> HttpResponse:
    """The picture, to its owner only."""
    picture = get_object_or_404(Character.objects.of(request.user), pk=pk).avatar
    name = picture.name or ""
    if not name or not picture.storage.exists(name):
        raise Http404
    with picture.open("rb") as file:
        response = HttpResponse(file.read(), content_type=_picture_type(name))
    response["Cache-Control"] = "private, max-age=3600"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@login_required
@require_safe
def personas(request: PersonRequest) -> HttpResponse:
    worn = Persona.objects.of(request.user).order_by("-is_default", "-id")
    return render(request, "personas/list.html", {"personas": worn})


@login_required
@asks
def new_persona(request: PersonRequest) -> HttpResponse:
    return _edit_persona(request, Persona(owner=request.user))


@login_required
@asks
def persona(request: PersonRequest, pk: UUID) -> HttpResponse:
    return _edit_persona(request, get_object_or_404(Persona.objects.of(request.user), pk=pk))


def _edit_persona(request: PersonRequest, persona: Persona) -> HttpResponse:
    form = PersonaForm(request.POST or None, instance=persona)
    if request.method == "POST" and form.is_valid():
        saved = form.save()
        messages.success(request, _("%(name)s is saved.") % {"name": saved.name})
        return redirect("persona-list")
    kept = None if persona._state.adding else Persona.objects.get(pk=persona.pk)
    return render(request, "personas/edit.html", {"form": form, "persona": kept})


@login_required
@asks
def delete_persona(request: PersonRequest, pk: UUID) -> HttpResponse:
    persona = get_object_or_404(Persona.objects.of(request.user), pk=pk)
    if request.method != "POST":
        return render(request, "personas/delete.html", {"persona": persona})
    wardrobe.remove(persona)
    messages.success(request, _("%(name)s is deleted.") % {"name": persona.name})
    return redirect("persona-list")


def _mentions(query: str) -> Q:
    names = Q(name__icontains=query) | Q(nickname__icontains=query)
    return names | Q(tagline__icontains=query) | Q(tags__icontains=query)


def _picture_type(name: str) -> str:
    kind = mimetypes.guess_type(name)[0] or ""
    return kind if kind in PICTURES else "application/octet-stream"
