"""Planted truth for association tests: words matter, and their sentences are no new evidence.

Eight words a side, eight sentences a word. Associations have a part of the word (sd 1) and one of
the sentence (sd 1); sets differ by ``gap``. Without a gap every rejection is an error. Bounds are
what was measured with more studies, and two Monte Carlo standard errors.
"""

import numpy as np
import pytest
from planted_families import associations, covered, error, population_effect

from scrutiny.diagnostics.association.association_metrics import ADJUSTED_RAND, ALIGNMENT
from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.association.partitions import permuted_sides
from scrutiny.stats.association.word_sets import split_test

BEYOND = metric_of("beyond(cluster_alignment)")
WORDS, SENTENCES = 8, 8
SIDE = np.repeat([1.0, 0.0], WORDS * SENTENCES)
WORD = np.repeat(np.arange(2 * WORDS), SENTENCES)


@pytest.mark.slow
def test_permuting_sentences_rejects_true_nulls_and_permuting_words_does_not():
    rng, studies = np.random.default_rng(11), 1000
    rejected = {"word": 0, "sentence": 0}
    for _ in range(studies):
        values = associations(rng, words=WORDS)[0, :, 0]
        word = split_test(values, SIDE, units=WORD)
        sentence = split_test(values, SIDE, most=2_000)
        assert word.n_splits == 12_870
        rejected["word"] += word.p_value <= 0.05
        rejected["sentence"] += sentence.p_value <= 0.05
    by_word, by_sentence = rejected["word"] / studies, rejected["sentence"] / studies
    assert abs(by_word - 0.05) < 3 * error(0.05, studies)  # exact: .05 but for 1 / 12,870
    assert by_sentence > 0.18  # .24 in the reference; what the design would call significant


def test_a_real_gap_is_found_by_word():
    rng, studies = np.random.default_rng(12), 200
    found = 0
    for _ in range(studies):
        values = associations(rng, words=WORDS, gap=2.0)[0, :, 0]
        found += split_test(values, SIDE, units=WORD).p_value <= 0.05
    assert found / studies > 0.9


def effect_coverage(*, words, gap, replicates, studies, by="word"):
    """Coverage of d as `association.seat` makes it; five seeds differ by .3 in their gap."""
    seed_sd = 0.3 if replicates > 1 else 0.0
    side = np.repeat([1, 0], words * SENTENCES)
    unit = np.repeat(np.arange(2 * words), SENTENCES) if by == "word" else None

    def make(rng):
        return associations(rng, words=words, gap=gap, replicates=replicates, seed_sd=seed_sd)

    return covered(
        metric_of("effect_size(sample)"),
        make,
        population_effect(gap, seed_sd),
        studies=studies,
        seed=13,
        unit=unit,
        strata=side,
    )


@pytest.mark.slow
@pytest.mark.parametrize("replicates", [1, 5])
@pytest.mark.parametrize(
    ("words", "gap", "least"),
    [(8, 0.0, 0.94), (8, 1.0, 0.94), (8, 3.0, 0.91), (25, 0.0, 0.94), (25, 1.0, 0.94)],
)
def test_intervals_by_word_cover(words, gap, replicates, least):
    """d of 0, .67 and 1.46; near its bound of 2 the bootstrap leans on few words' variance."""
    studies = 300
    found = effect_coverage(words=words, gap=gap, replicates=replicates, studies=studies)
    assert least - 2 * error(0.95, studies) <= found <= 0.97 + 2 * error(0.95, studies)


@pytest.mark.parametrize(("gap", "replicates"), [(0.0, 1), (1.0, 1), (1.0, 5)])
def test_intervals_by_sentence_do_not(gap, replicates):
    studies = 150
    found = effect_coverage(
        words=WORDS, gap=gap, replicates=replicates, studies=studies, by="sentence"
    )
    assert found < 0.80 + 2 * error(0.80, studies)


SHARE = 0.8  # of items in their set's cluster


def clustered(rng, replicates):
    """Clusters and sides ``(replicate, item, need)``: each word has its own share, 80 % on average.

    The sets' clusters then agree in pairs by an adjusted Rand index of .36.
    """
    share = rng.beta(4 * SHARE, 4 * (1 - SHARE), 2 * WORDS)[WORD]
    is_aligned = rng.random((replicates, WORD.size)) < share
    cluster = np.where(is_aligned, SIDE, 1 - SIDE)
    return np.stack([cluster, np.broadcast_to(SIDE, cluster.shape)], axis=-1)


def alignment(pairs):
    return np.concatenate([pairs, *[pairs[..., :1]] * 3], axis=-1)


def excess(pairs):
    return np.concatenate([alignment(pairs), np.full((*pairs.shape[:2], 1), 0.6)], axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize("replicates", [1, 5])
@pytest.mark.parametrize(
    ("statistic", "rows", "truth"),
    [
        (ALIGNMENT, alignment, 0.8),
        (BEYOND, excess, 0.2),
        (ADJUSTED_RAND, lambda pairs: pairs, 0.36),
    ],
    ids=["alignment", "excess", "adjusted_rand"],
)
def test_alignment_is_covered_by_word(statistic, rows, truth, replicates):
    """Given the clustering and its matching, which the interval holds fixed and says so."""
    studies = 200
    found = covered(
        statistic,
        lambda rng: rows(clustered(rng, replicates)),
        truth,
        studies=studies,
        unit=WORD,
        strata=SIDE,
    )
    assert 0.93 - 2 * error(0.95, studies) <= found <= 1.0


def test_clusters_of_nothing_exceed_permuted_labels_no_more_often_than_they_should():
    rng = np.random.default_rng(14)
    excess = []
    for _ in range(300):
        cluster = (rng.standard_normal(2 * WORDS) > 0)[WORD]  # clusters follow words
        side = SIDE == 1
        best = max((cluster == side).mean(), (cluster != side).mean())
        drawn = permuted_sides(side, units=WORD, permutations=200, rng=rng)
        share = (cluster == drawn).mean(axis=1)
        excess.append(best - np.maximum(share, 1 - share).mean())
    mean, spread = np.mean(excess), np.std(excess) / len(excess) ** 0.5
    assert abs(mean) < 3 * spread
    assert BEYOND.no_effect == 0.0
