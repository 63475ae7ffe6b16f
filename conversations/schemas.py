"""What the API says and takes of talks. The shapes themselves are made in `sync`."""

from typing import Any, Literal
from uuid import UUID

from ninja import Schema


class ConversationIn(Schema):
    character_id: UUID
    persona_id: UUID | None = None
    kind: Literal["chat", "challenge"] = "chat"


class ConversationPatch(Schema):
    title: str | None = None
    persona_id: UUID | None = None
    model_id: UUID | None = None
    temperature: float | None = None
    reply_tokens: int | None = None


class ParticipantOut(Schema):
    character_id: UUID | None
    name: str
    avatar_url: str | None


class ConversationOut(Schema):
    id: UUID
    title: str
    kind: str
    language: str
    persona_id: UUID | None
    persona_name: str
    model_id: UUID | None
    temperature: float | None
    reply_tokens: int | None
    participants: list[ParticipantOut]
    revision: int
    created_at: str
    talked_at: str


class ExcerptOut(Schema):
    """A line of a text around what was looked for."""

    before: str
    hit: str
    after: str


class PlaceOut(Schema):
    message_id: UUID
    position: int
    excerpt: ExcerptOut


class ConversationRow(ConversationOut):
    """`found`: where the newest message is that says it; null when only the name does."""

    found: PlaceOut | None = None


class ConversationPage(Schema):
    items: list[ConversationRow]
    next: str | None


class ErrorOut(Schema):
    code: str
    detail: str
    explanation: str
    retry_after: int | None


class UsageOut(Schema):
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cost: str | None


class ReplyOut(Schema):
    id: UUID
    character_id: UUID | None
    status: str
    number: int
    edited: bool
    cut_by_length: bool
    text: str
    html: str
    error: ErrorOut | None
    usage: UsageOut
    saved: list[Any]
    model: str
    has_prompt: bool
    remembered: int
    created_at: str


class MessageOut(Schema):
    id: UUID
    client_id: UUID | None
    position: int
    role: str
    text: str
    deleted: bool
    edited: bool
    persona_id: UUID | None
    character_id: UUID | None
    name: str
    answers: UUID | None
    revision: int
    created_at: str
    replies: list[ReplyOut]
    chosen_reply_id: UUID | None


class MessagePage(Schema):
    items: list[MessageOut]
    next: str | None
    revision: int


class SendIn(Schema):
    client_id: UUID
    text: str


class TurnOut(Schema):
    message: MessageOut
    answer: MessageOut
    reply: ReplyOut
    revision: int


class EditIn(Schema):
    """`revision`: that of the message as the editor saw it; a newer one refuses with 409."""

    text: str
    revision: int | None = None


class CountOut(Schema):
    messages: int


class DraftOut(Schema):
    text: str


class StopOut(Schema):
    reply_id: UUID | None


class PieceOut(Schema):
    role: str
    source: str
    tokens: int
    text: str


class SectionOut(Schema):
    name: str
    tokens: int
    pieces: list[PieceOut]


class RememberedOut(Schema):
    """A memory in a prompt; `now`: what has become of it since."""

    id: UUID
    why: Literal["pinned", "active", "saved"]
    text: str
    tokens: int
    now: Literal["same", "changed", "deleted"]
    score: float | None
    woke: bool


class LineOut(Schema):
    role: str
    content: str
    mark: bool


class FoldOut(Schema):
    reason: str
    created_at: str


class PromptOut(Schema):
    model: str
    tokenizer: str
    context_tokens: int
    reserve_tokens: int
    total_tokens: int
    fold: FoldOut | None
    sections: list[SectionOut]
    memories: list[RememberedOut]
    skipped: list[list[int]]
    left_out: list[UUID]
    searched: bool
    messages: list[LineOut]
    usage: UsageOut


class SumsOut(Schema):
    """`unpriced`: replies without a cost, which `cost` therefore leaves out."""

    replies: int
    unpriced: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost: str | None


class DayOut(SumsOut):
    day: str


class ChatUsageOut(SumsOut):
    conversation_id: UUID
    title: str
    deleted: bool


class UsageReport(Schema):
    zone: str
    days: list[DayOut]
    chats: list[ChatUsageOut]
    total: SumsOut


class LimitOut(Schema):
    name: str
    value: int
    unit: str
    words: str


class LimitList(Schema):
    items: list[LimitOut]
