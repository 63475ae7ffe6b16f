"""What the provider does in a fault run: mostly well, and every way of failing now and then."""

import json
import random
from collections.abc import Callable
from typing import Any

from tests.scripted import Json, Script, chunk, sse

WORDS = (
    "tea ",
    "rain ",
    "猫が",
    "眠る。",
    "😀 ",
    "👩‍👩‍👧 ",
    "*Mochi* ",
    "\n\n",
    "か゛",
    "é ",
    "<b> ",
)
SAVE: list[Json] = [
    {
        "index": 0,
        "id": "call_1",
        "function": {"name": "save_memory", "arguments": json.dumps({"text": "Juno has a cat"})},
    }
]


def tale(dice: random.Random, least: int = 4, most: int = 40) -> list[str]:
    return [dice.choice(WORDS) for _ in range(dice.randint(least, most))]


def _well(dice: random.Random) -> Script:
    return Script(text=tale(dice), delay=dice.choice((0.0, 0.01, 0.03)))


def _slow(dice: random.Random) -> Script:
    return Script(text=tale(dice, 10, 25), delay=0.08, first_delay=dice.random())


def _status(*codes: int) -> Callable[[random.Random], Script]:
    return lambda dice: Script(status=dice.choice(codes))


def _busy(dice: random.Random) -> Script:
    return Script(status=429, headers={"Retry-After": dice.choice(("0", "1", "soon"))})


def _cut(dice: random.Random) -> Script:
    text = tale(dice)
    return Script(text=text, delay=0.02, cut_after=dice.randint(0, len(text)))


def _idle(dice: random.Random) -> Script:
    return Script(text=tale(dice), hang_after=dice.randint(0, 4))


def _malformed(dice: random.Random) -> Script:
    begin = sse(chunk({"content": "Mochi "}))
    broken = dice.choice((b"data: {not json\n\n", b"data: [1, 2]\n\n", b"\xff\xfe\n\n", b"data: {"))
    return Script(raw=begin + broken)


def _split(dice: random.Random) -> Script:
    """Characters cut in the middle: bytes of UTF-8, and halves of a surrogate pair."""
    words = "".join(tale(dice)) + "\U0001f600"
    line = json.dumps(chunk({"content": words}), ensure_ascii=False).encode()
    end = sse(chunk({}, "stop")) + b"data: [DONE]\n\n"
    return Script(raw=b"data: " + line + b"\n\n" + end, raw_step=dice.randint(1, 5))


def _halves(dice: random.Random) -> Script:
    return Script(text=[*tale(dice, 1, 5), "\ud83d", "\ude00", "\ud83d", " end"])


def _tools(dice: random.Random) -> Script:
    return Script(text=tale(dice, 1, 8), tool_calls=[SAVE, SAVE])


def _empty(dice: random.Random) -> Script:
    return Script(text=[])


def _error_in_200(dice: random.Random) -> Script:
    return Script(body={"error": {"message": "scripted", "code": dice.choice((402, 429, "x"))}})


def _thinks(dice: random.Random) -> Script:
    return Script(text=["<think>", "what now", "</think>", *tale(dice)], reasoning=["first "])


MOODS: tuple[tuple[int, Callable[[random.Random], Script]], ...] = (
    (10, _well),
    (8, _slow),
    (2, _status(401, 402, 404, 413)),
    (2, _status(500, 503)),
    (1, _busy),
    (2, _cut),
    (1, _idle),
    (1, _malformed),
    (2, _split),
    (1, _halves),
    (1, _tools),
    (1, _empty),
    (1, _error_in_200),
    (2, _thinks),
)


def responder(seed: int) -> Callable[[Json], Script]:
    """The provider of a seed: what it does to a question depends on the seed and its words."""
    weights = [weight for weight, _ in MOODS]

    def respond(asked: Json) -> Script:
        dice = random.Random(f"{seed} {_newest(asked)}")
        mood = dice.choices([mood for _, mood in MOODS], weights)[0]
        return mood(dice)

    return respond


def _newest(asked: Json) -> Any:
    told = [line["content"] for line in asked.get("messages", []) if line["role"] == "user"]
    return told[-1] if told else ""
