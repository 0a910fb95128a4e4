"""Suites on planted answers: each expectation, groups, drops, controls, and what is left out."""

import json

import numpy as np
import pytest
from toy_runs import estimate, run

import scrutiny
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Case, Example, Span
from scrutiny.core.expectation import Asked, Seen
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.suites.expectations import Same, parse_expectation
from scrutiny.diagnostics.suites.suite_claims import CHANCE_CONSISTENCY, condition_of
from scrutiny.diagnostics.suites.suites import Suites
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic


class Said(Model):
    """Says what the text says: "good .8" is good with that probability; "fail" raises."""

    source = "testing:Said"
    task = "text-classification"
    labels = ("bad", "good")
    capabilities = frozenset({"predict"})
    is_batch_invariant = True

    def predict(self, examples):
        return [self._answer(*example.text.split()[:2]) for example in examples]

    def _answer(self, label, p):
        if label == "fail":
            raise RuntimeError("tired")
        good = float(p) if label == "good" else 1 - float(p)
        return Prediction(label, scores=(1 - good, good))


def case(name, said, gold=None, **more):
    return {"id": name, "text": f"{said} {name}", **({"label": gold} if gold else {}), **more}


def pairs(count, said, *, gold="good", **more):
    """Items answered rightly, each with a case that is answered so."""
    for n in range(count):
        yield case(f"b{n}", "good .9", "good")
        yield case(f"c{n}", said(n), gold, of=f"b{n}", **more)


#: Items of the other label, so that one label alone is no skill.
OTHERS = [
    row
    for n in range(120)
    for row in (
        case(f"o{n}", "bad .9", "bad"),
        case(f"p{n}", "bad .9", of=f"o{n}", test="others", expect="same"),
    )
]


def measured(rows, folder, model=None, *, limit=None):
    """Finished run of a suite of these rows."""
    path = folder / "suite.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    plan = Plan(
        data=(DataPlan("x", f"suite:{path}", limit=limit),),
        models=(ModelPlan("m", "python:object:Said"),),
        measure=(MeasurePlan("d", "suites", ("m",), ("x",)),),
        resampling=Resampling(draws=400),
    )
    models = {"m": model or Said()}
    return run_plan(resolve(plan, models=models), folder / "run", models=models)


def test_it_keeps_the_promises_of_its_protocol():
    bases = [Example(f"b{n}", {"text": f"good .9 {n}"}, gold="good") for n in range(4)]
    cases = [
        Example(f"c{n}", {"text": f"bad .9 {n}"}, gold="bad", case=Case("gold", "t", of=f"b{n}"))
        for n in range(4)
    ]
    made = [
        Example(e.id, e.fields, e.gold, attributes={"u_group": e.id[1:]}, case=e.case)
        for e in [*bases, *cases]
    ]
    check_diagnostic(Suites(), model=Said(), examples=made)


FAILING = {
    "gold": ("good .9", "bad .9"),
    "same": ("good .6", "bad .6"),
    "stays_right": ("good .6", "bad .6"),
    "is(label=good)": ("good .6", "bad .6"),
    "is_not(label=bad)": ("good .6", "bad .6"),
    "moves(label=good,most=-0.1)": ("good .7", "good .85"),
    "moves(label=good,least=-0.1,most=0.05)": ("good .85", "good .7"),
}


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """Run of a suite with a test of each expectation, which a quarter of its cases miss."""

    def rows():
        for expect, said in FAILING.items():
            for row in pairs(40, lambda n, said=said: said[n < 10], test=expect, expect=expect):
                yield row | {key: f"{expect} {row[key]}" for key in ("id", "of") if key in row}

    return measured(rows(), tmp_path_factory.mktemp("failing"))


@pytest.mark.parametrize("expect", FAILING)
def test_each_expectation_counts_the_cases_that_miss_it(expect, failing):
    found = estimate(failing, "share(failed)", test=expect)
    assert found.value == pytest.approx(0.25)
    assert found.counts.n == 40
    assert found.low < 0.25 < found.high


@pytest.mark.parametrize(
    ("failed", "verdict", "words"),
    [
        (2, "can't tell", "between 0.2 and 7.9 % change: about"),
        (7, "can't tell", "between 2.5 and 14.9 % change: needs about 800 items"),
        (9, "hurts", "more than the 2.5 that count for none, and maybe more than the 5 that are"),
        (20, "hurts", "more than the 5 that are tolerable"),
    ],
)
def test_a_failure_in_a_hundred_is_no_alarm(failed, verdict, words, tmp_path):
    met, missed = FAILING["same"]
    rows = pairs(100, lambda n: missed if n < failed else met, test="t", expect="same")
    folder = measured([*rows, *OTHERS], tmp_path)
    found = estimate(folder, "share(failed)", test="t")
    finding = next(f for f in folder.findings() if f.claim.id.endswith("t"))
    assert found.low > 0
    assert (finding.verdict, finding.claim.risk.negligible) == (verdict, pytest.approx(0.025))
    assert words in finding.reason


