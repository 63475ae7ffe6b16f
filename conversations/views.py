"""Pages of talks. What happens in a talk goes over the API and the socket."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from characters import demo
from characters.models import Character
from conversations import history, sent, shown, sync, turns
from conversations.forms import NewChat, Title
from conversations.models import Conversation, ConversationQuerySet, Reply
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.models import User

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
    page = Paginator(_chats(request.user), PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "chats/list.html", {"page": page, "chats": page.object_list})


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
    conversation = get_object_or_404(_chats(request.user), pk=pk)
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
@require_POST
def edit_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    """Give a chat another name; without one it is called after who talks in it."""
    conversation = get_object_or_404(Conversation.objects.of(request.user), pk=pk)
    form = Title(request.POST, instance=conversation)
    if form.is_valid():
        history.change(request.user, pk, form.cleaned_data)
    else:
        messages.error(request, " ".join(str(error) for error in form.errors["title"]))
    return redirect("chat", pk=pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete_chat(request: PersonRequest, pk: UUID) -> HttpResponse:
    conversation = get_object_or_404(_chats(request.user), pk=pk)
    if request.method != "POST":
        return render(request, "chats/delete.html", {"conversation": conversation})
    history.delete(request.user, pk)
    messages.success(request, _("The chat is deleted."))
    return redirect("chat-list")


@login_required
@require_safe
def prompt(request: PersonRequest, pk: UUID, reply: UUID) -> HttpResponse:
    """What was sent for a reply: a piece for the dialog, or a page of its own."""
    replies = Reply.objects.of(request.user).select_related("conversation__owner")
    found = get_object_or_404(replies, pk=reply, conversation=pk)
    row = sent.prompt_row(found)
    if row is None:
        raise Http404
    context: dict[str, Any] = {"prompt": shown.prompt(row), "conversation": found.conversation}
    piece = getattr(request, "htmx", False)
    return render(request, "chats/prompt.html#prompt" if piece else "chats/prompt.html", context)


def _chats(user: User) -> ConversationQuerySet:
    talks = Conversation.objects.of(user).latest_first()
    return talks.with_speakers().select_related("persona")
