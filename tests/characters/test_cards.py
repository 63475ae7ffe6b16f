"""What becomes of a card: every part of it is kept, and goes out again as it came in."""

import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from characters import card_words, exporting, importing, keeping
from characters.cards import files, mapping
from characters.cards.values import State
from characters.models import CardDraft, Character
from reverie.text.clean import clean, scrub
from tests.characters.corpus import card, charx_of, exists, picture, png_of, raw, upload
from tests.conversations.test_races import at_once
from tests.factories import make_character, make_user

FIELDS = mapping.FIELDS
FORMATS = ("json", "png", "charx")


def bring(owner, content: bytes, name: str = "Tomori.png") -> Character:
    return importing.accept(importing.receive(upload(content, name), owner), {})


def fields_of(character: Character) -> dict:
    return {name: getattr(character, name) for name in FIELDS}


def again(owner, character: Character, kind: str) -> Character:
    """The character as somebody else's import would make it."""
    return bring(owner, exporting.export(character, kind), f"x.{kind}")


def lines(**data):
    """The lines about a card with these fields, by field."""
    return {line.field: line for line in mapping.read(card(**data)).lines}


ENTRY = {
    "keys": ["amp"],
    "content": "It hums.",
    "extensions": {
        "probability": 0,
        "sticky": 3,
        "cooldown": 2,
        "group": "g",
        "role": 1,
        "depth": 4,
    },
    "enabled": True,
    "insertion_order": 100,
    "use_regex": False,
    "activationPercent": 0,
    "id": 1,
}
BOOK = {"name": "World", "entries": [ENTRY], "extensions": {"x": [None]}, "unheard": {"of": 1}}
ASSETS = [
    {"type": "icon", "uri": "embeded://assets/icon/main.png", "name": "main", "ext": "png"},
    {"type": "x_risu_asset", "uri": "embeded://assets/other/灯.bin", "name": "灯", "ext": "bin"},
]
FILES = {
    "assets/icon/main.png": picture(),
    "assets/other/灯.bin": bytes(range(256)),
    "module": b"?",
}
RICH = {
    **card(
        nickname="灯",
        character_book=BOOK,
        assets=ASSETS,
        source=["https://example.com/1"],
        creation_date=1_700_000_000,
        creator_notes_multilingual={"ja": "灯です"},
        group_only_greetings=["All together now."],
        extensions={"b": {"y": 1, "x": 2.50}, "a": [], "fav": False, "talkativeness": "0.5"},
    ),
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "create_date": "2026-01-01",
}


@pytest.mark.case("C82", "C89")
@pytest.mark.parametrize("kind", FORMATS)
def test_what_we_do_not_know_goes_out_as_it_came_in(kind, juno, mallory):
    first = bring(juno, charx_of(RICH, FILES), "x.charx")
    for character in (first, again(mallory, first, kind)):
        told = json.loads(exporting.as_json(character))
        assert told["create_date"] == "2026-01-01"
        for name in RICH["data"]:
            assert json.dumps(told["data"][name]) == json.dumps(RICH["data"][name]), name
    assert exporting.assets(first) == FILES


@pytest.mark.case("C82")
@pytest.mark.parametrize("kind", ["png", "charx"])
def test_the_files_of_a_card_travel_with_it(kind, juno, mallory):
    first = bring(juno, charx_of(RICH, FILES), "x.charx")
    assert exporting.assets(again(mallory, first, kind)) == FILES


@pytest.mark.case("C82")
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("pictured", [True, False])
def test_an_exported_character_imports_as_the_same_one(kind, pictured, juno, mallory):
    told: dict[str, Any] = {
        name: f"{name} of her" for name in FIELDS if name not in ("tags", "language")
    }
    told |= {"alternate_greetings": ["One", "Two"], "tags": ["a, b", "c"], "language": "ja"}
    first = keeping.write_character(Character(owner=juno), told)
    if pictured:
        first.avatar.save("a.webp", ContentFile(picture(kind="WEBP")))
    twin = again(mallory, first, kind)
    assert fields_of(twin) == fields_of(first)
    assert twin.rest == first.rest == ""
    assert bool(twin.avatar) == (pictured and kind != "json")


def test_both_versions_of_a_card_are_in_an_exported_picture(juno):
    made = exporting.as_png(make_character(juno))
    assert made.count(b"chara\0") == 1
    assert made.count(b"ccv3\0") == 1
    assert files.opened(made).card["spec"] == "chara_card_v3"
    assert json.loads(exporting.as_json(make_character(juno), 2))["spec"] == "chara_card_v2"


