"""Every way in, and what its owner gets there. A way in that is not described here fails a test."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import URLPattern, URLResolver, get_resolver

from reverie.api import api

NAME = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Page:
    """A page: what a signed-in owner gets, and for public ones what a stranger gets."""

    path: str
    get: int = 200
    post: int = 405
    form: Mapping[str, str] = field(default_factory=dict)
    signed_out: tuple[int, int] | None = None  # GET, POST; None: a private page
    staff: tuple[int, int] | None = None  # GET, POST; None: what everybody gets
    html: bool = True
    operator: tuple[int, int] | None = None  # GET, POST of who runs the site; others: `get`, `post`

    @property
    def names(self) -> list[str]:
        """The things of somebody that a call names."""
        return NAME.findall(self.path + json.dumps(dict(self.form)))


@dataclass(frozen=True)
class Operation:
    """An operation of the API, and what its owner gets."""

    path: str
    status: int = 200
    body: Any = None
    upload: bytes = b""  # a file that goes instead of JSON

    def sent(self, ids: Mapping[str, str]) -> tuple[bytes, str]:
        """What a client sends, and the type of it."""
        if not self.upload:
            return json.dumps(filled(self.body, ids)).encode(), "application/json"
        file = SimpleUploadedFile("new.json", self.upload)
        return encode_multipart(BOUNDARY, {"file": file}), MULTIPART_CONTENT

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(NAME.findall(self.path + json.dumps(self.body))))


PERSONA = {"name": "New", "description": "", "is_default": "on"}
CHARACTER = {"name": "New", "language": "en"}
SETTINGS = {"memory_detail": "balanced", "temperature": "0.5"}
MODEL = {
    "kind": "other",
    "base_url": "https://models.example/v1",
    "model": "New",
    "context_tokens": "8192",
}
CHAT, CHARACTER_PAGE, PERSONA_PAGE, MEMORY_PAGE = (
    "/chats/{chat}/",
    "/characters/{character}/",
    "/personas/{persona}/",
    "/memories/{memory}/",
)

PAGES = {
    "": Page("/", signed_out=(200, 405)),
    "chats/": Page("/chats/"),
    "chats/deleted/": Page("/chats/deleted/"),
    "chats/new/": Page("/chats/new/", 405, 302, {"character": "{character}"}),
    "chats/<uuid:pk>/": Page(CHAT),
    "chats/<uuid:pk>/edit/": Page(f"{CHAT}edit/", 200, 302, {"title": "New"}),
    "chats/<uuid:pk>/delete/": Page(f"{CHAT}delete/", 405, 302),
    "chats/<uuid:pk>/restore/": Page("/chats/{trashed}/restore/", 405, 302),
    "chats/<uuid:pk>/erase/": Page("/chats/{trashed}/erase/", 200, 302),
    "chats/<uuid:pk>/export.txt": Page(f"{CHAT}export.txt", html=False),
    "chats/<uuid:pk>/export.json": Page(f"{CHAT}export.json", html=False),
    "chats/<uuid:pk>/settings/": Page(f"{CHAT}settings/", 200, 302, SETTINGS),
    "chats/<uuid:pk>/budget/": Page(f"{CHAT}budget/"),
    "chats/<uuid:pk>/story/": Page(f"{CHAT}story/"),
    "chats/<uuid:pk>/replies/<uuid:reply>/prompt/": Page(f"{CHAT}replies/{{reply}}/prompt/"),
    "usage/": Page("/usage/"),
    "limits/": Page("/limits/", signed_out=(200, 405)),
    "characters/": Page("/characters/"),
    "characters/new/": Page("/characters/new/", 200, 302, CHARACTER),
    "characters/<uuid:pk>/": Page(CHARACTER_PAGE, 200, 302, CHARACTER),
    "characters/import/": Page("/characters/import/", 200, 422),
    "characters/weigh/": Page("/characters/weigh/", 405, 200, {"description": "New"}, html=False),
    "characters/drafts/<uuid:pk>/": Page("/characters/drafts/{draft}/", 200, 302, {"name": "New"}),
    "characters/drafts/<uuid:pk>/picture/": Page("/characters/drafts/{draft}/picture/", html=False),
    "characters/<uuid:pk>/bond/": Page(
        f"{CHARACTER_PAGE}bond/",
        200,
        302,
        {"note": "New", "memory_detail": "balanced", "persona": "{persona}"},
    ),
    "characters/<uuid:pk>/duplicate/": Page(f"{CHARACTER_PAGE}duplicate/", 405, 302),
    "characters/<uuid:pk>/export/": Page(f"{CHARACTER_PAGE}export/"),
    "characters/<uuid:pk>/delete/": Page(f"{CHARACTER_PAGE}delete/", 200, 302),
    "characters/<uuid:pk>/avatar/": Page(f"{CHARACTER_PAGE}avatar/", html=False),
    "personas/": Page("/personas/"),
    "personas/new/": Page("/personas/new/", 200, 302, PERSONA),
    "personas/<uuid:pk>/": Page(PERSONA_PAGE, 200, 302, PERSONA),
    "personas/<uuid:pk>/delete/": Page(f"{PERSONA_PAGE}delete/", 200, 302),
    "models/": Page("/models/", 404, 404, operator=(200, 405)),
    "models/new/": Page("/models/new/", 404, 404, MODEL, operator=(200, 302)),
    "models/default/": Page(
        "/models/default/", 404, 404, {"model": "{model}"}, operator=(405, 302)
    ),
    "models/test/": Page("/models/test/", 404, 404, {"model": "{model}"}, operator=(405, 200)),
    "models/<uuid:pk>/": Page("/models/{model}/", 404, 404, MODEL, operator=(200, 302)),
    "models/<uuid:pk>/delete/": Page("/models/{model}/delete/", 404, 404, operator=(200, 302)),
    "memories/": Page("/memories/?of={character}"),
    "memories/with/<uuid:pk>/": Page("/memories/with/{character}/"),
    "memories/activity/": Page("/memories/activity/"),
    "memories/activity/with/<uuid:pk>/": Page("/memories/activity/with/{character}/"),
    "memories/activity/<uuid:pk>/undo/": Page("/memories/activity/{change}/undo/", 405, 302),
    "memories/add/": Page(
        "/memories/add/", 405, 302, {"character": "{character}", "text": "New", "pinned": "on"}
    ),
    "memories/learn/<uuid:pk>/": Page("/memories/learn/{character}/", 405, 302),
    "memories/<uuid:pk>/": Page(MEMORY_PAGE, 200, 302, {"text": "New"}),
    "memories/<uuid:pk>/pin/": Page(f"{MEMORY_PAGE}pin/", 405, 302),
    "memories/<uuid:pk>/unpin/": Page("/memories/{pinned}/unpin/", 405, 302),
    "memories/<uuid:pk>/make-global/": Page(f"{MEMORY_PAGE}make-global/", 405, 302),
    "memories/<uuid:pk>/delete/": Page(f"{MEMORY_PAGE}delete/", 405, 302),
    "sign-in/": Page("/sign-in/", 302, 302, signed_out=(200, 200)),
    "sign-in/<uuid:pk>/<str:token>/": Page("/sign-in/{owner}/no/", 404, 404, signed_out=(404, 404)),
    "sign-out/": Page("/sign-out/", 405, 302, signed_out=(405, 302)),
    "settings/": Page(
        "/settings/",
        200,
        302,
        {"form": "preferences", "shown_name": "New", "language": "en", "time_zone": "UTC"},
    ),
    "sign-in/code/": Page("/sign-in/code/", 302, 302, signed_out=(302, 302)),
    "join/": Page("/join/", 302, 302, signed_out=(200, 200)),
    "join/<str:token>/": Page("/join/no/", 302, 302, signed_out=(404, 404)),
    "forgotten/": Page("/forgotten/", 200, 200, signed_out=(200, 200)),
    "forgotten/sent/": Page("/forgotten/sent/", signed_out=(200, 405)),
    r"^forgotten/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[-\w]+)/$": Page(
        "/forgotten/no-no/", 200, 200, signed_out=(200, 200)
    ),
    "email/<str:key>/": Page("/email/no/", 200, 404, signed_out=(200, 404)),
    # Nobody here has a password, so these lead to where it is set.
    "settings/confirm/": Page("/settings/confirm/", 302, 302),
    "settings/confirm/code/": Page("/settings/confirm/code/", 302, 302),
    "settings/two-factor/": Page("/settings/two-factor/", 302, 302),
    "settings/two-factor/off/": Page("/settings/two-factor/off/", 302, 302),
    "settings/codes/": Page("/settings/codes/", 302, 302),
    "settings/codes/new/": Page("/settings/codes/new/", 302, 302),
    "settings/sessions/end/": Page("/settings/sessions/end/", 405, 302, {"others": "1"}),
    "settings/tokens/<int:pk>/delete/": Page("/settings/tokens/{api_token}/delete/", 405, 302),
    "settings/invitations/": Page("/settings/invitations/", 404, 404, staff=(200, 200)),
    "settings/invitations/<uuid:pk>/withdraw/": Page(
        "/settings/invitations/{invitation}/withdraw/", 404, 404, staff=(405, 404)
    ),
    "language/": Page("/language/", 302, 302, {"language": "en"}, signed_out=(302, 302)),
    "healthz": Page("/healthz", 200, 200, signed_out=(200, 200), html=False),
    "readyz": Page("/readyz", 200, 200, signed_out=(200, 200), html=False),
    "api/v1/": Page("/api/v1/", 404, 404, signed_out=(404, 404), html=False),
    "api/v1/openapi.json": Page(
        "/api/v1/openapi.json", 200, 200, signed_out=(200, 200), html=False
    ),
}

TALK = "conversations/{chat}"
OPERATIONS = {
    "GET characters": Operation("characters"),
    "POST characters": Operation("characters", 201, {"name": "New"}),
    "GET characters/{pk}": Operation("characters/{character}"),
    "PATCH characters/{pk}": Operation("characters/{character}", 200, {"name": "New"}),
    "DELETE characters/{pk}": Operation("characters/{character}", 204),
    "POST characters/import": Operation("characters/import", 201, upload=b'{"name": "New"}'),
    "GET characters/{pk}/export": Operation("characters/{character}/export"),
    "POST characters/{pk}/duplicate": Operation("characters/{character}/duplicate", 201),
    "GET personas": Operation("personas"),
    "POST personas": Operation("personas", 201, {"name": "New"}),
    "PATCH personas/{pk}": Operation("personas/{persona}", 200, {"name": "New"}),
    "DELETE personas/{pk}": Operation("personas/{persona}", 204),
    "GET bonds/{character_id}": Operation("bonds/{character}"),
    "PATCH bonds/{character_id}": Operation(
        "bonds/{character}", 200, {"note": "New", "persona_id": "{persona}"}
    ),
    "GET memories": Operation("memories?character_id={character}"),
    "POST memories": Operation(
        "memories", 201, {"scope": "character", "character_id": "{character}", "text": "New"}
    ),
    "GET memories/{pk}": Operation("memories/{memory}"),
    "PATCH memories/{pk}": Operation("memories/{memory}", 200, {"text": "New"}),
    "DELETE memories/{pk}": Operation("memories/{memory}"),
    "POST memories/{pk}/pin": Operation("memories/{memory}/pin"),
    "POST memories/{pk}/unpin": Operation("memories/{pinned}/unpin"),
    "POST memories/{pk}/make-global": Operation("memories/{memory}/make-global"),
    "GET activity": Operation("activity"),
    "POST activity/{pk}/undo": Operation("activity/{change}/undo", 204),
    "GET conversations": Operation("conversations"),
    "POST conversations": Operation(
        "conversations", 201, {"character_id": "{character}", "persona_id": "{persona}"}
    ),
    "GET conversations/{pk}": Operation(TALK),
    "PATCH conversations/{pk}": Operation(
        TALK,
        200,
        {"title": "New", "persona_id": "{persona}", "temperature": 0.5, "reply_tokens": 256},
    ),
    "GET models": Operation("models"),
    "DELETE conversations/{pk}": Operation(TALK, 204),
    "POST conversations/{pk}/restore": Operation("conversations/{trashed}/restore"),
    "GET conversations/{pk}/export": Operation(f"{TALK}/export"),
    "GET conversations/{pk}/messages": Operation(f"{TALK}/messages"),
    "POST conversations/{pk}/messages": Operation(
        f"{TALK}/messages", 202, {"client_id": str(uuid4()), "text": "New"}
    ),
    "PATCH conversations/{pk}/messages/{mid}": Operation(
        f"{TALK}/messages/{{said}}", 200, {"text": "New"}
    ),
    "DELETE conversations/{pk}/messages/{mid}": Operation(f"{TALK}/messages/{{said}}"),
    "POST conversations/{pk}/messages/{mid}/restore": Operation(
        f"{TALK}/messages/{{gone}}/restore"
    ),
    "POST conversations/{pk}/messages/{mid}/regenerate": Operation(
        f"{TALK}/messages/{{answer}}/regenerate", 202
    ),
    "POST conversations/{pk}/impersonate": Operation(f"{TALK}/impersonate"),
    "POST conversations/{pk}/stop": Operation(f"{TALK}/stop", 202),
    "GET conversations/{pk}/replies/{rid}": Operation(f"{TALK}/replies/{{reply}}"),
    "PATCH conversations/{pk}/replies/{rid}": Operation(
        f"{TALK}/replies/{{reply}}", 200, {"text": "New"}
    ),
    "DELETE conversations/{pk}/replies/{rid}": Operation(f"{TALK}/replies/{{reply}}"),
    "POST conversations/{pk}/replies/{rid}/choose": Operation(f"{TALK}/replies/{{reply}}/choose"),
    "POST conversations/{pk}/replies/{rid}/continue": Operation(
        f"{TALK}/replies/{{reply}}/continue", 202
    ),
    "GET conversations/{pk}/replies/{rid}/prompt": Operation(f"{TALK}/replies/{{reply}}/prompt"),
    "GET usage": Operation("usage"),
    "GET limits": Operation("limits"),
}


def filled(value: Any, ids: Mapping[str, str]) -> Any:
    """`value` with every {name} in it replaced by that thing's id."""
    if isinstance(value, str):
        return NAME.sub(lambda match: ids[match[1]], value)
    if isinstance(value, Mapping):
        return {key: filled(item, ids) for key, item in value.items()}
    return value


def routes(
    resolver: URLResolver | None = None, before: str = ""
) -> Iterator[tuple[str, URLPattern]]:
    """Every URL pattern that the product answers, admin and API included."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        else:
            yield route, pattern


def operations() -> set[str]:
    """Every operation of the API, those that its description hides included."""
    return {
        f"{method} {re.sub('{.*?:', '{', path)}"
        for prefix, router in api._routers
        for path, view in router.path_operations.items()
        for operation in view.operations
        for method in operation.methods
        for path in [f"{prefix}/{path}".strip("/")]
    }
