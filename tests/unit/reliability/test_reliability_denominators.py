"""The denominator that is printed is the one that was divided by, for every statistic.

A mean over what counts is recomputed from single rows: the value times its denominator is the sum
of the values of the rows that have one. What is no mean of rows is named here.
"""

import numpy as np
import pytest
from made_panels import KEY, panel, side

from scrutiny.core.plan import Resampling
from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.diagnostics.attack.attack_metrics import ATTACK_SUCCESS
from scrutiny.diagnostics.attention.head_counts import OfHeads
from scrutiny.diagnostics.attention.regression import OfRegression
from scrutiny.diagnostics.faithfulness.faithfulness_metrics import ChangedHeads
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.estimate import by_replicate, estimate
from scrutiny.reliability.joining import join, shared_items
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.row_statistics import divisors
from scrutiny.reliability.statistics import measures_of

ROWS = 40
#: Needs that say whether, or how often, a row counts: what is measured of it is 0 where they are.
GATES = {"rows", "first_rows", "gold", "languages_told", "left"}
ALWAYS = {"rated", "compared"}  # products of two shares are means where every row is rated
#: Pooled counts (F1), fits, corrected means, correlations, ratios of means, roots, counts of heads.
NO_MEAN = {
    "corrected@1",
    "labels_needed(0.05)@1",
    "length_lean@1",
    "own_lean@1",
    "rogan_gladen@1",
    "drop(hamming)@1",
    "drop(micro_f1)@1",
    "drop(sense_f1)@1",
    "drop(word_f1)@1",
    "excess(hamming)@1",
    "excess(micro_f1)@1",
    "excess(sense_f1)@1",
    "excess(word_f1)@1",
    "hamming@1",
    "micro_f1@1",
    "part_f1@1",
    "part_precision@1",
    "part_recall@1",
    "sense_f1@1",
    "word_f1@1",
    "b_cubed_f1@1",
    "bleu@1",
    "ceaf_e_f1@1",
    "chance_consistency@1",
    "chrf@1",
    "conll_f1@1",
    "drop(b_cubed_f1)@1",
    "drop(bleu)@1",
    "drop(ceaf_e_f1)@1",
    "drop(chrf)@1",
    "drop(conll_f1)@1",
    "drop(las)@1",
    "drop(linked_conll_f1)@1",
    "drop(mention_f1)@1",
    "drop(muc_f1)@1",
    "drop(uas)@1",
    "drop(upos)@1",
    "drop(xpos)@1",
    "excess(b_cubed_f1)@1",
    "excess(bleu)@1",
    "excess(ceaf_e_f1)@1",
    "excess(chrf)@1",
    "excess(conll_f1)@1",
    "excess(las)@1",
    "excess(linked_conll_f1)@1",
    "excess(mention_f1)@1",
    "excess(muc_f1)@1",
    "excess(uas)@1",
    "excess(upos)@1",
    "excess(xpos)@1",
    "las@1",
    "linked_conll_f1@1",
    "mention_f1@1",
    "muc_f1@1",
    "uas@1",
    "upos@1",
    "xpos@1",
    "accuracy_gap@1",
    "adjusted_rand@1",
    "label_f1@1",
    "labeled_heads(broad)@1",
    "macro_f1(2)@1",
    "precision@1",
    "recall@1",
    "beyond(attack_success)@1",
    "beyond(changed_share)@1",
    "beyond(transfer_rate)@1",
    "beyond(under)@1",
    "capa@1",
    "capa_of_labels@1",
    "class_mass_ratio@1",
    "effect_size(sample)@1",
    "effect_size(population)@1",
    "entity_f1@1",
    "drop(entity_f1)@1",
    "cell_r@1",
    "beyond(known_word_accuracy)@1",
    "beyond(label_compression)@1",
    "beyond(separated_phrases)@1",
    "known_word_accuracy@1",
    "label_bits@1",
    "label_compression@1",
    "probe_accuracy@1",
    "separated_phrases@1",
    "beyond(cell_r)@1",
    "erasure_js_slope@1",
    "error_consistency@1",
    "excess(entity_f1)@1",
    "icat@1",
    "inertia@1",
    "invariance_kappa@1",
    "invariance_phi@1",
    "kappa_inv@1",
    "layer_distance(gap)@1",
    "layer_distance(ratio)@1",
    "original_minus(antistereotype)@1",
    "original_minus(negated)@1",
    "original_minus(neutral)@1",
    "original_minus(swapped)@1",
    "p_gold_rms@1",
    "permutation_correlation@1",
    "perplexity_ratio@1",
    "labeled_heads(positional)@1",
    "scope_lift@1",
    "labeled_heads(special)@1",
}


