"""Memories deleted long ago lose their words: in the journal, and in what was sent (D42)."""

from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from conversations.engine.prompt import MEMORY
from conversations.models import Conversation
from memories import journal
from reverie.accounts.models import User

PIECES = """
WITH ref AS (
    SELECT ref ->> 0 AS hash, ref ->> 2 AS source
    FROM conversations_conversation talk
    JOIN conversations_reply r ON r.conversation_id = talk.id,
    jsonb_array_elements(r.sent -> 'sections') part, jsonb_array_elements(part -> 1) ref
    WHERE talk.owner_id = %(owner)s AND r.sent IS NOT NULL
    UNION ALL
    SELECT ref ->> 0, ref ->> 2
    FROM conversations_conversation talk
    JOIN conversations_fold f ON f.conversation_id = talk.id,
    jsonb_array_elements(f.prefix) part, jsonb_array_elements(part -> 1) ref
    WHERE talk.owner_id = %(owner)s
)
UPDATE conversations_promptpiece piece SET text = '' WHERE owner_id = %(owner)s
AND hash IN (SELECT hash FROM ref WHERE source = ANY(%(sources)s))
AND hash NOT IN (SELECT hash FROM ref WHERE source <> ALL(%(sources)s))
"""


def erase_deleted(before: datetime) -> int:
    """Blank what was deleted before that time and not brought back; how many memories."""
    doomed = journal.long_gone(before)
    for owner, memories in doomed.items():
        erase(owner, memories)
    return sum(len(memories) for memories in doomed.values())


def hold(owner: UUID) -> None:
    """Keep every turn of this person from being laid out: it may refer to a piece unseen by us."""
    talks = Conversation.objects.filter(owner=owner).order_by("pk").select_for_update()
    list(talks)
    User.objects.select_for_update().get(pk=owner)  # from here on no new talk begins
    list(talks.all())  # those that began in between


@transaction.atomic
def erase(owner: UUID, memories: set[UUID]) -> None:
    """Leave no words of these memories of one person, unless the same words still stand."""
    hold(owner)
    journal.blank(owner, memories)
    sources = [f"{MEMORY}{pk}" for pk in memories]
    with connection.cursor() as cursor:
        cursor.execute(PIECES, {"owner": owner, "sources": sources})
