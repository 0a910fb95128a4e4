"""``[[published]]``: printed figures beside the run's own."""

import json
from dataclasses import replace

import pytest
from small_runs import family, plan, run

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.claim import Claim, Component, Finding
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.published import PublishedPlan
from scrutiny.core.record import Counts
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.published import _seen_in, must_be_claimed, must_read, reproduction
from scrutiny.store.run_tables import reproduction_from_json

RUNS = {f'{{"run":"{i}"}}': v for i, v in enumerate([0.5, 0.6, 0.7], 1)}


def number(value, *, metric="f1@1", low=0.0, across=None, runs=None, status="ok", **key):
    return Estimate(
        key=EstimateKey(
            **{"diagnostic": "d@1#0", "subject": "m", "dataset": "x"} | {"metric": metric} | key
        ),
        value=value,
        low=low,
        high=1.0,
        level=0.95,
        method="crossed@1",
        counts=Counts(1),
        n_units=1,
        by_replicate=runs or {},
        across=across or {},
        status=status,
        reason=None if status == "ok" else "no_value",
    )


def a_test(p, tau, run, metric="f1_kendall@1", **key):
    across = {"smallest_p": 0.0, "tau": tau}
    return number(p, metric=metric, low=None, across=across, replicate=f'{{"run":"{run}"}}', **key)


def found(estimates, printed="0.6", **row):
    return reproduction(PublishedPlan("it", printed, measure="d", **row), estimates)


def outcome(*args, **row):
    one = found(*args, **row)
    return one.outcome, one.ours, one.reason


def test_the_value_is_compared_at_the_printed_digit():
    assert outcome([number(0.6499)], "0.6", metric="f1") == ("agrees", "0.6", "")
    assert outcome([number(0.6501)], "0.6", metric="f1") == ("differs", "0.7", "")
    assert outcome([number(0.6499)], "65.0", metric="f1@1", percent=True) == ("agrees", "65.0", "")
    assert found([number(0.6499)], "65.0", metric="f1", percent=True).value == pytest.approx(64.99)


def test_sd_is_of_the_population_of_replicates():
    made = [number(0.6, runs=RUNS)]
    assert outcome(made, ".0816", metric="f1", of="sd") == ("agrees", ".0816", "")
    assert outcome(made, ".1000", metric="f1", of="sd")[0] == "differs"
    assert outcome([number(0.6)], ".1", metric="f1", of="sd")[0] == "missing"


def test_where_says_which_is_meant():
    made = [
        number(0.1, condition={"layer": 1}),
        number(0.2, condition={"layer": 2}),
        number(0.3, dataset="y"),
        number(0.4, subject="n"),
        number(0.5, role="control"),
        number(0.6),
        number(0.7, reference="n", role="contrast"),
        number(0.8, replicate='{"run":"1"}'),
        number(0.9, group="short"),
    ]
    for value, where in [
        (0.6, {"subject": "m", "dataset": "x"}),
        (0.2, {"layer": 2}),
        (0.3, {"dataset": "y"}),
        (0.5, {"role": "control", "subject": "m"}),
        (0.7, {"reference": "n"}),
        (0.8, {"replicate": '{"run":"1"}'}),
        (0.9, {"group": "short"}),
    ]:
        one = found(made, f"{value}", metric="f1", where=where)
        assert (one.outcome, one.value) == ("agrees", value), where


def test_what_is_not_there_or_not_clear_is_missing_with_a_reason():
    pair = [number(0.1), number(0.4, subject="n")]
    assert outcome(pair, metric="f1") == (
        "missing",
        "",
        "2 estimates fit; choose one with where",
    )
    nowhere = outcome(pair, metric="f1", where={"layer": 3})
    assert nowhere == ("missing", "", "no estimate of f1 fits")
    assert (
        outcome([number(None, status="undefined")], metric="f1")[2] == "it has no value: no value"
    )


def test_a_version_that_is_named_is_kept_to():
    both = [number(0.1, metric="f1@1"), number(0.6, metric="f1@2")]
    assert outcome(both, metric="f1@2")[0] == "agrees"
    assert outcome(both, metric="f1@1")[0] == "differs"


@pytest.mark.parametrize("name", ["rank_sum_p", "signed_rank_p"])
def test_p_of_a_difference_is_that_of_its_exact_test(name):
    made = [number(0.6), number(0.1, reference="n", role="contrast", across={name: 0.0312})]
    row = {"metric": "f1", "of": "p", "where": {"reference": "n"}}
    assert outcome(made, ".031", **row) == ("agrees", ".031", "")
    assert outcome(made[:1], ".031", metric="f1", of="p")[2] == "no test of f1 fits"


