"""Pokes of the live layer, sent with the transaction that they are about."""

from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction


def person_group(user_id: UUID) -> str:
    """The group of everything that a person has open, whatever it shows."""
    return f"person.{user_id.hex}"


def poke(group: str, message: dict[str, Any]) -> None:
    """Send to a group with the current transaction. A lost poke is healed by catch-up."""
    layer = get_channel_layer()
    if hasattr(layer, "send_with_transaction"):
        layer.send_with_transaction(group, message)
    else:
        send = async_to_sync(layer.group_send)
        transaction.on_commit(lambda: send(group, message), robust=True)
