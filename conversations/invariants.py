"""What must hold in the database at every moment, as SQL that finds what breaks it.

Each rule selects the ids of offending rows. It needs a cursor and nothing of Django, so that it
can be asked from outside while everything runs.
"""

from dataclasses import dataclass
from typing import Any

CONVERSATION = "conversations_conversation"
MESSAGE = "conversations_message"
REPLY = "conversations_reply"
PIECE = "conversations_promptpiece"
IN_TALK = f"{MESSAGE} m JOIN {CONVERSATION} c ON c.id = m.conversation_id"
REPLY_IN_TALK = f"{REPLY} r JOIN {MESSAGE} m ON m.id = r.message_id"


@dataclass(frozen=True)
class Rule:
    """A sentence that is true of every row, and the statement that selects ids of others."""

    name: str
    sentence: str
    sql: str


RULES = (
    Rule(
        "live_lease",
        "A reply under way has a lease that lives, or ran out less than two sweeps ago (P7).",
        f"SELECT id FROM {REPLY} WHERE status IN ('queued', 'streaming') AND "
        "(lease_until IS NULL OR lease_until < now() - %(grace)s * interval '1 second')",
    ),
    Rule(
        "one_active_reply",
        "A talk has at most one reply under way (P4).",
        f"SELECT conversation_id FROM {REPLY} WHERE status IN ('queued', 'streaming') "
        "GROUP BY 1 HAVING count(*) > 1",
    ),
    Rule(
        "active_is_shown",
        "A reply under way, its message and its talk are not deleted.",
        f"SELECT r.id FROM {REPLY_IN_TALK} JOIN {CONVERSATION} c ON c.id = r.conversation_id "
        "WHERE r.status IN ('queued', 'streaming') AND (r.deleted_in IS NOT NULL "
        "OR m.deleted_in IS NOT NULL OR c.deleted_at IS NOT NULL)",
    ),
    Rule(
        "never_doubled",
        "A client_id is there once in a talk (P2).",
        f"SELECT client_id FROM {MESSAGE} WHERE client_id IS NOT NULL "
        "GROUP BY conversation_id, client_id HAVING count(*) > 1",
    ),
    Rule(
        "one_per_position",
        "A position of a talk is taken once.",
        f"SELECT conversation_id FROM {MESSAGE} GROUP BY conversation_id, position "
        "HAVING count(*) > 1",
    ),
    Rule(
        "answered",
        "What a person said has an answer, written, under way or failed.",
        f"SELECT m.id FROM {MESSAGE} m WHERE m.role = 'user' AND NOT EXISTS (SELECT 1 "
        f"FROM {MESSAGE} a JOIN {REPLY} r ON r.message_id = a.id WHERE a.answers_id = m.id)",
    ),
    Rule(
        "answers_in_the_same_talk",
        "An answer, what it answers, and who speaks it are of one talk.",
        f"SELECT m.id FROM {MESSAGE} m LEFT JOIN {MESSAGE} asked ON asked.id = m.answers_id "
        "LEFT JOIN conversations_participant p ON p.id = m.participant_id "
        "WHERE asked.conversation_id <> m.conversation_id "
        "OR p.conversation_id <> m.conversation_id OR asked.position >= m.position",
    ),
    Rule(
        "chosen_is_there",
        "The chosen version belongs to its message and is not deleted.",
        f"SELECT m.id FROM {MESSAGE} m LEFT JOIN {REPLY} r ON r.id = m.chosen_reply_id "
        "WHERE m.role = 'character' AND (r.id IS NULL OR r.message_id <> m.id "
        "OR r.deleted_in IS NOT NULL)",
    ),
    Rule(
        "reply_in_its_talk",
        "A reply is of the talk that its message is in.",
        f"SELECT r.id FROM {REPLY_IN_TALK} WHERE r.conversation_id <> m.conversation_id",
    ),
    Rule(
        "ended_is_ended",
        "A reply that has ended has the time of its end and no lease; one under way has not ended.",
        f"SELECT r.id FROM {REPLY_IN_TALK} WHERE CASE WHEN r.status IN ('queued', 'streaming') "
        "THEN false ELSE r.lease_until IS NOT NULL "
        "OR (r.ended_at IS NULL AND m.answers_id IS NOT NULL) END",  # a greeting never ran
    ),
    Rule(
        "revision_reached",
        "No message is newer than its talk (P10).",
        f"SELECT m.id FROM {IN_TALK} WHERE m.revision > c.revision OR m.deleted_in > c.revision",
    ),
    Rule(
        "deleted_once",
        "What is deleted says in which revision and when.",
        f"SELECT id FROM {MESSAGE} WHERE (deleted_in IS NULL) <> (deleted_at IS NULL) UNION ALL "
        f"SELECT id FROM {REPLY} WHERE (deleted_in IS NULL) <> (deleted_at IS NULL)",
    ),
    Rule(
        "author_owns_talk",
        "Whoever said something in a talk owns it (A1).",
        f"SELECT m.id FROM {IN_TALK} WHERE m.author_id <> c.owner_id",
    ),
    Rule(
        "persona_of_owner",
        "A persona that is worn belongs to the talk's owner (A1).",
        f"SELECT m.id FROM {IN_TALK} JOIN characters_persona p ON p.id = m.persona_id "
        f"WHERE p.owner_id <> c.owner_id UNION ALL SELECT c.id FROM {CONVERSATION} c "
        "JOIN characters_persona p ON p.id = c.persona_id WHERE p.owner_id <> c.owner_id",
    ),
    Rule(
        "character_of_owner",
        "A character that talks belongs to the talk's owner (A1).",
        f"SELECT c.id FROM {CONVERSATION} c JOIN conversations_participant t "
        "ON t.conversation_id = c.id JOIN characters_character k ON k.id = t.character_id "
        "WHERE k.owner_id <> c.owner_id",
    ),
    Rule(
        "counters_are_counts",
        "A scope counts exactly the memories that are in it (D3).",
        "SELECT s.id FROM memories_memoryscope s LEFT JOIN memories_memory m ON m.scope_id = s.id "
        "GROUP BY s.id HAVING s.pinned_count <> count(m.id) FILTER (WHERE m.strength = 'pinned') "
        "OR s.unpinned_count <> count(m.id) FILTER (WHERE m.strength <> 'pinned')",
    ),
    Rule(
        "scope_of_owner",
        "A scope belongs to the owner of its character, and a journal to the owner of its scope.",
        "SELECT s.id FROM memories_memoryscope s JOIN characters_character k "
        "ON k.id = s.character_id WHERE k.owner_id <> s.owner_id UNION ALL "
        "SELECT s.id FROM memories_memoryscope s JOIN memories_memorychange c "
        "ON c.scope_id = s.id WHERE c.owner_id <> s.owner_id",
    ),
    Rule(
        "prompt_is_kept",
        "Every text of a prompt as it was sent is kept for its owner (X1).",
        f"SELECT DISTINCT r.id FROM {REPLY} r JOIN {CONVERSATION} c ON c.id = r.conversation_id, "
        "jsonb_array_elements(r.sent -> 'sections') part, jsonb_array_elements(part -> 1) ref "
        f"WHERE r.sent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {PIECE} piece "
        "WHERE piece.owner_id = c.owner_id AND piece.hash = ref ->> 0)",
    ),
)


def broken(cursor: Any, *, sweep_seconds: float) -> dict[str, list[str]]:
    """Of each rule that does not hold its name and the offending ids, in order."""
    found: dict[str, list[str]] = {}
    for rule in RULES:
        cursor.execute(rule.sql, {"grace": 2 * sweep_seconds})
        if ids := sorted(str(row[0]) for row in cursor.fetchall()):
            found[rule.name] = ids
    return found
