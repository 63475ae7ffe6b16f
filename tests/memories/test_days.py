"""A day counts once, however many replies search at the same moment (P16)."""

from datetime import UTC, datetime

import pytest
import time_machine
from django.db import transaction

from memories import recall
from memories.models import Memory, MemoryChange, MemoryVector
from memories.recall import Query
from tests.conversations.test_races import at_once
from tests.factories import make_character, make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)
SAVED = datetime(2026, 3, 1, 12, tzinfo=UTC)
MIDNIGHT = (
    datetime(2026, 3, 7, 23, 59, 59, tzinfo=UTC),
    datetime(2026, 3, 8, 0, 0, 1, tzinfo=UTC),
    datetime(2026, 3, 7, 23, 59, 58, tzinfo=UTC),  # the clock jumps back
)


@pytest.mark.requirement("P16", "S17", "D7")
def test_fifty_parallel_turns_over_midnight_count_each_day_once():
    juno = make_user("juno")
    tomori, sora = make_character(juno), make_character(juno, "Sora")
    with time_machine.travel(SAVED):
        quiet = [make_memory(juno, scope, "quiet", unused_days=5) for scope in (tomori, None)]
        mochi = make_memory(juno, None, "Mochi", unused_days=5)
    for memory in (*quiet, mochi):
        vector = [1.0, 0.0] if memory == mochi else [0.0, 1.0]
        MemoryVector.objects.create(memory=memory, model="axes", vector=vector)

    def act(number):
        query = Query((1.0, 0.0) if number % 5 == 0 else (-1.0, 0.0), "axes")
        with transaction.atomic():
            return recall.search(juno, tomori if number % 2 else sora, query)

    found = []
    for moment in MIDNIGHT:
        with time_machine.travel(moment, tick=False):
            found += at_once(50, act)
    for memory in quiet:
        memory.refresh_from_db()
        assert (memory.unused_days, memory.state) == (7, "dormant")
    mochi.refresh_from_db()
    assert mochi.unused_days <= 1
    slept = [pk for one in found for pk in one.slept]
    assert sorted(slept) == sorted(memory.pk for memory in quiet)  # each told once
    assert MemoryChange.objects.filter(kind="slept").count() == 2
    assert Memory.objects.count() == 3
