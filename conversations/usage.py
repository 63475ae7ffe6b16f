"""What replies took: tokens and cost by day and by chat, as providers counted them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from conversations.models import Conversation, Reply, ReplyQuerySet
from reverie.accounts.models import User

DAYS = 30
COUNTS = ("prompt_tokens", "cached_tokens", "completion_tokens")
STEP, WIDE, HIGH = 20, 14, 100  # the drawing: from bar to bar, a bar, the highest, in its own units


@dataclass(frozen=True)
class Sums:
    """Tokens as providers counted them; `cost` is None where none of them gave a price."""

    replies: int = 0
    unpriced: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal | None = None

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Sums") -> "Sums":
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Sums(
            self.replies + other.replies,
            self.unpriced + other.unpriced,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            sum(costs, Decimal(0)) if costs else None,
        )


@dataclass(frozen=True)
class Usage:
    zone: str
    days: list[tuple[date, Sums]]  # every day, the oldest first
    chats: list[tuple[Conversation, Sums]]  # what took most first
    total: Sums


def of(user: User) -> Usage:
    """The last 30 days of this person, in their own zone, deleted versions and chats included."""
    today = timezone.now().astimezone(user.zone).date()
    first = today - timedelta(days=DAYS - 1)
    begin = datetime.combine(first, time.min, tzinfo=user.zone)
    replies = Reply.objects.ever_of(user).filter(created_at__gte=begin).exclude(model="")
    by_day = _sums(replies, day=TruncDate("created_at", tzinfo=user.zone))
    days = [(first + timedelta(days=n), Sums()) for n in range(DAYS)]
    days = [(day, by_day.get(day, none)) for day, none in days]
    total = sum((sums for _, sums in days), Sums())
    return Usage(user.zone.key, days, _by_chat(user, replies), total)


def _by_chat(user: User, replies: ReplyQuerySet) -> list[tuple[Conversation, Sums]]:
    sums = _sums(replies, chat=F("conversation_id"))
    talks = Conversation.objects.filter(owner=user, pk__in=sums).with_speakers()
    found = [(talk, sums[talk.pk]) for talk in talks]
    return sorted(found, key=lambda it: -it[1].tokens)


def _sums(replies: ReplyQuerySet, **by: Any) -> dict[Any, Sums]:
    (key,) = by
    counted: dict[str, Any] = {f"sum_{name}": Sum(name) for name in (*COUNTS, "cost")}
    counted |= {"replies": Count("pk"), "unpriced": Count("pk", filter=Q(cost=None))}
    rows = replies.annotate(**by).order_by().values(key).annotate(**counted)
    return {row[key]: _sum(row) for row in rows}


def _sum(row: dict[str, Any]) -> Sums:
    counts = {name: row[f"sum_{name}"] or 0 for name in COUNTS}
    return Sums(row["replies"], row["unpriced"], **counts, cost=row["sum_cost"])


def row(usage: Usage) -> dict[str, Any]:
    """The same for the API."""
    return {
        "zone": usage.zone,
        "days": [{"day": day.isoformat(), **_sums_row(sums)} for day, sums in usage.days],
        "chats": [_chat_row(chat) | _sums_row(sums) for chat, sums in usage.chats],
        "total": _sums_row(usage.total),
    }


def _chat_row(chat: Conversation) -> dict[str, Any]:
    deleted = chat.deleted_at is not None
    return {"conversation_id": str(chat.pk), "title": chat.title, "deleted": deleted}


def _sums_row(sums: Sums) -> dict[str, Any]:
    return asdict(sums) | {"cost": None if sums.cost is None else str(sums.cost)}


@dataclass(frozen=True)
class Bar:
    """A day in the drawing: pieces from the ground up, each `(shade, y, height)`."""

    day: date
    sums: Sums
    x: int
    pieces: list[tuple[int, float, float]]


def bars(usage: Usage) -> list[Bar]:
    most = max(sum(_stack(sums)) for _, sums in usage.days) or 1
    return [
        Bar(day, sums, n * STEP, _pieces(_stack(sums), most))
        for n, (day, sums) in enumerate(usage.days)
    ]


def _stack(sums: Sums) -> tuple[int, int, int]:
    """From the cache, sent anew, written."""
    cached = min(sums.cached_tokens, sums.prompt_tokens)
    return cached, sums.prompt_tokens - cached, sums.completion_tokens


def _pieces(stack: Iterable[int], most: int) -> list[tuple[int, float, float]]:
    pieces, top = [], float(HIGH)
    for shade, tokens in enumerate(stack):
        height = HIGH * tokens / most
        top -= height
        if tokens:
            pieces.append((shade, top, height))
    return pieces
