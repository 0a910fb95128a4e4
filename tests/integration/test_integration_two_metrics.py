"""Two metrics of one selection in one line: in a plan, a rule and Python, with the same number."""

import json
from collections import Counter

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, recall_score

import scrutiny
from scrutiny.core.errors import UserError

LINES = (
    "accuracy - macro_f1",
    "accuracy / macro_f1",
    "recall(spam) - recall(ham)",
    "recall(spam) / recall(ham)",
    "precision(spam) - recall(spam)",
)
PLAN = {
    "data": {"m": {"source": "builtin:messages", "limit": 200}},
    "models": {"old": {"source": "builtin:spam"}},
    "measure": [
        {"id": "whole", "diagnostic": "performance"},
        {"id": "classes", "diagnostic": "classes"},
        {"id": "changed", "diagnostic": "robustness", "params": {"transformations": ["typos"]}},
    ],
    "resampling": {"draws": 300},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    more = {"shares of drops": "drop(accuracy) / accuracy", "long": f"{LINES[0]} where length > 9"}
    estimates = dict.fromkeys(LINES) | more
    plan = PLAN | {
        "estimate": [
            {"id": name, "from": "whole" if "/" not in name else "changed", "metric": text or name}
            for name, text in estimates.items()
            if not name.startswith("shares")
        ]
        + [{"id": "shares of drops", "from": "changed", "metric": more["shares of drops"]}],
        "claim": [{"says": "hidden", "estimate": LINES[0], "rule": "< 0.2"}],
    }
    return scrutiny.run(plan, out=tmp_path_factory.mktemp("two") / "run")


def by_hand(run, text):
    """Mean over replicates, from the answers alone."""
    golds = {row["item"]: json.loads(row["gold"]) for row in run.items.to_pylist()}
    said = {}
    for row in run.folder.original_answers().to_pylist():
        if row["condition"] == "{}":
            said.setdefault(row["replicate"], {})[row["item"]] = row["answer"]
    found = []
    for answers in said.values():
        gold, given = [golds[i] for i in answers], list(answers.values())
        of = {
            "accuracy": accuracy_score(gold, given),
            "macro_f1": f1_score(gold, given, average="macro"),
            **{f"recall({c})": recall_score(gold, given, pos_label=c) for c in ("spam", "ham")},
        }
        of["precision(spam)"] = 2 - of["accuracy"]  # no line below asks for it
        one, how, other = text.split(" ")
        found.append(of[one] - of[other] if how == "-" else of[one] / of[other])
    return np.mean(found)


@pytest.mark.parametrize("text", LINES[:4])
def test_the_number_is_that_of_the_answers(run, text):
    assert run.estimate(text).value == pytest.approx(by_hand(run, text), abs=1e-12)


@pytest.mark.parametrize("text", LINES)
def test_one_line_in_a_plan_a_rule_and_python(run, text):
    asked = run.estimate(text)
    planned = next(e for e in run.estimates if e.key == asked.key and e.key.role == "contrast")
    (rule,) = run.gate(f"{text} > -2")
    for one in (planned, rule.estimate):
        assert (one.value, one.counts, one.denominator) == (
            asked.value,
            asked.counts,
            asked.denominator,
        )
    assert (planned.low, planned.high) == (asked.low, asked.high)
    assert rule.verdict == "supported"


def test_both_stand_on_one_slice(run):
    found = run.estimate("accuracy - macro_f1 where length > 9")
    assert found.key.group == "length > 9"
    assert found.counts.n < 200
    parts = [run.estimate(f"{m} where length > 9").value for m in ("accuracy", "macro_f1")]
    assert found.value == pytest.approx(parts[0] - parts[1])


def test_conditions_of_one_side_are_all_asked(run):
    (found,) = run.gate("recall - accuracy > -1")
    assert len(found.claim.components) == 2
    share = run.estimate("drop(accuracy) / accuracy", transformation="typos")
    drop, level = run.estimate("drop(accuracy)"), run.estimate("accuracy")
    each = np.array([list(e.by_replicate.values()) for e in (drop, level)])
    assert share.value == pytest.approx((each[0] / each[1]).mean())
    assert share.key.condition == drop.key.condition


EACH = {
    "topics": "each(topic, accuracy)",
    "gaps": "each(topic, gain(accuracy))",
    "precise": "each(topic, recall(positive) - precision(positive))",
    "labels": "each(label, recall)",
    "negations": "each(negated, accuracy)",
}


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    models = {f"m{k}": {"source": f"builtin:sentiment/seed-{k}"} for k in (1, 2)}
    plan = {
        "data": {"r": {"source": "builtin:reviews", "limit": 300}},
        "models": models,
        "measure": [{"id": name, "diagnostic": name} for name in ("performance", "classes")],
        "estimate": [
            {"id": name, "from": "performance" if "acc" in text else "classes", "metric": text}
            for name, text in EACH.items()
        ],
        "claim": [{"says": "everywhere", "estimate": "topics", "rule": "> 0.1"}],
        "resampling": {"draws": 300},
    }
    return scrutiny.run(plan, out=tmp_path_factory.mktemp("each") / "run")


def names_of(run, start):
    specs = [assigned["id"] for assigned in run.manifest["specs"]]
    found = [*specs, *(pair["id"] for pair in run.manifest["contrasts"])]
    return [name for name in found if name.partition("/")[0] == start]


def test_each_value_of_an_axis_is_asked(topics):
    values = {v for v, n in Counter(topics.items["a_topic"].to_pylist()).items() if n >= 20}
    ends = {name.partition("=")[2] for name in names_of(topics, "gaps")}
    assert ends == values
    assert len(names_of(topics, "topics")) == len(names_of(topics, "precise")) == 2 * len(values)
    assert {n.rpartition("=")[2] for n in names_of(topics, "negations")} == {"yes", "no"}
    assert len(names_of(topics, "labels")) == 4
    film = topics.estimate("accuracy where topic = film", subject="m1")
    planned = [e for e in topics.estimates if e.key == film.key]
    assert {(e.value, e.low) for e in planned} == {(film.value, film.low)}
    (claim,) = [f for f in topics.findings if f.claim.says == "everywhere"]
    assert len(claim.claim.components) == 2 * len(values)
    assert claim.verdict == "supported"


def test_each_is_a_rule(topics):
    worst = min(
        topics.estimate(f"accuracy where topic = {topic}", subject="m1").value
        for topic in ("book", "film", "gadget", "hotel", "restaurant")
    )
    (found,) = topics.gate(f"{EACH['topics']} > {worst - 0.9} where subject=m1")
    assert len(found.claim.components) == 5
    assert found.verdict == "supported"
    (found,) = topics.gate(f"{EACH['topics']} > {worst + 0.9} where subject=m1")
    assert found.verdict == "not supported"
    with pytest.raises(UserError, match="5 estimates fit"):
        topics.estimate(EACH["topics"], subject="m1")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("each(length, accuracy) > 0", "length is a number"),
        ("each(nothing, accuracy) > 0", "no attribute or column of the items named 'nothing'"),
        ("each(topic, each(label, recall)) > 0", "each stands outside and is of one axis"),
        ("gain(each(topic, accuracy)) > 0", "no statistic named 'each'"),
        ("accuracy > 0 where each(topic)", "each"),
    ],
)
def test_an_axis_that_is_none_is_told(topics, rule, said):
    with pytest.raises(UserError, match=said):
        topics.gate(rule)


