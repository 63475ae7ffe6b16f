"""What people deleted can be brought back for a while; then its words go everywhere (D42)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from conversations.erasing import erase_deleted, hold
from conversations.models import Conversation, Fold, Message, PromptPiece, Reply
from conversations.sent import text_hash

BATCH = 500  # rows of one transaction
TALKS = 20  # talks of one look: leases are looked at in between (P7)


def purge() -> int:
    """Blank what was deleted more than TRASH_DAYS ago; how many rows. Safe to run again."""
    before = timezone.now() - timedelta(days=settings.TRASH_DAYS)
    talks = list(Conversation.objects.filter(deleted_at__lt=before)[:TALKS])
    return sum(drop(talk) for talk in talks) + _blank_rows(before)


def _blank_rows(before: datetime) -> int:
    messages = Message.objects.filter(deleted_at__lt=before).exclude(text="")
    gone = Reply.objects.filter(deleted_at__lt=before)
    of_gone = Reply.objects.filter(message__deleted_at__lt=before)
    replies = (gone | of_gone).exclude(text="", reasoning="", error_detail="")
    blanked = _blank_messages(messages[:BATCH]) + _blank_replies(replies[:BATCH])
    return blanked + erase_deleted(before)


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


@transaction.atomic
def drop(talk: Conversation) -> bool:
    """Delete a talk in the trash for good; False when it is not there (any more).

    What was sent for it goes too, unless something else of its owner was sent with it.
    """
    hold(talk.owner_id)
    # Deleted at that very time: it may have been brought back and deleted anew meanwhile.
    trashed = Conversation.objects.exclude(deleted_at=None)
    doomed = trashed.filter(pk=talk.pk, deleted_at=talk.deleted_at)
    said = _hashes(talk)
    if not doomed.delete()[0]:
        return False
    _drop_pieces(talk.owner_id)
    left = PromptPiece.objects.filter(owner=talk.owner_id, hash__in=said)
    _blank_pieces({(talk.owner_id, text) for text in left.values_list("text", flat=True)})
    return True


def _hashes(talk: Conversation) -> set[str]:
    """Of every text in this talk."""
    texts = Message.objects.filter(conversation=talk).values_list("text")
    texts = texts.union(Reply.objects.filter(conversation=talk).values_list("text"))
    return {text_hash(text) for (text,) in texts.iterator()}


def _drop_pieces(owner: UUID) -> None:
    """Delete the texts of this person that no prompt and no fold refers to."""
    talk, reply, fold, piece = (
        model._meta.db_table for model in (Conversation, Reply, Fold, PromptPiece)
    )
    each = "jsonb_array_elements({}) part, jsonb_array_elements(part -> 1) ref"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            DELETE FROM {piece} WHERE owner_id = %(owner)s AND hash NOT IN (
                SELECT ref ->> 0 FROM {talk} t JOIN {reply} r ON r.conversation_id = t.id,
                {each.format("r.sent -> 'sections'")} WHERE t.owner_id = %(owner)s
                UNION SELECT ref ->> 0 FROM {talk} t JOIN {fold} f ON f.conversation_id = t.id,
                {each.format("f.prefix")} WHERE t.owner_id = %(owner)s)
            """,
            {"owner": owner},
        )
