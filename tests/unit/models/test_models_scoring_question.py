"""Questions: who is asked what, once, and what becomes of the answers."""

import pytest

from scrutiny.core.diagnostic import Failure
from scrutiny.core.queries.language import Encoded
from scrutiny.models.scoring.likelihood_questions import (
    Question,
    answer_all,
    mean_logprob,
    mean_probability,
    rounded,
    scored_together,
    total,
)
from scrutiny.models.scoring.pair_likelihoods import PAIR_VARIANTS, EncodedPair, score_pairs


def ask_for_length(capability, queries):
    """Answers every query with its length, or fails."""
    del capability
    return [Failure("too_odd") if query == "odd" else float(len(query)) for query in queries]


def test_each_query_is_asked_once_and_each_capability_in_one_go():
    asked = []

    def ask(capability, queries):
        asked.append((capability, list(queries)))
        return ask_for_length(capability, queries)

    questions = [
        Question((("a", "one"), ("b", "three")), total),
        Question((("a", "one"), ("a", "four")), total),
    ]
    assert answer_all(questions, ask) == [8.0, 7.0]
    assert asked == [("a", ["one", "four"]), ("b", ["three"])]


def test_what_cannot_be_asked_stays_and_what_fails_says_so():
    known = Failure("empty_side", status="skipped")
    found = answer_all([known, Question((("a", "odd"),), total)], ask_for_length)
    assert found == [known, Failure("too_odd")]


def test_nothing_to_ask_is_an_empty_sum():
    assert answer_all([Question((), total)], ask_for_length) == [0.0]


def test_reductions():
    answers = [((-1.0,), (-3.0,)), (-2.0,)]
    assert (total(answers), mean_logprob(answers)) == (-6.0, -2.0)
    assert mean_probability([((0.0,), (-1.0,))]) == pytest.approx((1 + 0.36788) / 2, abs=1e-5)
    assert rounded(total, 1)([(-0.16,)]) == -0.2


def test_stretches_cover_everything_in_order():
    costs = [5, 1, 1, 1, 9, 2]
    parts = list(scored_together(costs, most=4))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(costs)))
    assert list(scored_together([])) == []


def test_long_sentences_are_asked_a_few_at_a_time():
    """500 tokens are 250,000 tokens of masked sequences; two such pairs fill a stretch."""

    def sentence(first):
        inner = (first, *range(10, 508))
        special = (True, *(False,) * len(inner), True)
        words = (None, *range(len(inner)), None)
        return Encoded((1, *inner, 2), special, ((0, 0),) * 501, words, (0,) * 501)

    class Model:
        mask_id, begin_id, limit = 0, None, 512

    sizes = []

    def ask(capability, queries):
        del capability
        sizes.append(sum(len(cloze.ids) for query in queries for cloze in query))
        return [tuple((-1.0,) * len(c.positions) for c in query) for query in queries]

    pairs = [EncodedPair(sentence(600 + i), sentence(700 + i)) for i in range(6)]
    found = score_pairs(Model(), pairs, PAIR_VARIANTS["pll-shared"], ask)
    assert [score.a for score in found] == [-498.0] * 6
    assert max(sizes) < 2**21
    assert len(sizes) == 2
