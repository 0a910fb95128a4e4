"""Two metrics of one selection: by closed form, by scikit-learn, exact, on one set of draws."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from scrutiny.core.errors import PlanError
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.plan import Resampling
from scrutiny.core.record import Measure
from scrutiny.reliability.contrasts import contrast
from scrutiny.reliability.joining import join, shared_items
from scrutiny.reliability.metrics import metric_name, metric_of
from scrutiny.reliability.panel import CODES, Panel, Side
from scrutiny.reliability.statistics import measures_of
from scrutiny.reliability.written_metrics import AskedMetric, asked_of, asks_more, partner
from scrutiny.run.estimating.estimator import jointly

KEY = EstimateKey("d@1#0", "a - b", "m", "x", role="contrast")
RNG = np.random.default_rng(4)
GOLD = RNG.integers(0, 2, 300)
GIVEN = np.stack([np.where(RNG.random(300) < 0.8, GOLD, 1 - GOLD) for _ in range(3)])


def columns(names):
    """Measures ``(replicate, item, need)`` of the answers, by their names."""
    right = {"hit": GOLD == GIVEN, "ok": np.ones_like(GIVEN)}
    for place, label in (("label1", 0), ("label2", 1)):
        is_gold, is_given = np.broadcast_to(GOLD == label, GIVEN.shape), GIVEN == label
        right |= {f"{place}.tp": is_gold & is_given, f"{place}.fp": is_given > is_gold}
        right[f"{place}.fn"] = is_gold > is_given
    found = [right.get(n, right.get(f"label2.{n}")) for n in names]
    return np.stack(found, axis=-1).astype(float)


def side(metric, values=None, *, items=None, status=None, names=None):
    values = columns(metric.needs) if values is None else values
    count, n, width = values.shape
    panel = Panel(
        tuple(Measure(f"m{k}") for k in range(width)),
        tuple(f'{{"seed":"{s}"}}' for s in (names or range(count))),
        tuple(items or (f"i{k}" for k in range(n))),
    )
    codes = np.zeros((count, n), np.int8) if status is None else status
    needs = tuple(measure.name for measure in panel.measures)
    return panel, join(panel, {"": Side(values, codes)}, needs=needs)


def both(text, *sides, **more):
    whole = metric_of(text, measures_of("attack@1"))
    own = [metric_of(part, measures_of("attack@1")) for part in text.split(f" {how_of(text)} ")]
    sides = sides or [side(one) for one in own]
    return jointly(
        shared_items(*sides),
        whole,
        key=KEY,
        resampling=Resampling(**{"draws": 500, **more}),
        seed=0,
    )


def how_of(text):
    """Operator of an expression."""
    return "/" if " / " in text else "-"


SCORES = {
    "accuracy": accuracy_score,
    "recall": recall_score,
    "precision": precision_score,
    "macro_f1(2)": lambda gold, given: f1_score(gold, given, average="macro"),
    "label_f1": f1_score,
}


@pytest.mark.parametrize("how", ["-", "/"])
@pytest.mark.parametrize("first", SCORES)
@pytest.mark.parametrize("second", SCORES)
def test_values_are_those_of_scikit_learn(first, second, how):
    found = both(f"{first} {how} {second}")
    one, other = ([SCORES[name](GOLD, g) for g in GIVEN] for name in (first, second))
    wanted = np.subtract(one, other) if how == "-" else np.divide(one, other)
    assert list(found.estimate.by_replicate.values()) == pytest.approx(wanted.tolist(), abs=1e-12)
    assert found.estimate.value == pytest.approx(wanted.mean(), abs=1e-12)
    assert (found.estimate.counts.n, found.estimate.n_replicates) == (300, 3)


@pytest.mark.parametrize("how", ["-", "/"])
def test_both_are_drawn_with_the_same_items(how):
    """Against a plain bootstrap that draws items once for both scores."""
    found = both(f"accuracy {how} precision", draws=4000).resampled.draws[:, 0]
    rows = RNG.integers(0, 300, (4000, 300))
    right, given = (GOLD == GIVEN[0])[rows], (GIVEN[0] == 1)[rows]
    one, other = right.mean(axis=1), (right & given).sum(axis=1) / given.sum(axis=1)
    wanted = one - other if how == "-" else one / other
    assert found.std() == pytest.approx(wanted.std(), rel=0.06)
    assert np.quantile(found, [0.1, 0.9]) == pytest.approx(
        np.quantile(wanted, [0.1, 0.9]), abs=4e-3
    )


def test_a_ratio_of_recall_and_precision_is_given_over_gold():
    given, gold = (GIVEN == 1).sum(axis=1), (GOLD == 1).sum()
    np.testing.assert_allclose(both("recall / precision").resampled.point, given / gold)


@pytest.mark.parametrize("name", [*SCORES, "median(asked)"])
def test_a_metric_minus_itself_is_nothing_and_divided_by_itself_is_one(name):
    values = RNG.integers(1, 9, (2, 50, 2)).astype(float) if "asked" in name else None
    metric = metric_of(name, measures_of("attack@1"))
    sides = [side(metric, values)] * 2
    less, over = both(f"{name} - {name}", *sides), both(f"{name} / {name}", *sides)
    assert (less.resampled.draws == 0).all()
    assert (over.resampled.draws == 1).all()
    assert less.estimate.value == 0
    assert over.estimate.value == 1


def test_medians_are_taken_from_means():
    asked = RNG.integers(1, 30, (1, 80, 1)).astype(float)
    one, other = (metric_of(f"{how}(value)") for how in ("median", "mean"))
    found = both("median(value) - mean(value)", side(one, asked), side(other, asked))
    assert found.estimate.value == pytest.approx(np.median(asked) - asked.mean())
    assert found.estimate.low < found.estimate.value < found.estimate.high


@pytest.mark.parametrize("lost", range(5, 96, 5))
def test_equal_denominators_give_exact_differences(lost):
    hits = [(np.arange(100) < count).astype(float)[None, :, None] for count in (lost, lost - 5)]
    sides = [side(metric_of("accuracy"), values) for values in hits]
    assert both("accuracy - coverage", *sides).estimate.value == 0.05
    assert both("accuracy / coverage", *sides[::-1]).estimate.value == (lost - 5) / lost


@pytest.mark.parametrize("lost", range(5, 96, 5))
def test_recalls_of_classes_of_one_size_differ_exactly(lost):
    """Of one metric in two selections: 100 items of either class, of which five more are found."""
    sides = []
    for own, found in ((0, lost), (1, lost - 5)):
        is_gold = np.arange(200) // 100 == own
        tp = is_gold & (np.arange(200) % 100 < found)
        sides.append(side(None, np.stack([tp, is_gold > tp], axis=-1).astype(float)[None]))
    recall = metric_of("recall")
    resampling = Resampling(draws=100)
    found = contrast(
        shared_items(*sides), recall, key=KEY, paired=True, resampling=resampling, seed=0
    )
    assert found.estimate.value == 0.05


def test_items_and_replicates_meet_by_name():
    hits = RNG.integers(0, 2, (2, 40, 1)).astype(float)
    status = np.zeros((2, 40), np.int8)
    status[0, :3] = CODES["failed"]
    one = side(metric_of("accuracy"), hits, status=status)
    again = hits[::-1, ::-1]
    other = side(None, again, items=[f"i{k}" for k in range(40)][::-1], names=[1, 0])
    found = both("accuracy - coverage", one, other).estimate
    assert (found.value, found.counts.n, found.counts.failed) == (0, 37, 3)
    nothing = side(None, hits[:, :2], items=("x", "y"))
    assert both("accuracy - coverage", one, nothing).estimate.reason == "no_items"


@pytest.mark.parametrize(
    ("text", "scale", "span", "direction"),
    [
        ("accuracy - macro_f1(2)", "coefficient", None, "neither"),
        ("accuracy - flip_rate", "identity", (-1.0, 1.0), "better"),
        ("flip_rate - accuracy", "identity", (-1.0, 1.0), "worse"),
        ("drop(accuracy) - flip_rate", "identity", (-2.0, 1.0), "neither"),
        ("recall / precision", "amount", None, "neither"),
        ("drop(accuracy) / accuracy", "identity", None, "neither"),
    ],
)
def test_range_and_direction_follow_from_both(text, scale, span, direction):
    found = metric_of(text)
    assert (found.scale, found.row_range, found.higher_is) == (scale, span, direction)
    assert found.no_effect == (1.0 if "/" in text else 0.0)
    assert metric_of(metric_name(text)).says == found.says
    assert (" minus " in found.says) is (" - " in text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("icat - accuracy", "icat@1 is fitted anew"),
        ("decided_score - accuracy", r"decided_score@1 is in percent and accuracy@1 is a share"),
        ("accuracy - recall - precision", "cannot be read"),
        ("accuracy - macro_f1", "needs one parameter"),
    ],
)
def test_what_has_no_difference_is_told(text, said):
    with pytest.raises(PlanError, match=said):
        metric_of(text)


def test_sides_are_read():
    text = "the plan"
    assert asked_of("recall(spam) / recall@1", {"draw": 0}, text=text) == AskedMetric(
        (("recall", {"draw": 0, "label": "spam"}), ("recall@1", {"draw": 0})), "/"
    )
    assert asked_of('recall("odd one")', {}, text=text).sides == (("recall", {"label": "odd one"}),)
    assert asked_of("films are harder", {}, text=text).sides == (("films are harder", {}),)
    gain = asked_of("gain(recall(spam))@1", {}, models=("old", "new"), text=text)
    assert gain.sides[0] == ("recall@1", {"subject": "new", "label": "spam"})
    assert [asks_more(t) for t in ("recall(spam)", "recall", "no - such")] == [True, False, True]


def test_sides_match_in_what_both_have():
    asked = AskedMetric((("a", {"label": "x"}), ("b", {"label": "y"})), "-")
    others = [{"label": "y", "dataset": "d"}, {"label": "y", "dataset": "e"}, {"dataset": "d"}]
    own = {"label": "x", "dataset": "d", "draw": 0}
    assert list(partner(own, others, asked)) == [0, 2]


def test_identities_say_what_differs():
    one = replace(KEY, metric="recall@1", condition={"label": "x", "draw": 0}, role="measured")
    other = replace(one, condition={"label": "y"}, group="changed")
    apart = one.beside(other)
    assert (apart.metric, apart.reference, apart.role, apart.group) == (
        "recall@1",
        "m",
        "contrast",
        "all",
    )
    assert apart.condition == {"label": "x - y", "draw": "0 - none"}
    assert one.beside(other, is_of_slices=True).group == "all - changed"
    joint = one.beside(replace(other, metric="accuracy@1"), how="/")
    assert (joint.metric, joint.reference) == ("recall@1 / accuracy@1", None)
    assert joint.condition == {"label": "x / y", "draw": 0}