@pytest.mark.parametrize("told", [{"kind": "exe"}, {"kind": "json", "version": 9}])
def test_there_are_no_other_formats(told, juno):
    with pytest.raises(ValidationError) as refused:
        exporting.export(make_character(juno), **told)
    assert refused.value.code == "format"


V1 = {
    "name": "Mochi",
    "description": "A cat.",
    "personality": "proud",
    "scenario": "",
    "first_mes": "Mrow.",
    "mes_example": "",
    "fav": True,
}


def test_a_card_of_version_1_is_read_and_what_else_it_has_is_kept():
    reading = mapping.read(V1)
    assert (reading.fields["name"], reading.fields["greeting"]) == ("Mochi", "Mrow.")
    assert reading.rest.data == {"fav": True}


def test_the_oldest_names_are_known_too():
    reading = mapping.read(
        {"char_name": "Mochi", "char_persona": "A cat.", "char_greeting": "Mrow."}
    )
    assert reading.fields["name"] == "Mochi"
    assert (reading.fields["description"], reading.fields["greeting"]) == ("A cat.", "Mrow.")
    assert not reading.rest.data


def test_copies_of_the_data_beside_it_are_not_kept_and_what_differs_is():
    told = {**V1, **card(), "name": "Tomori", "description": "Another one."}
    rest = mapping.read(told).rest
    assert rest.top["description"] == "Another one."
    assert rest.top["fav"] is True
    assert "name" not in rest.top


@pytest.mark.case("C78")
@pytest.mark.parametrize("name", ["", "  ", None, "\x00"])
def test_a_card_without_a_name_gets_that_of_its_file_and_is_asked_about(name, juno):
    draft = importing.look(upload(raw(card(name=name)), "my/Little Band.png"), juno)
    reading = importing.read(draft)
    assert reading.fields["name"] == "Little Band"
    assert [line.why for line in reading.lines if line.field == "name"] == ["name_missing"]


@pytest.mark.case("C78")
def test_a_card_and_a_file_without_names_are_not_kept_and_nothing_is_lost(juno):
    draft = importing.receive(upload(raw(card(name="")), ".png"), juno)
    draft.file_name = ""
    draft.save()
    with pytest.raises(ValidationError) as refused:
        importing.accept(draft, {})
    assert "name" in refused.value.message_dict
    assert CardDraft.objects.get() == draft
    assert importing.accept(draft, {"name": "Mochi"}).name == "Mochi"


COERCED = [
    ("tags", "a, b", "tags", ["a", "b"]),
    ("tags", "猫、喫茶店", "tags", ["猫", "喫茶店"]),
    ("tags", ["a", "", "a "], "tags", ["a"]),
    ("tags", None, "tags", []),
    ("tags", [1, "b"], "tags", ["1", "b"]),
    ("tags", {"0": "a"}, "tags", ["a"]),
    ("alternate_greetings", None, "alternate_greetings", []),
    ("alternate_greetings", "Hi", "alternate_greetings", ["Hi"]),
    ("alternate_greetings", ["Hi", None], "alternate_greetings", ["Hi"]),
    ("description", None, "description", ""),
    ("description", ["a", "b"], "description", "a\nb"),
    ("description", {"a": 1}, "description", '{"a": 1}'),
    ("character_version", 1.5, "character_version", "1.5"),
    ("first_mes", 7, "greeting", "7"),
]


@pytest.mark.case("C81")
@pytest.mark.parametrize(("name", "value", "column", "kept"), COERCED)
def test_a_value_of_the_wrong_type_is_made_right_and_said(name, value, column, kept):
    reading = mapping.read(card(**{name: value}))
    assert reading.fields[column] == kept
    line = next(line for line in reading.lines if line.field == name)
    assert line.state == State.CHANGED
    assert card_words.note(line)


@pytest.mark.case("C81")
def test_numbers_written_as_text_are_numbers_in_the_book_and_in_extensions():
    entries = [
        {**ENTRY, "insertion_order": "100"},
        {**ENTRY, "insertion_order": "", "keys": "a, b"},
    ]
    told = lines(
        extensions={"depth_prompt": {"prompt": "x", "depth": ""}},
        character_book={"entries": entries, "scan_depth": "4"},
    )
    assert told["extensions.depth_prompt.depth"].why == "default"
    assert told["character_book.scan_depth"].why == "number_from_text"
    reading = mapping.read(card(character_book={"entries": entries}))
    orders = [entry["insertion_order"] for entry in reading.rest.data["character_book"]["entries"]]
    assert orders == [100, 100]
    assert reading.rest.data["character_book"]["entries"][1]["keys"] == ["a", "b"]


