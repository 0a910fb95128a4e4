"""Asking: each distinct text once, failures never kept, each chunk kept at once."""

from dataclasses import replace

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError, RunIncompleteError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Cloze, Continuation, SentencePair
from scrutiny.core.task import Prediction
from scrutiny.run.asking import answer_store
from scrutiny.run.asking import client as asking
from scrutiny.run.asking.client import ModelClient
from scrutiny.run.executing.context import Outputs, RunContext
from scrutiny.testing import (
    FlakyClassifier,
    GazetteerTagger,
    KeywordClassifier,
    NanClassifier,
    ToyCausalLanguageModel,
    ToyMaskedLanguageModel,
)


class TaskStore:
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


def client(model, store, **more):
    known = {"fingerprint": "f", "to_data": {}, "digest": "d"}
    return ModelClient(model, store, **{**known, **more})


def test_each_distinct_text_is_asked_once():
    model = FlakyClassifier(())
    made = client(model, TaskStore())
    answers = made.predict(examples("good", "bad", "good", "good", "bad"))
    assert [a.answer for a in answers] == ["positive", "negative"] + ["positive"] * 2 + ["negative"]
    assert sum(len(call) for call in model.calls) == 2
    assert (made.tally.asked, made.tally.cached) == (2, 3)


def test_what_is_known_is_not_asked_again():
    store, model = TaskStore(), FlakyClassifier(())
    client(model, store).predict(examples("good", "bad"))
    again = client(model, store)
    assert [a.answer for a in again.predict(examples("bad", "good", "new"))] == [
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
    store, model = TaskStore(), KeywordClassifier()
    client(model, store).predict(examples("good"))
    again = client(model, store, **other)
    again.predict(examples("good"))
    assert again.tally.asked == 1


@pytest.mark.parametrize(
    ("model", "reason"),
    [(FlakyClassifier({"1"}), "model_error"), (NanClassifier({"1"}), "non_finite")],
)
def test_failures_are_values_and_are_not_kept(model, reason):
    store = TaskStore()
    made = client(model, store)
    answers = made.predict(examples("good", "bad", "fine"))
    assert isinstance(answers[1], Failure)
    assert answers[1].reason == reason
    assert all(isinstance(a, Prediction) for a in (answers[0], answers[2]))
    assert len(store.known) == 2
    assert isinstance(made.predict(examples("good", "bad"))[1], Failure)
    assert made.tally.asked == 4  # the one that failed was asked again


def test_a_crash_after_two_chunks_keeps_two_chunks(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 3)
    monkeypatch.setattr(answer_store, "WAIT_S", 0.0)
    store, texts = TaskStore(fail_after=2), [f"film {n}" for n in range(10)]
    with pytest.raises(KeyboardInterrupt):
        client(KeywordClassifier(), store).predict(examples(*texts))
    assert store.kept == [3, 3]
    store.fail_after = None
    again = client(KeywordClassifier(), store)
    again.predict(examples(*texts))
    assert (again.tally.asked, again.tally.cached) == (4, 6)


def test_short_texts_are_asked_first_and_answers_stand_in_order(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", 2)
    model = FlakyClassifier(())
    made = client(model, TaskStore())
    answers = made.predict(examples("good and long", "bad", "good film", "x"))
    assert model.calls == [("3", "1"), ("2", "0")]
    assert [a.answer for a in answers] == ["positive", "negative", "positive", "negative"]


def test_labels_come_back_in_the_words_of_the_data():
    made = client(KeywordClassifier(), TaskStore(), to_data={"positive": "1", "negative": "0"})
    assert made.labels == ("0", "1")
    assert [a.answer for a in made.predict(examples("good", "bad"))] == ["1", "0"]
    assert [a.answer for a in made.predict(examples("good", "bad"))] == ["1", "0"]  # from the cache


def test_nobody_asked_nothing_answered():
    made = client(KeywordClassifier(), TaskStore())
    assert made.predict([]) == []
    assert made.tally.asked == 0


def many(count):
    return examples(*(f"film {n}" for n in range(count)))


def test_a_model_that_only_raises_is_broken():
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS)})
    with pytest.raises(ModelError, match="has answered none of the 20 texts"):
        client(model, TaskStore()).predict(many(asking.HOPELESS))
    few = client(model, TaskStore()).predict(many(asking.HOPELESS - 1))
    assert all(isinstance(a, Failure) for a in few)


@pytest.mark.parametrize("reasons", [["unreachable"], ["rate_limited", "timed_out"]])
def test_a_server_that_never_replies_is_no_broken_model(reasons):
    class Down(KeywordClassifier):
        def answers_or_failures(self, examples):
            return [Failure(reasons[n % len(reasons)], "busy") for n, _ in enumerate(examples)]

    with pytest.raises(RunIncompleteError, match=r"replied to none of the 20 texts.*busy\. Once"):
        client(Down(), TaskStore()).predict(many(asking.HOPELESS))
    reasons.append("bad_reply")
    with pytest.raises(ModelError, match="has answered none of the 20 texts"):
        client(Down(), TaskStore()).predict(many(asking.HOPELESS))


