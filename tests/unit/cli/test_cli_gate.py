"""The gate: rules and risks, what is accepted, and JUnit XML."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

import scrutiny
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.report.findings.risks import JudgedCase, junit, render_junit
from scrutiny.report.load import load_view
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.testing import KeywordClassifier

HURTS = "DeepWordBug attack"
SAID = ("type message", "", "")
#: The elements that we write, of Jenkins' schema (junit-10.xsd of its xUnit plug-in): attributes
#: that they may have, those that they must have, and elements that they hold.
JENKINS = {
    "testsuites": ("name time tests failures errors", "", "testsuite"),
    "testsuite": (
        "name tests failures errors skipped group time timestamp hostname id package",
        "name tests failures errors",
        "testsuite properties testcase system-out system-err",
    ),
    "testcase": ("name time classname group", "name", "skipped error failure system-out"),
    "failure": SAID,
    "skipped": SAID,
    "system-out": ("", "", ""),
}
Gate = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a risk that hurts, one that does not, and some that are undecided."""
    plan = Plan(
        data=(DataPlan("x", "builtin:reviews", limit=120),),
        models=(ModelPlan("m", "builtin:sentiment"),),
        measure=(
            MeasurePlan("performance", "performance", ("m",), ("x",)),
            MeasurePlan("leakage", "leakage", ("m",), ("x",)),
            MeasurePlan("attack", "attack", ("m",), ("x",), {"recipes": ["deepwordbug"]}),
        ),
        resampling=Resampling(draws=400),
    )
    return run_plan(resolve(plan), tmp_path_factory.mktemp("gate") / "run").path


@pytest.fixture
def gate(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Gate:
    monkeypatch.chdir(tmp_path)

    def judged(*words: str, accepted: str = "") -> tuple[int, str, str]:
        if accepted:
            Path("accepted.toml").write_text(accepted)
            words = (*words, "--accept", "accepted.toml")
        code = exit_code_of(group, ["gate", str(run), *words])
        out, err = capsys.readouterr()
        return code, out, " ".join(err.split())

    return judged


def of_jenkins(text: str) -> Element:
    """Read JUnit XML, and hold it to the schema."""
    read = fromstring(text)
    assert read.tag == "testsuites"
    for element in read.iter():
        may, must, holds = (set(names.split()) for names in JENKINS[element.tag])
        assert must <= set(element.keys()) <= may
        assert {child.tag for child in element} <= holds
    return read


def entry(**keys: object) -> str:
    given = {"risk": HURTS, "why": "nobody types so", **keys}
    lines = [f"{k} = {v if k in ('most', 'until') else json.dumps(v)}" for k, v in given.items()]
    return "[[accept]]\n" + "\n".join(lines) + "\n"


def test_a_risk_that_hurts_fails(gate: Gate) -> None:
    code, out, _ = gate("--risks", "--undecided", "pass")
    assert code == 1
    assert "FAIL  DeepWordBug attack" in out
    assert "PASS  accuracy exceeds the 0.5 of no skill" in out


def test_what_is_accepted_passes_and_says_why(gate: Gate) -> None:
    code, out, err = gate("--risks", "--undecided", "pass", accepted=entry())
    assert code == 0
    assert "ACCEPTED  DeepWordBug attack" in out
    assert "accepted (nobody types so); attack_success" in " ".join(out.split())
    assert err == ""


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"of": "m on x"}, 0),
        ({"risk": "deepwordbug attack"}, 0),  # in capitals or not
        ({"of": "m on y"}, 1),
        ({"most": 1.0}, 0),
        ({"most": 0.01}, 1),
        ({"until": "2999-01-01"}, 0),
        ({"until": "2020-01-01"}, 1),
        ({"risk": "pwws fools it"}, 1),
    ],
)
def test_only_what_was_accepted_is_accepted(gate: Gate, keys: dict[str, object], code: int) -> None:
    found, _, err = gate("--risks", "--undecided", "pass", accepted=entry(**keys))
    assert found == code
    is_elsewhere = keys.get("risk") == "pwws fools it" or keys.get("of") == "m on y"
    assert ("Accepted, and nothing that is judged here" in err) == is_elsewhere


def test_rules_are_accepted_as_well(gate: Gate) -> None:
    rule = "accuracy > 0.95"
    assert gate("--rule", rule)[0] == 1
    code, out, _ = gate("--rule", rule, accepted=entry(risk=rule, of="rule"))
    assert (code, out.split()[0]) == (0, "ACCEPTED")
    assert gate("--rule", rule, "--risks", accepted=entry(risk=rule))[0] == 1  # the attack hurts


