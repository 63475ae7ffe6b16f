"""Which models a chat may choose from. Where they are and their keys are the operator's alone."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema

from . import choosing

router = Router(tags=["models"])


class OfferedOut(Schema):
    id: UUID | None
    name: str
    label: str
    context_tokens: int
    is_demo: bool
    default: bool


class OfferedPage(Schema):
    items: list[OfferedOut]
    next: str | None


@router.get("models", response=OfferedPage)
def list_models(request: HttpRequest) -> dict[str, Any]:
    """The default first. One without an id is what a chat has that chooses none."""
    return {"items": choosing.offered(), "next": None}