def of_lengths(count):
    return examples(*("x" * (n + 1) for n in range(count)))


class FailsBelow(KeywordClassifier):
    """Gives something else than an answer to short texts."""

    is_of_the_user = True

    def __init__(self, length, bad):
        super().__init__()
        self.length, self.bad = length, bad

    def predict(self, examples):
        answers = super().predict(examples)
        pairs = zip(examples, answers, strict=True)
        return [self.bad if len(e.text) <= self.length else a for e, a in pairs]


@pytest.mark.parametrize("bad", [None, Prediction("other"), Prediction(scores=(float("nan"), 1.0))])
def test_bad_answers_to_all_the_shortest_texts_are_failed_rows(bad):
    made = client(FailsBelow(60, bad), TaskStore())
    answers = made.predict(of_lengths(100))
    assert [isinstance(a, Failure) for a in answers] == [True] * 60 + [False] * 40
    assert made.tally.asked == 100


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (None, "first error: The answer of .* is a NoneType, no Prediction"),
        (Prediction("other"), "is the label 'other'. Its labels are"),
        (Prediction(scores=(float("nan"), 1.0)), r"has scores \(nan, 1\): a probability is"),
        (Prediction(scores=(3.0, -2.0)), "If they are logits, apply a softmax"),
    ],
)
def test_bad_answers_to_all_texts_are_told_after_the_first_batches(bad, words):
    model = FailsBelow(1_000, bad)
    with pytest.raises(ModelError, match=f"answered none of the 80 texts.*{words}"):
        client(model, TaskStore()).predict(of_lengths(900))


def test_spans_come_back_in_the_words_of_the_data():
    tagger = GazetteerTagger({"ada": "person", "rome": "place"})
    made = client(tagger, TaskStore(), to_data={"person": "PER"})
    for _ in range(2):  # also from the cache
        (answer,) = made.predict(examples("ada in rome"))
        assert [span.label for span in answer.answer] == ["PER", "place"]


def test_all_that_an_interrupted_run_has_left_may_fail():
    texts = many(asking.HOPELESS + 5)
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS)})
    store = TaskStore()
    first = client(model, store).predict(texts)
    again = client(model, store)  # the five that answered are in the cache
    assert again.predict(texts) == first
    assert again.tally.asked == asking.HOPELESS
    assert "makes this model fail" in str(again.tally.failures)


