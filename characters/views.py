"""Pages of the library: characters, and the personas that people wear."""

import mimetypes
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models.fields.files import FieldFile
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from characters import card_words, demo, exporting, importing, keeping, library, weight
from characters import personas as wardrobe
from characters.forms import BondForm, CardForm, CardUpload, CharacterForm, PersonaForm
from characters.models import Bond, CardDraft, Character, Persona
from reverie.accounts.middleware import PersonRequest
from reverie.text import clean

PER_PAGE, TAGS = 24, 24
asks = require_http_methods(["GET", "HEAD", "POST"])
STAND_INS = {"char": "{{char}}", "user": "{{user}}"}
PICTURES = {"image/webp", "image/png", "image/jpeg", "image/gif"}


@login_required
@require_safe
def characters(request: PersonRequest) -> HttpResponse:
    """The library: searched in all that describes a character, narrowed by tags, by pages."""
    demo.welcome(request.user)
    query = clean.clean(request.GET.get("q", "")).strip()
    tags, newest = request.GET.getlist("tag")[:10], request.GET.get("sort") == "newest"
    owned = Character.objects.of(request.user)
    found = library.find(owned, query, tags, newest=newest)
    page = Paginator(found.characters, PER_PAGE).get_page(request.GET.get("page"))
    told = {
        "page": page,
        "characters": page.object_list,
        "query": query,
        "chosen": tags,
        "chosen_links": [(tag, [other for other in tags if other != tag]) for tag in tags],
        "tags": [(tag, n, [*tags, tag]) for tag, n in found.tags if tag not in tags][:TAGS],
        "newest": newest,
        "any": owned.exists(),
    }
    return render(request, "characters/list.html", told)


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
    told = {
        "form": form,
        "character": kept,
        "open": bool(form.errors),
        "stand_ins": STAND_INS,
        "weight": weight.weigh({name: form[name].value() for name in weight.COUNTED}),
        "bond": kept and BondForm(instance=Bond.objects.known(request.user, kept)),
    }
    return render(request, "characters/edit.html", told)


@login_required
@require_POST
def weigh(request: PersonRequest) -> JsonResponse:
    """Tokens of what is being written, before it is saved."""
    found = weight.weigh(request.POST)
    return JsonResponse({**found.fields, "total": found.total})


@login_required
@require_POST
def duplicate_character(request: PersonRequest, pk: UUID) -> HttpResponse:
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    twin = keeping.duplicate_character(character)
    messages.success(request, _("%(name)s is there now too.") % {"name": twin.name})
    return redirect("character", pk=twin.pk)


@login_required
@require_safe
def export_character(request: PersonRequest, pk: UUID) -> HttpResponse:
    """The choice of files; with `format`, the file."""
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    kind = request.GET.get("format", "")
    if kind not in exporting.TYPES:
        return render(request, "characters/export.html", {"character": character})
    version = 2 if request.GET.get("version") == "2" else 3
    return exporting.response(character, kind, version)


@login_required
@asks
def import_card(request: PersonRequest) -> HttpResponse:
    """A file comes in; what is in it is shown before anything of it is kept."""
    form = CardUpload(request.POST or None, request.FILES or None)
    if request.method != "POST":
        return render(request, "characters/import.html", {"form": form})
    try:
        if form.is_valid():
            draft = importing.receive(form.cleaned_data["file"], request.user)
            return redirect("card-draft", pk=draft.pk)
    except ValidationError as refused:
        form.add_error("file", refused)
    return render(request, "characters/import.html", {"form": form}, status=422)


@login_required
@asks
def card_draft(request: PersonRequest, pk: UUID) -> HttpResponse:
    """The preview of a card: kept, changed or thrown away from here."""
    draft = get_object_or_404(CardDraft.objects.of(request.user), pk=pk)
    if "discard" in request.POST:
        importing.discard(draft)
        return redirect("character-list")
    reading = importing.read(draft)
    form = CardForm(reading.fields, request.POST or None, request.user)
    if request.method == "POST" and form.is_valid():
        try:
            saved = importing.accept(draft, form.changes)
        except ValidationError as refused:
            form.refuse(refused)
        else:
            messages.success(request, _("%(name)s is saved.") % {"name": saved.name})
            return redirect("character", pk=saved.pk)
    told = {"draft": draft, "form": form, "fields": reading.fields}
    told |= {"lines": card_words.told(reading), "texts": card_words.texts(reading)}
    return render(request, "characters/draft.html", told)


@login_required
@require_safe
def draft_picture(request: PersonRequest, pk: UUID) -> HttpResponse:
    return _picture(get_object_or_404(CardDraft.objects.of(request.user), pk=pk).picture)


@login_required
@asks
def bond(request: PersonRequest, pk: UUID) -> HttpResponse:
    """What is between the person and a character, on a page of its own."""
    character = get_object_or_404(Character.objects.of(request.user), pk=pk)
    between = Bond.objects.known(request.user, character)
    form = BondForm(request.POST or None, instance=between)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(
            request, _("What is between you and %(name)s is saved.") % {"name": character.called}
        )
        return redirect("character-bond", pk=pk)
    return render(request, "characters/bond.html", {"character": character, "form": form})


@login_required
@require_safe
def avatar(request: PersonRequest, pk: UUID) -> HttpResponse:
    """The picture, to its owner only."""
    return _picture(get_object_or_404(Character.objects.of(request.user), pk=pk).avatar)


def _picture(picture: FieldFile) -> HttpResponse:
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


def _picture_type(name: str) -> str:
    kind = mimetypes.guess_type(name)[0] or ""
    return kind if kind in PICTURES else "application/octet-stream"
