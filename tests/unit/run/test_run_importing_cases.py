"""Results of promptfoo and DeepEval as runs, by their documented shape."""

import json

import pytest
from tool_logs import imported

from scrutiny.core.errors import DataError
from scrutiny.run.comparing.paired_numbers import compare_runs
from scrutiny.run.importing.import_logs import tool_of


def result(question, output, *, success, provider="openai:a", n=0, **more):
    """A result of promptfoo."""
    return {
        "promptIdx": 0, "testIdx": n, "vars": {"q": question}, "provider": {"id": provider},
        "prompt": {"raw": f"Q: {question}", "label": "p"}, "response": {"output": output},
        "success": success, "score": float(success), "namedScores": {}, **more,
    }  # fmt: skip


def promptfoo(path, results, **more):
    summary = {"version": 3, "timestamp": "2026-09-01T00:00:00.000Z", "prompts": []}
    path.write_text(json.dumps({"evalId": "e", "results": {**summary, "results": results}, **more}))
    return path


def case(question, output, **metrics):
    """A case of DeepEval; a metric's value is its score, or the error that it ended with."""
    data = [
        {"name": name, "success": not isinstance(v, str) and v > 0.5,
         "score": None if isinstance(v, str) else v, "error": v if isinstance(v, str) else None}
        for name, v in metrics.items()
    ]  # fmt: skip
    done = {"success": all(one["success"] for one in data), "metricsData": data}
    return {"name": "t", "input": question, "actualOutput": output, "expectedOutput": "2", **done}


def deepeval(path, cases, **more):
    path.write_text(json.dumps({"testCases": cases, "hyperparameters": {"model": "b"}, **more}))
    return path


def values(run):
    """Value, denominator and model of each metric."""
    return {
        (e.key.subject, e.key.condition["metric"]): (e.value, e.counts.n, e.counts.planned)
        for e in run.estimates()
        if e.key.replicate is None
    }


def test_promptfoo(tmp_path):
    equals = {"assert": [{"type": "equals", "value": "2"}]}
    results = [
        result("1+1", "2", success=True, testCase=equals, namedScores={"tone": 0.5}),
        result("2+2", "5", success=False, n=1, namedScores={"tone": 1}),
        result("1+1", "3", success=False, provider="openai:b"),
        result("2+2", None, success=False, provider="openai:b", n=1, failureReason=2, error="x"),
        "no result",
    ]
    path = promptfoo(tmp_path / "results.json", results)
    assert tool_of(str(path)) == "promptfoo"
    run = imported("promptfoo", [path], tmp_path / "run")
    found = values(run)
    assert found["openai:a", "passed"] == (0.5, 2, 2)
    assert found["openai:a", "tone"] == (0.75, 2, 2)
    assert found["openai:b", "passed"] == (0.0, 1, 2)  # an error of the provider is no failed test
    first = run.items().to_pylist()[0]
    assert json.loads(first["fields"])["text"] == "1+1"
    assert json.loads(first["gold"]) == "2"
    (bad,) = run.manifest["data"]["results"]["bad_rows"]
    assert bad["source"] == "results.json:results[4]"


def test_repeats_of_promptfoo_are_replicates_and_equal_tests_are_items(tmp_path):
    results = [result("1+1", str(n), success=n > 1, n=n) for n in range(4)]
    options = {"config": {"evaluateOptions": {"repeat": 2}}}
    run = imported(
        "promptfoo", [promptfoo(tmp_path / "r.json", results, **options)], tmp_path / "a"
    )
    (estimate,) = (e for e in run.estimates() if e.key.condition == {"metric": "passed"})
    assert (estimate.value, estimate.n_replicates, estimate.counts.n) == (0.5, 2, 2)
    once = imported("promptfoo", [promptfoo(tmp_path / "o.json", results)], tmp_path / "b")
    assert values(once)["openai:a", "passed"] == (0.5, 4, 4)


def test_prompts_of_one_provider_are_models(tmp_path):
    other = {"promptIdx": 1, "prompt": {"raw": "Ask: 1+1", "label": "ask"}}
    results = [result("1+1", "2", success=True), result("1+1", "3", success=False, **other)]
    run = imported("promptfoo", [promptfoo(tmp_path / "r.json", results)], tmp_path / "run")
    assert {subject for subject, _ in values(run)} == {"openai:a (p)", "openai:a (ask)"}


def test_deepeval(tmp_path):
    cases = [
        case("1+1", "2", Correct=1.0, Short=0.9),
        case("2+2", "5", Correct=0.2, Short="timeout"),  # failed, whatever the other would say
        case("3+3", "6", Correct=0.9, Short="timeout"),  # not known
        {"name": "no case"},
    ]
    path = deepeval(tmp_path / "run.json", cases)
    assert tool_of(str(path)) == "deepeval"
    run = imported("deepeval", [path], tmp_path / "out")
    found = values(run)
    assert found["b", "passed"] == (0.5, 2, 3)
    assert found["b", "Correct"] == (pytest.approx(0.7), 3, 3)
    assert found["b", "Short"] == (0.9, 1, 3)
    (bad,) = run.manifest["data"]["run"]["bad_rows"]
    assert bad["source"] == "run.json:testCases[3]"


def test_the_latest_run_of_deepeval_is_within_its_file(tmp_path):
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": {"testCases": [case("1+1", "2", Correct=1.0)]}}))
    run = imported("deepeval", [path], tmp_path / "out")
    assert values(run)[".latest_test_run", "passed"] == (1.0, 1, 1)


def test_runs_of_two_tools_compare_by_what_was_asked(tmp_path):
    asked = [f"{n}+{n}" for n in range(6)]
    one = promptfoo(tmp_path / "a.json", [result(q, "x", success=True) for q in asked[:5]])
    two = deepeval(tmp_path / "b.json", [case(q, "x", Correct=0.0) for q in reversed(asked)])
    runs = [
        imported(tool, [path], tmp_path / tool)
        for tool, path in (("promptfoo", one), ("deepeval", two))
    ]
    found = compare_runs(*runs)
    assert [f.estimate.value for f in found.findings] == [-1.0]
    assert (list(found.n_shared.values()), list(found.n_unmatched.values())) == ([5], [(0, 1)])


@pytest.mark.parametrize(
    ("tool", "content", "said"),
    [
        ("promptfoo", "{", "is no file of promptfoo"),
        ("promptfoo", "[]", "it has no results.results"),
        ("promptfoo", '{"results": {"version": 3}}', "it has no results.results"),
        ("promptfoo", '{"results": {"results": []}}', "results.results is empty"),
        ("deepeval", "{", "is no file of deepeval"),
        ("deepeval", "[]", "it has no list testCases"),
        ("deepeval", '{"testCases": [], "conversationalTestCases": [{}]}', "conversations only"),
    ],
)
def test_other_files_are_refused(tmp_path, tool, content, said):
    path = tmp_path / "r.json"
    path.write_text(content)
    with pytest.raises(DataError, match=said):
        imported(tool, [path], tmp_path / "out")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match="holds no results"):
        imported(tool, [empty], tmp_path / "out")
