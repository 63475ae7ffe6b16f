"""Talks over HTTP: commands come here, events go over the socket."""

from dataclasses import asdict
from typing import Any, Literal
from uuid import UUID

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Status
from pydantic import Field

from characters.models import Character, Persona
from conversations import (
    exporting,
    finding,
    generation,
    history,
    limits,
    sent,
    sync,
    trash,
    turns,
    usage,
    versions,
)
from conversations.models import Conversation, Message, Reply
from conversations.schemas import (
    ConversationIn,
    ConversationOut,
    ConversationPage,
    ConversationPatch,
    CountOut,
    DraftOut,
    EditIn,
    LimitList,
    MessageOut,
    MessagePage,
    PromptOut,
    ReplyOut,
    SendIn,
    StopOut,
    TurnOut,
    UsageReport,
)
from reverie.accounts.middleware import PersonRequest
from reverie.accounts.paging import Page, page_of

router = Router(tags=["conversations"])


class MessageQuery(Page):
    """Either what changed after a revision, or what was said before a position, or the newest."""

    after_revision: int | None = Field(None, ge=0, lt=2**63)
    before: int | None = Field(None, ge=0, lt=2**31)


class ConversationQuery(Page):
    """All, or those in which `q` is found, or those in the trash."""

    q: str = Field("", max_length=finding.QUERY_LENGTH)
    deleted: bool = False


@router.get("conversations", response=ConversationPage)
def list_conversations(request: PersonRequest, query: Query[ConversationQuery]) -> dict[str, Any]:
    """The latest first. With `q`, a page may be short and still have a `next`."""
    if sought := finding.tidy(query.q):
        found, following = finding.find(request.user, sought, query)
        return {"items": [_found_row(one) for one in found], "next": following}
    talks, order = Conversation.objects.of(request.user), finding.ORDER
    if query.deleted:
        talks, order = Conversation.objects.trashed(request.user), ("-deleted_at", "-id")
    items, following = page_of(talks.with_speakers(), order, query)
    return {"items": [sync.conversation_row(item) for item in items], "next": following}


def _found_row(found: finding.Found) -> dict[str, Any]:
    place = found.said and {
        "message_id": found.message_id,
        "position": found.position,
        "excerpt": asdict(found.said),
    }
    return sync.conversation_row(found.chat) | {"found": place}


@router.post("conversations", response={201: ConversationOut})
def create_conversation(request: PersonRequest, body: ConversationIn) -> Status[Any]:
    character = get_object_or_404(Character.objects.of(request.user), pk=body.character_id)
    persona = None
    if body.persona_id:
        persona = get_object_or_404(Persona.objects.of(request.user), pk=body.persona_id)
    conversation = turns.begin(request.user, character, persona, kind=body.kind)
    return Status(201, sync.conversation_row(conversation))


