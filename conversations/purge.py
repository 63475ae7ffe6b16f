"""What people deleted can be brought back for a while; then its words go everywhere (D42)."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from conversations.models import Message, PromptPiece, Reply
from conversations.sent import text_hash

BATCH = 500  # rows of one transaction


def purge() -> int:
    """Blank what was deleted more than TRASH_DAYS ago; how many rows. Safe to run again."""
    before = timezone.now() - timedelta(days=settings.TRASH_DAYS)
    messages = Message.objects.filter(deleted_at__lt=before).exclude(text="")
    gone = Reply.objects.filter(deleted_at__lt=before)
    of_gone = Reply.objects.filter(message__deleted_at__lt=before)
    replies = (gone | of_gone).exclude(text="", reasoning="", error_detail="")
    return _blank_messages(messages[:BATCH]) + _blank_replies(replies[:BATCH])


@transaction.atomic
def _blank_messages(doomed: QuerySet[Message]) -> int:
    """The rows stay: their client ids must be refused for ever (P2)."""
    rows = list(doomed.select_related("conversation"))
    told = {(row.conversation.owner_id, row.text) for row in rows}
    Message.objects.filter(pk__in=[row.pk for row in rows]).update(text="")
    _blank_pieces(told)
    return len(rows)


@transaction.atomic
def _blank_replies(doomed: QuerySet[Reply]) -> int:
    rows = list(doomed.select_related("conversation").defer("sent"))
    told = {(row.conversation.owner_id, row.text) for row in rows}
    blank = {"text": "", "html": "", "reasoning": "", "error_detail": "", "sent": None}
    Reply.objects.filter(pk__in=[row.pk for row in rows]).update(**blank)
    _blank_pieces(told)
    return len(rows)


def _blank_pieces(told: set[tuple[UUID, str]]) -> None:
    """Blank these texts in what was sent, unless the same words still stand somewhere."""
    for owner, text in told:
        said = Message.objects.filter(conversation__owner=owner, text=text)
        replied = Reply.objects.filter(conversation__owner=owner, text=text)
        if text and not said.exists() and not replied.exists():
            PromptPiece.objects.filter(owner=owner, hash=text_hash(text)).update(text="")
