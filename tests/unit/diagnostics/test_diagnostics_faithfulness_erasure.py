"""Erasure by hand, on a classifier that looks at what decides and on one that does not."""

import json

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
from scrutiny.diagnostics.faithfulness.erasure import Erasure
from scrutiny.diagnostics.faithfulness.orders import (
    ErasureParams,
    OrderName,
    order_names,
    orders_of,
)
from scrutiny.stats.distributions.divergence import js, kl
from scrutiny.testing import check_diagnostic

ROWS = rows(40)
DEFAULT = {"procedure": "default"}


@pytest.mark.parametrize("make", [faithful_layer, unfaithful_layer])
def test_it_keeps_the_promises_of_its_protocol(make):
    given = [*ROWS[:4], {"id": "one", "text": "good", "label": "positive"}]
    check_diagnostic(Erasure(), examples=examples(given), task=TASK, model=make())


def ranking(name, weights, gradient, *, draws=2):
    rngs = [np.random.default_rng(seed) for seed in range(draws)]
    (found,) = orders_of([name], np.array(weights), np.array(gradient), rngs)
    return found


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("attention", [1, 3, 0, 2]),
        ("second", [3, 0, 2, 1]),
        ("ascending", [2, 0, 3, 1]),
        ("second_lowest", [0, 3, 1, 2]),
        ("gradient", [2, 0, 1, 3]),
        ("gradient_attention", [0, 2, 1, 3]),  # .6, .1, -.4, -.6
        ("sign_attention", [0, 2, 3, 1]),  # .2, .1, -.3, -.4
    ],
)
def test_orders_by_hand(order, expected):
    found = ranking(OrderName(order), [0.2, 0.4, 0.1, 0.3], [3.0, -1.0, 4.0, -2.0])
    if order == "gradient_attention":
        found = ranking(OrderName(order), [0.2, 0.4, 0.1, 0.3], [3.0, -1.0, 1.0, -2.0])
    assert found.ranking.tolist() == expected
    assert found.first == 1


def test_drawn_orders_are_permutations_and_the_other_begins_with_no_highest_weight():
    weights = [0.2, 0.4, 0.1, 0.3]
    for draw in range(2):
        for order in ("random", "other", "same_mass"):
            found = ranking(OrderName(order, draw=draw), weights, [0.0] * 4)
            assert sorted(found.ranking) == [0, 1, 2, 3]
        assert ranking(OrderName("other", draw=draw), weights, [0.0] * 4).ranking[-1] == 1


def test_the_same_mass_is_as_near_to_the_highest_weight_as_a_first_stretch_gets():
    weights = np.array([0.1, 0.1, 0.4, 0.1, 0.15, 0.15])
    found = ranking(OrderName("same_mass", draw=0), weights, [0.0] * 6)
    sums = np.cumsum(weights[found.ranking[:-1]])
    assert abs(sums[found.first - 1] - 0.4) == pytest.approx(np.abs(sums - 0.4).min())
    assert found.ranking[-1] == 2
    assert ranking(OrderName("same_mass", draw=0), [0.6, 0.2, 0.2], [0.0] * 3) is None


def test_the_released_code_takes_a_rank_for_a_position_and_reversed_attention_for_signs():
    released = OrderName("other", "as_released", 0)
    firsts = set()
    for seed in range(60):
        rngs = [np.random.default_rng(seed)]
        (found,) = orders_of([released], np.array([0.2, 0.5, 0.3]), np.zeros(3), rngs)
        assert sorted(found.ranking) == [0, 1, 2]
        firsts.add(int(found.ranking[0]))
    assert firsts == {1, 2}  # never position 0, and position 1 is the highest weight itself
    signed = OrderName("sign_attention", "as_released")
    found = ranking(signed, [0.2, 0.5, 0.3], [1.0, -1.0, 1.0])
    assert found.ranking.tolist() == [0, 2, 1]
    names = order_names(ErasureParams(draws=1))
    assert [n.order for n in names if n.procedure == "as_released"] == ["sign_attention", "other"]


def test_one_text_by_hand():
    """Scores log 4, 0, 0: weights 2/3, 1/6, 1/6; only the keyword says anything."""
    says = {"good": (0.0, 3.0), "ok": (0.5, 0.0)}
    toy = ToyAttentionLayer({"good": np.log(4)}, says, bias=(1.0, 0.0))
    given = [{"id": "i", "text": "ok good day", "label": "positive"}]
    found, _ = measured(Erasure(), ErasureParams(draws=1), toy, given)
    own = {json.loads(r.condition)["order"]: r for r in found if "default" in r.condition}
    p = softmax(np.array([1 + 0.5 / 6, 2.0]))
    without = softmax(np.array([1 + 0.25, 0.0]))  # ok and day have 1/2 each
    weight, kl_, js_, flip, flipped, steps, share, mass, hit = own["attention"].values
    assert weight == pytest.approx(2 / 3)
    assert kl_ == pytest.approx(float(kl(without, p)))
    assert js_ == pytest.approx(float(js(without, p)))
    assert (flip, flipped, steps, hit) == (1.0, 1.0, 1.0, 1.0)
    assert (share, mass) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    # lowest first, the later of equals: "day", then "ok", then "good", after which the bias decides
    assert own["ascending"].values[3:6] == (0.0, 1.0, 3.0)
    assert own["ascending"].values[7] == pytest.approx(1.0)
    # all others together have less than the highest weight
    assert (own["same_mass"].status, own["same_mass"].reason) == ("skipped", "no_same_mass")


