"""Who may write a reply: the process that holds its lease, under the reply's attempt number."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from conversations import faults, sync
from conversations.models import Conversation, Reply
from reverie.text import markdown

log = structlog.get_logger()


@dataclass(frozen=True)
class Checkpoint:
    """The text of a reply so far, from the process that is writing it."""

    reply_id: UUID
    attempt: int
    text: str


def fresh() -> datetime:
    """When a lease that is taken now runs out."""
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def held(reply_id: UUID, attempt: int) -> Reply | None:
    """An active reply of this attempt, locked after its talk as everywhere. None when lost."""
    found = Reply.objects.filter(pk=reply_id, attempt=attempt).active()
    talks = Conversation.objects.select_for_update()
    if not talks.filter(pk__in=found.values("conversation")).first():
        return None
    locked = found.select_for_update(of=("self",))
    return locked.select_related("conversation", "message").first()


def end(reply: Reply) -> None:
    """Write the end of a held reply and tell everyone who watches."""
    reply.html = markdown.render(reply.text)
    reply.ended_at = timezone.now()
    reply.lease_until = None
    reply.save()
    reply.message.revision = reply.conversation.advance()
    reply.message.save(update_fields=["revision"])
    sync.announce(reply.conversation)


def end_early(reply: Reply, conversation: Conversation) -> None:
    """End an active reply with the text that was kept, in the caller's transaction."""
    ending = Reply.objects.select_for_update(of=("self",)).select_related("message")
    reply = ending.get(pk=reply.pk)
    reply.conversation = conversation
    if reply.is_active:
        reply.status = Reply.Status.STOPPED
        end(reply)


def checkpoint(drafts: list[Checkpoint]) -> set[UUID]:
    """Keep these texts and renew their leases; ids of the replies that have to end.

    One statement for all replies of a process, since it runs four times a second.
    """
    faults.point("leases.checkpoint:before")
    table = Reply._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE {table} reply SET text = draft.text, lease_until = %s
            FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS draft(id, attempt, text)
            WHERE reply.id = draft.id AND reply.attempt = draft.attempt
              AND reply.status = 'streaming' AND NOT reply.stopping
            RETURNING reply.id
            """,
            [
                fresh(),
                [draft.reply_id for draft in drafts],
                [draft.attempt for draft in drafts],
                [draft.text for draft in drafts],
            ],
        )
        kept = {row[0] for row in cursor.fetchall()}
    return {draft.reply_id for draft in drafts} - kept


def sweep() -> int:
    """End the replies whose process has died, with the text that was kept (P7); how many."""
    lost = list(Reply.objects.lost().values_list("pk", "attempt"))
    ended = 0
    for reply_id, attempt in lost:
        try:
            ended += _end_lost(reply_id, attempt)
        except OperationalError:
            raise
        except Exception:
            log.exception("a lost reply cannot be ended", reply=str(reply_id))
    return ended


@transaction.atomic
def _end_lost(reply_id: UUID, attempt: int) -> bool:
    reply = held(reply_id, attempt)
    if reply is None or reply.lease_until is None or reply.lease_until > timezone.now():
        return False
    reply.status = Reply.Status.STOPPED if reply.stopping else Reply.Status.INTERRUPTED
    end(reply)
    faults.point("leases.sweep:inside")
    return True
