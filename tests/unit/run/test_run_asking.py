"""Asking: each distinct text once, failures never kept, each chunk kept at once."""

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.run import asking
from scrutiny.run.asking import Asker
from scrutiny.testing import FlakyClassifier, KeywordClassifier, NanClassifier


class Desk:
    """Answers in memory; each call that keeps some is noted."""

    def __init__(self, *, fail_after=None):
        self.known = {}
        self.kept = []
        self.fail_after = fail_after

    def get_many(self, keys):
        return {k: self.known[k] for k in keys if k in self.known}

    def put_many(self, answers):
        if self.fail_after is not None and len(self.kept) >= self.fail_after:
            raise KeyboardInterrupt
        self.kept.append(len(answers))
        self.known |= answers


def examples(*texts):
    return [Example(str(n), {"text": text}) for n, text in enumerate(texts)]


def asker(model, desk, **more):
    known = {"fingerprint": "f", "to_data": {}, "digest": "d"}
    return Asker(model, desk, **{**known, **more})


def test_each_distinct_text_is_asked_once():
    model = FlakyClassifier(())
    made = asker(model, Desk())
    answers = made.predict(examples("good", "bad", "good", "good", "bad"))
    assert [a.label for a in answers] == ["positive", "negative"] + ["positive"] * 2 + ["negative"]
    assert sum(len(call) for call in model.calls) == 2
    assert (made.tally.asked, made.tally.cached) == (2, 3)


def test_what_is_known_is_not_asked_again():
    desk, model = Desk(), FlakyClassifier(())
    asker(model, desk).predict(examples("good", "bad"))
    again = asker(model, desk)
    assert [a.label for a in again.predict(examples("bad", "good", "new"))] == [
        "negative",
        "positive",
        "negative",
    ]
    assert (again.tally.asked, again.tally.cached) == (1, 2)
    assert len(model.calls) == 2


@pytest.mark.parametrize(
    "other", [{"fingerprint": "g"}, {"digest": "e"}], ids=["model", "label map"]
)
def test_another_model_or_label_map_is_asked_anew(other):
    desk, model = Desk(), KeywordClassifier()
    asker(model, desk).predict(examples("good"))
    again = asker(model, desk, **other)
    again.predict(examples("good"))
    assert again.tally.asked == 1


@pytest.mark.parametrize(
    ("model", "reason"),
    [(FlakyClassifier({"1"}), "model_error"), (NanClassifier({"1"}), "non_finite")],
)
def test_failures_are_values_and_are_not_kept(model, reason):
    desk = Desk()
    made = asker(model, desk)
    answers = made.predict(examples("good", "bad", "fine"))
    assert isinstance(answers[1], Failure)
    assert answers[1].reason == reason
    assert all(isinstance(a, Prediction) for a in (answers[0], answers[2]))
    assert len(desk.known) == 2
    assert isinstance(made.predict(examples("good", "bad"))[1], Failure)
    assert made.tally.asked == 4  # the one that failed was asked again


def test_a_crash_after_two_chunks_keeps_two_chunks(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 3)
    desk, texts = Desk(fail_after=2), [f"film {n}" for n in range(10)]
    with pytest.raises(KeyboardInterrupt):
        asker(KeywordClassifier(), desk).predict(examples(*texts))
    assert desk.kept == [3, 3]
    desk.fail_after = None
    again = asker(KeywordClassifier(), desk)
    again.predict(examples(*texts))
    assert (again.tally.asked, again.tally.cached) == (4, 6)


def test_short_texts_are_asked_first_and_answers_stand_in_order(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    model = FlakyClassifier(())
    made = asker(model, Desk())
    answers = made.predict(examples("good and long", "bad", "good film", "x"))
    assert model.calls == [("3", "1"), ("2", "0")]
    assert [a.label for a in answers] == ["positive", "negative", "positive", "negative"]


def test_labels_come_back_in_the_words_of_the_data():
    made = asker(KeywordClassifier(), Desk(), to_data={"positive": "1", "negative": "0"})
    assert made.labels == ("0", "1")
    assert [a.label for a in made.predict(examples("good", "bad"))] == ["1", "0"]
    assert [a.label for a in made.predict(examples("good", "bad"))] == ["1", "0"]  # from the cache


def test_nobody_asked_nothing_answered():
    made = asker(KeywordClassifier(), Desk())
    assert made.predict([]) == []
    assert made.tally.asked == 0


def many(count):
    return examples(*(f"film {n}" for n in range(count)))


def test_a_model_that_only_raises_is_broken():
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS)})
    with pytest.raises(ModelError, match="raised an error for each of the 20 texts"):
        asker(model, Desk()).predict(many(asking.HOPELESS))
    few = asker(model, Desk()).predict(many(asking.HOPELESS - 1))
    assert all(isinstance(a, Failure) for a in few)


def test_all_that_an_interrupted_run_has_left_may_fail():
    texts = many(asking.HOPELESS + 5)
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS)})
    desk = Desk()
    first = asker(model, desk).predict(texts)
    again = asker(model, desk)  # the five that answered are in the cache
    assert again.predict(texts) == first
    assert again.tally.asked == asking.HOPELESS
    assert "makes this model fail" in again.tally.failure


def test_a_chunk_of_failures_after_one_that_answered_is_no_broken_model(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", asking.HOPELESS)
    texts = many(2 * asking.HOPELESS)
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS, 2 * asking.HOPELESS)})
    answers = asker(model, Desk()).predict(texts)
    assert sum(isinstance(a, Failure) for a in answers) == asking.HOPELESS