@pytest.mark.parametrize(
    ("asked", "verdict", "reason"),
    [
        (0, "not tested", "changed 0 of 120 texts"),
        (2, "not tested", "changed 2 of 120 texts: over all of them that can cost little"),
        (120, "can't tell", "costs between"),
    ],
)
def test_changed_texts_of_a_run_that_changed_none_are_not_tested(asked, verdict, reason, tmp_path):
    """A frozen run in which 0 of 900 texts were changed "held" as a suite."""
    rows = pairs(120, lambda n: "good .9", test="t", expect="gold")
    kept = [
        {**row, "status": "skipped", "reason": "no_site", "edits": "[]"}
        if "of" in row and int(row["id"][1:]) >= asked
        else row
        for row in rows
    ]
    folder = measured([*kept, *OTHERS], tmp_path)
    finding = next(f for f in folder.findings() if f.claim.id.endswith("t"))
    assert (finding.verdict, finding.reason[: len(reason)]) == (verdict, reason)


def test_a_changed_text_of_a_wrong_answer_does_not_count_as_an_attack(tmp_path):
    rows = [*pairs(30, lambda n: "bad .9" if n < 6 else "good .9", test="t", expect="stays_right")]
    wrong = [
        one
        for n in range(10)
        for one in (
            case(f"w{n}", "bad .9", "good"),
            case(f"v{n}", "bad .9", "good", of=f"w{n}", test="t", expect="stays_right"),
        )
    ]
    folder = measured([*rows, *wrong], tmp_path)
    found = estimate(folder, "share(failed)", test="t")
    assert found.value == pytest.approx(6 / 30)
    assert found.denominator == pytest.approx(30)


def test_what_changed_texts_cost_is_the_difference_of_the_scores(tmp_path):
    rows = list(pairs(50, lambda n: "bad .9" if n < 20 else "good .9", test="t"))
    folder = measured([*rows, *OTHERS], tmp_path)
    assert estimate(folder, "drop(accuracy)", test="t").value == pytest.approx(0.4)
    assert estimate(folder, "flip_rate", test="t").value == pytest.approx(0.4)
    assert estimate(folder, "share(whole)", test="t").value == pytest.approx(0.6)
    assert estimate(folder, "chance_consistency", test="t").value == pytest.approx(0.6)
    finding = next(f for f in folder.findings() if f.claim.id.endswith("t"))
    assert (finding.verdict, finding.claim.risk.costs) == ("hurts", "costs {} points")


def test_tests_of_one_name_in_two_capabilities_are_told_apart(tmp_path):
    rows = list(pairs(30, lambda n: "good .9", test="t", capability="words", expect="same"))
    rows += (
        {**row, **{key: f"n{row[key]}" for key in ("id", "of") if key in row}}
        for row in pairs(30, lambda n: "bad .9", test="t", capability="names", expect="same")
    )
    run = scrutiny.load(measured([*rows, *OTHERS], tmp_path).path)
    one = [*run.cases("words: t")]
    assert (len(one), {row["outcome"] for row in one}) == (30, {"passed"})
    other = [*run.cases("names: t")]
    assert (len(other), {row["outcome"] for row in other}) == (30, {"failed"})
    both = [*run.cases("t")]
    assert {row["change"] for row in both} == {"words: t", "names: t"}
    assert len(both) == 60


def test_random_changes_stand_beside_the_cases_that_they_match(tmp_path):
    rows = list(pairs(60, lambda n: "bad .9" if n < 30 else "good .9", test="t"))
    rows += [
        case(
            f"r{n}",
            "bad .8" if n < 6 else "good .9",
            "good",
            of=f"b{n}",
            twin_of=f"c{n}",
            role="control",
            test="t",
        )
        for n in range(60)
    ]
    folder = measured([*rows, *OTHERS], tmp_path)
    assert estimate(folder, "share(failed)", test="t").value == pytest.approx(0.5)
    assert estimate(folder, "share(failed)", role="control", test="t").value == pytest.approx(0.1)
    assert estimate(folder, "excess(accuracy)", test="t").value == pytest.approx(0.4)
    finding = next(f for f in folder.findings() if f.claim.id.endswith("t"))
    assert finding.control.value == pytest.approx(0.4)


