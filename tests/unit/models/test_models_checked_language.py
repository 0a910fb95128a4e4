"""Answers of language models: sound ones pass, bad ones fail alone, malformed ones stop the run."""

from types import SimpleNamespace

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.queries.language import ASKED, Cloze, Continuation, SentencePair
from scrutiny.models.answers.checked import AnswerError
from scrutiny.models.answers.language_answers import ask_or_fail

INF, NAN = float("inf"), float("nan")
CLOZES = (Cloze((2, 4, 3), (1, 0), (7, 2)), Cloze((2, 5, 3), (1,), (5,)))


def model(**answers):
    """A model that gives the same answer to every query of a capability."""
    methods = {
        name: (lambda queries, answer=answer: [answer] * len(queries))
        for name, answer in answers.items()
    }
    return SimpleNamespace(source="test:model", capabilities=frozenset(methods), **methods)


def ask(capability, query, answer):
    return ask_or_fail(model(**{capability: answer}), capability, [query, query])


@pytest.mark.parametrize(
    ("capability", "query", "answer"),
    [
        ("masked_logprobs", CLOZES, ((-1.0, 0.0), (-2.5,))),
        ("masked_logprobs", CLOZES, ((-1.0, 1e-6), (-2.5,))),  # rounded above certainty
        ("masked_logprobs", (), ()),
        ("token_logprobs", Continuation((2, 5, 6)), (-1.0, -2.0)),
        ("token_logprobs", Continuation((2, 5, 6), 3), ()),
        ("next_sentence", SentencePair("a", "b"), 0.25),
        ("attention_received", (2, 5, 3), (0.5, 0.25, 0.25)),
    ],
)
def test_sound_answers(capability, query, answer):
    assert ask(capability, query, answer) == [answer, answer]


def test_lists_become_tuples_that_can_be_kept():
    [answer, _] = ask("masked_logprobs", CLOZES, [[-1.0, 0.0], [-2.5]])
    assert answer == ((-1.0, 0.0), (-2.5,))
    assert ask("attention_received", (2, 3), [0.5, 0.5])[0] == (0.5, 0.5)


@pytest.mark.parametrize(
    ("capability", "query", "answer"),
    [
        ("masked_logprobs", CLOZES, ((-1.0, -INF), (-2.5,))),
        ("masked_logprobs", CLOZES, ((-1.0, NAN), (-2.5,))),
        ("token_logprobs", Continuation((2, 5)), (NAN,)),
        ("next_sentence", SentencePair("a", "b"), NAN),
        ("attention_received", (2, 3), (NAN, 0.5)),
    ],
)
def test_what_is_not_finite_fails(capability, query, answer):
    [failed, _] = ask(capability, query, answer)
    assert isinstance(failed, Failure)
    assert failed.reason == "non_finite"
    assert "test:model" in failed.message


@pytest.mark.parametrize(
    ("capability", "query", "answer", "message"),
    [
        ("masked_logprobs", CLOZES, ((-1.0,), (-2.5,)), "each target of each cloze"),
        ("masked_logprobs", CLOZES, ((-1.0, -1.0),), "each target of each cloze"),
        ("masked_logprobs", CLOZES, ((0.3, -1.0), (-2.5,)), "not above 0"),
        ("token_logprobs", Continuation((2, 5, 6)), (-1.0,), "1 values; one for each of 2"),
        ("next_sentence", SentencePair("a", "b"), 1.5, "between 0 and 1"),
        ("attention_received", (2, 3), (0.5, -0.5), "between 0 and 1"),
        ("attention_received", (2, 3), (0.5,), "one for each of 2"),
        ("next_sentence", SentencePair("a", "b"), None, "is None, which is none"),
        ("masked_logprobs", CLOZES, None, "is None, which is none"),
        ("token_logprobs", Continuation((2, 5)), ("high",), "which is none"),
    ],
)
def test_malformed_answers(capability, query, answer, message):
    for failed in ask(capability, query, answer):
        assert failed.reason == "bad_answer"
        assert message in failed.message


def test_the_wrong_number_of_answers():
    made = model(next_sentence=0.5)
    made.next_sentence = lambda queries: [0.5]
    with pytest.raises(ModelError, match="1 answers to 4"):
        ask_or_fail(made, "next_sentence", [SentencePair("a", "b")] * 4)


def test_queries_that_raise_are_told_apart():
    def next_sentence(queries):
        if any(q.first == "long" for q in queries):
            raise AnswerError("too_long", "9 tokens")
        if any(q.first == "bad" for q in queries):
            raise RuntimeError("broken")
        return [0.5] * len(queries)

    made = model(next_sentence=0.5)
    made.next_sentence = next_sentence
    firsts = ["a", "long", "b", "bad", "c"]
    answers = ask_or_fail(made, "next_sentence", [SentencePair(f, "x") for f in firsts])
    assert [getattr(a, "reason", a) for a in answers] == [0.5, "too_long", 0.5, "model_error", 0.5]
    assert answers[3].message == "RuntimeError: broken"


def test_capabilities_that_are_not_there():
    with pytest.raises(ModelError, match=r"cannot be asked for token_logprobs\. It has: next_sent"):
        ask_or_fail(model(next_sentence=0.5), "token_logprobs", [])
    with pytest.raises(ConformanceError, match="'predict' is nothing to ask"):
        ask_or_fail(model(predict=None), "predict", [])
    assert len(ASKED) == 4
