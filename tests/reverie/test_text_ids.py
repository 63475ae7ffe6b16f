"""Ids, languages and placeholders."""

import threading
import time
import uuid

import pytest

from reverie.text.ids import new_id
from reverie.text.language import guess
from reverie.text.template import fill


def test_ids_are_version_seven_and_carry_the_time() -> None:
    made = new_id()
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert abs((made.int >> 80) / 1000 - time.time()) < 5


def test_ids_only_grow_also_when_the_clock_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [new_id() for _ in range(20_000)]
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    later = [new_id() for _ in range(10)]
    assert first + later == sorted(set(first + later))


def test_threads_never_get_the_same_id() -> None:
    made: list[uuid.UUID] = []
    threads = [
        threading.Thread(target=lambda: made.extend(new_id() for _ in range(2_000)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 8_000


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("VSCodeでPythonを使う", "ja"),
        ("こんにちは！", "ja"),
        ("東京都", "ja"),
        ("ﾊﾝｶｸ", "ja"),
        ("I love ラーメン", "en"),
        ("Hello", "en"),
        ("", "en"),
        ("😀 123", "en"),
    ],
)
def test_the_language_of_a_text_is_guessed_by_its_letters(text: str, language: str) -> None:
    assert guess(text) == language


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{{char}} greets {{user}}.", "Tomori greets Juno."),
        ("{{ Char }} and {{USER}}", "Tomori and Juno"),
        ("<BOT> and <USER>", "Tomori and Juno"),
        ("{char} {{other}} {{user", "{char} {{other}} {{user"),
    ],
)
def test_the_placeholders_of_cards_become_names(text: str, filled: str) -> None:
    assert fill(text, char="Tomori", user="Juno") == filled


def test_a_name_cannot_bring_placeholders_of_its_own() -> None:
    assert fill("{{user}}", char="Tomori", user="{{char}}") == "{{char}}"
    assert fill("{{user}}", char="x", user=r"\1\g<0>") == r"\1\g<0>"
