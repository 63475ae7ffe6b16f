"""Lays a reply's prompt: the voice's head, the talk that fits, the fold it stands on."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Case, F, Sum, TextField, Value, When, Window
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from conversations import folds, remembering, sent, speakers
from conversations.engine import prompt
from conversations.engine.prompt import Prompt
from conversations.engine.values import Piece, Role, Section
from conversations.models import Conversation, Fold, Message, Participant, Reply
from conversations.remembering import Remembered
from conversations.speakers import Voice
from memories.recall import Query
from reverie.providers.base import ChatMessage, ChatModel, Request

CHARACTERS_PER_TOKEN = 12  # more than any tokenizer packs into one; bounds what is read
END = 2**31 - 1  # a position behind every message
FED = (Reply.Status.DONE, Reply.Status.STOPPED, Reply.Status.INTERRUPTED)


@dataclass(frozen=True)
class Layout:
    """A prompt laid out. Where `reason` says why, it needs a new fold; else it stands on `last`."""

    whole: Prompt
    first: int  # position of the oldest message in it
    memories: Remembered
    last: Fold | None
    reason: str


def refuse_too_long(voice: Voice, text: str) -> None:
    """Raise `ValidationError` when `text` cannot fit beside the character and the pins (D17): with
    code `pins_too_long` when it would without the pins, else `too_long_for_model`."""
    pins = remembering.anew(voice, room=0).head
    needed = _needed(voice, pins, text)
    if needed <= voice.budget.room:
        return
    sizes = {"needed": needed, "room": voice.budget.room}
    if pins and _needed(voice, (), text) <= voice.budget.room:
        raise ValidationError(
            _(
                "The pinned memories leave no room: with them this needs %(needed)s tokens, and the"
                " model has room for %(room)s. Unpin some, or use a model with a larger context."
            ),
            code="pins_too_long",
            params=sizes,
        )
    raise ValidationError(
        _(
            "This message and the character need %(needed)s tokens, but the model has room for"
            " %(room)s. Shorten the message, or use a model with a larger context."
        ),
        code="too_long_for_model",
        params=sizes,
    )


def _needed(voice: Voice, pins: tuple[Section, ...], text: str) -> int:
    """Tokens of what is never left out for `text`."""
    head = (*voice.head(), *pins)
    return prompt.fixed(head, voice.tail(), _newest(text, 0, voice))


def lay(reply: Reply, model: ChatModel, query: Query | None = None) -> Request:
    """Lay the prompt of a claimed reply, note on the reply what is sent, and give the request.

    `query` is what the message is searched with; without one nothing is searched (S30).
    """
    conversation, answer = reply.conversation, reply.message
    speaker, asked = answer.participant, answer.answers
    assert speaker, "a queued reply has a speaker"
    assert asked, "a queued reply answers a message"
    voice = speakers.voice(conversation, speaker, model, query)
    newest = _newest(asked.text, asked.position, voice)
    after = voice.unfinished(reply.text) if reply.continues else ()
    laid = _laid_out(conversation, speaker, voice, newest, asked.position, after)
    fold = laid.last
    if laid.reason:
        fold = folds.lay(conversation, speaker, voice, laid.whole, laid.first, laid.reason)
    assert fold, "there is a last fold where there is no reason for a new one"
    reply.sent = _sent(reply, voice, laid, fold)
    reply.remembered = laid.memories.count
    return _request(conversation, voice, laid.whole)


def upcoming(conversation: Conversation, speaker: Participant, voice: Voice) -> Prompt:
    """What the next reply would be given, but for what is said to it. Nothing of it is kept.

    When the character alone does not fit, that alone, as large as it is.
    """
    nothing = Piece("", 0, "message", Role.USER)
    try:
        return _laid_out(conversation, speaker, voice, nothing, END).whole
    except prompt.TooLongError:
        return Prompt((*voice.head(), *remembering.anew(voice, room=0).head), (), voice.tail())


def draft_line(conversation: Conversation, speaker: Participant, model: ChatModel) -> Request:
    """The request for what the person might say next. Nothing of it is kept."""
    voice = speakers.voice(conversation, speaker, model)
    memories = remembering.anew(voice)
    whole, _ = _assembled(conversation, voice, memories, voice.spoken_for(), END)
    return _request(conversation, voice, whole)


def _laid_out(
    conversation: Conversation,
    speaker: Participant,
    voice: Voice,
    newest: Piece,
    before: int,
    after: tuple[Section, ...] = (),
) -> Layout:
    """Raises `TooLongError` when not even the character and `newest` fit."""
    last = Fold.objects.filter(conversation=conversation, participant=speaker).last()
    memories, reason = folds.remembered(last, voice)
    laid = last.first_position if last and not reason else 0
    try:
        whole, first = _assembled(conversation, voice, memories, newest, before, laid, after)
    except prompt.TooLongError:
        # What is not pinned gives way to what a person says.
        memories, reason = remembering.anew(voice, room=0), reason or Fold.Reason.CONTEXT
        whole, first = _assembled(conversation, voice, memories, newest, before, laid, after)
    return Layout(whole, first, memories, last, reason or folds.moved(last, first, whole))


def _assembled(
    conversation: Conversation,
    voice: Voice,
    memories: Remembered,
    newest: Piece,
    before: int,
    laid: int = 0,
    after: tuple[Section, ...] = (),
) -> tuple[Prompt, int]:
    """The prompt, and the position of the oldest message in it. Raises `TooLongError`."""
    head, tail = (*voice.head(), *memories.head), (*memories.tail, *voice.tail())
    room = prompt.spare(head, (*tail, *after), newest, voice.budget)
    history = _history(conversation, before, room, voice)
    whole = prompt.assemble(
        head,
        [piece for _, piece in history],
        tail,
        newest,
        budget=voice.budget,
        limit=voice.limit,
        laid=sum(1 for position, _ in history if position < laid),
        after=after,
    )
    return whole, history[whole.begins][0] if history[whole.begins :] else before


def _newest(text: str, position: int, voice: Voice) -> Piece:
    return Piece(text, voice.count(text), f"message:{position}", Role.USER)


def _history(
    conversation: Conversation, before: int, room: int, voice: Voice
) -> list[tuple[int, Piece]]:
    """Position and piece of what was said before, oldest first; little more than fits `room`."""
    asked = When(role=Message.Role.USER, then=F("text"))
    told = When(chosen_reply__status__in=FED, then=F("chosen_reply__text"))
    so_far = Window(Sum(Length("words")), order_by=F("position").desc())
    said = (
        Message.objects.within(conversation)
        .filter(position__lt=before)
        .annotate(words=Case(asked, told, default=Value(""), output_field=TextField()))
        .exclude(words="")
        .annotate(so_far=so_far)
        .filter(so_far__lte=room * CHARACTERS_PER_TOKEN)
        .order_by("position")
    )
    rows = said.values_list("position", "role", "words")
    return [(position, _piece(position, role, words, voice)) for position, role, words in rows]


def _piece(position: int, role: str, words: str, voice: Voice) -> Piece:
    speaks = Role.USER if role == Message.Role.USER else Role.ASSISTANT
    return Piece(words, voice.count(words), f"message:{position}", speaks)


def _sent(reply: Reply, voice: Voice, laid: Layout, fold: Fold) -> dict[str, Any]:
    """What is kept with the reply of what is sent for it (D42)."""
    oldest = Message.objects.within(reply.conversation).values_list("position", flat=True).first()
    skipped = oldest is not None and oldest < laid.first
    return {
        "sections": sent.store(reply.conversation.owner, laid.whole.sections),
        "fold": fold.pk,
        "tokens": laid.whole.tokens,
        "tokenizer": voice.model.tokenizer,
        "context": voice.budget.context,
        "reserve": voice.budget.reserve,
        "skipped": [[oldest, laid.first - 1]] if skipped else [],
        "left_out": [str(pk) for pk in laid.memories.left_out],
        "recall": _recall(voice),
    }


def _recall(voice: Voice) -> dict[str, Any]:
    """What the search of this reply found (X1)."""
    found = voice.recalled
    return {
        "searched": found.searched,
        "matches": [[str(match.id), round(match.score, 3)] for match in found.matches],
        "woke": sorted(str(pk) for pk in found.woke),
        "slept": sorted(str(pk) for pk in found.slept),
    }


def _request(conversation: Conversation, voice: Voice, whole: Prompt) -> Request:
    return Request(
        messages=tuple(
            ChatMessage(role=line.role.value, content=line.content, cache_mark=line.mark)
            for line in whole.lines()
        ),
        temperature=conversation.temperature,
        max_tokens=voice.most_tokens,
        cache_key=str(conversation.pk),
        language=voice.language,
    )
