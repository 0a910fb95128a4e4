"""Logs in the format of Every Eval Ever, by its schema (0.3)."""

import json

import pytest
from tool_logs import imported, rows_of, unpacked

import scrutiny
from scrutiny.core.errors import DataError, PlanError
from scrutiny.report.formats import format_of, render
from scrutiny.report.load import load_view
from scrutiny.run.comparing.paired_numbers import compare_runs
from scrutiny.run.importing.import_logs import tool_of


def row(n, score, *, model="acme/v1", result="match:accuracy", **more):
    """A row of samples: one sample and score."""
    return {
        "schema_version": "0.3.0", "evaluation_id": f"sums/{model}/1", "model_id": model,
        "evaluation_name": "sums", "evaluation_result_id": result, "sample_id": f"s{n}",
        "interaction_type": "single_turn",
        "input": {"raw": f"{n}+{n}", "reference": [str(2 * n)], "choices": None},
        "output": {"raw": [f"It is {2 * n}."]},
        "answer_attribution": [{
            "turn_idx": 0, "source": "output.raw", "extracted_value": str(2 * n),
            "extraction_method": "regex", "is_terminal": True,
        }],
        "evaluation": {"score": score, "is_correct": score == 1}, "error": None,
        "metadata": {"kind": "odd" if n % 2 else "even"}, **more,
    }  # fmt: skip


def written(path, rows):
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def aggregate(path, score, **config):
    """The aggregate beside a file of samples."""
    metric = {"metric_name": "accuracy", "lower_is_better": False, **config}
    result = {
        "evaluation_result_id": "match:accuracy", "evaluation_name": "sums",
        "metric_config": metric, "score_details": {"score": score},
    }  # fmt: skip
    value = {"evaluation_id": "sums/acme/v1/1", "eval_library": {"name": "x", "version": "1"}}
    path.write_text(json.dumps({**value, "evaluation_results": [result]}))
    return path


def values(run):
    return {
        (e.key.subject, e.key.dataset, e.key.condition["metric"]): (e.value, e.counts.n)
        for e in run.estimates()
        if e.key.replicate is None
    }


def test_samples_are_read_with_the_names_of_their_aggregate(tmp_path):
    path = written(tmp_path / "a_samples.jsonl", [row(n, float(n > 0)) for n in range(4)])
    assert tool_of(str(path)) == tool_of(str(tmp_path)) == "every-eval-ever"
    run = imported("every-eval-ever", [path], tmp_path / "alone")
    assert values(run) == {("acme/v1", "sums", "match:accuracy"): (0.75, 4)}
    whole = aggregate(tmp_path / "a.json", 0.75)
    assert tool_of(str(whole)) == "every-eval-ever"
    run = imported("every-eval-ever", [whole], tmp_path / "whole")
    assert values(run) == {("acme/v1", "sums", "accuracy"): (0.75, 4)}
    assert run.manifest["warnings"] == []
    first = run.items().to_pylist()[0]
    assert (json.loads(first["fields"])["text"], json.loads(first["gold"])) == ("0+0", "0")
    assert run.table("outputs").to_pylist()[1]["answer"] == '{"text":"It is 2."}'


def test_another_number_of_the_aggregate_is_said_and_lower_may_be_better(tmp_path):
    written(tmp_path / "a_samples.jsonl", [row(n, float(n > 0)) for n in range(4)])
    whole = aggregate(tmp_path / "a.json", 0.5, metric_name="loss", lower_is_better=True)
    run = imported("every-eval-ever", [whole], tmp_path / "out")
    (said,) = run.manifest["warnings"]
    assert "printed 0.5 for loss; the mean over the logged items is 0.75" in said
    assert run.manifest["data"]["sums"]["lower_is_better"] == ["loss"]


def test_scores_of_a_sample_are_several_metrics_and_repeats_are_replicates(tmp_path):
    rows = [row(n, 1.0, result=r) for n in range(3) for r in ("a", "b")]
    rows += [row(n, 0.0, result="a") for n in range(3)]
    run = imported("every-eval-ever", [written(tmp_path / "x.jsonl", rows)], tmp_path / "out")
    found = {
        e.key.condition["metric"]: (e.value, e.n_replicates)
        for e in run.estimates()
        if e.key.replicate is None
    }
    assert found["a"] == (0.5, 2)


def test_errors_are_failed_samples_not_wrong_answers(tmp_path):
    rows = [row(0, 1.0), row(1, 0.0, error="timeout"), {"schema_version": "0.3.0"}, row(2, 1.0)]
    rows.append({**row(3, 1.0), "input": None})
    run = imported("every-eval-ever", [written(tmp_path / "x.jsonl", rows)], tmp_path / "out")
    assert values(run)["acme/v1", "sums", "match:accuracy"] == (1.0, 2)
    assert [one["item"] for one in rows_of(run, status="failed")] == ["s1"]
    lines = [bad["source"] for bad in run.manifest["data"]["sums"]["bad_rows"]]
    assert lines == ["x.jsonl:3", "x.jsonl:5"]


def test_conversations_answer_with_their_last_message(tmp_path):
    said = [{"turn_idx": 0, "role": "user", "content": "Hi"}]
    said += [{"turn_idx": 1, "role": "assistant", "content": "Hello"}]
    more = {"interaction_type": "multi_turn", "output": None, "messages": said}
    path = written(tmp_path / "x.jsonl", [row(0, 1.0, **more)])
    run = imported("every-eval-ever", [path], tmp_path / "out")
    assert run.table("outputs").to_pylist()[0]["answer"] == '{"text":"Hello"}'


