"""The ASGI application: pages and API over HTTP, talks over sockets."""

import asyncio
import os
from typing import Any

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application
from django.urls import path, re_path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reverie.settings")
pages = get_asgi_application()

from conversations import generation  # noqa: E402  # needs the apps that the line above loads
from conversations.consumers import ConversationConsumer  # noqa: E402
from memories import embedding  # noqa: E402
from memories.consumers import MemoriesConsumer  # noqa: E402
from reverie.accounts import presence  # noqa: E402
from reverie.nowhere import NowhereConsumer  # noqa: E402
from reverie.providers import environment_model  # noqa: E402

environment_model()  # loads the client now, so that nobody waits for it in their first reply
embedding.warm()

SOCKETS = [
    path("ws/conversations/<uuid:pk>/", ConversationConsumer.as_asgi()),
    path("ws/memories/", MemoriesConsumer.as_asgi()),
    re_path(r"", NowhereConsumer.as_asgi()),
]
sockets = URLRouter(SOCKETS)
sockets_of_pages = AllowedHostsOriginValidator(sockets)


async def by_token_or_page(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """A token proves who asks; a cookie proves nothing unless one of our own pages asks (A2)."""
    chosen = sockets if presence.bearer(scope) else sockets_of_pages
    await chosen(scope, receive, send)


router = ProtocolTypeRouter({"http": pages, "websocket": by_token_or_page})


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Everything. Replies are generated on the loop that serves."""
    generation.use_loop(asyncio.get_running_loop())
    await router(scope, receive, send)
