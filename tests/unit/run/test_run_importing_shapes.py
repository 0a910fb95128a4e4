"""Results of promptfoo and DeepEval in the shapes of their versions, with all that is in them."""

import json

import pytest
from tool_logs import imported

from scrutiny.core.errors import DataError
from scrutiny.run.importing.import_logs import tool_of

TOKENS = {"total": 9, "prompt": 8, "completion": 1, "cached": 0, "numRequests": 1}
PROMPT = "Answer in one word: {{question}}"


def graded(passes, reason):
    """Grading of a test by one assertion, as promptfoo 0.119 writes it."""
    check = {"pass": passes, "score": float(passes), "reason": reason,
             "assertion": {"type": "equals", "value": "{{right}}"}}  # fmt: skip
    return {**check, "namedScores": {}, "tokensUsed": TOKENS, "componentResults": [check]}


def result(question, output, *, n=0, model="small", index=0, label=PROMPT, **more):
    """Result of a test in a file of version 3."""
    passes = output == "4"
    given = {"question": question, "right": "4"}
    reason = "Assertion passed" if passes else f'Expected output "{output}" to equal "4"'
    return {
        "cost": 1.4e-7, "gradingResult": graded(passes, reason), "id": f"id-{model}-{n}",
        "latencyMs": 764, "namedScores": {}, "promptId": "3942c1", "promptIdx": index,
        "prompt": {"raw": f"Answer in one word: {question}", "label": label},
        "provider": {"id": f"bedrock:{model}-v1:0", "label": model},
        "response": {"output": output, "tokenUsage": TOKENS, "cost": 1.4e-7, "cached": False},
        "score": float(passes), "success": passes, "testIdx": n, "vars": given,
        "testCase": {"description": "sums", "vars": given, "options": {"cache": True},
                     "assert": [{"type": "equals", "value": "{{right}}"}], "metadata": {}},
        "metadata": {"_promptfooFileMetadata": {}}, "failureReason": 0 if passes else 1,
        **({} if passes else {"error": reason}), **more,
    }  # fmt: skip


def version_3(path, results, **more):
    summary = {"version": 3, "timestamp": "2025-11-21T03:27:29.157Z", "prompts": [], "stats": {}}
    config = {"prompts": [PROMPT], "evaluateOptions": {}, "outputPath": ["./r.json"], "env": {}}
    whole = {
        "evalId": "eval-V0O-2025-11-21T03:27:29", "results": {**summary, "results": results},
        "config": config, "shareableUrl": None,
        "metadata": {"promptfooVersion": "0.119.9", "platform": "darwin"}, **more,
    }  # fmt: skip
    path.write_text(json.dumps(whole, indent=2))
    return path


def found(run):
    """Value, denominator and planned number of each metric of each model."""
    return {
        (e.key.subject, e.key.condition["metric"]): (e.value, e.counts.n, e.counts.planned)
        for e in run.estimates()
        if e.key.replicate is None
    }


def golds(run):
    return [json.loads(one["gold"]) if one["gold"] else None for one in run.items().to_pylist()]


def test_one_prompt_of_several_providers_has_a_number_for_each(tmp_path):
    results = [
        result("2+2", "4", model=model, index=index)
        for index, model in enumerate(("small", "large", "old"))
    ]
    path = version_3(tmp_path / "r.json", [results[0], results[2], results[1]])
    assert tool_of(str(path)) == "promptfoo"
    run = imported("promptfoo", [path], tmp_path / "run")
    assert {model for model, _ in found(run)} == {"small", "large", "old"}
    assert golds(run) == ["4"]  # what the assertion's variable stands for


def test_a_failed_assertion_is_told_as_an_error_and_is_none(tmp_path):
    refused = {"error": "API error: 429", "failureReason": 2, "gradingResult": None,
               "response": {"error": "API error: 429"}}  # fmt: skip
    results = [
        result("2+2", "4"),
        result("3+1", "5", n=1),
        result("1+3", "5", n=2, gradingResult=None),  # PROMPTFOO_STRIP_GRADING_RESULT
        result("4+0", None, n=3, **refused),
    ]
    run = imported("promptfoo", [version_3(tmp_path / "r.json", results)], tmp_path / "run")
    assert found(run)["small", "passed"] == (pytest.approx(1 / 3), 3, 4)


def test_a_test_without_assertions_is_not_tested(tmp_path):
    untested = {"gradingResult": {"pass": True, "score": 1, "reason": "No assertions"},
                "success": True, "score": 1, "failureReason": 0}  # fmt: skip
    results = [result("2+2", "4"), result("3+1", "5", n=1, **untested)]
    run = imported("promptfoo", [version_3(tmp_path / "r.json", results)], tmp_path / "run")
    assert found(run)["small", "passed"] == (1.0, 1, 2)


