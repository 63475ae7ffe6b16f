"""What people do with memories: add, edit, delete, pin, unpin, make global, undo."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.exceptions import ValidationError

from memories import activity, keeping, moving
from memories.models import Memory, MemoryChange, MemoryScope
from tests.factories import make_character, make_memory

pytestmark = pytest.mark.django_db


def refused(act, *args, **options) -> str | None:
    """The code with which an act refuses."""
    with pytest.raises(ValidationError) as problem:
        act(*args, **options)
    return problem.value.code


def counted(owner, character) -> tuple[int, int]:
    scope = MemoryScope.objects.of(owner).get(character=character)
    return scope.unpinned_count, scope.pinned_count


def line(memory_id) -> MemoryChange:
    """The last line of the journal about this memory."""
    return MemoryChange.objects.filter(memory_uid=memory_id).latest("id")


@pytest.mark.requirement("D1", "R52", "R72", "D5", "D7")
def test_what_a_person_adds_is_protected_active_and_counted_from_tomorrow(juno, tomori):
    memory = make_memory(juno, tomori)
    assert (memory.strength, memory.origin, memory.state) == ("protected", "added", "active")
    assert (memory.unused_days, memory.last_counted_on) == (0, keeping.today())
    assert counted(juno, tomori) == (1, 0)
    assert not MemoryScope.objects.of(juno).filter(character=None).exists()


@pytest.mark.requirement("R7", "R8", "R86", "D2", "S48", "S49")
def test_a_scope_holds_its_hundred_and_its_twenty_and_the_global_one_its_own(
    juno, tomori, settings
):
    settings.MEMORY_LIMIT, settings.PIN_LIMIT = 3, 2
    for scope in (tomori, None):
        for n in range(3):
            make_memory(juno, scope, f"fact {n}")
        for n in range(2):
            make_memory(juno, scope, f"pin {n}", pinned=True)
        assert refused(keeping.add, juno, "one more", character=scope) == "scope_full"
        assert refused(keeping.add, juno, "pin", character=scope, pinned=True) == "pins_full"
        assert counted(juno, scope) == (3, 2)


@pytest.mark.requirement("R9", "D2")
@pytest.mark.case("C13")
def test_length_is_counted_in_characters_after_nfc_and_line_ends(juno, tomori):
    assert make_memory(juno, tomori, "が" * 500).text == "が" * 500
    assert make_memory(juno, tomori, "か\u3099" * 500 + "\r\n").text == "が" * 500
    assert make_memory(juno, tomori, "🫖" * 500)
    assert refused(keeping.add, juno, "x" * 501, character=tomori) == "too_long"
    assert refused(keeping.add, juno, " \u0000\n ", character=tomori) == "empty"
    assert Memory.objects.of(juno).count() == 2


@pytest.mark.case("C14")
def test_a_row_that_is_longer_than_a_lowered_limit_still_reads_and_deletes(juno, tomori, settings):
    memory = make_memory(juno, tomori, "x" * 400)
    settings.MEMORY_MAX_LENGTH = 100
    assert keeping.pin(juno, memory.pk).text == "x" * 400
    assert refused(keeping.edit, juno, memory.pk, "x" * 300) == "too_long"
    keeping.delete(juno, memory.pk)


@pytest.mark.requirement("D32")
@pytest.mark.case("C16", "C17")
def test_the_same_fact_twice_is_one_row(juno, tomori):
    first = make_memory(juno, tomori, "likes barley tea")
    again = make_memory(juno, tomori, "likes barley tea ")
    assert again.pk == first.pk
    assert make_memory(juno, tomori, "likes barley tea", pinned=True).pinned
    assert counted(juno, tomori) == (0, 1)
    assert make_memory(juno, None, "likes barley tea").pk != first.pk


@pytest.mark.requirement("D5", "S57", "S59")
def test_an_edit_protects_what_an_ai_wrote_and_leaves_a_pin_a_pin(juno, tomori):
    plain = make_memory(juno, tomori, "likes tea", strength="plain", origin="chat")
    pinned = make_memory(juno, tomori, "was born in May", pinned=True)
    assert keeping.edit(juno, plain.pk, "likes barley tea").strength == "protected"
    assert keeping.edit(juno, pinned.pk, "was born on 3 May").strength == "pinned"
    assert line(plain.pk).before["strength"] == "plain"


@pytest.mark.case("C39")
def test_an_edit_from_a_stale_view_is_refused_and_loses_nothing(juno, tomori):
    memory = make_memory(juno, tomori)
    seen = memory.updated_at
    keeping.edit(juno, memory.pk, "Juno's cat is called Momo", seen=seen)
    assert refused(keeping.edit, juno, memory.pk, "No cat", seen=seen) == "changed_elsewhere"
    memory.refresh_from_db()
    assert memory.text == "Juno's cat is called Momo"


@pytest.mark.requirement("D5", "R84", "R86")
def test_pins_take_a_place_of_their_own_and_unpinning_leaves_it_protected_and_fresh(juno, tomori):
    memory = make_memory(juno, tomori, strength="plain", unused_days=7)
    assert memory.state == "dormant"
    assert keeping.pin(juno, memory.pk).state == "pinned"
    assert counted(juno, tomori) == (0, 1)
    unpinned = keeping.unpin(juno, memory.pk)
    assert (unpinned.strength, unpinned.unused_days, unpinned.state) == ("protected", 0, "active")
    assert unpinned.last_counted_on == keeping.today()
    assert counted(juno, tomori) == (1, 0)


@pytest.mark.requirement("D3")
def test_unpinning_into_a_full_scope_is_refused(juno, tomori, settings):
    settings.MEMORY_LIMIT = 1
    make_memory(juno, tomori, "fact")
    pinned = make_memory(juno, tomori, "pin", pinned=True)
    assert refused(keeping.unpin, juno, pinned.pk) == "scope_full"
    assert counted(juno, tomori) == (1, 1)


@pytest.mark.requirement("D4", "S50", "S53", "S56", "S63")
def test_a_full_scope_forgets_only_whom_the_person_agreed_to(juno, tomori, settings):
    settings.MEMORY_LIMIT = 2
    asleep = make_memory(juno, tomori, "old", strength="plain", unused_days=7)
    make_memory(juno, tomori, "mine")
    with pytest.raises(keeping.ScopeFullError) as full:
        keeping.add(juno, "new", character=tomori)
    assert full.value.candidate.pk == asleep.pk
    assert Memory.objects.of(juno).count() == 2
    keeping.add(juno, "new", character=tomori, forget=asleep.pk)
    assert set(Memory.objects.of(juno).values_list("text", flat=True)) == {"mine", "new"}
    assert line(asleep.pk).kind == "forgotten"
    with pytest.raises(keeping.ScopeFullError) as none_left:
        keeping.add(juno, "newer", character=tomori, forget=asleep.pk)
    assert none_left.value.candidate is None


@pytest.mark.requirement("S55", "D6")
def test_the_global_scope_names_nobody_to_forget(juno, settings):
    settings.MEMORY_LIMIT = 1
    make_memory(juno, None, "old", strength="plain", unused_days=7)
    with pytest.raises(keeping.ScopeFullError) as full:
        keeping.add(juno, "new")
    assert full.value.candidate is None


@pytest.mark.requirement("R53", "D3")
def test_making_global_takes_a_place_there_and_gives_one_back_here(juno, tomori, settings):
    memory = make_memory(juno, tomori, strength="plain")
    moved = keeping.make_global(juno, memory.pk)
    assert (moved.scope.is_global, moved.strength) == (True, "protected")
    assert (counted(juno, tomori), counted(juno, None)) == ((0, 0), (1, 0))
    settings.MEMORY_LIMIT = 1
    other = make_memory(juno, tomori, "another")
    assert refused(keeping.make_global, juno, other.pk) == "scope_full"
    assert counted(juno, tomori) == (1, 0)


@pytest.mark.requirement("R62", "D12")
def test_deleting_a_character_moves_its_memories_to_global_past_the_limits(juno, tomori, settings):
    settings.MEMORY_LIMIT = settings.PIN_LIMIT = 1
    make_memory(juno, None, "global")
    asleep = make_memory(juno, tomori, "asleep", unused_days=7)
    pinned = make_memory(juno, tomori, "pin", pinned=True)
    assert moving.delete_character(tomori) == 2
    for memory in (asleep, pinned):
        memory.refresh_from_db()
    assert [m.from_character for m in (asleep, pinned)] == ["Tomori", "Tomori"]
    assert (asleep.state, asleep.unused_days, pinned.state) == ("dormant", 7, "pinned")
    assert counted(juno, None) == (2, 1)
    assert refused(keeping.add, juno, "one more") == "scope_full"
    assert MemoryChange.objects.of(juno).filter(kind="moved").count() == 2


@pytest.mark.requirement("X4")
@pytest.mark.parametrize("act", ["add", "edit", "delete", "pin", "unpin", "make_global"])
def test_every_act_is_journalled_and_can_be_undone_to_the_letter(juno, tomori, act):
    with time_machine.travel(datetime(2026, 11, 1, tzinfo=UTC)):
        unused_days = 0 if act == "unpin" else 3
        memory = make_memory(juno, tomori, pinned=act == "unpin", unused_days=unused_days)
    if act != "add":
        was = Memory.objects.filter(pk=memory.pk).values().get()
        more = ("Another text",) if act == "edit" else ()
        getattr(keeping, act)(juno, memory.pk, *more)
    activity.undo(juno, line(memory.pk).pk)
    if act == "add":
        assert not Memory.objects.of(juno).exists()
    else:
        assert Memory.objects.filter(pk=memory.pk).values().get() == was
    expected = {"add": (0, 0), "unpin": (0, 1)}.get(act, (1, 0))
    assert counted(juno, tomori) == expected
    assert line(memory.pk).kind == "undone"


@pytest.mark.requirement("X4")
def test_an_undo_can_be_undone_and_nothing_twice(juno, tomori):
    memory = make_memory(juno, tomori)
    deleted = keeping.delete(juno, memory.pk)
    activity.undo(juno, deleted.pk)
    assert refused(activity.undo, juno, deleted.pk) == "already_undone"
    activity.undo(juno, line(memory.pk).pk)
    assert not Memory.objects.of(juno).exists()


@pytest.mark.requirement("X4")
def test_what_was_changed_since_is_not_undone_over_somebodys_head(juno, tomori):
    memory = make_memory(juno, tomori)
    keeping.edit(juno, memory.pk, "Juno's cat is called Momo")
    edited = line(memory.pk)
    keeping.pin(juno, memory.pk)
    assert refused(activity.undo, juno, edited.pk) == "changed_since"


@pytest.mark.requirement("D3", "X4")
def test_an_undo_keeps_the_limits(juno, tomori, settings):
    settings.MEMORY_LIMIT = 1
    memory = make_memory(juno, tomori)
    deleted = keeping.delete(juno, memory.pk)
    make_memory(juno, tomori, "took its place")
    assert refused(activity.undo, juno, deleted.pk) == "scope_full"
    edited = keeping.edit(juno, Memory.objects.of(juno).get().pk, "took it for good")
    assert activity.undo(juno, line(edited.pk).pk).text == "took its place"


@pytest.mark.requirement("X4")
def test_what_moved_with_its_character_cannot_go_back_to_nobody(juno, tomori):
    memory = make_memory(juno, tomori)
    moving.delete_character(tomori)
    assert refused(activity.undo, juno, line(memory.pk).pk) == "character_gone"


@pytest.mark.requirement("A1")
def test_nobody_touches_the_memories_of_somebody_else(juno, mallory, tomori):
    memory = make_memory(juno, tomori)
    for act in (keeping.delete, keeping.pin, keeping.unpin, keeping.make_global):
        with pytest.raises((Memory.DoesNotExist, MemoryScope.DoesNotExist)):
            act(mallory, memory.pk)
    with pytest.raises(MemoryChange.DoesNotExist):
        activity.undo(mallory, line(memory.pk).pk)
    assert Memory.objects.of(juno).get().text == memory.text


@pytest.mark.requirement("D33")
def test_an_edit_renews_the_day_of_its_change_and_a_pin_does_not(juno, tomori):
    memory = make_memory(juno, tomori)
    with time_machine.travel(memory.updated_at + timedelta(days=9)):
        assert keeping.pin(juno, memory.pk).updated_at == memory.updated_at
        assert keeping.edit(juno, memory.pk, "Other").updated_at > memory.updated_at


def test_a_character_with_other_peoples_names_has_a_scope_of_its_own(juno, tomori):
    other = make_character(juno, "Sora")
    make_memory(juno, tomori)
    assert make_memory(juno, other).scope.character == other
    assert Memory.objects.of(juno).within(tomori).count() == 1


@pytest.mark.requirement("D5", "D32")
def test_saving_what_sleeps_already_wakes_it_and_makes_it_ones_own(juno, tomori):
    asleep = make_memory(juno, tomori, "likes tea", strength="plain", unused_days=9)
    again = keeping.add(juno, "likes tea", character=tomori)
    assert (again.pk, again.state, again.strength) == (asleep.pk, "active", "protected")
    assert line(asleep.pk).before["unused_days"] == 9
    activity.undo(juno, line(asleep.pk).pk)
    assert Memory.objects.of(juno).get().state == "dormant"


@pytest.mark.requirement("X4", "D39")
def test_an_undo_leaves_the_days_that_went_by_meanwhile(juno, tomori):
    memory = make_memory(juno, tomori, unused_days=7)
    keeping.edit(juno, memory.pk, "Juno's cat is called Momo")
    Memory.objects.filter(pk=memory.pk).update(unused_days=0)  # the talk came back to it
    back = activity.undo(juno, line(memory.pk).pk)
    assert (back.text, back.unused_days, back.state) == (memory.text, 0, "active")


@pytest.mark.requirement("X4", "D32")
def test_an_undo_never_makes_the_same_fact_twice(juno, tomori):
    deleted = keeping.delete(juno, make_memory(juno, tomori, "likes tea").pk)
    make_memory(juno, tomori, "likes tea")
    assert refused(activity.undo, juno, deleted.pk) == "already_there"
    edited = make_memory(juno, tomori, "likes milk")
    keeping.edit(juno, edited.pk, "likes cocoa")
    make_memory(juno, tomori, "likes milk")
    assert refused(activity.undo, juno, line(edited.pk).pk) == "already_there"
    assert counted(juno, tomori) == (3, 0)
