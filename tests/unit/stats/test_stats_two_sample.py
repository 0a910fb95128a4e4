"""Two-sample tests of texts and log-probabilities: edges and what is refused."""

import numpy as np
import pytest

from scrutiny.stats.arrays import StatisticsError
from scrutiny.stats.distributions.two_sample import (
    hamming_mmd,
    hamming_mmd_test,
    logprob_shift_test,
    paired_logprob_test,
)

RNG = np.random.default_rng(0)
TEXTS = np.array([[1, 2], [1, 3]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hamming_mmd(TEXTS, TEXTS[:, :1]), "pad them"),
        (lambda: hamming_mmd(TEXTS, TEXTS[:1]), "two of y"),
        (lambda: hamming_mmd(TEXTS, TEXTS, prompts=([0, 1], [0, 1])), "two samples"),
        (lambda: hamming_mmd(TEXTS, TEXTS, prompts=([0, 0], [0])), "every sample"),
        (lambda: hamming_mmd_test(TEXTS, TEXTS, rng=RNG, permutations=0), "one permutation"),
        (lambda: logprob_shift_test([[0.0, 1.0]], [[0.0, 1.0]] * 2, rng=RNG), "two calls"),
        (lambda: logprob_shift_test([[0.0]] * 2, [[0.0, 1.0]] * 2, rng=RNG), "1 tokens, b 2"),
        (lambda: logprob_shift_test([[np.nan]] * 2, [[0.0]] * 2, rng=RNG), "no log-prob"),
        (lambda: paired_logprob_test([0.0], [0.0, 1.0], rng=RNG), "a has 1 texts"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(StatisticsError, match=message):
        call()


def test_equal_samples_are_below_0_and_not_significant():
    texts = np.random.default_rng(1).integers(0, 3, (12, 4))
    found = hamming_mmd_test(texts, texts, rng=np.random.default_rng(0), permutations=99)
    assert found.statistic <= 0.0
    assert found.p_value > 0.9
    assert (found.smallest_p, found.n, found.alternative) == (0.01, 24, "greater")


def test_samples_are_exchanged_within_prompts_only():
    """Two prompts with answers of their own: no difference between x and y, whatever their mix."""
    prompts = np.repeat([0, 1], 6)
    texts = np.repeat([[0, 0], [1, 1]], 6, axis=0)
    found = hamming_mmd_test(
        texts, texts, rng=np.random.default_rng(0), prompts=(prompts, prompts), permutations=99
    )
    assert found.statistic == 0.0
    assert found.p_value == 1.0


def test_the_same_seed_gives_the_same_p():
    x, y = np.random.default_rng(2).integers(0, 3, (2, 10, 4))
    twice = [hamming_mmd_test(x, y, rng=np.random.default_rng(5)).p_value for _ in range(2)]
    assert twice[0] == twice[1]


def test_a_token_that_a_call_left_out_counts_as_its_smallest():
    a = [[-1.0, -2.0, np.nan], [-1.0, -2.0, -3.0]]
    b = [[-1.0, -2.0, -2.0], [-1.0, -2.0, -3.0]]
    found = logprob_shift_test(a, b, rng=np.random.default_rng(0), permutations=9)
    assert found.statistic == 0.0


def test_paired_texts_keep_what_unpaired_calls_cannot_see():
    g = np.random.default_rng(3)
    a = g.normal(-50, 20, 60)  # texts of very different lengths
    b = a - 0.2 - g.normal(0, 0.1, 60)
    assert paired_logprob_test(a, b, rng=g).p_value < 0.001
    assert logprob_shift_test(a[:, None], b[:, None], rng=g, permutations=199).p_value > 0.2
