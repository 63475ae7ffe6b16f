"""The prompt is a value: what it holds, in which order, and what moves in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.engine import prompt
from conversations.engine.prompt import TooLongError, assemble
from conversations.engine.values import Budget, Card, Mask, Part, Piece, Role
from conversations.engine.window import Cap

TOMORI = Card(
    id="c1",
    name="Tomori",
    description="{{char}} sings. {{user}} is a friend.",
    personality="Shy",
    post_history_instructions="Stay gentle, {{char}}.",
)
JUNO = Mask(id="p1", name="Juno", description="{{user}} keeps a cat.")
LIMIT = Cap(2_000, 50)


def words(text: str) -> int:
    return len(text.split())


def said(position: int, text: str) -> Piece:
    role = Role.USER if position % 2 else Role.ASSISTANT
    return Piece(text, words(text), f"message:{position}", role)


def laid(
    history: list[Piece], newest: str = "How is Mochi?", *, context: int = 4_000, begun: int = 0
):
    return assemble(
        prompt.head(TOMORI, JUNO, "Old friends.", "en", words),
        history,
        prompt.tail(TOMORI, JUNO, "2026-11-30 19:00", "en", words),
        Piece(newest, words(newest), "message:99", Role.USER),
        budget=Budget(context, 100),
        limit=LIMIT,
        laid=begun,
    )


talks = st.lists(st.text("abc ", min_size=1, max_size=60).filter(str.strip), max_size=40)


def test_the_names_are_filled_in_and_never_filled_twice():
    tricky = Mask("p1", "{{char}}", "I am {{user}}.")
    head = prompt.head(TOMORI, tricky, "", "en", words)
    persona = next(section for section in head if section.name is Part.PERSONA)
    assert persona.pieces[0].text.endswith("I am {{char}}.")


def test_the_sections_come_in_the_order_of_the_design():
    whole = laid([said(1, "Hi"), said(2, "Hello Juno")])
    assert [section.name for section in whole.sections] == [
        Part.CHARACTER,
        Part.PERSONA,
        Part.BOND,
        Part.LIVE,
        Part.INSTRUCTIONS,
        Part.TIME,
        Part.NEWEST,
    ]


@pytest.mark.requirement("R2")
def test_messages_beyond_the_window_wait_and_are_still_sent_word_for_word():
    talk = [said(n, f"line {n}") for n in range(1, 81)]
    whole = laid(talk)
    sections = {section.name: section for section in whole.sections}
    assert len(sections[Part.LIVE].pieces) == LIMIT.messages - 1  # the newest is live too
    assert [*sections[Part.WAITING].pieces, *sections[Part.LIVE].pieces] == talk


def test_the_marks_end_the_head_and_the_last_complete_turn():
    lines = laid([said(1, "Hi"), said(2, "Hello Juno")]).lines()
    assert [(line.role, line.mark) for line in lines] == [
        (Role.SYSTEM, True),
        (Role.USER, False),
        (Role.ASSISTANT, True),
        (Role.SYSTEM, False),
        (Role.USER, False),
    ]
    assert lines[-1].content == "How is Mochi?"


@given(talks, talks)
def test_a_longer_talk_only_appends_to_what_was_sent_before(before, more):
    talk = [said(n, text) for n, text in enumerate([*before, *more], 1)]
    earlier, later = laid(talk[: len(before)]).lines(), laid(talk).lines()
    stable = [line.content for line in earlier[: 1 + len(before)]]
    assert [line.content for line in later][: len(stable)] == stable


@given(talks)
def test_equal_inputs_give_equal_bytes(talk):
    pieces = [said(n, text) for n, text in enumerate(talk, 1)]
    assert laid(pieces).lines() == laid(list(pieces)).lines()


@pytest.mark.requirement("D17")
def test_a_message_that_cannot_fit_beside_the_character_is_refused():
    with pytest.raises(TooLongError) as refused:
        laid([], "word " * 5_000, context=4_000)
    assert refused.value.needed > refused.value.room == 3_900


@pytest.mark.requirement("D17")
@given(talks, st.integers(300, 600))
def test_the_oldest_are_left_out_first_and_the_rest_fits_the_context(talk, context):
    pieces = [said(n, text) for n, text in enumerate(talk, 1)]
    whole = laid(pieces, context=context)
    sent = [piece for section in whole.talk for piece in section.pieces]
    assert sent == pieces[whole.begins :]
    assert whole.tokens <= context - 100


def test_a_card_may_wrap_the_products_own_instructions():
    card = Card(id="c", name="Tomori", system_prompt="Be brief. {{original}}")
    text = prompt.head(card, JUNO, "", "en", words)[0].pieces[0].text
    assert text.startswith("Be brief. You are Tomori, ")


@pytest.mark.requirement("D21")
def test_a_japanese_talk_is_instructed_in_japanese():
    text = prompt.head(TOMORI, JUNO, "", "ja", words)[0].pieces[0].text
    assert text.startswith("あなたはTomoriです。")