def test_a_decision_that_the_bias_makes_too_never_flips():
    toy = ToyAttentionLayer({}, {"good": (0.0, 1.0)}, bias=(0.0, 2.0))
    found, _ = measured(Erasure(), ErasureParams(draws=1), toy, ROWS[:1])
    assert set(values(found, Erasure(), "flipped")) == {0.0}
    for name in ("steps", "share", "mass"):
        assert set(values(found, Erasure(), name)) == {-1.0}


def test_texts_without_an_answer_keep_their_rows():
    given = [
        {"id": "blank", "text": " ", "label": "positive"},
        {"id": "one", "text": "good", "label": "positive"},
        {"id": "unlabeled", "text": "so good", "label": None},
        ROWS[0],
    ]
    found, _ = measured(Erasure(), ErasureParams(draws=2), faithful_layer(), given)
    said = {row.item: (row.status, row.reason) for row in found}
    assert said["blank"] == ("failed", "no_words")
    assert said["one"] == ("skipped", "one_token")
    assert said["unlabeled"] == ("skipped", "no_gold")
    counts = {item: sum(row.item == item for row in found) for item in said}
    assert set(counts.values()) == {len(order_names(ErasureParams(draws=2)))}


def test_what_is_drawn_does_not_depend_on_the_model():
    one, _ = measured(Erasure(), ErasureParams(draws=2), faithful_layer(), ROWS[:6])
    other, _ = measured(Erasure(), ErasureParams(draws=2), unfaithful_layer(), ROWS[:6])
    again, _ = measured(Erasure(), ErasureParams(draws=2), faithful_layer(), ROWS[:6], seed=1)
    assert [(r.item, r.condition) for r in one] == [(r.item, r.condition) for r in other]
    assert one != again


def test_a_classifier_that_looks_at_what_decides_is_found(tmp_path):
    folder = run("faithfulness.erasure", faithful_layer(), rows(160), tmp_path, draws=2)
    gap = estimate(
        folder, "gap(share(flip))", order="attention - other", draw=0, procedure="default"
    )
    assert gap.value == 1.0
    assert estimate(folder, "share(flip)", order="second").value == 0.0
    table = {"order": "attention - other", "draw": 0, "procedure": "default"}
    assert estimate(folder, "flips(only_first)", **table).value == 1.0
    assert estimate(folder, "flips(neither)", **table).value == 0.0
    assert estimate(folder, "erasure_js_reversed", **table).value == 0.0
    first = estimate(folder, "mean(share)", order="attention")
    last = estimate(folder, "mean(share)", order="ascending")
    assert first.value < 0.26
    assert last.value > 0.7
    verdicts = {f.claim.id.rpartition("/")[2]: f.verdict for f in folder.findings()}
    assert verdicts["highest"] == "supported"
    assert verdicts["order"] == "supported"
    assert verdicts["as good as gradients"] == "supported"


def test_a_classifier_that_looks_elsewhere_is_not(tmp_path):
    folder = run("faithfulness.erasure", unfaithful_layer(), ROWS, tmp_path, draws=2)
    gap = estimate(
        folder, "gap(share(flip))", order="attention - other", draw=0, procedure="default"
    )
    assert (gap.value, gap.counts.n) == (0.0, 40)
    assert estimate(folder, "mean(share)", order="attention").value == 1.0  # the bias decides
    verdicts = {f.claim.id.rpartition("/")[2]: f.verdict for f in folder.findings()}
    assert verdicts["highest"] != "supported"
    assert verdicts["order"] != "supported"


def test_untrained_networks_are_compared_with_where_there_are_some():
    resolved = resolve_only(faithful_layer(), ROWS, diagnostic="faithfulness.erasure")
    design = resolved.measurements["d"].designs["m", "x"]
    assert resolved.contrasts == ()
    assert not any("untrained" in c.against for claim in design.claims for c in claim.components)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"draws": 0}, "draws must be at least 1"),
        ({"procedures": ["as_released"]}, "procedures are"),
    ],
)
def test_strange_parameters_are_refused(params, message):
    with pytest.raises(PlanError, match=message):
        resolve_only(faithful_layer(), ROWS, diagnostic="faithfulness.erasure", params=params)
