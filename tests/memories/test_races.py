"""Limits hold when many save at once, on real connections (P17)."""

from contextlib import suppress

import pytest
from django.core.exceptions import ValidationError

from characters.models import Character
from memories import keeping, moving
from memories.models import Memory, MemoryScope
from tests.conversations.test_races import at_once
from tests.factories import make_character, make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)


def counts(scope):
    rows = Memory.objects.filter(scope=scope)
    return rows.unpinned().count(), rows.pinned().count()


@pytest.mark.requirement("P17", "D3")
def test_sixteen_people_in_one_who_save_25_each_leave_exactly_a_hundred():
    juno = make_user("juno")
    tomori = make_character(juno)

    def act(number):
        saved = 0
        for n in range(25):
            with suppress(keeping.ScopeFullError):
                keeping.add(juno, f"fact {number}:{n}", character=tomori)
                saved += 1
        return saved

    assert sum(at_once(16, act)) == 100
    scope = MemoryScope.objects.get()
    assert (scope.unpinned_count, scope.pinned_count) == counts(scope) == (100, 0)


@pytest.mark.requirement("P17", "D3", "R86")
def test_every_way_in_keeps_the_limits_when_all_are_used_at_once(settings):
    settings.MEMORY_LIMIT, settings.PIN_LIMIT = 10, 4
    juno = make_user("juno")
    tomori = make_character(juno)
    for n in range(9):
        make_memory(juno, tomori, f"fact {n}")
    for n in range(3):
        make_memory(juno, None, f"pin {n}", pinned=True)

    codes = set()

    def act(number):
        for n in range(20):
            pk = Memory.objects.of(juno).order_by("?").values_list("pk", flat=True)[0]
            try:
                match (number + n) % 5:
                    case 0:
                        keeping.add(juno, f"{number}:{n}", character=tomori)
                    case 1:
                        keeping.add(juno, f"{number}:{n}", pinned=True)
                    case 2:
                        keeping.pin(juno, pk)
                    case 3:
                        keeping.unpin(juno, pk)
                    case 4:
                        keeping.make_global(juno, pk)
            except ValidationError as refused:
                codes.add(refused.code)
            except (Memory.DoesNotExist, MemoryScope.DoesNotExist):
                pass  # it moved to global while this act waited for its scope

    at_once(8, act)
    assert codes <= {"scope_full", "pins_full", "already_there"}
    for scope in MemoryScope.objects.all():
        unpinned, pinned = counts(scope)
        assert (unpinned, pinned) == (scope.unpinned_count, scope.pinned_count)
        assert unpinned <= 10
        assert pinned <= 4


@pytest.mark.requirement("D12", "R62")
def test_a_first_memory_that_races_the_deletion_of_its_character_is_global_or_refused():
    juno = make_user("juno")
    for n in range(12):
        pk = make_character(juno).pk

        def act(number, pk=pk, n=n):
            with suppress(Character.DoesNotExist):
                tomori = Character.objects.get(pk=pk)
                if number:
                    keeping.add(juno, f"fact {n}:{number}", character=tomori)
                else:
                    moving.delete_character(tomori)

        at_once(4, act)
    assert not Character.objects.exists()
    scope = MemoryScope.objects.of(juno).filter(character=None).first()
    assert MemoryScope.objects.count() == (1 if scope else 0)
    assert not scope or counts(scope) == (scope.unpinned_count, 0)