def test_p_of_one_replicate_and_counts_by_sign():
    tests = [
        a_test(0.01, 0.2, 1),
        a_test(0.049, -0.1, 2),
        a_test(0.05, 0.3, 3),
        a_test(0.001, 0.4, 4),
    ]
    row = {"metric": "f1_kendall", "of": "count"}
    for sign, count in (("", "3"), ("+", "2"), ("-", "1")):
        assert outcome(tests, count, sign=sign, **row) == ("agrees", count, "")
    for level, count in ((0.01, 1), (0.02, 2)):
        beside = {"level": level, "beside": True, **row}
        assert outcome(tests, "for some only", **beside) == ("beside", f"{count} of 4", "")
    where = {"replicate": '{"run":"2"}'}
    assert outcome(tests, ".049", metric="f1_kendall", of="p", where=where)[0] == "agrees"
    assert outcome(tests, ".049", metric="f1_kendall", of="p")[0] == "missing"
    twice = [*tests, a_test(0.01, 0.2, 1, dataset="y")]
    assert "several tests" in outcome(twice, "3", **row)[2]
    unsigned = [replace(tests[0], across={"smallest_p": 0.0})]
    assert outcome(unsigned, "1", sign="+", **row)[2] == "the test has no sign"


def test_the_best_head_is_named_by_layer_and_head():
    heads = [
        number(value, condition={"layer": layer, "head": head})
        for layer, head, value in [(1, 1, 0.2), (8, 4, 0.5), (9, 12, 0.5), (2, 3, None)]
    ]
    assert outcome(heads, "8-4", metric="f1", of="head") == ("agrees", "8-4", "")
    assert outcome(heads, "8\N{EN DASH}4", metric="f1", of="head")[0] == "agrees"
    assert outcome(heads, "9-12", metric="f1", of="head") == ("differs", "8-4", "")
    other = number(0.9, subject="n", condition={"layer": 1, "head": 1})
    assert "several families" in outcome([*heads, other], "8-4", metric="f1", of="head")[2]
    assert outcome([number(0.6)], "8-4", metric="f1", of="head")[0] == "missing"


@pytest.mark.parametrize(
    ("precision", "recall", "printed", "expected"),
    [
        ("97.2", "92.9", "95.9", "differs"),
        ("97.2", "92.9", "95.0", "agrees"),
        ("97.2", "92.9", "95.1", "agrees"),  # the rounding of all three leaves it open
        ("97.2", "92.9", "94.9", "differs"),
        ("82.9", "19.1", "31.1", "agrees"),
        ("92.9", "19.1", "31.1", "differs"),
        ("0", "0", "0.0", "agrees"),
    ],
)
def test_f1_of_a_printed_precision_and_recall(precision, recall, printed, expected):
    given = {"precision": precision, "recall": recall}
    assert found([], printed, of="f1", given=given).outcome == expected


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"measure": "e", "metric": "f1"}, "from: There is no measurement named 'e'"),
        ({"measure": "d"}, "it has no metric"),
        ({"measure": "d", "metric": "f1", "printed": "a lot"}, "no printed number"),
        ({"measure": "d", "metric": "f1", "sign": "+"}, "sign goes with"),
        ({"measure": "d", "metric": "f1", "given": {"recall": "1"}}, "given goes with"),
        ({"of": "f1", "given": {"recall": "1"}}, "needs given"),
        ({"printed": "1", "released": "1"}, "either printed = or released ="),
        ({"printed": ""}, "either printed = or released ="),
        ({"claim": "c", "measure": "d"}, "leave out from"),
        ({"of": "f1", "given": {"recall": "1", "precision": "x"}}, "no printed number"),
    ],
)
def test_what_does_not_read_is_refused_before_anything_runs(row, says):
    with pytest.raises(PlanError, match=f"published 'it': .*{says}"):
        must_read([PublishedPlan(**{"id": "it", "printed": "1"} | row)], ["d"])


def test_a_plan_file_has_them_with_near_names_for_typos():
    row = {"id": "a", "from": "d", "metric": "f1", "printed": "9.0", "where": {"layer": 1}}
    (read,) = plan_of({"published": [{**row, "of": "sd", "percent": True}]}).published
    assert (read.measure, read.of, read.percent, read.where) == ("d", "sd", True, {"layer": 1})
    with pytest.raises(PlanError, match="Did you mean 'printed'"):
        plan_of({"published": [{**row, "prited": "9"}]})
    with pytest.raises(PlanError, match=r"published\.0\.printed"):
        plan_of({"published": [{**row, "printed": 9.0}]})  # 9.0 and 9.00 say different things


def test_a_figure_that_was_released_is_compared_like_one_that_was_printed():
    row = PublishedPlan("it", released="0.6", measure="d", metric="f1")
    must_read([row], ["d"])
    assert reproduction(row, [number(0.6499)]).outcome == "agrees"