def test_what_was_not_to_be_written_is_no_text(tmp_path):
    stripped = {"vars": {}, "testCase": {"assert": []}, "gradingResult": None,
                "prompt": {"raw": "[prompt stripped]", "label": PROMPT},
                "response": {"output": "[output stripped]"}}  # fmt: skip
    results = [result(f"{n}+1", "4", n=n, **stripped) for n in range(3)]
    run = imported("promptfoo", [version_3(tmp_path / "r.json", results)], tmp_path / "run")
    texts = [json.loads(one["fields"])["text"] for one in run.items().to_pylist()]
    assert texts == ["test 0", "test 1", "test 2"]
    assert golds(run) == [None] * 3
    assert not run.table("outputs").num_rows
    assert found(run)["small", "passed"] == (1.0, 3, 3)


@pytest.mark.parametrize("option", ["runtimeOptions", "config"])
def test_repeats_are_told_by_their_tests_whatever_ends_first(tmp_path, option):
    options = {"repeat": 2}
    stated = {option: options if option == "runtimeOptions" else {"evaluateOptions": options}}
    results = [
        *(result("2+2", "5", n=2), result("3+1", "4", n=1)),
        *(result("2+2", "4", n=0), result("3+1", "5", n=3)),
    ]
    run = imported("promptfoo", [version_3(tmp_path / "r.json", results, **stated)], tmp_path / "a")
    (passed,) = (e for e in run.estimates() if e.key.condition == {"metric": "passed"})
    assert list(passed.by_replicate.values()) == [1.0, 0.0]  # the first time, and the second


def test_prompts_that_begin_alike_are_told_apart(tmp_path):
    labels = [f"{'You are a careful assistant. ' * 3}{end}" for end in ("Be short.", "Be kind.")]
    results = [result("2+2", "4", index=n, label=label) for n, label in enumerate(labels)]
    run = imported("promptfoo", [version_3(tmp_path / "r.json", results)], tmp_path / "run")
    names = sorted({model for model, _ in found(run)})
    assert [name.rpartition(", ")[2] for name in names] == ["prompt 1)", "prompt 2)"]


def test_lines_are_results(tmp_path):
    path = tmp_path / "r.jsonl"
    lines = [json.dumps(result(f"{n}+1", "4", n=n)) for n in range(3)]
    path.write_text("\n".join([*lines, lines[0][:40]]) + "\n")
    assert tool_of(str(path)) == "promptfoo"
    run = imported("promptfoo", [path], tmp_path / "run")
    assert found(run)["small", "passed"] == (1.0, 3, 3)
    (bad,) = run.manifest["data"]["r"]["bad_rows"]
    assert (bad["source"], "a result is an object" in bad["reason"]) == ("r.jsonl:results[3]", True)


def test_before_version_3_prompts_are_told_by_their_labels(tmp_path):
    results = []
    for label in ("short", "long"):
        one = result("2+2", "4" if label == "short" else "5", label=label)
        results.append({k: v for k, v in one.items() if k not in ("promptIdx", "testIdx", "id")})
    summary = {"version": 2, "stats": {}, "table": {"head": {}, "body": []}, "results": results}
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"evalId": None, "results": summary, "config": {}}))
    run = imported("promptfoo", [path], tmp_path / "run")
    assert {model for model, _ in found(run)} == {"small (short)", "small (long)"}


@pytest.mark.parametrize(
    ("value", "gold"),
    [("4", "4"), ("{{ right }}", "4"), ("{{ other }}", None), ("a {{ x }}", None)],
)
def test_a_template_is_no_gold_but_its_variable_is(tmp_path, value, gold):
    test = {"assert": [{"type": "equals", "value": value}, {"type": "contains", "value": "x"}]}
    path = version_3(tmp_path / "r.json", [result("2+2", "4", testCase=test)])
    assert golds(imported("promptfoo", [path], tmp_path / "run")) == [gold]


def metric(name, score, *, success=None, **more):
    """Result of a metric, as DeepEval writes it: what is not known is left out."""
    known = {
        "name": name, "threshold": 0.5, "strictMode": False, "evaluationModel": "gpt-4.1",
        "evaluationCost": 0.002, "reason": "so", "verboseLogs": "Criteria: ...",
        "success": score is not None and score >= 0.5 if success is None else success,
    }  # fmt: skip
    return known | ({} if score is None else {"score": score}) | more


def case(question, *metrics, **more):
    deciding = [one for one in metrics if not one.get("flaky")]
    return {
        "name": "test_sums", "input": question, "actualOutput": "4", "expectedOutput": "4",
        "context": ["sums"], "tags": ["a"], "flaky": False, "order": 0, "runDuration": 1.5,
        "success": all(one["success"] for one in deciding), "metricsData": list(metrics), **more,
    }  # fmt: skip


