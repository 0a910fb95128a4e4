"""Shuffled attention: by hand, unchanged where nothing is attended to, and on planted toys."""

from itertools import permutations

import numpy as np
import pytest
from faithful_texts import TASK, examples, measured, rows, values
from scipy.special import softmax
from toy_attention_layer import (
    ToyAttentionLayer,
    faithful_layer,
    unfaithful_layer,
)
from toy_runs import estimate, resolve_only, run

from scrutiny.core.errors import PlanError
from scrutiny.diagnostics.faithfulness.other_attention import Permutation, PermutationParams
from scrutiny.testing import check_diagnostic

ROWS = rows(40)


def test_it_keeps_the_promises_of_its_protocol():
    given = [*ROWS[:4], {"id": "one", "text": "good", "label": "positive"}]
    check_diagnostic(Permutation(), examples=examples(given), task=TASK, model=faithful_layer())


def test_the_median_is_over_the_permutations_of_the_words():
    """Three words have six permutations; of many draws each is nearly as frequent."""
    says = {"good": (0.0, 3.0), "ok": (0.5, 0.0)}
    toy = ToyAttentionLayer({"good": np.log(4)}, says)
    given = [{"id": "i", "text": "ok good day", "label": "positive"}]
    found, _ = measured(Permutation(), PermutationParams(permutations=4001), toy, given)
    weights, logits = np.array([1, 4, 1]) / 6, np.array([[0.5, 0], [0, 3.0], [0, 0]])
    p = softmax(weights @ logits)
    changes = [abs(softmax(weights[list(o)] @ logits) - p)[0] for o in permutations(range(3))]
    median, mean, highest, uniform, hit = found[0].values
    assert median == pytest.approx(np.median(sorted(changes)[1:]), abs=0.2)
    assert min(abs(median - c) for c in changes) < 1e-12  # one of the six
    assert mean == pytest.approx(np.mean(changes), abs=0.01)
    assert highest == pytest.approx(4 / 6)
    assert uniform == pytest.approx(abs(softmax(np.full(3, 1 / 3) @ logits) - p)[0])
    assert hit == 1.0


def test_equal_weights_have_no_order():
    toy = ToyAttentionLayer({}, {"good": (0.0, 3.0), "bad": (3.0, 0.0)})
    found, _ = measured(Permutation(), PermutationParams(permutations=7), toy, ROWS[:6])
    for name in ("median_change", "mean_change", "uniform_change"):
        assert max(values(found, Permutation(), name)) < 1e-12


def test_words_in_another_order_give_the_same_distribution_of_changes():
    """The toy knows no order: with all permutations equally likely, the mean stays."""
    toy = faithful_layer()
    words = ROWS[0]["text"].split()
    given = [{**ROWS[0], "id": f"r{k}", "text": " ".join(np.roll(words, k))} for k in range(3)]
    found, _ = measured(Permutation(), PermutationParams(permutations=3000), toy, given)
    means = values(found, Permutation(), "mean_change")
    assert np.ptp(means) < 0.05


def test_planted_attention_is_told_from_attention_without_effect(tmp_path):
    given = rows(160)
    one = run("faithfulness.permutation", faithful_layer(), given, tmp_path / "a")
    other = run("faithfulness.permutation", unfaithful_layer(), given, tmp_path / "b")
    assert estimate(one, "mean(median_change)").value > 0.5
    assert estimate(one, "permutation_change_peaked").value > 0.5
    assert estimate(one, "mean(uniform_change)").value > 0.3
    assert one.findings()[0].verdict == "supported"
    assert estimate(other, "mean(median_change)").value < 1e-9
    assert other.findings()[0].verdict == "not supported"
    assert not other.findings()[0].claim.needs_control  # no untrained family to be held against


def test_no_permutation_at_all_is_refused():
    with pytest.raises(PlanError, match="permutations must be at least 1"):
        resolve_only(
            faithful_layer(),
            ROWS,
            diagnostic="faithfulness.permutation",
            params={"permutations": 0},
        )
