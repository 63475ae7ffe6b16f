"""Language and time zone of whoever asks, and that they were here."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from reverie.accounts import sessions
from reverie.accounts.models import User

Respond = Callable[[HttpRequest], HttpResponse]


class PersonRequest(HttpRequest):
    """A request behind `login_required`."""

    user: User


class PersonMiddleware(MiddlewareMixin):
    """A person's own choice first, then the language cookie, then what the browser asks for."""

    def process_request(self, request: HttpRequest) -> None:
        user = request.user if isinstance(request.user, User) else User()
        translation.activate(user.language or translation.get_language_from_request(request))
        timezone.activate(user.zone)

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        patch_vary_headers(response, ("Accept-Language", "Cookie"))
        response.headers.setdefault("Content-Language", translation.get_language() or "en")
        return response


def seen(respond: Respond) -> Respond:
    """Middleware that lets a person see later where they are signed in."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            sessions.see(request)
        return respond(request)

    return middleware