def additive():
    found = {name: metric_of(name) for name in usual_metrics()}
    kinds = OfHeads, OfRegression  # chosen or fitted over all texts
    return {
        name: one
        for name, one in found.items()
        if isinstance(one, AdditiveStatistic) and not isinstance(one, kinds) and not _chooses(one)
    }


def _chooses(one):
    return isinstance(one, ChangedHeads) and one.id.startswith("selected")


def rows_of(statistic):
    values = np.random.default_rng(3).integers(0, 2, (2, ROWS, len(statistic.needs))).astype(float)
    for place, need in enumerate(statistic.needs):
        if need in ALWAYS:
            values[..., place] = 1.0
    if statistic.needs[-1] in GATES:
        values[..., :-1] *= values[..., -1:]
    return values


def is_mean_by_its_divisor(statistic):
    values = rows_of(statistic)
    parts = statistic.components(values)
    with np.errstate(all="ignore"):
        whole = [float(statistic.value(one.sum(axis=0)[None], np.ones(1))) for one in parts]
        each = [[float(statistic.value(row[None], np.ones(1))) for row in one] for one in parts]
    by = divisors(statistic, values) or (ROWS, ROWS)
    counted = np.isfinite(each).sum(axis=1)
    return np.allclose(counted, by) and np.allclose(np.multiply(whole, by), np.nansum(each, axis=1))


def test_value_times_denominator_is_the_sum_of_what_counts():
    assert {name for name, one in additive().items() if not is_mean_by_its_divisor(one)} == NO_MEAN


def attacked(rights, wins):
    """Sides ``(replicate, item, measure)``: items that a model gets right, and those that fall."""
    right = np.arange(ROWS) < np.array(rights)[:, None]
    fallen = np.arange(ROWS) < np.array(wins)[:, None]
    return np.stack([right, fallen], axis=-1).astype(float)


def found_of(statistic, values, **sides):
    count = len(values)
    return estimate(
        panel(count, ROWS, measures=("attacked", "success")),
        {"": side(values)} | {name: side(one) for name, one in sides.items()},
        statistic=statistic,
        key=KEY,
        resampling=Resampling(draws=200, replicates="each"),
        seed=0,
    )


def test_each_replicate_has_its_own_and_the_whole_their_mean():
    found = found_of(ATTACK_SUCCESS, attacked([30, 20, 25], [6, 5, 5]))
    assert found.estimate.denominator == 25.0
    assert [one.denominator for one in by_replicate(found)] == [30.0, 20.0, 25.0]
    for one, won in zip(by_replicate(found), [6, 5, 5], strict=True):
        assert one.value * one.divided_by == pytest.approx(won)


def test_a_difference_has_the_smaller_of_both():
    values = attacked([30], [10])
    found = found_of(metric_of("beyond(attack_success)"), values, control=attacked([28], [3]))
    assert found.estimate.divided_by == 28
    assert found.estimate.value == pytest.approx(10 / 30 - 3 / 28)


def test_so_has_a_difference_of_two_runs():
    names = panel(1, ROWS, measures=("attacked", "success"))
    needs = ATTACK_SUCCESS.needs
    sides = [
        (names, join(names, {"": side(attacked([right], [5]))}, needs=needs)) for right in (30, 20)
    ]
    made = {"key": KEY, "paired": False, "resampling": Resampling(draws=200), "seed": 0}
    assert contrast(shared_items(*sides), ATTACK_SUCCESS, **made).estimate.divided_by == 20


def test_a_median_counts_the_items_that_were_attacked():
    values = attacked([30], [4])[..., ::-1]
    asked = panel(1, ROWS, measures=("asked", "attacked"))
    found = estimate(
        asked,
        {"": side(values)},
        statistic=metric_of("median(asked)", measures_of("attack@1")),
        key=KEY,
        resampling=Resampling(draws=200),
        seed=0,
    )
    assert found.estimate.divided_by == 30