def test_a_group_is_right_if_all_of_it_is(tmp_path):
    rows = []
    for n in range(30):
        rows.append(case(f"b{n}", "bad .9" if n < 3 else "good .9", "good"))
        rows += [
            case(
                f"c{n}-{k}",
                "bad .9" if (n % 3 == 0 and k) else "good .9",
                "good",
                of=f"b{n}",
                test="t",
            )
            for k in range(1 + n % 2)
        ]
    folder = measured(rows, tmp_path)
    whole = estimate(folder, "share(whole)", test="t")
    lost = {n for n in range(30) if n < 3 or (n % 3 == 0 and n % 2)}
    assert whole.value == pytest.approx(1 - len(lost) / 30)
    assert whole.denominator == pytest.approx(30)
    right, texts = 45 - sum(1 for n in range(30) if n % 3 == 0 and n % 2), 45
    by_chance = 0.9 * np.mean([(right / texts) ** (1 + n % 2) for n in range(30)])
    assert estimate(folder, "chance_consistency", test="t").value == pytest.approx(by_chance)


def test_texts_of_one_group_are_resampled_together(tmp_path):
    """Ten copies of a case in a group say no more than one."""

    def groups(copies):
        for n in range(40):
            for k in range(copies):
                said = "bad .9" if n < 10 else "good .9"
                yield case(f"c{n}-{k}", said, "good", test="t", expect="gold", group=f"g{n}")

    alone = measured(groups(1), tmp_path / "one")
    many = measured(groups(10), tmp_path / "ten")
    widths = [
        (e := estimate(folder, "share(failed)", test="t")).high - e.low for folder in (alone, many)
    ]
    assert estimate(many, "share(failed)", test="t").n_units == 40
    assert widths[1] == pytest.approx(widths[0], rel=0.15)


@pytest.fixture(autouse=True)
def _folders(tmp_path):
    for name in ("one", "ten"):
        (tmp_path / name).mkdir()


def test_missing_answers_are_counted_and_spoil_their_group_only(tmp_path):
    rows = list(pairs(40, lambda n: "fail 0" if n < 4 else "good .9", test="t"))
    folder = measured(rows, tmp_path)
    found = estimate(folder, "share(failed)", test="t")
    assert (found.value, found.counts.n, found.counts.failed) == (0, 36, 4)
    assert estimate(folder, "share(whole)", test="t").denominator == pytest.approx(36)


def test_cases_that_are_not_asked_stay_in_the_denominator_of_what_is_lost(tmp_path):
    """A change that found no site costs nothing; a search that found nothing is a case, too."""
    rows = list(pairs(20, lambda n: "bad .9", test="t"))
    rows += [
        {**row, "status": "skipped", "reason": "no_sites"} if row["id"].startswith("x") else row
        for n in range(20)
        for row in (
            case(f"y{n}", "good .9", "good"),
            case(f"x{n}", "good .9", "good", of=f"y{n}", test="t"),
        )
    ]
    folder = measured(rows, tmp_path)
    assert estimate(folder, "drop(accuracy)", test="t").value == pytest.approx(0.5)
    assert estimate(folder, "share(failed)", test="t").value == 1
    assert estimate(folder, "share(failed)", test="t").counts.skipped == 20


def test_a_matrix_has_a_number_for_every_capability_and_kind(tmp_path):
    rows = [
        case(
            f"{name}{n}",
            "bad .9" if n < fails else "good .9",
            "good",
            test=name,
            expect="gold",
            capability="words",
        )
        for name, fails in (("first", 0), ("second", 10))
        for n in range(20)
    ]
    folder = measured(rows, tmp_path)
    both = [
        e
        for e in folder.estimates()
        if e.key.metric == "share(failed)@1" and "test" not in e.key.condition
    ]
    assert [e.value for e in both] == pytest.approx([0.25])
    assert dict(both[0].key.condition) == {"capability": "words", "kind": "minimum functionality"}


def test_a_limit_counts_items_with_all_cases_that_change_them(tmp_path):
    rows = [case(f"b{n}", "good .9", "good") for n in range(30)]
    rows += [
        case(f"{test}{n}", "good .8", "good", of=f"b{n}", test=test)
        for test in "st"
        for n in range(30)
    ]
    folder = measured(rows, tmp_path, limit=20)
    assert [estimate(folder, "share(failed)", test=test).counts.n for test in "st"] == [20, 20]


def test_items_of_which_none_is_a_case_are_no_suite(tmp_path):
    rows = [case(f"b{n}", "good .9", "good") for n in range(3)]
    rows += [case("c", "bad .9", "bad", of="b2", test="t")]
    with pytest.raises(PlanError, match="none of the 2 items"):
        measured(rows, tmp_path, limit=2)