@pytest.mark.case("C81", "CS4")
@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ({}, 0),
        (None, 0),
        ({"0": ENTRY, "1": ENTRY}, 2),
        ([{**ENTRY, "id": key} for key in (1, 1, "1", None)], 4),
        (["only words"], 1),
    ],
)
def test_no_entry_of_a_book_is_lost_whatever_they_are_kept_in(entries, count):
    kept = mapping.read(card(character_book={"entries": entries})).rest.data["character_book"]
    assert len(kept["entries"]) == count


@pytest.mark.case("CS5")
def test_a_share_of_nought_stays_nought():
    kept = mapping.read(card(character_book=BOOK)).rest.data["character_book"]["entries"][0]
    assert kept["activationPercent"] == 0
    assert kept["activationPercent"] is not False
    assert kept["extensions"]["probability"] == 0


@pytest.mark.case("C89")
def test_the_settings_of_a_book_that_are_not_used_yet_are_listed():
    told = lines(character_book=BOOK)["character_book"]
    assert told.state == State.UNUSED
    assert {"probability", "sticky", "cooldown", "group", "role", "depth"} <= set(told.items)
    assert "1 entry" in card_words.note(told)


@pytest.mark.case("C70", "C71", "C73")
def test_what_no_text_may_hold_is_gone_from_every_part_of_a_card(juno):
    odd = json.dumps(card(name="T\x00o", extensions={"a\ud83d": "b\x00"}, character_book=BOOK))
    character = bring(juno, odd.encode())
    assert character.name == "To"
    assert character.extensions == {"a": "b"}
    assert "\\u0000" not in character.rest


def test_a_text_too_long_is_not_cut_and_asked_about(juno):
    draft = importing.receive(upload(raw(card(tags=["x" * 81], creator="y" * 201))), juno)
    with pytest.raises(ValidationError) as refused:
        importing.accept(draft, {})
    assert set(refused.value.message_dict) == {"tags", "creator"}
    kept = importing.accept(draft, {"tags": ["x"], "creator": "y"})
    assert (kept.tags, kept.creator) == (["x"], "y")


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
odd_cards = st.dictionaries(
    st.sampled_from(
        [*mapping.COLUMNS, *mapping.OLD_NAMES, "assets", "character_book", "source", "data"]
    )
    | st.text(max_size=6),
    json_values,
    max_size=12,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=odd_cards, extensions=st.dictionaries(st.text(max_size=8), json_values, max_size=5))
def test_any_card_read_and_written_is_read_the_same(data, extensions):
    told = scrub({"spec": "chara_card_v3", "data": {**data, "extensions": extensions}})
    first = mapping.read(told, "file")
    whole = {name: first.fields.get(name, [] if name in mapping.LISTS else "") for name in FIELDS}
    for version in mapping.VERSIONS:
        written = json.loads(json.dumps(mapping.write(whole, first.rest, version)))
        second = mapping.read(written, "file")
        assert second.rest == first.rest
        assert {**whole, **second.fields} == whole
    for name, value in told["data"]["extensions"].items():
        if name not in ("depth_prompt", "reverie"):
            assert json.dumps(written["data"]["extensions"][name]) == json.dumps(value)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=200), kind=st.sampled_from(FORMATS))
def test_any_text_of_a_character_survives_every_format(text, kind, juno):
    told = {"name": "Tomori", "description": text, "alternate_greetings": [text] if text else []}
    first = keeping.write_character(Character(owner=juno), told)
    twin = again(juno, first, kind)
    assert twin.description == first.description == clean(text)
    assert twin.alternate_greetings == first.alternate_greetings


def test_a_draft_is_accepted_once_and_its_files_are_the_characters(juno):
    draft = importing.receive(upload(png_of(card())), juno)
    name = draft.picture.name
    character = importing.accept(draft, {"name": "灯"})
    assert (character.name, character.description) == ("灯", "{{char}} sings in a small band.")
    assert character.avatar
    assert exists(character.avatar)
    assert not CardDraft.objects.exists()
    assert name != character.avatar.name


def test_a_draft_that_is_gone_makes_no_second_character(juno):
    draft = importing.receive(upload(raw(card())), juno)
    stale = CardDraft.objects.get()
    importing.accept(draft, {})
    with pytest.raises(CardDraft.DoesNotExist):
        importing.accept(stale, {})
    assert Character.objects.of(juno).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_who_save_one_draft_at_once_make_one_character():
    owner = make_user("juno")
    draft = importing.receive(upload(png_of(card())), owner)

    def save(_: int) -> bool:
        try:
            importing.accept(CardDraft.objects.get(pk=draft.pk), {})
        except CardDraft.DoesNotExist:
            return False
        return True

    assert sum(at_once(6, save)) == 1
    assert Character.objects.of(owner).count() == 1
