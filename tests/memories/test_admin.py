"""What staff delete in the console goes the way that a person's own deletion goes."""

import pytest
from django.test import Client

from characters.models import Character, Persona
from memories.models import Memory, MemoryChange, MemoryScope
from tests.factories import make_memory, make_persona, make_user, with_second_factor

pytestmark = pytest.mark.django_db


@pytest.fixture
def console():
    staff = make_user("root", is_staff=True, is_superuser=True)
    with_second_factor(staff)
    client = Client()
    client.force_login(staff)
    return client


@pytest.mark.requirement("D12", "R62")
def test_a_character_that_staff_delete_leaves_its_memories_global(console, juno, tomori):
    memory = make_memory(juno, tomori)
    answer = console.post(f"/admin/characters/character/{tomori.pk}/delete/", {"post": "yes"})
    assert answer.status_code == 302
    assert not Character.objects.exists()
    memory.refresh_from_db()
    assert (memory.scope.is_global, memory.from_character) == (True, "Tomori")


@pytest.mark.requirement("D3", "X4")
def test_memories_that_staff_delete_are_counted_and_journalled(console, juno, tomori):
    doomed = [make_memory(juno, tomori, f"fact {n}") for n in range(3)]
    console.post(f"/admin/memories/memory/{doomed[0].pk}/delete/", {"post": "yes"})
    chosen = {"action": "delete_selected", "_selected_action": [doomed[1].pk], "post": "yes"}
    console.post("/admin/memories/memory/", chosen)
    assert list(Memory.objects.all()) == [doomed[2]]
    assert MemoryScope.objects.get().unpinned_count == 1
    lines = MemoryChange.objects.filter(kind="deleted")
    assert {line.by for line in lines} == {"staff"}


def test_another_persona_is_the_default_when_staff_delete_it(console, juno):
    make_persona(juno, "Rin")
    worn = make_persona(juno, "Haru", is_default=True)
    console.post(f"/admin/characters/persona/{worn.pk}/delete/", {"post": "yes"})
    assert Persona.objects.get().is_default
