"""What docs/memory.md tells people, held against the code's own numbers."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from conversations.engine.window import CONTEXT_SHARE, LEVELS
from memories.engine.choice import RECENT_DAYS
from memories.engine.decay import DORMANT_AFTER
from memories.engine.similarity import MOST_USED

PAGE = (Path(settings.BASE_DIR) / "docs" / "memory.md").read_text()
PLAIN = " ".join(PAGE.split())


def test_its_numbers_are_those_of_the_code():
    for level in LEVELS.values():
        assert f"{level.tokens:,} tokens and {level.messages} messages" in PLAIN
    assert CONTEXT_SHARE == 4
    assert "at most a quarter of that context" in PLAIN
    for told in (
        f"holds {settings.MEMORY_LIMIT} memories and, apart from these, {settings.PIN_LIMIT}",
        f"at most {settings.MEMORY_MAX_LENGTH} characters",
        f"up to {settings.MEMORIES_SENT} of the other",
        f"within {RECENT_DAYS} UTC days",
        f"At most {MOST_USED} that are near enough",
        f"At {DORMANT_AFTER} days it falls asleep",
        f"longer than {settings.RECALL_SECONDS} seconds",
        f"brought back for {settings.TRASH_DAYS} days",
    ):
        assert told in PLAIN, told


@pytest.mark.parametrize("tested", sorted(set(re.findall(r"\b[SRDXP]\d+\b", PAGE))))
def test_every_rule_that_it_names_has_a_test(tested):
    tests = Path(settings.BASE_DIR) / "tests"
    named = re.compile(rf'requirement\([^)]*"{tested}"')
    assert any(named.search(file.read_text()) for file in tests.rglob("test_*.py")), tested