def test_a_figure_of_other_models_stands_beside_ours_with_its_interval():
    one = found([number(0.5714, low=0.51)], "60.3", metric="f1", percent=True, beside=True)
    assert (one.outcome, one.ours, one.low, one.high) == ("beside", "57.1", 51.0, 100.0)
    spread = found([number(0.6, runs=RUNS)], ".1", metric="f1", of="sd", beside=True)
    assert (spread.outcome, spread.ours, spread.low) == ("beside", ".1", None)


def test_what_no_run_can_have_says_why():
    row = PublishedPlan("it", "95.9", unavailable="The tuned models were not released.")
    must_read([row], [])
    one = reproduction(row, [])
    assert (one.outcome, one.reason) == ("unavailable", "The tuned models were not released.")


@pytest.mark.parametrize(
    ("verdict", "outcome"),
    [
        ("supported", "seen"),
        ("not supported", "not seen"),
        ("undecided", "can't tell"),
        ("refused", "refused"),
        ("hurts", "seen"),
        ("holds", "not seen"),
    ],
)
def test_a_finding_is_what_the_verdict_on_its_claim_says(verdict, outcome):
    row = PublishedPlan("it", "varies more", claim="c", percent=True)
    claim = Claim("c", "It varies more.", components=(Component("e", 0.0),))
    one = _seen_in(row, Finding(claim, number(0.02, low=0.01), verdict, "this recipe", "why"))
    assert (one.outcome, one.value, one.low, one.high) == (outcome, 2.0, 1.0, 100.0)
    assert one.reason == "why"
    bare = _seen_in(row, Finding(claim, None, verdict, "", "no number"))
    assert (bare.outcome, bare.value, bare.low) == (outcome, None, None)


def test_a_finding_names_a_claim_of_the_run():
    rows = [PublishedPlan("it", "varies more", claim="crows veries")]
    must_read(rows, [])
    with pytest.raises(PlanError, match="crows varies"):
        must_be_claimed(rows, ["crows varies", "other"])


def test_json_and_back():
    made = found([number(0.6)], metric="f1", where={"layer": 1}, note="so")
    assert reproduction_from_json(json.loads(json.dumps(plain(made)))) == made


def with_figures(tmp_path, *rows):
    made = plan(family(tmp_path), seeds=(1, 2, 3))
    return replace(made, published=rows)


def test_a_run_keeps_them_and_forgets_those_that_the_plan_drops(tmp_path):
    accuracy = PublishedPlan("accuracy", "5.0", "d", "accuracy", percent=True, note="a misprint")
    folder = run(with_figures(tmp_path, accuracy), tmp_path / "out")
    (kept,) = folder.published()
    level = next(e.value for e in folder.estimates() if e.key.metric == "accuracy@1")
    assert (kept.outcome, kept.value) == ("differs", pytest.approx(100 * level))
    assert kept.figure == accuracy
    printed = f"{100 * level:.1f}"
    again = run(with_figures(tmp_path, replace(accuracy, printed=printed)), tmp_path / "out")
    assert [one.outcome for one in again.published()] == ["agrees"]
    assert run(with_figures(tmp_path), tmp_path / "out").published() == []
    assert not (tmp_path / "out" / "published.json").exists()


def test_twice_the_same_name_is_refused(tmp_path):
    row = PublishedPlan("accuracy", "5.0", "d", "accuracy")
    with pytest.raises(PlanError, match="'accuracy' occurs twice"):
        run(with_figures(tmp_path, row, row), tmp_path / "out")


def test_a_damaged_file_is_named(tmp_path):
    row = PublishedPlan("accuracy", "5.0", "d", "accuracy")
    folder = run(with_figures(tmp_path, row), tmp_path / "out")
    (folder.path / "published.json").write_text('[{"figure": 1}]')
    with pytest.raises(DataError, match=r"published\.json cannot be read"):
        folder.published()


def test_a_run_says_what_it_saw_of_a_finding(tmp_path):
    skill = Claim("skill", "Accuracy is above zero.", components=(Component("level", 0.0),))
    row = PublishedPlan("it can do this", "well above chance", claim="skill")
    made = replace(with_figures(tmp_path, row), claim=(skill,))
    folder = run(made, tmp_path / "out")
    (finding,) = [one for one in folder.findings() if one.claim.id == "skill"]
    (kept,) = folder.published()
    assert (kept.outcome, kept.value) == ("seen", finding.estimate.value)
    assert (kept.low, kept.high) == (finding.estimate.low, finding.estimate.high)
    with pytest.raises(PlanError, match="Did you mean 'skill'"):
        run(replace(made, published=(replace(row, claim="skil"),)), tmp_path / "other")
