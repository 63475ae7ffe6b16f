"""Acts on talks and on what was said in them."""

from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from characters.models import Persona
from conversations import sync, turns
from conversations.models import Conversation
from reverie.accounts.models import User
from reverie.text import clean


@transaction.atomic
def change(user: User, conversation_id: UUID, fields: dict[str, Any]) -> Conversation:
    """Set the `title` or the `persona_id` of a talk. Raises `ValidationError` (`too_long`)."""
    conversation = turns.locked(user, conversation_id)
    changed: dict[str, Any] = {}
    if "title" in fields:
        changed["title"] = _title(fields["title"])
    if "persona_id" in fields:
        worn = fields["persona_id"]
        changed["persona"] = Persona.objects.of(user).get(pk=worn) if worn else None
    if changed:
        conversation.advance(**changed)
        sync.announce(conversation)
    return conversation


def _title(text: str | None) -> str:
    title = clean.clean(text or "").strip()
    if clean.length(title) > 200:
        raise ValidationError(_("A title has at most 200 characters."), code="too_long")
    return title


def delete(user: User, conversation_id: UUID) -> None:
    """Delete a talk with everything said in it. Memories are not the talk's and stay."""
    with transaction.atomic():
        conversation = turns.locked(user, conversation_id)
        pk, revision = conversation.pk, conversation.revision
        conversation.delete()
        sync.tell(pk, {"type": "changed", "revision": revision + 1})
