"""Which model talks: the one that a chat chose, the site's default, the environment's, the demo."""

from dataclasses import dataclass
from uuid import UUID

import structlog
from django.conf import settings

from reverie.text.sealing import Unreadable

from . import environment_model, model_at, private_hosts
from .base import ChatModel
from .compatible import CompatibleModel
from .models import ConnectedModel

log = structlog.get_logger()


@dataclass(frozen=True)
class Offered:
    """A model that a chat may choose. Without an id it is what a chat has that chooses none."""

    id: UUID | None
    name: str
    label: str
    context_tokens: int
    is_demo: bool
    default: bool


def chat_model(choice: ConnectedModel | None = None) -> ChatModel:
    """The model of a chat that chose `choice`, or the default when that is none or disabled."""
    row = choice if choice and choice.enabled else ConnectedModel.objects.default()
    return connected(row) if row else environment_model()


def connected(row: ConnectedModel) -> CompatibleModel:
    """The model that this row names, whether or not people may choose it."""
    return model_at(
        row.base_url,
        row.model,
        _key(row),
        row.context_tokens,
        private_hosts(),
        settings.PROVIDER_IDLE_SECONDS,
        None,
        row.price,
        row.takes_tools is not False,
    )


def offered() -> list[Offered]:
    """What a chat may choose from, the default first."""
    rows = ConnectedModel.objects.enabled().order_by("-is_default", "id")
    found = [
        Offered(row.pk, row.model, str(row), row.context_tokens, False, row.is_default)
        for row in rows
    ]
    return found if found and found[0].default else [_of_environment(), *found]


def _of_environment() -> Offered:
    model = environment_model()
    return Offered(None, model.name, model.name, model.context_tokens, model.is_demo, True)


def _key(row: ConnectedModel) -> str:
    """The key, or none when it cannot be read: then the provider refuses, which is told."""
    try:
        return row.key()
    except Unreadable:
        log.warning("the key of a model cannot be read", model=str(row.pk))
        return ""
