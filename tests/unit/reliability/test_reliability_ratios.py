"""Ratios of rows in units: what their families need to know of single rows."""

from dataclasses import replace

import numpy as np
import pytest
from made_panels import KEY, panel, side

from scrutiny.core.plan import Resampling
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.intervals import apart_on
from scrutiny.reliability.joining import join, shared_items
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.statistics import ACCURACY, ENTITY_F1
from scrutiny.reliability.verdicts.limits import families_among, limits_of

COUNTS = ("tp", "fp", "fn")
DOCUMENTS = np.repeat(np.arange(20), 10)
DROP = metric_of("drop(entity_f1)")


def entities(seed, *, replicates=2, lost=0.0):
    """Counts ``(replicate, sentence, 3)`` of two entities a sentence."""
    rng = np.random.default_rng(seed)
    hits = rng.binomial(2, 0.8 - lost, (replicates, 200))
    return np.stack([hits, rng.binomial(1, 0.1, hits.shape), 2 - hits], axis=-1).astype(float)


def dropped(before, after, *, statistic=DROP, units=DOCUMENTS):
    sides = {"before": side(before), "after": side(after)}
    made = panel(len(before), 200, COUNTS, units=units)
    how = Resampling(draws=400)
    return estimate(made, sides, statistic=statistic, key=KEY, resampling=how, seed=0)


def f1(counts):
    hits, alarms, missed = counts.sum(axis=1).T
    return 2 * hits / (2 * hits + alarms + missed)


def test_the_drop_of_an_f1_knows_the_variance_that_single_sentences_would_have():
    before, after = entities(0), entities(1, lost=0.1)
    variance, cases = dropped(before, after).apart
    each = [
        np.stack([f1(np.delete(counts, n, axis=1)) for n in range(200)], axis=1)
        for counts in (before, after)
    ]
    influence = each[1] - each[0]
    influence -= influence.mean(axis=1, keepdims=True)
    assert variance == pytest.approx((influence**2).sum(axis=1).mean(), rel=1e-6)
    assert 60 < cases < 160


@pytest.mark.parametrize("units", [None, np.arange(200)])
def test_nothing_is_known_where_each_sentence_is_a_unit(units):
    assert dropped(entities(0), entities(1), units=units).apart is None


def test_means_and_ratios_without_some_row_know_nothing():
    hits = np.random.default_rng(0).integers(0, 2, (1, 20, 1)).astype(float)
    assert apart_on((ACCURACY, hits)) is None
    alone = np.zeros((1, 20, 3))
    alone[0, 4, 0] = 1
    assert apart_on((ENTITY_F1, alone)) is None
    assert apart_on((ENTITY_F1, entities(0)), (ENTITY_F1, entities(1, replicates=3))) is None


def test_a_contrast_of_two_f1_knows_it_too():
    made = panel(2, 200, COUNTS, units=DOCUMENTS)
    before, after = entities(0), entities(1, lost=0.1)
    sides = [(made, join(made, {"": side(one)}, needs=COUNTS)) for one in (before, after)]
    how = {"paired": True, "resampling": Resampling(draws=400), "seed": 0}
    found = contrast(shared_items(*sides), ENTITY_F1, key=KEY, **how)
    assert found.apart == pytest.approx(dropped(before, after).apart, rel=1e-9)


def test_limits_of_a_lost_f1_have_the_effect_of_the_other_changes_in_the_same_documents():
    before = entities(0)
    hard = before.copy()
    hard[:, :20] = (0.0, 0.0, 2.0)  # two documents are lost whole
    easy = before.copy()
    easy[:, ::40] = (1.0, 1.0, 1.0)
    several = {"hard": dropped(before, hard), "easy": dropped(before, easy)}
    families = families_among(several)
    together = limits_of(several, families, wanted=several)
    alone = limits_of(
        {name: _without(one) for name, one in several.items()}, families, wanted=several
    )
    widths = [np.ptp(found["easy"].checkpoints) for found in (alone, together)]
    assert widths[1] > 1.2 * widths[0]
    assert together["hard"].checkpoints == pytest.approx(alone["hard"].checkpoints, abs=0.02)


def _without(one):
    return replace(one, apart=None)
