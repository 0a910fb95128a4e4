"""The planted-bug benchmark: a healthy endpoint is quiet, two faults are named, rules are rules."""

import sys
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
try:
    from examples.planted_bugs import faults, with_scrutiny
    from examples.planted_bugs.cases import TEMPLATE, exchanged, make_cases, thrice, write_cases
    from examples.planted_bugs.endpoint import Mock, Serving
    from examples.planted_bugs.running import score_in
finally:
    sys.path.remove(str(ROOT))

pytestmark = pytest.mark.allow_hosts(["127.0.0.1", "localhost"])
BY_NAME = {fault.name: fault for fault in faults.FAULTS}


@pytest.fixture(scope="module")
def cases():
    return make_cases()


@pytest.fixture
def printed(tmp_path, monkeypatch, capfd):
    """What a verb prints of an endpoint with a fault."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))

    def run(fault, *words):
        with Serving(fault) as served:
            with_scrutiny.describe(served.url, tmp_path, "text")
            code = exit_code_of(group, words)
        out, err = capfd.readouterr()
        score = score_in(out, r"Accuracy ([\d.]+) (%)")
        return faults.Printed(" ".join(words), code, out + err, score)

    return run


def test_doctor_is_quiet_on_the_healthy_endpoint_and_names_two_faults(printed):
    words = ("doctor", "http:endpoint.toml")
    healthy = printed("", *words)
    codes = with_scrutiny.FAULTY_CODES["doctor"]
    assert faults.control(healthy, faulty_codes=codes) == ("quiet", "")
    for name in ("parse failures", "truncated prompts"):
        state, why = faults.graded(BY_NAME[name], printed(name, *words), healthy)
        assert state == faults.NOTICES, f"{name}: {why}"


def test_watch_names_a_model_change_since_an_audit_of_the_healthy_endpoint(
    printed, cases, tmp_path
):
    write_cases(tmp_path / "cases.csv", cases)
    words = ("--model", "http:endpoint.toml", "--data", "csv:cases.csv", "--only", "performance")
    printed("", "audit", *words, "--out", "base")
    change = BY_NAME["silent model change"]

    def watched(fault):
        words = ("--baseline", "base", "--history", f"{len(fault)}.jsonl")
        return printed(fault, "watch", "http:endpoint.toml", *words)

    healthy = watched("")
    codes = with_scrutiny.FAULTY_CODES["watch"]
    assert faults.control(healthy, faulty_codes=codes) == ("quiet", "")
    state, why = faults.graded(change, watched(change.name), healthy)
    assert (state, why) == (faults.NOTICES, "“Changed since”")


def test_data_show_names_repeats_and_nothing_else(printed, cases, tmp_path):
    write_cases(tmp_path / "once.csv", cases)
    write_cases(tmp_path / "thrice.csv", thrice(cases))
    once, more = (printed("", "data", "show", f"csv:{name}.csv") for name in ("once", "thrice"))
    assert faults.control(once) == ("quiet", "")
    assert faults.graded(BY_NAME["repeats counted as items"], more, once)[0] == faults.NOTICES


def answers(fault, cases):
    """Labels that the mock gives, in order."""
    mock = Mock(fault)
    bodies = [
        {"messages": [{"role": "user", "content": TEMPLATE.format(text=t)}]} for _, t, _ in cases
    ]
    replies = [mock.reply(body, is_chat=True)["choices"][0] for body in bodies]
    return [reply["message"]["content"] for reply in replies]


def right(said, cases):
    """Share of right answers."""
    return sum(one == label for one, (_, _, label) in zip(said, cases, strict=True)) / len(cases)


def test_the_mock_is_honest_where_nothing_is_planted(cases):
    said = answers("", cases)
    assert said == answers("", cases)
    assert set(said) == {"ham", "spam"}
    assert right(said, cases) > 0.95
    assert right(said, exchanged(cases)) < 0.05


@pytest.mark.parametrize(
    "fault", ["parse failures", "cache mix-ups", "truncated prompts", "silent model change"]
)
def test_each_fault_costs_answers(fault, cases):
    healthy, said = answers("", cases), answers(fault, cases)
    assert said == answers(fault, cases)
    assert right(said, cases) < right(healthy, cases) - faults.HINT
    if fault == "silent model change":
        assert said[:72] == healthy[:72]


def printing(text, *, code=0, score=0.9):
    return faults.Printed("tool", code, text, score)


@pytest.mark.parametrize(
    ("text", "code", "score", "state"),
    [
        ("accuracy 0.9", 0, 0.9, faults.SILENT),
        ("accuracy 0.9, 3 unparsed", 0, 0.9, faults.NOTICES),
        ("labels may be\nswapped", 0, 0.9, faults.SHOWS),
        ("accuracy 0.87", 0, 0.87, faults.SHOWS),
        ("accuracy 0.89", 0, 0.89, faults.SILENT),
        ("accuracy 0.9", 1, 0.9, faults.SHOWS),
        ("no number", 0, None, faults.SHOWS),
    ],
)
def test_rules_of_what_a_tool_says(text, code, score, state):
    said = printing(text, code=code, score=score)
    found, why = faults.graded(BY_NAME["parse failures"], said, printing("accuracy 0.9"))
    assert found == state
    assert bool(why) == (state != faults.SILENT)


def test_what_the_healthy_output_says_too_is_no_notice():
    said = printing("0 refused")
    assert faults.graded(BY_NAME["parse failures"], said, said) == (faults.SILENT, "")
    assert faults.control(printing("labels may be swapped"))[0] == faults.FALSE_ALARM
    assert faults.control(printing("fine", code=1), faulty_codes=(1,))[0] == faults.FALSE_ALARM
