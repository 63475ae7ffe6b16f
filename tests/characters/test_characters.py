"""Characters, personas and bonds: what a new person gets, and what stays true of them."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from characters import demo, keeping, personas
from characters.models import Bond, Character, Persona
from conversations import turns
from tests.factories import make_character, make_persona, make_user


@pytest.mark.requirement("D36", "X6")
def test_a_new_person_gets_three_characters_once_one_of_them_japanese(juno):
    demo.welcome(juno)
    demo.welcome(juno)
    mine = Character.objects.of(juno)
    assert sorted(mine.values_list("language", flat=True)) == ["en", "en", "ja"]
    assert all(character.greeting and character.description for character in mine)


@pytest.mark.requirement("D36")
def test_who_deleted_a_demo_character_does_not_get_it_back(juno):
    demo.welcome(juno)
    Character.objects.of(juno).first().delete()
    juno.refresh_from_db()
    demo.welcome(juno)
    assert Character.objects.of(juno).count() == 2


@pytest.mark.requirement("A1")
def test_copies_of_two_people_are_their_own(juno, mallory):
    for person in (juno, mallory):
        demo.welcome(person)
    Character.objects.of(juno).update(name="Changed")
    assert not Character.objects.of(mallory).filter(name="Changed").exists()


def test_the_first_persona_is_the_default_and_there_is_always_exactly_one(juno):
    rin = keeping.write_persona(Persona(owner=juno), {"name": "Rin"})
    assert rin.is_default
    sora = keeping.write_persona(Persona(owner=juno), {"name": "Sora", "is_default": True})
    defaults = Persona.objects.of(juno).filter(is_default=True)
    assert list(defaults) == [sora]
    personas.remove(sora)
    assert list(defaults.all()) == [rin]


def test_the_database_itself_refuses_a_second_default_persona(juno):
    make_persona(juno, "Rin", is_default=True)
    with pytest.raises(IntegrityError, match="one_default_persona"), transaction.atomic():
        make_persona(juno, "Sora", is_default=True)


@pytest.mark.requirement("D36")
def test_a_bond_is_one_row_and_reading_it_writes_none(juno, tomori):
    Bond.objects.known(juno, tomori)
    assert not Bond.objects.exists()
    assert Bond.objects.between(juno, tomori) == Bond.objects.between(juno, tomori)
    with pytest.raises(IntegrityError, match="one_bond_per_pair"), transaction.atomic():
        Bond.objects.create(user=juno, character=tomori)


@pytest.mark.requirement("R21", "R27")
def test_memory_detail_belongs_to_the_bond_and_is_balanced_at_first(juno, tomori):
    other = make_character(juno, "Anon")
    keeping.write_bond(juno, tomori, {"memory_detail": "detailed"})
    assert Bond.objects.known(juno, tomori).memory_detail == "detailed"
    assert Bond.objects.known(juno, other).memory_detail == "balanced"
    with pytest.raises(ValidationError):
        keeping.write_bond(juno, tomori, {"memory_detail": "everything"})


@pytest.mark.requirement("A1")
def test_nobody_wears_somebody_elses_persona(juno, mallory, tomori):
    theirs = make_persona(mallory, "Mask")
    with pytest.raises(Persona.DoesNotExist):
        keeping.write_bond(juno, tomori, {"persona_id": theirs.pk})


def test_a_talk_wears_what_was_chosen_then_the_bonds_then_the_default_persona(juno, tomori):
    plain = make_persona(juno, "Plain", is_default=True)
    bonded, chosen = make_persona(juno, "Bonded"), make_persona(juno, "Chosen")
    assert turns.begin(juno, tomori).persona == plain
    keeping.write_bond(juno, tomori, {"persona_id": bonded.pk})
    assert turns.begin(juno, tomori).persona == bonded
    assert turns.begin(juno, tomori, chosen).persona == chosen


@pytest.mark.requirement("A12", "D2")
def test_every_text_of_a_character_is_tidied_before_it_is_measured(juno):
    fields = {"name": "か\u3099\x00く", "description": "a\r\nb", "tags": ["x\r\ny", "\ud83dz"]}
    character = keeping.write_character(Character(owner=juno), fields)
    assert (character.name, character.description) == ("がく", "a\nb")
    assert character.tags == ["x\ny", "z"]
    exact = {"name": "が" * 80}
    assert keeping.write_character(Character(owner=juno), exact).pk
    with pytest.raises(ValidationError):
        keeping.write_character(Character(owner=juno), {"name": "が" * 81})


def test_nicknames_are_what_characters_are_called(db):
    user = make_user()
    character = make_character(user, "Juniper Hale", nickname="Juniper", greeting="I am {{char}}.")
    chat = turns.begin(user, character)
    assert chat.title == "Juniper"
    assert chat.messages.get().chosen_reply.text == "I am Juniper."
