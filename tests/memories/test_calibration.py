"""`calibrate_recall`: figures that can be read, and the bundled model above its floor (D9)."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memories import calibration
from memories.calibration import Asked, Measured
from memories.engine.similarity import UNCALIBRATED
from reverie.providers.local import LocalEmbedder


def asked(touches: str, *nearest: tuple[float, str]) -> Asked:
    return Asked("en-en", frozenset(touches), nearest)


@pytest.mark.requirement("D9", "S14")
def test_recall_counts_what_is_near_enough_and_among_the_nearest():
    messages = [asked("a", (0.9, "a")), asked("b", (0.8, "c"), (0.5, "b")), asked("d", (0.7, "e"))]
    nothing = [asked("", (0.1 * n, "a")) for n in range(10)]
    measured = Measured(messages, nothing)
    assert measured.recall(1)["all"] == pytest.approx(1 / 3)
    assert measured.recall(3) == pytest.approx({"en-en": 2 / 3, "all": 2 / 3})
    assert measured.recall(3, at=0.6)["all"] == pytest.approx(1 / 3)
    assert measured.false_wakes(0.75) == pytest.approx(0.2)
    falls = [point.threshold for point in measured.curve()]
    assert falls == sorted(falls, reverse=True)


@pytest.mark.requirement("D9")
def test_a_model_that_nobody_measured_has_a_threshold_of_a_half():
    assert calibration.threshold("somebody's own") == UNCALIBRATED == 0.5


@pytest.mark.requirement("D9", "X6")
@pytest.mark.django_db
def test_the_bundled_model_keeps_to_what_its_threshold_was_chosen_for(settings):
    settings.EMBEDDING_MODEL = ""
    model = LocalEmbedder()
    measured = Measured.of(model, calibration.labelled(), "report")
    at = calibration.threshold(model.name)
    assert measured.recall()["all"] > 0.5
    assert measured.recall(at=at)["all"] > 0.3
    assert measured.false_wakes(at) < 0.15
    out = StringIO()
    call_command("calibrate_recall", stdout=out)
    assert "use-multilingual-v3, threshold in use 0.350" in out.getvalue()
    assert "false wakes" in out.getvalue()


def test_without_a_model_there_is_nothing_to_measure(db, settings):
    settings.EMBEDDING_MODEL = "none"
    with pytest.raises(CommandError, match="no embedding model"):
        call_command("calibrate_recall")
