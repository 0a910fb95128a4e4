"""A gap between two slices: one line in a plan, in a rule and in Python."""

import json
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import scrutiny
from scrutiny.core.claim import IN_SLICES
from scrutiny.core.errors import UserError
from scrutiny.core.example import Example
from scrutiny.core.slice_syntax import complement
from scrutiny.data.text_attributes import negated
from scrutiny.report.formats import render
from scrutiny.report.load import load_view
from scrutiny.report.sections.comparisons import slices_part

SLICES = {"a": {"a_topic": "film"}, "b": {"a_topic": "restaurant"}}
PLAN = {
    "seed": 0,
    "data": {"reviews": {"source": "builtin:reviews", "limit": 300}},
    "models": {"m": {"source": "builtin:sentiment/seed-{seed}", "random": ["seed"]}},
    "measure": [
        {
            "id": "robustness",
            "diagnostic": "robustness@1",
            "params": {"transformations": ["typos"]},
        }
    ],
    "estimate": [
        {"id": name, "from": "robustness", "metric": metric, "contrast": SLICES}
        for name, metric in (
            ("gap", "drop(accuracy)"),
            ("level", "accuracy"),
            ("beyond", "excess(accuracy)"),
        )
    ]
    + [
        {"id": "films", "from": "robustness", "metric": "accuracy where topic = film"},
        {
            "id": "long films",
            "from": "robustness",
            "metric": "accuracy",
            "where": "topic = film",
            "contrast": {"a": "length > 10", "b": "not (length > 10)"},
        },
    ],
    "where": ["negated", "length>10", "exclamation"],
    "claim": [
        {
            "id": "own",
            "says": "long texts lose little",
            "estimate": "drop(accuracy) where length > 11",
            "rule": "< 0.9",
        }
    ],
    "resampling": {"draws": 400},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return scrutiny.run(PLAN, out=tmp_path_factory.mktemp("slices") / "run")


def by_hand(run, role, topic):
    """Mean hit of each replicate on a slice, from the records alone."""
    topics = dict(zip(*(run.items.column(n).to_pylist() for n in ("item", "a_topic")), strict=True))
    hits = {}
    for row in run.folder.records().to_pylist():
        if row["role"] == role and topics[row["item"]] == topic:
            values = row["values"] or by_item(run)[row["replicate"], row["item"]]
            hits.setdefault(row["replicate"], []).append(values[0])
    return np.array([np.mean(found) for _, found in sorted(hits.items())])


def by_item(run):
    rows = run.folder.records().to_pylist()
    return {(r["replicate"], r["item"]): r["values"] for r in rows if r["role"] == "baseline"}


def gap_of(run, metric):
    (found,) = (e for e in run.estimates if e.key.metric == metric and "- a_topic" in e.key.group)
    return found


def test_a_plan_names_slices_as_text(run):
    (films,) = (e for e in run.estimates if e.key.group == "topic = film")
    assert films.value == pytest.approx(by_hand(run, "baseline", "film").mean())
    (gap,) = run.gate("long films > -1")
    assert (
        gap.estimate.key.group
        == "topic = film and length > 10 - topic = film and not (length > 10)"
    )
    assert gap.estimate.counts.n == films.counts.n
    longer = run.estimate("accuracy where topic = film and length > 10", dataset="reviews")
    shorter = run.estimate("accuracy where topic = film, not (length > 10)")
    assert gap.estimate.value == pytest.approx(longer.value - shorter.value)
    assert longer.counts.n + shorter.counts.n == films.counts.n


def test_gaps_of_levels_drops_and_excesses_are_those_of_the_records(run):
    parts = {
        (role, topic): by_hand(run, role, topic)
        for role in ("baseline", "measured", "control")
        for topic in ("film", "restaurant")
    }
    level, drop, beyond = (
        gap_of(run, name) for name in ("accuracy@1", "drop(accuracy)@1", "excess(accuracy)@1")
    )
    of = {topic: parts["baseline", topic] for topic in ("film", "restaurant")}
    assert level.value == pytest.approx((of["film"] - of["restaurant"]).mean())
    lost = {t: of[t] - parts["measured", t] for t in of}
    assert drop.value == pytest.approx((lost["film"] - lost["restaurant"]).mean())
    more = {t: parts["control", t] - parts["measured", t] for t in of}
    assert beyond.value == pytest.approx((more["film"] - more["restaurant"]).mean())
    assert list(level.by_replicate.values()) == pytest.approx(
        (of["film"] - of["restaurant"]).tolist()
    )
    assert level.key.group == "a_topic = film - a_topic = restaurant"
    assert (level.counts.n, level.denominator) == (62, 29)


def test_a_rule_names_the_gap(run):
    (found,) = run.gate("level > -0.9")
    assert found.verdict == "supported"
    assert "m on a_topic = film minus a_topic = restaurant, reviews" in found.reason
    (lost,) = run.gate("gap > 0.9")
    assert lost.verdict == "not supported"


def test_an_estimate_on_a_slice_is_computed_where_it_is_asked_for(run):
    level = run.estimate("accuracy", a_topic="film", dataset="reviews")
    assert level.value == pytest.approx(by_hand(run, "baseline", "film").mean())
    assert (level.counts.n, level.key.group) == (33, "a_topic = film")
    beyond = run.estimate("excess(accuracy)", a_topic="film")
    rows = (by_hand(run, role, "film") for role in ("control", "measured"))
    control, measured = rows
    assert beyond.value == pytest.approx((control - measured).mean())


def test_a_rule_may_be_about_a_slice(run):
    (whole,) = run.gate("accuracy > 0.01 where a_topic=film")
    assert whole.verdict == "supported"
    assert "a_topic = film" in whole.reason
    (sharp,) = run.gate("excess(accuracy) < 0.9 where a_topic=film, transformation=typos")
    assert sharp.estimate.value == run.estimate("excess(accuracy)", a_topic="film").value


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (
            "accuracy > 0 where a_topic=cinema",
            "no item of 'reviews' has a_topic = cinema; there are",
        ),
        ("accuracy > 0 where a_color=red", "no attribute or column of the items named 'a_color'"),
        ("gap > 0 where a_topic=film", "gap compares two slices already"),
        ("accuracy > 0 where a_topic=film, draw=9", "No estimate of this run fits the rule"),
    ],
)
def test_slices_that_are_not_there_are_told(run, rule, said):
    with pytest.raises(UserError, match=said):
        run.gate(rule)


