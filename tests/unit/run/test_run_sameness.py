"""A resumed run asks the model that it began with, or says that it cannot."""

import sqlite3

import numpy as np
import pytest
from small_runs import family, plan, rows, run

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.models.python.object_digest import ObjectReading
from scrutiny.run.asking.answer_store import forgetful_store
from scrutiny.run.asking.identity_check import MOST, Again, Witnesses, must_be_the_same
from scrutiny.run.manifest import _how_compared

EXAMPLES = [
    Example(str(n), {"text": f"text {n}"}, tokens={"text": ((0, 4),)}, language="en")
    for n in range(100)
]


def answers(score=0.8, *, count=100):
    return [Prediction("a", (score, 1 - score))] * count


def witnesses(store):
    return Witnesses(store, "m/python:x/d", "python:x")


def kept():
    store = forgetful_store()
    witnesses(store).keep(EXAMPLES, answers())
    return store


def test_answers_that_are_the_same_let_the_run_go_on():
    seen = []

    def predict(examples):
        seen.extend(examples)
        return answers(0.8 + 1e-6, count=len(examples))

    store = kept()
    again = witnesses(store)
    assert again.ask_again(predict) == MOST == len(seen)
    assert again.ask_again(predict) == 0  # once in a process
    assert seen[0].fields == EXAMPLES[0].fields
    assert seen[0].tokens == EXAMPLES[0].tokens
    assert store.memo("again/m/python:x/d") == (True, [MOST, "the same"])


def test_other_answers_are_refused_with_an_example():
    with pytest.raises(ModelError, match=r"of 32 questions .* answers 32 differently. 'text 0'"):
        witnesses(kept()).ask_again(lambda examples: answers(0.7, count=len(examples)))


def test_a_model_that_never_repeats_itself_is_not_refused():
    rng = np.random.default_rng(0)
    store = kept()
    asked = witnesses(store).ask_again(lambda es: [answers(rng.random())[0] for _ in es])
    assert asked > MOST
    assert store.memo("again/m/python:x/d")[1][1] == "does not repeat its own answers"


def test_failures_are_neither_kept_nor_compared():
    store = forgetful_store()
    first = witnesses(store)
    first.keep(EXAMPLES[:1], [Failure("model_error")])
    assert store.memo("witnesses/m/python:x/d") == (False, None)
    first.keep(EXAMPLES[:2], [Failure("model_error"), *answers(count=1)])
    failing = witnesses(store).ask_again(lambda es: [Failure("model_error")] * len(es))
    assert failing == 1


def test_who_has_asked_itself_asks_nothing_again():
    store = forgetful_store()
    first = witnesses(store)
    first.keep(EXAMPLES, answers())
    assert first.ask_again(lambda _: pytest.fail("asked")) == 0


def test_a_digest_is_kept_when_the_model_is_about_to_be_asked():
    store = forgetful_store()
    must_be_the_same(store, "n", "s", "one", keep=False)
    must_be_the_same(store, "n", "s", "two", keep=True)
    with pytest.raises(ModelError, match="s has changed since this run began"):
        must_be_the_same(store, "n", "s", "three", keep=False)


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (None, "fingerprint"),
        (ObjectReading("d", is_whole=True), "all that it is made of was read"),
        (ObjectReading("d", is_whole=False), "asked again (64 were: the same)"),
    ],
)
def test_the_manifest_says_which_was_done(reading, words):
    assert words in _how_compared(reading, [Again(32, "the same")] * 2)


class Weighted:
    """A model without a fingerprint; its weights are an array or hidden in a plain number."""

    labels = ("negative", "positive")

    def __init__(self, array=1.0, hidden=0.5, *, dies_after=10**9):
        self.array = np.array([array])
        self.hidden = hidden
        self.asked = 0
        self.dies_after = dies_after

    def predict_proba(self, texts):
        self.asked += len(texts)
        if self.asked > self.dies_after:
            raise KeyboardInterrupt
        return [[1 - self.hidden, self.hidden] for _ in texts]


MANY = {"x": rows(5_000)}


def interrupted(tmp_path, **more):
    with pytest.raises(KeyboardInterrupt):
        again(tmp_path, Weighted(dies_after=3_000))


def again(tmp_path, model):
    made, options = plan("python:object:W"), {"cache": tmp_path / "cache.sqlite"}
    return run(made, tmp_path / "out", data=MANY, models={"m": model}, **options)


@pytest.mark.parametrize("change", [{"array": 2.0}, {"hidden": 0.6}], ids=["array", "hidden"])
def test_changed_weights_are_refused_after_an_interrupt(tmp_path, change):
    interrupted(tmp_path)
    with pytest.raises(ModelError, match="has changed since this run began"):
        again(tmp_path, Weighted(**change))


def test_the_same_weights_go_on_and_the_manifest_says_what_was_done(tmp_path):
    interrupted(tmp_path)
    folder = again(tmp_path, Weighted())
    assert folder.manifest["models"]["m"]["compared"].endswith(f"({MOST} were: the same)")
    assert folder.records().num_rows == 5_000


def test_changed_arrays_are_refused_by_a_finished_run_too(tmp_path):
    model = Weighted()
    again(tmp_path, model)
    asked = model.asked
    assert asked == 5_000  # nothing was asked twice
    again(tmp_path, model)
    assert model.asked == asked + MOST  # is it the same?
    with pytest.raises(ModelError, match="has changed since this run began"):
        again(tmp_path, Weighted(array=2.0))
    with pytest.raises(ModelError, match="it answers 32 differently"):
        again(tmp_path, Weighted(hidden=0.6))


def test_without_a_cache_finished_shards_are_held_against_the_model_too(tmp_path):
    made = plan("python:object:W")
    with pytest.raises(KeyboardInterrupt):
        run(made, tmp_path / "out", data=MANY, models={"m": Weighted(dies_after=3_000)})
    with sqlite3.connect(tmp_path / "out" / "journal.sqlite") as journal:
        assert journal.execute("SELECT count(*) FROM done").fetchone()[0] == 3  # of five
    with pytest.raises(ModelError, match="has changed since this run began"):
        run(made, tmp_path / "out", data=MANY, models={"m": Weighted(hidden=0.6)})


def test_a_run_whose_process_was_killed_is_said_at_the_next_start(tmp_path, capsys):
    interrupted(tmp_path)
    with sqlite3.connect(tmp_path / "out" / "journal.sqlite") as journal:
        said = journal.execute("SELECT value FROM meta WHERE key = 'state'").fetchone()
        assert said == ("ended",)
        journal.execute("UPDATE meta SET value = 'running' WHERE key = 'state'")
    journal.close()
    again(tmp_path, Weighted())
    assert "holds an unfinished run whose process ended without a word" in capsys.readouterr().err
    again(tmp_path, Weighted())
    assert capsys.readouterr().err == ""


def test_a_family_with_fingerprints_says_so(tmp_path):
    folder = run(plan(family(tmp_path), seeds=(1, 2)), tmp_path / "out")
    assert "fingerprint" in folder.manifest["models"]["m"]["compared"]
