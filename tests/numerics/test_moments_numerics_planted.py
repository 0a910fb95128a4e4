"""Level of regression tests when words of one sentence share errors.

Bounds are what was measured with more studies, and two Monte Carlo standard errors.
"""

import numpy as np
import pytest
from planted_families import error

from scrutiny.stats.association.regression import cluster_robust, least_squares, moments_by_unit
from scrutiny.stats.resampling.weights import Units

STUDIES, WORDS = 1500, 15


def p_values(rng, *, sentences, shared, effect=0.0, labelled=None):
    """P of a label that partly belongs to the sentence: by rows, and by sentence, ``(study,)``.

    Every study has outcomes of its own on the same words. With ``labelled``, all words of this many
    sentences have the label and no others.
    """
    unit = np.repeat(np.arange(sentences), WORDS)
    label = rng.random(unit.size) < np.repeat(rng.beta(0.5, 1.0, sentences), WORDS)
    if labelled is not None:
        label = unit < labelled
    distance = np.tile(np.abs(np.arange(WORDS) - WORDS // 2), sentences)
    own = rng.standard_normal((STUDIES, unit.size))
    ours = shared**0.5 * rng.standard_normal((STUDIES, sentences))[:, unit]
    y = effect * label - 0.05 * distance + ours + (1 - shared) ** 0.5 * own
    x = np.column_stack([distance, label])
    rows = moments_by_unit(x, y, units=Units.of(unit.size, unit))
    return least_squares(rows.total()).p_values[:, 1], cluster_robust(rows).p_values[:, 2]


def level(p):
    return float((p < 0.05).mean())


@pytest.mark.parametrize(("shared", "liberal"), [(0.1, 0.08), (0.3, 0.17)])
def test_rows_are_too_sure_and_sentences_are_not(shared, liberal):
    by_row, by_sentence = p_values(np.random.default_rng(1), sentences=100, shared=shared)
    assert level(by_row) > liberal
    assert abs(level(by_sentence) - 0.052) < 3 * error(0.05, STUDIES)


def test_where_nothing_is_shared_both_are_right():
    for found in p_values(np.random.default_rng(2), sentences=100, shared=0.0):
        assert abs(level(found) - 0.053) < 3 * error(0.05, STUDIES)


def test_with_few_sentences_that_carry_the_label_even_their_errors_are_too_small():
    rng = np.random.default_rng(3)
    _, few = p_values(rng, sentences=12, shared=0.3)
    assert 0.05 < level(few) < 0.09
    _, one_sided = p_values(rng, sentences=40, shared=0.3, labelled=3)
    assert level(one_sided) > 0.12


def test_an_effect_is_found():
    _, by_sentence = p_values(np.random.default_rng(4), sentences=100, shared=0.3, effect=0.3)
    assert level(by_sentence) > 0.7