def test_what_texts_are_told_apart_by_is_a_slice(run):
    """Negated texts, found by the same look at them that a comparison takes."""
    inside = {
        row["item"]: negated(Example(row["item"], json.loads(row["fields"])))
        for row in run.items.to_pylist()
    }
    hits = {}
    for row in run.folder.records().to_pylist():
        if row["role"] == "baseline" and inside[row["item"]]:
            hits.setdefault(row["replicate"], []).append(row["values"][0])
    found = run.estimate("accuracy", negated="yes")
    assert found.value == pytest.approx(np.mean([np.mean(one) for one in hits.values()]))
    assert found.counts.n == sum(inside.values()) > 20
    (rule,) = run.gate("drop(accuracy) < 0.9 where not negated, transformation=typos")
    assert rule.estimate.counts.n == len(inside) - found.counts.n
    with pytest.raises(UserError, match="has topic = maybe; there are"):
        run.gate("accuracy > 0 where topic=maybe and negated")


def in_slice(run, metric, where, role="baseline"):
    (found,) = (e for e in run.estimates if e.key.group == where and e.key.metric == metric)
    assert found.key.role == role
    return found


def test_main_numbers_stand_inside_of_the_slices_that_were_asked_for(run):
    for where in ("negated", "length > 10"):
        whole = run.estimate(f"accuracy where {where}")
        assert in_slice(run, "accuracy@1", where) == whole
        gap = in_slice(run, "accuracy@1", f"{where} - {complement(where)}", "contrast")
        other = run.estimate(f"accuracy where {complement(where)}")
        assert gap.value == pytest.approx(whole.value - other.value)
        assert whole.counts.n + other.counts.n == gap.counts.n == 300
        drop = in_slice(run, "drop(accuracy)@1", where, "measured")
        assert drop.value == run.estimate(f"drop(accuracy) where {where}").value
    groups = {e.key.group for e in run.estimates}
    assert not any("exclamation" in group for group in groups)
    (warning,) = (w for w in run.manifest["warnings"] if "exclamation" in w)
    assert "with fewer than 20 there is no number" in warning
    assert [one["where"] for one in run.manifest["slices"]] == [
        "negated",
        "length > 10",
        "exclamation",
    ]


def test_a_claim_may_write_its_metric_and_slice(run):
    (found,) = (f for f in run.findings if f.claim.id == "own")
    assert found.verdict == "supported"
    assert found.estimate.value == run.estimate("drop(accuracy) where length > 11").value


def test_worse_than_elsewhere_is_claimed_with_a_family_of_limits_for_each_number(run):
    claims = [f.claim for f in run.findings if f.claim.family.endswith(IN_SLICES)]
    assert [(c.says, c.components[0].operator) for c in claims] == [
        ("accuracy is lower where negated than elsewhere", "<"),
        ("accuracy is lower where length > 10 than elsewhere", "<"),
        ("typos: accuracy drop is higher where negated than elsewhere", ">"),
        ("typos: accuracy drop is higher where length > 10 than elsewhere", ">"),
    ]
    assert len({c.family for c in claims}) == 2
    assert {f.limits[0].n_rows for f in run.findings if f.claim in claims} == {2}


