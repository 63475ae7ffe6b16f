"""Acts on connected models, for the page and the console alike."""

import asyncio
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from . import environment_model, probing, verdicts
from .choosing import connected
from .compatible import CompatibleModel
from .models import ConnectedModel
from .verdicts import Check, Tried


@transaction.atomic
def keep(row: ConnectedModel, key: str = "", *, forget_key: bool = False) -> bool:
    """Save a model; whether its key was forgotten, since a key is for one address only (A6).

    An empty `key` keeps the one that is there, sealed anew under the first of FIELD_KEYS.
    """
    old = _locked().get(row.pk)
    moved = old is not None and old.base_url != row.base_url
    lost = bool(row.sealed_key) and not key and (moved or forget_key)
    if key or lost:
        row.take_key(key)
    else:
        _seal_anew(row)
    if old is None or moved or key or lost or old.model != row.model:
        row.tested_at, row.trouble, row.takes_tools = None, "", None
    row.is_default = row.is_default and row.enabled
    if row.is_default:
        ConnectedModel.objects.filter(is_default=True).exclude(pk=row.pk).update(is_default=False)
    row.save()
    return lost


@transaction.atomic
def make_default(pk: UUID | None) -> None:
    """Let chats that choose nothing use this one; None: the environment's, or the demo.

    Raises `DoesNotExist`, and `ValidationError` with code `disabled`.
    """
    rows = _locked()
    if pk and pk not in rows:
        raise ConnectedModel.DoesNotExist
    row = rows[pk] if pk else None
    if row and not row.enabled:
        raise ValidationError(
            _("%(model)s is switched off. Switch it on first."),
            code="disabled",
            params={"model": row},
        )
    ConnectedModel.objects.filter(is_default=True).update(is_default=False)
    if row:
        ConnectedModel.objects.filter(pk=row.pk).update(is_default=True)


def _locked() -> dict[UUID, ConnectedModel]:
    """All of them, held: there are few, and one default among them at any time."""
    return {row.pk: row for row in ConnectedModel.objects.select_for_update().order_by("pk")}


@transaction.atomic
def switch(pk: UUID, enabled: bool) -> None:
    """Let people choose it, or not any more; then it is no default either."""
    rows = ConnectedModel.objects.filter(pk=pk)
    rows.update(enabled=True) if enabled else rows.update(enabled=False, is_default=False)


def test(row: ConnectedModel) -> list[Check]:
    """Call this model and say how it does; up to twenty seconds, so never in a transaction."""
    found, checks = _tried(connected(row), row.base_url, lost=row.key_is_lost)
    tools = {"called": True, "silent": False, "refused": False}.get(found.tools)
    ConnectedModel.objects.filter(pk=row.pk).update(
        tested_at=timezone.now(), trouble=verdicts.trouble(checks), takes_tools=tools
    )
    return checks


def test_environment() -> list[Check]:
    """As `test`, for the model that the environment names. Nothing is kept of it."""
    model = environment_model()
    assert isinstance(model, CompatibleModel), "the demo has nothing to be tested"
    return _tried(model, settings.CHAT_BASE_URL)[1]


def _tried(
    model: CompatibleModel, base_url: str, *, lost: bool = False
) -> tuple[probing.Findings, list[Check]]:
    if not connection.in_atomic_block:
        connection.close()  # it takes long, and the pool is small
    found = asyncio.run(probing.probe(model))
    named = settings.PROVIDER_PRIVATE_HOSTS
    tried = Tried(base_url, model.name, model.context_tokens, named, lost)
    return found, verdicts.verdict(tried, found)


def _seal_anew(row: ConnectedModel) -> None:
    if row.sealed_key and not row.key_is_lost:
        row.take_key(row.key())