def test_neither_rules_nor_risks_is_refused(gate: Gate) -> None:
    code, _, err = gate()
    assert code == 2
    assert "--rule" in err
    assert "--risks" in err


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[[accept]", "is no TOML"),
        ("[accept]\nrisk = 1\n", "holds tables [[accept]] and nothing else"),
        ("[[accept]]\nwhy = 'x'\n", "has no risk"),
        ("[[accept]]\nrisk = 'x'\n", "has no why"),
        (entry(reason="x"), "no key named 'reason'"),
        (entry(most="'much'"), "most = 'much' is no number from 0 on"),
        (entry(until="3"), "until = 3 is no day"),
        (entry(of=3), "of = 3 is no text"),
    ],
)
def test_a_file_that_does_not_read_says_where(gate: Gate, written: str, said: str) -> None:
    code, _, err = gate("--risks", accepted=written)
    assert code == 2
    assert "accepted.toml" in err
    assert said in err


def test_a_file_that_is_not_there_is_named(gate: Gate) -> None:
    code, _, err = gate("--risks", "--accept", "absent.toml")
    assert (code, "'absent.toml' cannot be read: No such file" in err) == (2, True)


def test_lines_for_machines_say_what_the_gate_made_of_them(gate: Gate) -> None:
    _, out, _ = gate("--risks", "--rule", "accuracy > 0.1", "--json", accepted=entry())
    lines = [json.loads(line) for line in out.splitlines()]
    by_gate = {line["gate"]: line for line in lines}
    assert by_gate["accepted"]["state"] == "hurts"
    assert lines[-1]["gate"] == "pass"
    assert lines[-1]["verdict"] == "supported"


def test_junit_has_a_test_for_each_line(gate: Gate) -> None:
    gate("--risks", "--rule", "accuracy > 0.95", "--junit", "gate.xml", accepted=entry())
    suite = of_jenkins(Path("gate.xml").read_text()).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case for case in suite}
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == "1"
    failure = cases["accuracy > 0.95"].find("failure")
    assert failure is not None
    assert "limit" in str(failure.get("message"))
    skipped = cases[HURTS].find("skipped")
    assert skipped is not None
    assert str(skipped.get("message")).startswith("accepted (nobody types so); ")


def test_gate_and_junit_say_scopes_as_the_glossary_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(
        data=(DataPlan("x", "builtin:reviews", limit=60),),
        models=(ModelPlan("m", "builtin:sentiment/seed-1"),),
        measure=(MeasurePlan("performance", "performance", ("m",), ("x",)),),
    )
    path = run_plan(resolve(plan), tmp_path / "run").path
    words = ["gate", str(path), "--risks", "--rule", "accuracy > 0.95"]
    exit_code_of(group, [*words, "--json"])
    lines = map(json.loads, capsys.readouterr().out.splitlines())
    assert {line["scope"] for line in lines} == {"this checkpoint"}  # of machines
    exit_code_of(group, [*words, "--junit", str(tmp_path / "gate.xml")])
    printed = capsys.readouterr().out
    for text in (printed, (tmp_path / "gate.xml").read_text(), render_junit(load_view(path))):
        assert "this model: " in " ".join(text.split())
        assert "checkpoint" not in text


def test_the_report_of_a_run_is_a_suite_of_its_risks(run: Path) -> None:
    suites = of_jenkins(render_junit(load_view(run)))
    (suite,) = suites
    assert suite.get("name") == str(run)
    outcomes = {case.get("name"): [child.tag for child in case] for case in suite}
    assert outcomes[HURTS] == ["failure"]
    assert outcomes["accuracy exceeds the 0.5 of no skill"] == ["system-out"]
    assert suites.get("failures") == str(sum(tags == ["failure"] for tags in outcomes.values()))


def test_what_xml_cannot_hold_is_spelled_out() -> None:
    text = junit("a & <b>", [JudgedCase('typos "x"\x07', "m\x00", "undecided", "<&>")])
    (case,) = suite = of_jenkins(text)[0]
    assert suite.get("name") == "a & <b>"
    assert "\x07" not in str(case.get("name"))
    skipped = case.find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "undecided: <&>"


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two changes that find nothing to change."""
    rows = [
        {"id": f"i{n}", "text": f"a {('bad', 'good')[n % 2]} film", "label": n % 2}
        for n in range(60)
    ]
    data = tmp_path_factory.mktemp("data") / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    changes = {"transformations": ["contraction", "number_swap"]}
    plan = Plan(
        data=(DataPlan("x", f"jsonl:{data}"),),
        models=(ModelPlan("m", "builtin:sentiment/seed-1"),),
        measure=(MeasurePlan("r", "robustness", ("m",), ("x",), changes),),
        resampling=Resampling(draws=400),
    )
    return run_plan(resolve(plan), data.parent / "run").path


@pytest.mark.parametrize("undecided", ["undecided", "pass", "fail"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--risks"], ["NOT TESTED  contractions", "NOT TESTED  numbers swapped"]),
        (["--rule", "drop(accuracy) <= 0.5"], ["NOT TESTED  drop(accuracy) <= 0.5"]),
        (["--rule", "drop(accuracy) <= 0.01"], ["NOT TESTED  drop(accuracy) <= 0.01"]),
    ],
)
def test_nothing_passes_on_a_change_that_altered_no_text(
    unchanged: Path,
    capsys: pytest.CaptureFixture[str],
    undecided: str,
    words: list[str],
    said: list[str],
) -> None:
    code = exit_code_of(group, ["gate", str(unchanged), *words, "--undecided", undecided])
    out = capsys.readouterr().out
    assert code == 4
    assert [line for line in out.splitlines() if line[:1] != " "] == said
    assert "changed 0 of 60 texts" in " ".join(out.split())


def test_a_run_that_claims_nothing_passes_no_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing was judged, and the exit code was 0."""
    words = {"good": "positive", "bad": "negative"}
    rows = [{"text": f"a {w} case {n}", "label": words[w]} for n in range(10) for w in words]
    run = scrutiny.run("classes", KeywordClassifier(), rows, out=tmp_path / "run")
    code = exit_code_of(group, ["gate", str(run.path), "--risks", "--undecided", "pass"])
    assert code == 4
    assert capsys.readouterr().out.startswith("NOT TESTED  risks\n      the run claims nothing")


