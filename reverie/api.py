"""The HTTP API under `/api/v1/`: who may call it, and what a refusal looks like."""

from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError
from ninja.errors import ValidationError as MalformedError
from ninja.security import HttpBearer, SessionAuth

from characters.api import router as characters
from conversations.api import router as conversations
from memories.api import router as memories
from memories.keeping import ScopeFullError
from memories.schemas import memory_row
from reverie.accounts.models import ApiToken, User
from reverie.edge import CleanParser
from reverie.providers.api import router as models
from reverie.providers.errors import ProviderError, explain

# 409: the same call may work later.
CONFLICTS = {
    "turn_in_progress",
    "changed_elsewhere",
    "changed_since",
    "already_undone",
    "already_there",
    "pins_full",
}


class Bearer(HttpBearer):
    """A token instead of a cookie, so without CSRF."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        found = ApiToken.objects.matching(token).first()
        if found is None:
            return None
        request.user = found.user
        translation.activate(found.user.language or translation.get_language_from_request(request))
        return found.user


class Session(SessionAuth):
    """The cookie of our own pages, with CSRF. Nobody signed in is 401 and not a CSRF error."""

    def __call__(self, request: HttpRequest) -> Any:
        return super().__call__(request) if request.user.is_authenticated else None


api = NinjaAPI(
    title="Reverie",
    version="1",
    description="Errors are `{detail, code}`; lists are `{items, next}`.",
    auth=[Bearer(), Session()],
    parser=CleanParser(),
    urls_namespace="api",
    docs_url=None,  # its page loads scripts from elsewhere; openapi.json is there
)
api.add_router("", characters)
api.add_router("", memories)
api.add_router("", conversations)
api.add_router("", models)


def _refusal(
    request: HttpRequest, status: int, detail: str, code: str, **more: Any
) -> HttpResponse:
    return api.create_response(request, {"detail": detail, "code": code, **more}, status=status)


@api.exception_handler(ValidationError)
def refused(request: HttpRequest, problem: ValidationError) -> HttpResponse:
    """A rule said no, and says why."""
    if hasattr(problem, "error_dict"):
        fields = problem.message_dict
        detail = " ".join(text for texts in fields.values() for text in texts)
        return _refusal(request, 422, detail, "invalid", fields=fields)
    code = getattr(problem, "code", None) or "invalid"
    status = 409 if code in CONFLICTS else 422
    return _refusal(request, status, " ".join(problem.messages), code)


@api.exception_handler(ScopeFullError)
def scope_full(request: HttpRequest, problem: ScopeFullError) -> HttpResponse:
    """No place; sent again with `forget: candidate.id` it works, unless all has changed (D4)."""
    candidate = problem.candidate and memory_row(problem.candidate)
    detail = " ".join(problem.messages)
    return _refusal(request, 409, detail, "scope_full", candidate=candidate)


@api.exception_handler(MalformedError)
def malformed(request: HttpRequest, problem: MalformedError) -> HttpResponse:
    """The call is not of the operation's form."""
    errors = [{"where": list(e["loc"]), "what": e["msg"]} for e in problem.errors]
    return _refusal(request, 422, _("This request is not complete."), "malformed", errors=errors)


@api.exception_handler(ObjectDoesNotExist)
@api.exception_handler(Http404)
def not_found(request: HttpRequest, problem: Exception) -> HttpResponse:
    """Not there, or not yours: nobody can tell which (A1)."""
    return _refusal(request, 404, _("There is no such thing here."), "not_found")


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def database_away(request: HttpRequest, problem: Exception) -> HttpResponse:
    """The database restarts: the same call works soon, and nothing is lost by waiting (P9)."""
    detail = _("The database is away for a moment. Nothing is lost; try again.")
    response = _refusal(request, 503, detail, "database_away")
    response["Retry-After"] = "2"
    return response


@api.exception_handler(ProviderError)
def outside(request: HttpRequest, problem: ProviderError) -> HttpResponse:
    """The model said no; `detail` says it plainly and `raw` as the provider did, keys masked."""
    detail = str(explain(problem.code))
    return _refusal(request, 502, detail, problem.code, raw=problem.detail)


@api.exception_handler(AuthenticationError)
def signed_out(request: HttpRequest, problem: AuthenticationError) -> HttpResponse:
    return _refusal(request, 401, _("Please sign in."), "signed_out")


@api.exception_handler(HttpError)
def http_error(request: HttpRequest, problem: HttpError) -> HttpResponse:
    return _refusal(request, problem.status_code, problem.message, "bad_request")
