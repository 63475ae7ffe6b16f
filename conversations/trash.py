"""Chats that were deleted: they can be brought back for TRASH_DAYS, then `purge` drops them."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from conversations import leases, purge, sync, turns
from conversations.models import Conversation, Reply
from reverie.accounts.models import User


@transaction.atomic
def delete(user: User, conversation_id: UUID) -> UUID | None:
    """Put a talk in the trash. Memories are not the talk's and stay.

    A reply under way ends with its text so far; its id, for whoever can stop its process at once.
    """
    conversation = turns.locked(user, conversation_id)
    active = Reply.objects.filter(conversation=conversation).active().first()
    if active:
        leases.end_early(active, conversation)
    conversation.advance(deleted_at=timezone.now())
    sync.announce(conversation)
    return active.pk if active else None


@transaction.atomic
def restore(user: User, conversation_id: UUID) -> Conversation:
    """Bring a talk back as it was. Pressed twice is pressed once."""
    talks = Conversation.objects.filter(owner=user).select_for_update()
    conversation = talks.get(pk=conversation_id)
    if conversation.deleted_at:
        conversation.advance(deleted_at=None)
        sync.announce(conversation)
    return conversation


def erase(user: User, conversation_id: UUID) -> None:
    """Drop a talk from the trash now and for good, with every word of it."""
    purge.drop(Conversation.objects.trashed(user).get(pk=conversation_id))


def days_left(conversation: Conversation) -> int:
    """Whole days until a deleted talk is dropped, the last one included."""
    assert conversation.deleted_at, "only what is deleted will be dropped"
    end = conversation.deleted_at + timedelta(days=settings.TRASH_DAYS)
    return max(0, (end - timezone.now()).days + 1)