def test_a_rule_says_of_what_its_number_is(gate: Gate) -> None:
    _, out, _ = gate("--rule", "accuracy > 0.1")
    assert "] of m, x, limit > 0.1" in " ".join(out.split())
    assert "against" not in out


def test_what_is_accepted_is_suppressed_in_sarif(gate: Gate) -> None:
    code, _, _ = gate("--risks", "--sarif", "gate.sarif", accepted=entry())
    assert code in (0, 4)
    (run,) = json.loads(Path("gate.sarif").read_text())["runs"]
    found = {one["ruleId"]: one for one in run["results"]}
    assert found[HURTS]["suppressions"][0]["justification"].startswith("accepted (nobody")
    assert {one["kind"] for one in found.values()} <= {"pass", "fail", "open"}
    assert gate("--rule", "accuracy > 0.99", "--sarif", "gate.sarif")[0] == 1
    (result,) = json.loads(Path("gate.sarif").read_text())["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("fail", "error")


def stored(name: str, n: int, right: float) -> tuple[str, list[str]]:
    """Data of which a share is answered right, as a data string, and the rows of these answers."""
    gold = ["good" if i % 2 else "bad" for i in range(n)]
    rows = [f"{name}{i},{name} text {i},{label}" for i, label in enumerate(gold)]
    Path(f"{name}.csv").write_text("\n".join(["id,text,label", *rows]))
    hits = [round(right * (i + 1)) > round(right * i) for i in range(n)]
    other = {"good": "bad", "bad": "good"}
    answers = [g if hit else other[g] for g, hit in zip(gold, hits, strict=True)]
    return f"csv:{name}.csv#id=id", [f"{name}{i},{one}" for i, one in enumerate(answers)]


@pytest.mark.parametrize(
    ("n", "right", "tolerance", "code"),
    [
        (300, (0.9, 0.6), 0.1, 1),  # loses 30 points
        (300, (0.9, 0.9), 0.08, 0),
        (40, (0.9, 0.85), 0.05, 4),
    ],
)
def test_what_is_lost_on_other_data_is_a_risk_and_a_rule(
    n: int, right: tuple[float, float], tolerance: float, code: int, empty_folder: Path
) -> None:
    (home, ours), (away, theirs) = stored("home", n, right[0]), stored("away", n, right[1])
    (empty_folder / "answers.csv").write_text("\n".join(["id,label", *ours, *theirs]))
    words = ["--model", "predictions:answers.csv", "--data", home, "--data", away]
    words += ["--only", "performance", "--tolerance", f"accuracy={tolerance}", "--out", "run"]
    assert exit_code_of(group, ["audit", *words, "--display", "none"]) == 0
    ((risk, lost),) = [(f.claim.risk, f) for f in scrutiny.load("run").findings if f.claim.risk]
    assert risk.what == "away.csv instead of home.csv"
    assert lost.verdict == {1: "hurts", 0: "holds", 4: "can't tell"}[code]
    low, value, high = lost.estimate.ends if lost.estimate else (0.0, 0.0, 0.0)
    assert value == pytest.approx(right[0] - right[1], abs=1e-9)
    se = sum(share * (1 - share) / n for share in right) ** 0.5
    assert high - low == pytest.approx(2 * 1.96 * se, rel=0.15)
    assert exit_code_of(group, ["gate", "run", "--risks"]) == code
    sides = "dataset=csv:away.csv minus dataset=csv:home.csv"
    rule = f"accuracy >= {-tolerance} where {sides}"
    assert exit_code_of(group, ["gate", "run", "--rule", rule]) == code


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
