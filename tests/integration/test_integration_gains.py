"""A gap, a gain and a slice, of a level, a drop and an excess: one line in all three places."""

import numpy as np
import pytest

import scrutiny
from scrutiny.core.errors import PlanError, UserError

METRICS = {"level": "accuracy", "drop": "drop(accuracy)", "beyond": "excess(accuracy)"}
LINES = {
    "slice": "{} where topic = film",
    "gap": "{} where topic = film minus topic = restaurant",
    "gain": "gain({})",
}
OF_NEW = {"subject": "new"}
ALL = [(line, metric) for line in LINES for metric in METRICS]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    plan = {
        "seed": 0,
        "data": {"reviews": {"source": "builtin:reviews", "limit": 300}},
        "models": {
            "old": {"source": "builtin:sentiment/seed-{seed}", "random": ["seed"]},
            "new": {"source": "builtin:sentiment/seed-1"},
        },
        "measure": [
            {"id": "robust", "diagnostic": "robustness@1", "params": {"transformations": ["typos"]}}
        ],
        "estimate": [
            {"id": f"{line} {name}", "from": "robust", "metric": LINES[line].format(metric)}
            | ({} if line == "gain" else {"where": OF_NEW})
            for line in LINES
            for name, metric in METRICS.items()
        ],
        "claim": [
            {"id": name, "says": name, "estimate": name, "rule": "> -2"}
            for name in ("gain(excess(accuracy))", "accuracy where subject=new minus subject=old")
        ],
        "resampling": {"draws": 300},
    }
    return scrutiny.run(plan, out=tmp_path_factory.mktemp("gains") / "run")


def by_hand(run, metric, subject, topic=None):
    """Mean over replicates of a level, drop or excess, from the records alone."""
    columns = (run.items.column(name).to_pylist() for name in ("item", "a_topic"))
    topics = dict(zip(*columns, strict=True))
    hits, kept = {}, {i for i, t in topics.items() if topic in (None, t)}
    for row in run.folder.records().to_pylist():
        if row["subject"] == subject and row["item"] in kept:
            hits.setdefault(row["replicate"], {})[row["role"], row["item"]] = row["values"]
    found = []
    for of in hits.values():
        plain = {i: of["baseline", i][0] for i in kept}
        side = {
            role: np.mean([(of.get((role, i)) or [plain[i]])[0] for i in kept])
            for role in ("measured", "control")
        }
        level = np.mean(list(plain.values()))
        drop, beyond = level - side["measured"], side["control"] - side["measured"]
        found.append({"level": level, "drop": drop, "beyond": beyond}[metric])
    return np.mean(found)


def expected(run, line, metric):
    if line == "gain":
        return by_hand(run, metric, "new") - by_hand(run, metric, "old")
    films = by_hand(run, metric, "new", "film")
    return films if line == "slice" else films - by_hand(run, metric, "new", "restaurant")


@pytest.mark.parametrize(("line", "metric"), ALL)
def test_one_line_in_a_plan_a_rule_and_python(run, line, metric):
    written = LINES[line].format(METRICS[metric])
    who = {} if line == "gain" else OF_NEW
    asked = run.estimate(written, **who)
    assert asked.value == pytest.approx(expected(run, line, metric), abs=1e-12)
    name, _, where = written.partition(" where ")
    parts = ["subject=new, " + where] if who else []
    (rule,) = run.gate(f"{name} > -2" + "".join(f" where {part}" for part in parts))
    (planned,) = run.gate(f"{line} {metric} > -2")
    for one in (rule.estimate, planned.estimate):
        assert one.value == asked.value
        width = asked.high - asked.low
        assert abs(one.low - asked.low) + abs(one.high - asked.high) < width / 2
        assert (one.counts, one.resample_id) == (asked.counts, asked.resample_id)
    assert rule.verdict == planned.verdict == "supported"


def test_a_claim_writes_it_out_as_well(run):
    found = {
        f.claim.id: f for f in run.findings if " where " in f.claim.id or "gain(" in f.claim.id
    }
    assert {f.verdict for f in found.values()} == {"supported"}
    gain = found["gain(excess(accuracy))"].estimate
    assert gain.value == run.estimate("gain(excess(accuracy))").value
    level = found["accuracy where subject=new minus subject=old"].estimate
    assert level.value == run.estimate("gain(accuracy)").value


def test_a_gap_is_drawn_over_the_items_of_both(run):
    gap = run.estimate(LINES["gap"].format("accuracy"), **OF_NEW)
    sides = [run.estimate(f"accuracy where topic = {t}", **OF_NEW) for t in ("film", "restaurant")]
    assert gap.n_units == sum(side.n_units for side in sides)
    assert gap.denominator == min(side.counts.n for side in sides)
    assert gap.key.group == "topic = film - topic = restaurant"


def test_models_of_a_gain_may_be_named(run):
    found = run.estimate("gain(accuracy)", subject="old", reference="new")
    assert found.value == pytest.approx(-run.estimate("gain(accuracy)").value)
    named = run.estimate("accuracy where subject=old minus subject=new")
    assert (named.value, named.low) == (found.value, found.low)
    assert (found.key.subject, found.key.reference) == ("old", "new")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("gain(flip_rates) > 0", "flip_rates"),
        ("accuracy > 0 where topic = film minus topic = zoo", "no item of 'reviews' has topic"),
        ("accuracy > 0 where subject=old minus subject=none", "No estimate of this run fits"),
    ],
)
def test_what_is_not_there_is_told(run, rule, said):
    with pytest.raises(UserError, match=said):
        run.gate(rule)


def test_a_gain_of_one_model_is_told(tmp_path):
    alone = {
        "data": {"x": {"source": "builtin:reviews", "limit": 20}},
        "models": {"m": {"source": "builtin:sentiment/seed-1"}},
        "measure": [{"id": "p", "diagnostic": "performance@1"}],
        "estimate": [{"id": "g", "from": "p", "metric": "gain(accuracy)"}],
    }
    with pytest.raises(PlanError, match=r"a gain is of two models, and there are 1 \(m\)"):
        scrutiny.run(alone, out=tmp_path / "run")