def run_of(*cases, **more):
    return {
        "testFile": "test_sums.py", "testCases": list(cases), "conversationalTestCases": [],
        "metricsScores": [], "hyperparameters": {"model": "small", "temperature": 0.5},
        "testPassed": 1, "testFailed": 1, "runDuration": 3.0, "datasetAlias": "sums", **more,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["20240511_101500", "test_run_20260901_101500.json"])
def test_files_of_the_results_folder(tmp_path, name):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / name).write_text(json.dumps(run_of(case("2+2", metric("Right", 1.0)))))
    for path in (folder, folder / name):
        assert tool_of(str(path)) == "deepeval"
    run = imported("deepeval", [folder], tmp_path / "run")
    assert found(run)["small", "Right"] == (1.0, 1, 1)


def test_the_newest_run_of_a_folder_counts(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for number, name in enumerate(["test_run_20260901_101500", "test_run_20260902_090000"]):
        cases = run_of(case("2+2", metric("Right", float(number))), testFile=None)
        (folder / f"{name}.json").write_text(json.dumps(cases))
    run = imported("deepeval", [folder], tmp_path / "run")
    assert found(run)["small", "Right"] == (1.0, 1, 1)
    assert [*run.manifest["data"]] == ["test_run"]
    (said,) = run.manifest["warnings"]
    assert said.startswith("small on test_run: the newest of 2 runs counts")
    (folder / "test_run_20260902_090000.json").rename(folder / "20260902_090000")
    assert {*imported("deepeval", [folder], tmp_path / "other").manifest["data"]} == {
        "test_run", "20260902_090000"
    }  # fmt: skip


def test_two_copies_of_the_newest_run_are_one(tmp_path):
    folder = tmp_path / ".deepeval"
    folder.mkdir()
    lost = metric("Tone", float("nan"), success=False)
    whole = run_of(case("2+2", metric("Right", 1.0)), case("3+1", metric("Right", 0.0), lost))
    traced = {**whole, "testCases": [{**one, "trace": {"uuid": "u"}} for one in whole["testCases"]]}
    (folder / ".latest_test_run.json").write_text(json.dumps({"testRunData": whole}))
    (folder / ".latest_run_full.json").write_text(json.dumps(traced))
    (folder / ".deepeval-cache.json").write_text('{"test_cases_lookup_map": {}}')
    run = imported("deepeval", [folder], tmp_path / "run")
    assert found(run)["small", "passed"] == (0.5, 2, 2)


def test_flaky_metrics_decide_nothing_and_errors_neither(tmp_path):
    broken = metric("Tone", None, success=False, error="timed out")
    cases = [
        case("a", metric("Right", 1.0), metric("Tone", 0.1, flaky=True)),
        case("b", metric("Right", 1.0), broken),
        case("c", metric("Right", 0.0), broken),
        case("d", metric("Right", 0.1, flaky=True), broken),
    ]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_of(*cases)))
    values = found(imported("deepeval", [path], tmp_path / "run"))
    assert values["small", "passed"] == (0.5, 2, 4)  # a passed and c failed; the others, who knows
    assert values["small", "Tone"] == (0.1, 1, 4)


def test_what_evaluate_returns_and_versions_before_1_0(tmp_path):
    one = {"name": "t0", "success": True, "conversational": False, "input": "2+2",
           "actual_output": "4", "expected_output": "4",
           "metrics_data": [{"name": "Right", "score": 0.9, "success": True}]}  # fmt: skip
    (tmp_path / "now.json").write_text(json.dumps({"test_results": [one], "confident_link": None}))
    old = {"name": "t0", "input": "2+2", "actualOutput": "4", "success": True,
           "metricsMetadata": [{"metric": "Right", "score": 0.7, "minimumScore": 0.5}]}  # fmt: skip
    (tmp_path / "old.json").write_text(json.dumps({"testCases": [old], "metricScores": []}))
    for name, score in (("now", 0.9), ("old", 0.7)):
        path = tmp_path / f"{name}.json"
        assert tool_of(str(path)) == "deepeval"
        values = found(imported("deepeval", [path], tmp_path / f"{name}-run"))
        assert values[name, "Right"] == (score, 1, 1)
        assert values[name, "passed"] == (1.0, 1, 1)


def test_a_run_that_was_sent_away_is_not_there(tmp_path):
    path = tmp_path / ".latest_test_run.json"
    path.write_text('{"testRunLink": "https://app.example/run/1"}')
    with pytest.raises(DataError, match="was uploaded, and only its link is kept"):
        imported("deepeval", [path], tmp_path / "run")