def test_models_that_say_labels_alone_are_asked_only_what_labels_tell(tmp_path):
    class Plain(Said):
        capabilities = frozenset({"predict", "no_probabilities"})

        def _answer(self, label, p):
            return Prediction(label)

    expects = ("moves(label=good,least=-0.1)", "moves(label=good,most=-0.1)")
    rows = [
        row
        for at, expect in enumerate(expects)
        for row in (
            {**one, "id": f"{at}{one['id']}", **({"of": f"{at}{one['of']}"} if "of" in one else {})}
            for one in pairs(
                20, lambda n: "bad .9" if n < 5 else "good .9", test=str(at), expect=expect
            )
        )
    ]
    folder = measured(rows, tmp_path, Plain())
    assert estimate(folder, "share(failed)", test="0").value == pytest.approx(0.25)
    assert estimate(folder, "share(failed)", test="1").counts.skipped == 20
    told = {f.claim.risk.what: (f.verdict, f.reason.partition(":")[0]) for f in folder.findings()}
    assert told["1"] == ("not asked", "no probabilities")
    assert told["0"][1] != "no probabilities"


def test_other_data_are_refused(tmp_path):
    with pytest.raises(PlanError, match="measures cases with what is expected of them"):
        run("suites", Said(), [case("a", "good .9", "good")], tmp_path / "run")


@pytest.mark.parametrize(
    ("expect", "error", "words"),
    [
        ("golden", UnknownNameError, "no expectation named 'golden'"),
        ("moves(label=good,by=0.1)", UnknownNameError, "parameter of moves@1"),
        ("moves(most=high)", PlanError, "must be a number"),
        ("gold+same", PlanError, "is 2 in one"),
    ],
)
def test_expectations_that_cannot_be_read_are_refused(expect, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        parse_expectation(expect)


def test_a_label_that_the_model_lacks_is_refused(tmp_path):
    rows = pairs(10, lambda n: "good .9", test="t", expect="is(label=fine)")
    with pytest.raises(PlanError, match=r"The case 'c0' of the suite speaks of the label 'fine'"):
        measured(rows, tmp_path)


def test_chance_consistency_by_hand():
    """Three groups of 1, 1 and 2 changed texts; originals right 2 of 3, changed texts 3 of 4."""
    rows = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 2, 2], [0, 0, 0, 0]], dtype=float)
    sums = CHANCE_CONSISTENCY.make(rows).sum(axis=0)
    assert float(CHANCE_CONSISTENCY.combine(sums)) == pytest.approx(
        2 / 3 * (0.75 + 0.75 + 0.75**2) / 3
    )


def test_answers_that_have_nothing_to_do_with_their_group_are_consistent_by_chance():
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 5, size=20_000)
    base, right = rng.random(20_000) < 0.8, [rng.random(size) < 0.7 for size in sizes]
    rows = np.array(
        [[1, b, size, r.sum()] for b, size, r in zip(base, sizes, right, strict=True)], dtype=float
    )
    expected = float(CHANCE_CONSISTENCY.combine(CHANCE_CONSISTENCY.make(rows).sum(axis=0)))
    seen = np.mean([b and r.all() for b, r in zip(base, right, strict=True)])
    assert seen == pytest.approx(expected, abs=0.01)


def test_the_condition_of_a_test_names_its_capability_only_if_it_has_one():
    from scrutiny.core.example import suite_tests

    (test,) = suite_tests([Example("a", {"text": "x"}, "y", case=Case("gold", "t"))])
    assert condition_of(test) == {"kind": "minimum functionality", "test": "t"}


@pytest.mark.parametrize(
    ("expect", "words"),
    [
        ("gold", "good"),
        ("same", "the same"),
        ("is(label=bad)", "bad"),
        ("is_not(label=bad)", "not bad"),
        ("moves(label=bad,most=-0.1)", "bad down by 0.1 or more"),
        ("moves(label=bad,least=-0.1)", "bad not down by more than 0.1"),
        (
            "moves(label=bad,least=0.2,most=0.5)",
            "bad up by 0.2 or more and not up by more than 0.5",
        ),
    ],
)
def test_what_is_expected_is_said_in_words(expect, words):
    assert parse_expectation(expect).wanted(Example("a", {"text": "x"}, "good")) == words


@pytest.mark.parametrize(
    ("new", "answer", "is_met"),
    [
        ("on Monday Ida saw Rome", (Span("text", 10, 13, "PER"),), True),
        ("on Monday Ida saw Rome", (Span("text", 0, 3, "PER"),), False),  # where she stood before
        ("Ida saw Rome", (Span("text", 0, 3, "PER"),), True),
    ],
)
def test_answers_with_places_are_carried_by_the_words_that_differ(new, answer, is_met):
    """No edits are stated: a span that moved with its words is the same, one that stayed is not."""
    base = Asked(Example("a", {"text": "Ida saw Rome"}), Prediction((Span("text", 0, 3, "PER"),)))
    case = Asked(Example("b", {"text": new}), Prediction(answer))
    assert Same().is_met(Seen(case, base, load_task("token-tagging"), ("PER",))) is is_met