def test_models_of_a_file_and_two_files_pair(tmp_path):
    both = [row(n, float(n > k), model=m) for m, k in (("v1", 0), ("v2", 1)) for n in range(4)]
    run = imported("every-eval-ever", [written(tmp_path / "x.jsonl", both)], tmp_path / "both")
    assert {key[0] for key in values(run)} == {"v1", "v2"}
    runs = [
        imported("every-eval-ever", [written(tmp_path / f"{m}.jsonl", rows)], tmp_path / m)
        for m, rows in (("a", both[:4]), ("b", both[4:]))
    ]
    assert [f.estimate.value for f in compare_runs(*runs).findings] == [-0.25]


def test_aggregates_alone_are_refused(tmp_path):
    path = aggregate(tmp_path / "a.json", 0.5)
    with pytest.raises(DataError, match="holds aggregates of Every Eval Ever alone"):
        imported("every-eval-ever", [path], tmp_path / "out")
    odd = written(tmp_path / "x.jsonl", [{"evaluation_id": "", "interaction_type": ""}])
    with pytest.raises(DataError, match="holds no sample of every-eval-ever"):
        imported("every-eval-ever", [odd], tmp_path / "out")


# --- written -------------------------------------------------------------------------------------

#: What the schema asks of each file (0.3.0).
AGGREGATE = {
    "schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
    "eval_library", "evaluation_results",
}  # fmt: skip
SAMPLE = {
    "schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id",
    "interaction_type", "input", "answer_attribution", "evaluation",
}  # fmt: skip


def round_trip(tmp_path, run):
    """Aggregate and samples of a run, and what is read from them."""
    view = load_view(run.path)
    for end, form in ((".eee.json", "eee"), (".eee_samples.jsonl", "eee-samples")):
        assert format_of(tmp_path / f"x{end}") == form
        (tmp_path / f"x{end}").write_text(render(view, form))
    whole = json.loads((tmp_path / "x.eee.json").read_text())
    lines = (tmp_path / "x.eee_samples.jsonl").read_text().splitlines()
    back = imported("every-eval-ever", [tmp_path / "x.eee.json"], tmp_path / "back")
    return whole, [json.loads(line) for line in lines], back


@pytest.mark.parametrize(
    ("tool", "place"), [("lm_eval", "scripted/acme__v1"), ("inspect", "v1-eval")]
)
def test_what_is_written_reads_as_the_run_that_it_is_of(tmp_path, tool, place):
    folder = unpacked(tool, tmp_path / "logs")
    run = imported(tool.replace("_", "-"), [folder / place], tmp_path / "run")
    whole, samples, back = round_trip(tmp_path, run)
    assert set(whole) >= AGGREGATE
    assert all(set(one) >= SAMPLE for one in samples)
    named = {
        (subject, dataset, " ".join(sorted(metric.split()))): value
        for (subject, dataset, metric), value in values(back).items()
    }
    for one in run.estimates():
        if one.key.replicate is None:
            name = " ".join(sorted(map(str, one.key.condition.values())))
            found = named[one.key.subject, one.key.dataset, name]
            assert found == (pytest.approx(one.value), one.counts.n)
    assert len(named) == len(whole["evaluation_results"])
    assert back.manifest["warnings"] == []
    limits = [one["score_details"]["uncertainty"] for one in whole["evaluation_results"]]
    assert all(one["confidence_interval"]["confidence_level"] == 0.95 for one in limits)


def test_a_missing_score_is_an_error_and_texts_may_be_kept_back(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,prompt,gold,output,score\na,One?,1,1,1\nb,Two?,2,3,\nc,Three?,3,3,0\n")
    run = imported("table", [path], tmp_path / "run")
    _, samples, back = round_trip(tmp_path, run)
    assert [one["error"] for one in samples] == [None, "no_score", None]
    assert values(back) == {("s", "s", "score"): (0.5, 2)}
    assert samples[0]["input"] == {"raw": "One?", "reference": ["1"], "choices": None}
    assert samples[0]["output"] == {"raw": ["1"]}
    kept = render(load_view(run.path).without_texts(), "eee-samples")
    assert "One?" not in kept
    assert json.loads(kept.splitlines()[0])["output"] == {"raw": []}


def test_python_writes_both_files(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,prompt,gold,output,score\na,One?,1,1,1\nb,Two?,2,3,0\n")
    run = imported("table", [path], tmp_path / "run")
    said = scrutiny.load(run.path).report(tmp_path / "x.eee.json")
    assert (tmp_path / "x.eee.json").read_text() == said
    lines = (tmp_path / "x.eee_samples.jsonl").read_text().splitlines()
    assert [json.loads(line)["evaluation"]["score"] for line in lines] == [1.0, 0.0]


def test_several_models_are_no_file_of_this_format(tmp_path):
    both = [row(n, 1.0, model=m) for m in ("v1", "v2") for n in range(3)]
    run = imported("every-eval-ever", [written(tmp_path / "x.jsonl", both)], tmp_path / "out")
    with pytest.raises(PlanError, match="has 2 models with numbers"):
        render(load_view(run.path), "eee")