def test_the_page_has_each_slice_once_and_the_clearest_in_front(run):
    view = load_view(run.path)
    assert {e.key.group for e in view.estimates if e.key.role != "contrast"} <= {
        "all",
        "changed",
        "topic = film",
        "length > 11",
    }
    mine = [f for f in view.findings if f.claim.family.endswith(IN_SLICES)]
    assert len(mine) == 2
    assert len(view.slices.findings) == 4
    every = [f for f in run.findings if f.claim.family == mine[0].claim.family]
    assert mine[0].p_supported == min(f.p_supported for f in every)
    assert len(view.all_findings) == len(run.findings)
    found = slices_part(view)
    assert [row[:3] for row in found.charts[0].table.rows] == [
        ("all items", "", "300"),
        ("negated", "not told apart", str(in_slice(run, "accuracy@1", "negated").counts.n)),
        ("length > 10", "not told apart", str(in_slice(run, "accuracy@1", "length > 10").counts.n)),
        ("exclamation", "fewer than 20 count", "3"),
    ]
    assert found.charts[0].spec is not None
    assert "Results by slice" in render(view, "html")
    printed = run.report().partition("Results by slice")[2].splitlines()
    assert printed[1].split() == ["slice", "items", "inside", "inside", "−", "elsewhere"]
    assert printed[6].split() == ["exclamation", "3", *"fewer than 20 count –".split()]
    assert max(map(len, printed)) <= 80


@pytest.mark.parametrize(
    ("where", "said"),
    [("lenght > 3", "Did you mean 'length'"), ("topic = cinema", "topic = cinema; there are")],
)
def test_slices_that_no_data_has_are_refused_before_anything_is_asked(where, said, tmp_path):
    with pytest.raises(UserError, match=said):
        scrutiny.run(PLAN, where=where, out=tmp_path / "run")


def test_few_items_that_count_have_no_number(tmp_path):
    plan = {
        **PLAN,
        "where": [],
        "estimate": [{"id": "few", "from": "robustness", "metric": "accuracy where exclamation"}],
    }
    (few,) = (
        e
        for e in scrutiny.run(plan, out=tmp_path / "run").estimates
        if e.key.group == "exclamation"
    )
    assert (few.value, few.status, few.reason) == (None, "refused", "fewer_than_20_items")


def test_slices_may_look_into_the_training_data_then_and_later(run, tmp_path):
    seen = [json.loads(fields)["text"] for fields in run.items["fields"].to_pylist()[:120]]
    pa.csv.write_csv(
        pa.table({"text": [text.upper() for text in seen], "label": ["positive"] * 120}),
        tmp_path / "train.csv",
    )
    source = f"csv:{tmp_path}/train.csv#text=text,label=label"
    data = {"reviews": {**PLAN["data"]["reviews"], "training": source}}
    plan = {**PLAN, "where": ["in_training"], "estimate": [], "data": data}
    with_training = scrutiny.run(plan, out=tmp_path / "run")
    inside = in_slice(with_training, "accuracy@1", "in_training")
    assert inside.counts.n == len(set(run.items["item"].to_pylist()[:120]))
    assert with_training.estimate("accuracy where in_training").value == inside.value
    (rule,) = with_training.gate("accuracy > 0.01 where unseen_words > 0.2")
    assert 0 < rule.estimate.counts.n < 300
    with pytest.raises(UserError, match="none is given: name it in the plan"):
        run.gate("accuracy > 0 where in_training")


class _BlindToNegation:
    """Says what the last word says, and so is wrong where it is negated."""

    classes_: ClassVar = ["negative", "positive"]

    def predict_proba(self, texts):
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])


def test_a_model_that_is_blind_to_negation_is_worse_where_negated(tmp_path):
    words = [("good", "positive", "negative"), ("bad", "negative", "positive")]
    rows = [
        {
            "text": f"Day {k} was {'not ' * (k % 5 == 0)}{word}.",
            "label": other if k % 5 == 0 else own,
        }
        for k, (word, own, other) in enumerate(words * 100)
    ]
    found = scrutiny.run(
        "performance",
        model=_BlindToNegation(),
        data=rows,
        where=["negated", "has good"],
        out=tmp_path / "run",
    )
    verdicts = {f.claim.says: f.verdict for f in found.findings}
    assert verdicts["accuracy is lower where negated than elsewhere"] == "supported"
    assert verdicts['accuracy is lower where has "good" than elsewhere'] == "undecided"
    states = [row[:2] for row in slices_part(load_view(found.path)).charts[0].table.rows]
    assert states == [("all items", ""), ("negated", "worse"), ('has "good"', "not told apart")]
    assert found.estimate("accuracy where negated").value == 0.0
