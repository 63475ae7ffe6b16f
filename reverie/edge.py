"""The edge for words that come in: no NUL, no lone surrogate, no NaN gets past it (A12)."""

import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_lazy as _
from django.views.defaults import page_not_found
from ninja.parser import Parser
from ninja.types import DictStrAny

from reverie.text.clean import scrub, strip_invalid

FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")


Respond = Callable[[HttpRequest], HttpResponse]


def clean_edge(respond: Respond) -> Respond:
    """Middleware that strips what no text may hold from query strings and forms."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.COOKIES = {name: strip_invalid(value) for name, value in request.COOKIES.items()}
        request.GET = _stripped(request.GET)  # type: ignore[assignment]
        if request.content_type in FORM_TYPES and request.method == "POST":
            request.POST = _stripped(request.POST)  # type: ignore[assignment]
        return respond(request)

    return middleware


def plain_refusals(respond: Respond) -> Respond:
    """Middleware that lets the API refuse in its own form whatever refuses: `{detail, code}`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = respond(request)
        ours = response.headers.get("Content-Type", "").startswith("application/json")
        if response.status_code < 400 or ours or not request.path.startswith("/api/"):
            return response
        detail = str(REFUSALS.get(response.status_code, _("This request cannot be answered.")))
        code = HTTPStatus(response.status_code).name.lower()
        plain = JsonResponse({"detail": detail, "code": code}, status=response.status_code)
        if allowed := response.headers.get("Allow"):
            plain.headers["Allow"] = allowed
        return plain

    return middleware


class GoneIsNotFound(MiddlewareMixin):
    """What an act looks for and somebody has just deleted is not found, as for the API."""

    def process_exception(self, request: HttpRequest, problem: Exception) -> HttpResponse | None:
        if not isinstance(problem, ObjectDoesNotExist):
            return None
        return page_not_found(request, problem)


REFUSALS = {
    400: _("This request is not well formed or too large."),
    403: _("This request did not come from one of our pages."),
    404: _("There is no such thing here."),
    405: _("This cannot be done here."),
    500: _("Something went wrong on this site."),
}


def _stripped(query: QueryDict) -> QueryDict:
    if all(strip_invalid(text) == text for _, texts in query.lists() for text in texts):
        return query
    tidy = query.copy()
    for key, values in query.lists():
        tidy.setlist(key, [strip_invalid(value) for value in values])
    tidy._mutable = False
    return tidy


class CleanParser(Parser):
    """JSON of the API as plain values. Raises ValueError for what is no JSON."""

    def parse_body(self, request: HttpRequest) -> DictStrAny:
        try:
            parsed: Any = scrub(json.loads(request.body, parse_constant=_refuse))
        except RecursionError as problem:
            raise ValueError("too deep") from problem
        if not isinstance(parsed, dict):
            raise ValueError("not an object")
        return parsed


def _refuse(name: str) -> None:
    raise ValueError(f"JSON has no {name}")
