"""Lists by cursor: `{items, next}`, where `next` asks for what comes after the last item."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from ninja import Query, Schema
from pydantic import Field

M = TypeVar("M", bound=Model)
PAGE, MOST = 50, 200


class Page(Schema):
    """Where in a list, and how much of it."""

    cursor: str = ""
    limit: int = Field(PAGE, ge=1, le=MOST)


PageQuery = Query[Page]


def page_of(rows: "QuerySet[M]", order: tuple[str, ...], page: Page) -> tuple[list[M], str | None]:
    """A page of `rows` and the cursor of the next one. `order` ends with a unique field.

    Raises `ValidationError` with code `cursor` for a cursor that this list never gave.
    """
    found = first_of(rows, order, page.cursor, page.limit + 1)
    more = len(found) > page.limit
    items = found[: page.limit]
    return items, cursor_of(items[-1], order) if more else None


def first_of(rows: "QuerySet[M]", order: tuple[str, ...], cursor: str, count: int) -> list[M]:
    """So many of `rows` from this place on. Raises as `page_of` does."""
    ordered = rows.order_by(*order)
    values = _decoded(cursor, len(order)) if cursor else None
    try:
        after = ordered.filter(_beyond(order, values)) if values else ordered
        return list(after[:count])
    except (TypeError, ValueError, OverflowError, ValidationError, DataError) as problem:
        raise _wrong_cursor() from problem


def _beyond(order: tuple[str, ...], values: list[Any]) -> Q:
    """Rows after the one with these values, in this order."""
    beyond = Q()
    for index, (field, value) in enumerate(zip(order, values, strict=True)):
        same = {f.lstrip("-"): v for f, v in zip(order[:index], values, strict=False)}
        way = "lt" if field.startswith("-") else "gt"
        beyond |= Q(**same) & Q(**{f"{field.lstrip('-')}__{way}": value})
    return beyond


def cursor_of(row: Model, order: tuple[str, ...]) -> str:
    """The place in a list right after `row`."""
    values = [getattr(row, field.lstrip("-")) for field in order]
    return urlsafe_b64encode(json.dumps(values, default=str).encode()).decode().rstrip("=")


def _decoded(cursor: str, length: int) -> list[Any]:
    try:
        values = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, Base64Error, RecursionError) as problem:
        raise _wrong_cursor() from problem
    if not isinstance(values, list) or len(values) != length:
        raise _wrong_cursor()
    if not all(isinstance(value, str | int) for value in values):
        raise _wrong_cursor()
    return values


def _wrong_cursor() -> ValidationError:
    return ValidationError(_("This list has no such place."), code="cursor")
