"""Pages of talks. What happens in a talk goes over the API and the socket."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import trigger_client_event

from characters import demo, keeping
from characters.models import Bond, Character
from conversations import (
    budgeting,
    exporting,
    finding,
    generation,
    history,
    limits,
    sent,
    shown,
    sync,
    trash,
    turns,
    usage,
)
from conversations.engine.window import cap
from conversations.forms import ChatSettings, NewChat, Title
from conversations.models import Conversation, ConversationQuerySet, Reply
from memories.models import Memory
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.models import User
from reverie.accounts.paging import Page
from reverie.providers.choosing import chat_model

LISTED = 40  # chats beside a talk
AT_HOME = 6
PER_PAGE = 50


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What this is; or, once signed in, where one left off."""
    if not isinstance(request.user, User):
        return render(request, "welcome.html")
    user = request.user
    demo.welcome(user)
    found = {
        "chats": _chats(user)[:AT_HOME],
        "characters": Character.objects.of(user)[:12],
    }
    return render(request, "home.html", found)


@login_required
@require_safe
def chats(request: PersonRequest) -> HttpResponse:
    """All chats, or with `q` those in which it is found; `deleted` offers that one's return."""
    query = finding.tidy(request.GET.get("q", ""))
    trashed = Conversation.objects.trashed(request.user).with_speakers()
    context: dict[str, Any] = {
        "query": query,
        "deleted": trashed.filter(pk__in=_ids(request.GET.get("deleted", ""))).first(),
        "any_deleted": trashed.exists(),
        "limit": finding.QUERY_LENGTH,
    }
    context |= _found(request, query) if query else _listed(request)
    return render(request, "chats/list.html", context)


def _ids(text: str) -> list[UUID]:
    """The id that `text` is, or none."""
    try:
        return [UUID(text)]
    except ValueError:
        return []


def _listed(request: PersonRequest) -> dict[str, Any]:
    page = Paginator(_chats(request.user), PER_PAGE).get_page(request.GET.get("page"))
    return {"page": page, "rows": [{"chat": chat} for chat in page.object_list]}


def _found(request: PersonRequest, query: str) -> dict[str, Any]:
    cursor = request.GET.get("cursor", "")
    try:
        rows, further = finding.find(request.user, query, Page(cursor=cursor, limit=PER_PAGE))
    except ValidationError:  # a place that no page ever named
        rows, further = finding.find(request.user, query, Page(cursor="", limit=PER_PAGE))
    return {"rows": rows, "further": further}


@login_required
@require_POST
def new_chat(request: PersonRequest) -> HttpResponse:
    form = NewChat(request.user, request.POST)
    if not form.is_valid():
        raise Http404
    chosen = form.cleaned_data
    conversation = turns.begin(request.user, chosen["character"], chosen["persona"])
    return redirect("chat", pk=conversation.pk)


