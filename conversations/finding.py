"""Finding a chat by its name, by who talks in it, or by what was said in it.

One kanji is enough, and neither width nor case matters: both sides are compared as NFKC in lower
case, which every PostgreSQL can do without a dictionary (C75).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from conversations.models import Conversation, ConversationQuerySet, Message, Participant
from reverie.accounts.finding import folded, place
from reverie.accounts.models import User
from reverie.accounts.paging import Page, cursor_of, first_of
from reverie.text import clean
from reverie.text.graphemes import graphemes

QUERY_LENGTH = 200  # code points
REACH = 20_000  # messages looked through for one page; the next page looks further back
MOST_TALKS = 1_000  # of one page, found or not
BEFORE, AFTER = 40, 90  # code points of an excerpt
ORDER = ("-talked_at", "-id")


@dataclass(frozen=True)
class Excerpt:
    """Text around what was looked for, which stands in `hit` as it is written there."""

    before: str
    hit: str
    after: str


@dataclass(frozen=True)
class Found:
    """A chat in which something was found, and where."""

    chat: Conversation
    title: Excerpt | None
    name: Excerpt | None
    said: Excerpt | None
    message_id: UUID | None
    position: int | None


def tidy(query: str) -> str:
    """What somebody looks for, as it can be looked for; too long a text is cut."""
    return clean.cut(clean.clean(query).strip(), QUERY_LENGTH)


def find(user: User, query: str, page: Page) -> tuple[list[Found], str | None]:
    """A page of this person's chats with `query` in them, the latest first, and the next cursor.

    A page may be short, or empty, and still have a next one: what lies further back is looked
    through then. Raises `ValidationError` (`cursor`) as `page_of` does.
    """
    near, further = _near(Conversation.objects.of(user), page.cursor)
    talks = Conversation.objects.of(user).filter(pk__in=[talk.pk for talk in near])
    rows = list(_with(talks.with_speakers(), query).order_by(*ORDER)[: page.limit + 1])
    found = _shown(rows[: page.limit], query)
    if len(rows) > page.limit:
        return found, cursor_of(found[-1].chat, ORDER)
    return found, cursor_of(near[-1], ORDER) if further else None


def _near(talks: ConversationQuerySet, cursor: str) -> tuple[list[Conversation], bool]:
    """The talks from here on that are looked through now, and whether there are more."""
    last = Message.objects.filter(conversation=OuterRef("pk")).order_by("-position")
    sized = talks.annotate(size=Coalesce(Subquery(last.values("position")[:1]), 0))
    rows: Sequence[Any] = first_of(sized, ORDER, cursor, MOST_TALKS + 1)
    reached, count = 0, 0
    for row in rows[:MOST_TALKS]:
        reached += row.size
        if count and reached > REACH:
            break
        count += 1
    return list(rows[:count]), len(rows) > count


def _said(query: str) -> QuerySet[Message]:
    """Messages that say `query`, in the version that is told."""
    told = Coalesce("chosen_reply__text", "text")
    messages = Message.objects.filter(deleted_in=None).annotate(told=told)
    return messages.annotate(at=place(F("told"), query)).filter(at__gt=0)


def _with(talks: ConversationQuerySet, query: str) -> ConversationQuerySet:
    """Those in which `query` is found; `hit` is the newest message with it."""
    said = _said(query).filter(conversation=OuterRef("pk")).order_by("-position")
    names = Participant.objects.filter(conversation=OuterRef("pk"))
    named = names.annotate(at=place(F("name"), query)).filter(at__gt=0)
    marked = talks.annotate(hit=Subquery(said.values("pk")[:1]), at=place(F("title"), query))
    return marked.filter(Q(at__gt=0) | Q(hit__isnull=False) | Exists(named))


def _shown(rows: Sequence[Any], query: str) -> list[Found]:
    hits = Message.objects.filter(pk__in=[row.hit for row in rows if row.hit])
    told = hits.annotate(told=Coalesce("chosen_reply__text", "text"))
    said = {row.pk: row for row in told.only("pk", "position")}
    return [_found(row, said.get(row.hit), query) for row in rows]


def _found(chat: Conversation, message: Any, query: str) -> Found:
    names = "、" if chat.language == "ja" else ", "
    speakers = names.join(speaker.name for speaker in chat.participants.all())
    return Found(
        chat=chat,
        title=_marked(chat.title or speakers, query),
        name=_marked(speakers, query) if chat.title else None,
        said=message and excerpt(message.told, query),
        message_id=message and message.pk,
        position=message and message.position,
    )


def _marked(text: str, query: str) -> Excerpt | None:
    place = _span(text, query)
    return place and Excerpt(text[: place[0]], text[place[0] : place[1]], text[place[1] :])


def excerpt(text: str, query: str) -> Excerpt:
    """A line of `text` around the first `query` in it; its beginning if it cannot be seen where."""
    start, end = _span(text, query) or (0, 0)
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    lead = "…" if start > BEFORE else ""
    rest = "…" if end + AFTER < len(text) else ""
    return Excerpt(lead + _line(before), _line(text[start:end]), _line(after) + rest)


def _line(text: str) -> str:
    return " ".join(text.replace("\n", " ").split(" "))


def _span(text: str, query: str) -> tuple[int, int] | None:
    """Where the first `query` begins and ends in `text`, whose letters it may write otherwise."""
    whole, sought = folded(text), folded(query)
    at = whole.find(sought)
    if at < 0:
        return None
    if folded(text[at : at + len(query)]) == sought:
        return at, at + len(query)
    return _span_by_letters(text, at, at + len(sought))


def _span_by_letters(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The letters of `text` that become `start` to `end` when it is folded."""
    first, here, there = -1, 0, 0
    for letter in graphemes(text):
        if there >= end:
            break
        there += len(folded(letter))
        if there > start and first < 0:
            first = here
        here += len(letter)
    return (first, here) if first >= 0 else None