@router.get("conversations/{uuid:pk}", response=ConversationOut)
def read_conversation(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    talks = Conversation.objects.of(request.user).with_speakers()
    return sync.conversation_row(get_object_or_404(talks, pk=pk))


@router.patch("conversations/{uuid:pk}", response=ConversationOut)
def change_conversation(
    request: PersonRequest, pk: UUID, body: ConversationPatch
) -> dict[str, Any]:
    return sync.conversation_row(history.change(request.user, pk, body.dict(exclude_unset=True)))


@router.delete("conversations/{uuid:pk}", response={204: None})
def delete_conversation(request: PersonRequest, pk: UUID, for_good: bool = False) -> Status[None]:
    """Into the trash, from which `restore` brings it back; `for_good` drops it from there."""
    if for_good:
        trash.erase(request.user, pk)
    elif reply := trash.delete(request.user, pk):
        generation.stop(reply)
    return Status(204, None)


@router.post("conversations/{uuid:pk}/restore", response=ConversationOut)
def restore_conversation(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    """Bring a deleted conversation back as it was."""
    return sync.conversation_row(trash.restore(request.user, pk))


@router.get("conversations/{uuid:pk}/export", response=None)
def export_conversation(
    request: PersonRequest,
    pk: UUID,
    format: Literal["text", "json"] = "json",  # noqa: A002
) -> StreamingHttpResponse:
    """The whole talk as a file: words for people, or everything in JSON."""
    talks = Conversation.objects.of(request.user).with_speakers().select_related("persona")
    return exporting.response(request, request.user, get_object_or_404(talks, pk=pk), format)


@router.get("conversations/{uuid:pk}/messages", response=MessagePage)
def list_messages(request: PersonRequest, pk: UUID, query: Query[MessageQuery]) -> dict[str, Any]:
    """Oldest first within a page; `next` of the newest page leads to what was said before it."""
    conversation = get_object_or_404(Conversation.objects.of(request.user), pk=pk)
    messages = Message.objects.of(request.user).within(conversation).shown()
    if query.after_revision is not None:
        ever = Message.objects.of(request.user).ever(conversation).shown()
        newer = ever.filter(revision__gt=query.after_revision)
        items, following = page_of(newer, ("revision", "position"), query)
    else:
        if query.before is not None:
            messages = messages.filter(position__lt=query.before)
        items, following = page_of(messages, ("-position",), query)
        items.reverse()
    rows = [sync.message_row(message) for message in items]
    return {"items": rows, "next": following, "revision": conversation.revision}


@router.post("conversations/{uuid:pk}/messages", response={202: TurnOut})
def send(request: PersonRequest, pk: UUID, body: SendIn) -> Status[Any]:
    """Say something. The same `client_id` with the same text is the same message, for ever (P2)."""
    return _started(turns.open(request.user, pk, body.client_id, body.text))


@router.patch("conversations/{uuid:pk}/messages/{uuid:mid}", response=MessageOut)
def edit_message(request: PersonRequest, pk: UUID, mid: UUID, body: EditIn) -> dict[str, Any]:
    """Change one's own words. Nothing is answered anew by that."""
    history.edit_message(request.user, pk, mid, body.text, seen=body.revision)
    return sync.message_row(Message.objects.of(request.user).shown().get(pk=mid))


@router.delete("conversations/{uuid:pk}/messages/{uuid:mid}", response=CountOut)
def delete_message(
    request: PersonRequest, pk: UUID, mid: UUID, following: bool = False
) -> dict[str, Any]:
    """Delete a message, or it and all that follows; `restore` brings them back."""
    count = history.delete_message(request.user, pk, mid, following=following)
    return {"messages": count}


@router.post("conversations/{uuid:pk}/messages/{uuid:mid}/restore", response=CountOut)
def restore(request: PersonRequest, pk: UUID, mid: UUID) -> dict[str, Any]:
    """Bring back a deleted message with all that went with it, or a deleted version of it."""
    return {"messages": history.restore(request.user, pk, mid)}


@router.post("conversations/{uuid:pk}/messages/{uuid:mid}/regenerate", response={202: TurnOut})
def regenerate(request: PersonRequest, pk: UUID, mid: UUID, following: bool = False) -> Status[Any]:
    """Another version of the last answer; earlier ones are kept, one being written is stopped."""
    return _started(versions.regenerate(request.user, pk, mid, following=following))


@router.post("conversations/{uuid:pk}/impersonate", response=DraftOut)
def impersonate(request: PersonRequest, pk: UUID) -> dict[str, Any]:
    """Draft what the person might say next. Nothing is stored; errors of the model are 502."""
    return {"text": generation.compose(*turns.impersonate(request.user, pk))}


@router.post("conversations/{uuid:pk}/stop", response={202: StopOut})
def stop(request: PersonRequest, pk: UUID) -> Status[Any]:
    """End the reply under way; what it said so far is kept."""
    reply = turns.stop(request.user, pk)
    if reply:
        generation.stop(reply.pk)
    return Status(202, {"reply_id": reply and reply.pk})


@router.get("conversations/{uuid:pk}/replies/{uuid:rid}", response=ReplyOut)
def read_reply(request: PersonRequest, pk: UUID, rid: UUID) -> dict[str, Any]:
    return sync.reply_row(_reply(request, pk, rid))


@router.patch("conversations/{uuid:pk}/replies/{uuid:rid}", response=ReplyOut)
def edit_reply(request: PersonRequest, pk: UUID, rid: UUID, body: EditIn) -> dict[str, Any]:
    history.edit_reply(request.user, pk, rid, body.text, seen=body.revision)
    return sync.reply_row(_reply(request, pk, rid))


@router.delete("conversations/{uuid:pk}/replies/{uuid:rid}", response=MessageOut)
def delete_reply(request: PersonRequest, pk: UUID, rid: UUID) -> dict[str, Any]:
    """Delete this version alone; deleting the message deletes all of them."""
    message = history.delete_reply(request.user, pk, rid)
    return sync.message_row(Message.objects.of(request.user).shown().get(pk=message.pk))


@router.post("conversations/{uuid:pk}/replies/{uuid:rid}/choose", response=ReplyOut)
def choose(request: PersonRequest, pk: UUID, rid: UUID) -> dict[str, Any]:
    """Let this version be the one that is told on."""
    history.choose(request.user, pk, rid)
    return sync.reply_row(_reply(request, pk, rid))


@router.post("conversations/{uuid:pk}/replies/{uuid:rid}/continue", response={202: TurnOut})
def go_on(request: PersonRequest, pk: UUID, rid: UUID) -> Status[Any]:
    """Write on from where this version ends."""
    return _started(versions.go_on(request.user, pk, rid))


@router.get("conversations/{uuid:pk}/replies/{uuid:rid}/prompt", response=PromptOut)
def read_prompt(request: PersonRequest, pk: UUID, rid: UUID) -> dict[str, Any]:
    """The prompt exactly as it was sent (X1); 404 while nothing was sent."""
    row = sent.prompt_row(_reply(request, pk, rid))
    if row is None:
        raise Reply.DoesNotExist
    return row


def _reply(request: PersonRequest, pk: UUID, rid: UUID) -> Reply:
    replies = Reply.objects.of(request.user).select_related(
        "conversation__owner", "message__participant"
    )
    return get_object_or_404(replies, conversation=pk, pk=rid)


def _started(opened: turns.Opened) -> Status[Any]:
    if opened.replaced:
        generation.stop(opened.replaced)
    generation.start(opened.reply.pk)
    turn = {
        "message": sync.message_row(opened.message),
        "answer": sync.message_row(opened.answer),
        "reply": sync.reply_row(opened.reply, opened.answer),
        "revision": opened.conversation.revision,
    }
    return Status(202, turn)


@router.get("usage", response=UsageReport)
def read_usage(request: PersonRequest) -> dict[str, Any]:
    """Tokens and cost of the last 30 days, by day and by conversation."""
    return usage.row(usage.of(request.user))


@router.get("limits", response=LimitList)
def list_limits(request: PersonRequest) -> dict[str, Any]:
    """Every limit, as the code goes by it."""
    return {"items": list(limits.rows())}