@login_required
@require_safe
@never_cache
def chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    talks = _chats(request.user).select_related("persona", "model_choice")
    conversation = get_object_or_404(talks, pk=pk)
    return render(
        request,
        "chats/chat.html",
        {
            "conversation": conversation,
            "chats": _chats(request.user)[:LISTED],
            "state": sync.page(request.user, conversation),
            "limit": settings.MESSAGE_MAX_LENGTH,
            "zone": timezone.get_current_timezone_name(),
            "title_form": Title(instance=conversation),
        },
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Give a chat another name; without one it is called after who talks in it."""
    conversation = get_object_or_404(Conversation.objects.of(request.user), pk=pk)
    form = Title(request.POST if request.method == "POST" else None, instance=conversation)
    if not form.is_valid():
        listed = "listed" in request.GET or "listed" in request.POST
        return render(request, "chats/rename.html", {"form": form, "listed": listed})
    history.change(request.user, pk, form.cleaned_data)
    return redirect("chat-list") if "listed" in request.POST else redirect("chat", pk=pk)


@login_required
@require_POST
def delete_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Nothing is asked, since it can be brought back: at once in the list, later in the trash."""
    get_object_or_404(Conversation.objects.of(request.user), pk=pk)
    if reply := trash.delete(request.user, pk):
        generation.stop(reply)
    return redirect(f"{reverse('chat-list')}?deleted={pk}")


@login_required
@require_safe
def deleted_chats(request: PersonRequest) -> HttpResponse:
    talks = Conversation.objects.trashed(request.user).with_speakers().order_by("-deleted_at")
    page = Paginator(talks, PER_PAGE).get_page(request.GET.get("page"))
    rows = [(chat, trash.days_left(chat)) for chat in page.object_list]
    return render(
        request, "chats/trash.html", {"page": page, "rows": rows, "days": settings.TRASH_DAYS}
    )


@login_required
@require_POST
def restore_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    get_object_or_404(Conversation.objects.filter(owner=request.user), pk=pk)
    trash.restore(request.user, pk)
    return redirect("chat", pk=pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def erase_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    talks = Conversation.objects.trashed(request.user).with_speakers()
    conversation = get_object_or_404(talks, pk=pk)
    if request.method != "POST":
        return render(request, "chats/delete.html", {"conversation": conversation})
    trash.erase(request.user, pk)
    messages.success(request, _("The chat is gone for good."))
    return redirect("chat-trash")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def chat_settings(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Persona, model and memory of a chat: a piece for the dialog, or a page of its own."""
    talks = _chats(request.user).select_related("owner", "persona", "model_choice")
    conversation = get_object_or_404(talks, pk=pk)
    character = conversation.participants.all()[0].character
    bond = Bond.objects.known(request.user, character) if character else None
    form = ChatSettings(conversation, bond, request.POST if request.method == "POST" else None)
    piece = bool(getattr(request, "htmx", False))
    if request.method == "POST" and form.is_valid():
        return _keep_settings(request, conversation, character, form, piece=piece)
    chosen = conversation.model_choice
    context = {
        "conversation": conversation,
        "form": form,
        "gone": chosen if chosen and not chosen.enabled else None,
        "piece": piece,
    }
    page = "chats/settings.html"
    return render(request, f"{page}#settings" if piece else page, context)


def _keep_settings(
    request: PersonRequest,
    conversation: Conversation,
    character: Character | None,
    form: ChatSettings,
    *,
    piece: bool,
) -> HttpResponse:
    with transaction.atomic():
        changed = history.change(request.user, conversation.pk, form.of_chat)
        if character:
            keeping.write_bond(request.user, character, form.of_bond)
    if not piece:
        messages.success(request, _("Saved."))
        return redirect("chat", pk=conversation.pk)
    told = {"demo": chat_model(changed.model_choice).is_demo}
    return trigger_client_event(HttpResponse(status=204), "chat-settings-saved", told)


@login_required
@require_safe
def export(request: PersonRequest, pk: UUID, form: str) -> StreamingHttpResponse:
    conversation = get_object_or_404(_chats(request.user), pk=pk)
    return exporting.response(request, request.user, conversation, form)


@login_required
@require_safe
def usage_page(request: PersonRequest) -> HttpResponse:
    found = usage.of(request.user)
    return render(request, "usage.html", {"usage": found, "bars": usage.bars(found)})


@require_safe
def limits_page(request: HttpRequest) -> HttpResponse:
    """For everybody: what is allowed is no secret."""
    rows = [row | {"unit_words": limits.UNITS[row["unit"]]} for row in limits.rows()]
    return render(request, "limits.html", {"limits": rows})


@login_required
@require_safe
def prompt(request: PersonRequest, pk: UUID, reply: UUID) -> HttpResponse:
    """What was sent for a reply: a piece for the dialog, or a page of its own."""
    replies = Reply.objects.of(request.user).select_related("conversation__owner")
    found = get_object_or_404(replies, pk=reply, conversation=pk)
    row = sent.prompt_row(found, erased=_("[cleared for good]"))
    if row is None:
        raise Http404
    left_out = Memory.objects.of(request.user).filter(pk__in=row["left_out"]).order_by("id")
    context: dict[str, Any] = {"prompt": shown.prompt(row), "left_out": left_out}
    return _piece(request, "prompt", context | {"conversation": found.conversation})


@login_required
@require_safe
@never_cache
def budget(request: PersonRequest, pk: UUID) -> HttpResponse:
    """What the next reply would take of the model's context: a piece, or a page of its own."""
    chat = get_object_or_404(_chats(request.user), pk=pk)
    try:
        context = shown.budget(budgeting.estimate(request.user, pk))
    except ValidationError as problem:
        context = {"problem": problem.messages[0]}
    return _piece(request, "budget", context | {"conversation": chat})


def _piece(request: PersonRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    """The piece for htmx, and the page around it for everybody else."""
    template = f"chats/{name}.html"
    asked = getattr(request, "htmx", False)
    answer = render(request, f"{template}#{name}" if asked else template, context)
    patch_vary_headers(answer, ["HX-Request"])
    return answer


@login_required
@require_safe
@never_cache
def story(request: PersonRequest, pk: UUID) -> HttpResponse:
    """How much of this talk stays word for word: a piece for the panel, or a page of its own."""
    conversation = get_object_or_404(_chats(request.user), pk=pk)
    context: dict[str, Any] = {"conversation": conversation}
    first = next(iter(conversation.participants.all()), None)
    if first and (character := first.character):
        bond = Bond.objects.known(request.user, character)
        limit = cap(bond.memory_detail, chat_model(conversation.model_choice).context_tokens)
        detail = bond.get_memory_detail_display()
        context |= {"character": character, "detail": detail, "limit": limit}
    return _piece(request, "story", context)


def _chats(user: User) -> ConversationQuerySet:
    talks = Conversation.objects.of(user).latest_first()
    return talks.with_speakers()