def test_claims_and_pages_take_them(run):
    claim = next(f for f in run.findings if f.claim.says == "hidden")
    assert claim.estimate.key.metric == "accuracy@1 - macro_f1(2)@1"
    for suffix in ("html", "md", "txt", "csv"):
        run.report(run.path.parent / f"page.{suffix}")
    assert "accuracy minus macro-f1" in (run.path.parent / "page.html").read_text().lower()


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("accuracy - nothing > 0", "no statistic named 'nothing'"),
        ("accuracy - success_within > 0", "needs one parameter"),
        ("recall(spam) - recall(eggs) > 0", "No estimate of this run fits"),
        ("accuracy - recall > 0 where negated minus not negated", "has two sides already"),
        ("accuracy - macro_f1 - recall > 0", "cannot be read"),
    ],
)
def test_what_is_not_there_is_told(run, rule, said):
    with pytest.raises(UserError, match=said):
        run.gate(rule)


@pytest.mark.parametrize(
    ("estimate", "said"),
    [
        ({"metric": "gain(accuracy)", "contrast": {"a": {}, "b": {}}}, "leave `contrast` out"),
        ({"metric": "accuracy - macro_f1", "contrast": {"a": {}, "b": {}}}, "two sides already"),
        ({"metric": "accuracy - eggs"}, "no statistic named 'eggs'"),
        ({"metric": "recall(eggs) - accuracy"}, "nothing fits"),
        ({"metric": "accuracy - lms"}, "lms"),
    ],
)
def test_a_plan_that_asks_for_none_is_refused(tmp_path, estimate, said):
    models = {"old": {"source": "builtin:spam"}, "new": {"source": "builtin:spam-v2"}}
    plan = PLAN | {"models": models, "estimate": [{"id": "e", "from": "classes", **estimate}]}
    with pytest.raises(UserError, match=said):
        scrutiny.run(plan, out=tmp_path / "run")