def test_a_chunk_of_failures_after_one_that_answered_is_no_broken_model(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK", asking.HOPELESS)
    texts = many(2 * asking.HOPELESS)
    model = FlakyClassifier({str(n) for n in range(asking.HOPELESS, 2 * asking.HOPELESS)})
    answers = client(model, TaskStore()).predict(texts)
    assert sum(isinstance(a, Failure) for a in answers) == asking.HOPELESS


# --- queries to language models ---


class Masked(ToyMaskedLanguageModel):
    """Notes every query that reaches it; raises on those with a forbidden token."""

    def __init__(self, *, forbidden=-1):
        super().__init__({f"w{n}": n + 1.0 for n in range(40)})
        self.calls = []
        self.forbidden = forbidden

    def masked_logprobs(self, queries):
        self.calls.append(list(queries))
        if any(self.forbidden in cloze.ids for query in queries for cloze in query):
            raise ValueError("this token makes this model fail")
        return super().masked_logprobs(queries)


def cloze(token, *, length=3):
    return (Cloze((2, *(token,) * (length - 2), 3), (1, 2), (token, 3)),)


def test_each_distinct_query_is_asked_once_and_answers_stand_in_order():
    model, store = Masked(), TaskStore()
    made = client(model, store)
    queries = [cloze(7, length=9), cloze(8), cloze(7, length=9), ()]
    answers = made.ask("masked_logprobs", queries)
    assert answers == ToyMaskedLanguageModel.masked_logprobs(model, queries)
    assert model.calls == [[(), cloze(8), cloze(7, length=9)]]  # the smallest first
    assert (made.tally.asked, made.tally.cached) == (3, 1)
    again = client(model, store)
    assert again.ask("masked_logprobs", [cloze(8), cloze(9)]) == model.masked_logprobs(
        [cloze(8), cloze(9)]
    )
    assert (again.tally.asked, again.tally.cached) == (1, 1)
    assert again.ask("masked_logprobs", []) == []


def test_another_model_or_capability_is_asked_anew():
    model, store = Masked(), TaskStore()
    ids = (2, 5, 3)
    client(model, store).ask("attention_received", [ids])
    other = client(model, store, fingerprint="g")
    other.ask("attention_received", [ids])
    assert other.tally.asked == 1
    assert len(store.known) == 2


def test_one_bad_query_fails_alone():
    model, store = Masked(forbidden=9), TaskStore()
    made = client(model, store)
    answers = made.ask("masked_logprobs", [cloze(n) for n in range(5, 15)])
    assert [n for n, a in zip(range(5, 15), answers, strict=True) if isinstance(a, Failure)] == [9]
    assert answers[4].reason == "model_error"
    assert "makes this model fail" in str(made.tally.failures)
    assert len(store.known) == 9


def test_a_kill_keeps_the_chunks_before_it(monkeypatch):
    monkeypatch.setattr(answer_store, "WAIT_S", 0.0)
    monkeypatch.setattr(asking, "CHUNK_TOKENS", 9)
    model, store, queries = Masked(), TaskStore(fail_after=2), [cloze(n) for n in range(5, 15)]
    with pytest.raises(KeyboardInterrupt):
        client(model, store).ask("masked_logprobs", queries)
    assert store.kept == [3, 3]
    store.fail_after = None
    again = client(model, store)
    assert again.ask("masked_logprobs", queries) == model.masked_logprobs(queries)
    assert (again.tally.asked, again.tally.cached) == (4, 6)


def test_a_query_larger_than_a_chunk_is_a_chunk(monkeypatch):
    monkeypatch.setattr(asking, "CHUNK_TOKENS", 4)
    monkeypatch.setattr(answer_store, "WAIT_S", 0.0)
    store = TaskStore()
    client(Masked(), store).ask("masked_logprobs", [cloze(5, length=9), cloze(6), cloze(7)])
    assert store.kept == [1, 1, 1]


def test_a_language_model_that_only_raises_is_broken():
    many_queries = [cloze(9, length=n + 3) for n in range(asking.HOPELESS)]
    with pytest.raises(ModelError, match="has answered none of the 20"):
        client(Masked(forbidden=9), TaskStore()).ask("masked_logprobs", many_queries)


def test_what_a_model_cannot_be_asked():
    with pytest.raises(ModelError, match="cannot be asked for next_sentence"):
        client(KeywordClassifier(), TaskStore()).ask("next_sentence", [SentencePair("a", "b")])
    with pytest.raises(ConformanceError, match="'hidden_states' is nothing to ask"):
        client(Masked(), TaskStore()).ask("hidden_states", [(2, 3)])


@pytest.mark.parametrize(
    ("capability", "queries"),
    [
        ("next_sentence", [SentencePair("w1", "w2"), SentencePair("w1", "w1")]),
        ("attention_received", [(2, 5, 3), (2, 3)]),
        ("masked_logprobs", [(), cloze(6), (Cloze((2, 3), (), ()),)]),
    ],
)
def test_answers_are_the_same_from_the_cache(capability, queries):
    model, store = ToyMaskedLanguageModel({"w1": 1.0, "w2": 2.0}), TaskStore()
    fresh = client(model, store).ask(capability, queries)
    kept = client(model, store)
    assert kept.ask(capability, queries) == fresh
    assert kept.tally.asked == 0
    assert [type(a) for a in kept.ask(capability, queries)] == [type(a) for a in fresh]


def test_continuations_are_asked_by_length():
    model, store = ToyCausalLanguageModel({"a": 1.0}), TaskStore()
    queries = [Continuation((2, 5, 5, 5)), Continuation((2, 5), 2), Continuation((2, 5))]
    assert [len(a) for a in client(model, store).ask("token_logprobs", queries)] == [3, 0, 1]


def test_a_context_asks_its_asker_or_nobody():
    made = client(Masked(), TaskStore())
    context = RunContext(task=None, seed=0, store=TaskStore(), client=made)
    assert context.ask("masked_logprobs", [cloze(5)]) == made.ask("masked_logprobs", [cloze(5)])
    nobody = RunContext(task=None, seed=0, store=TaskStore())
    assert nobody.ask("masked_logprobs", [cloze(5)]) == [Failure("no_model")]


def test_an_answer_to_a_changed_text_is_none_of_the_items():
    """Nothing overwrites what a model said of the item as it is."""
    items = [Example("1", {"text": "good"}), Example("2", {"text": "bad"})]
    loud = [replace(item, fields={"text": item.text.upper()}) for item in items]
    kept = Outputs(items)
    for item in items:
        kept.keep(item, None, Prediction("calm"))
    for item in loud:
        kept.keep(item, None, Prediction("loud"))
    assert dict(kept) == {("1", None): Prediction("calm"), ("2", None): Prediction("calm")}
    for item in loud:
        kept.keep(item, "capitals", Prediction("loud"))
    assert kept["1", "capitals"] == Prediction("loud")
    kept.keep(Example("3", {"text": "of another set"}), None, Prediction("own"))
    assert kept["3", None] == Prediction("own")
