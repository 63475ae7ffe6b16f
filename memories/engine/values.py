"""The values that the rules of memory pass around. Frozen, and free of Django."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from uuid import UUID


class State(StrEnum):
    """What people see of a memory; derived, never stored."""

    PINNED = "pinned"
    ACTIVE = "active"
    DORMANT = "dormant"
    HELD = "held"


@dataclass(frozen=True, slots=True)
class Note:
    """A memory as its rules need it. `scope` only tells scopes apart.

    `counted_on` is the last UTC day that was counted or matched, the day of saving included (D7).
    """

    id: UUID
    scope: int
    text: str
    pinned: bool
    created_at: datetime
    updated_at: datetime
    unused_days: int = 0
    counted_on: date | None = None
    held: bool = False
    protected: bool = True
    matched_at: datetime | None = None

    def updated_on(self) -> date:
        """The UTC day of its last change; `updated_at` is in UTC."""
        return self.updated_at.date()
