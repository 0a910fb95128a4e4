"""Logs of lm-evaluation-harness as runs."""

import json
from dataclasses import replace

import pytest
from tool_logs import FEW, imported, line, rows_of, unpacked, write_lines

from scrutiny.core.errors import DataError, PlanError
from scrutiny.report.load import load_view
from scrutiny.report.text import render_markdown
from scrutiny.run.estimating.gate import gate_run
from scrutiny.run.importing.import_logs import tool_of

ACC = '{"metric":"acc"}'


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return unpacked("lm_eval", tmp_path_factory.mktemp("lm-eval"))


@pytest.fixture(scope="module")
def run(logs, tmp_path_factory):
    return imported("lm-eval", [logs / "scripted"], tmp_path_factory.mktemp("run") / "both")


@pytest.mark.reproduces
def test_the_means_are_those_that_lm_eval_printed(logs, run):
    found = {
        (e.key.subject, e.key.dataset, json.dumps(e.key.condition)): e.value
        for e in run.estimates()
    }
    printed = 0
    for path in (logs / "scripted").rglob("results_*.json"):
        results = json.loads(path.read_text())
        for task, values in results["results"].items():
            for key, value in values.items():
                metric, _, name = key.partition(",")
                if not name or "stderr" in metric or task == "lines":
                    continue
                condition = (
                    {"filter": name, "metric": metric} if name != "none" else {"metric": metric}
                )
                ours = found[results["model_name"], task, json.dumps(condition)]
                assert ours == pytest.approx(value, abs=1e-7)
                printed += 1
    assert printed == 2 * 5
    assert run.manifest["warnings"] == []


def test_items_keep_their_text_gold_place_and_groups(run):
    items = [row for row in run.items().to_pylist() if row["dataset"] == "opinions"]
    assert len(items) == 220
    first = items[0]
    assert first["item"] == "5d87ffdef9c6b6a3"  # the beginning of lm-eval's doc_hash
    assert json.loads(first["fields"]) == {"text": "The soup was fresh. It was"}
    assert json.loads(first["gold"]) == "good"
    assert first["source"].endswith(".jsonl:1")
    assert (first["a_topic"], first["choices"]) == ("food", '["bad","good"]')
    assert "a_sentence" not in run.items().column_names  # different in every item: groups nothing
    assert "a_label" not in run.items().column_names  # the gold answer in other words


def test_choices_keep_their_renormalized_likelihoods(run):
    answers = [row for row in run.outputs().to_pylist() if row["dataset"] == "opinions"]
    assert len(answers) == 2 * 220
    assert answers[0]["answer"] == "bad"
    assert answers[0]["scores"] == pytest.approx([0.8176, 0.1824], abs=1e-4)  # e^1.5 to 1


def test_filters_are_conditions_with_answers_of_their_own(run):
    strict = [
        row
        for row in run.outputs().to_pylist()
        if row["dataset"] == "sums" and row["condition"] == '{"filter":"strict"}'
    ]
    assert strict[0]["answer"] == '"[invalid]"'
    assert strict[0]["said"] == " So there are 6 shells"
    condition = '{"filter":"flexible","metric":"exact_match"}'
    assert len(rows_of(run, dataset="sums", condition=condition, subject="acme/v1")) == 24


def test_what_becomes_a_perplexity_is_kept_as_a_log_likelihood(run):
    rows = rows_of(run, dataset="lines", condition='{"metric":"loglik_per_word"}')
    assert {row["values"][1] for row in rows} == {-3.5}
    assert {e.key.metric for e in run.estimates() if e.key.dataset == "lines"} == {"mean@1"}


def test_report_and_gate_read_the_run(run):
    text = render_markdown(load_view(run.path))
    assert "acc · accuracy" in text
    assert r"exact\_match · accuracy · acme/v2 · sums" in text
    notes = run.manifest["measure"]["scores"]["notes"]
    assert "choosing blindly or always the commonest answer gets 0.545" in notes[1]
    (finding,) = gate_run(run, ["accuracy > 0.6 where metric=acc,subject=acme/v1"])
    assert finding.verdict == "supported"
    assert (finding.estimate.counts.n, finding.scope) == (220, "this checkpoint")


def test_captures_make_replicates(logs, tmp_path):
    pattern = f"{logs}/tiny/seed-{{seed}}"
    found = imported("lm-eval", [pattern], tmp_path / "seeds")
    assert {row["replicate"] for row in rows_of(found)} == {'{"seed":"1"}', '{"seed":"2"}'}
    (subject,) = found.manifest["models"]
    assert subject == pattern  # the models call themselves by their folders
    (acc,) = [e for e in found.estimates() if e.key.condition == {"metric": "acc"}]
    assert (acc.n_replicates, acc.counts.n) == (2, 24)


def test_the_same_command_gives_the_same_records(logs, run, tmp_path):
    again = imported("lm-eval", [logs / "scripted"], tmp_path / "again")
    for name in ("records", "items", "outputs", "estimates"):
        one, other = (f.path / f"{name}.parquet" for f in (run, again))
        assert one.read_bytes() == other.read_bytes()


def test_an_import_may_be_repeated_and_nothing_else_is_overwritten(logs, tmp_path):
    model = logs / "tiny" / "seed-1"
    imported("lm-eval", [model], tmp_path / "out")
    imported("lm-eval", [model], tmp_path / "out")
    with pytest.raises(PlanError, match="holds something else"):
        imported("lm-eval", [model], tmp_path)


# --- lines like lm-eval's -----------------------------------------------------------------------


def of_lines(folder, *lines, options=FEW, name="samples_t.jsonl"):
    write_lines(folder / "m" / name, lines)
    return imported("lm-eval", [folder / "m"], folder / "run", options=options)


def test_bad_lines_are_named_and_counted(tmp_path):
    lacking = {k: v for k, v in line(1).items() if k != "doc_id"}
    run = of_lines(tmp_path, line(0), "{", lacking, "", line(2), line(2), "[1]")
    data = run.manifest["data"]["t"]
    assert data["n_bad_rows"] == 4
    found = {row["source"]: row["reason"] for row in data["bad_rows"]}
    assert list(found) == [f"samples_t.jsonl:{k}" for k in (2, 3, 6, 7)]
    assert found["samples_t.jsonl:2"].startswith("no JSON")
    assert found["samples_t.jsonl:3"] == "it has no 'doc_id'"
    assert found["samples_t.jsonl:6"] == "the same item and filter are on line 5"
    with pytest.raises(DataError, match=r"samples_t\.jsonl:2: no JSON"):
        of_lines(tmp_path / "b", line(0), "{", options=replace(FEW, on_bad_row="fail"))


def test_a_task_of_which_nothing_reads_is_left_out_with_a_word(tmp_path):
    write_lines(tmp_path / "m" / "samples_u.jsonl", ["{"])
    run = of_lines(tmp_path, line(0))
    assert list(run.manifest["data"]) == ["t"]
    assert any(text.startswith("u was left out") for text in run.manifest["warnings"])


def test_nothing_that_reads_is_an_error_with_the_first_reason(tmp_path):
    with pytest.raises(DataError, match=r"t was left out: .* is samples_t\.jsonl:1: no JSON"):
        of_lines(tmp_path, "{")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no samples_"):
        imported("lm-eval", [tmp_path / "empty"], tmp_path / "x")


def test_scores_without_a_number_are_undefined_and_others_counted(tmp_path):
    more = {"metrics": ["acc", "f1"], "f1": [1, 0]}
    run = of_lines(tmp_path, line(0, **more), line(1, **more, acc=float("nan")))
    assert [row["status"] for row in rows_of(run, condition=ACC)] == ["ok", "undefined"]
    (estimate,) = run.estimates()
    assert (estimate.counts.n, estimate.counts.undefined) == (1, 1)
    assert run.manifest["data"]["t"]["notes"] == ["2 x f1: no number of a single item"]


def test_items_of_equal_content_stay_apart(tmp_path):
    twin = {"doc_hash": "a" * 64}
    run = of_lines(tmp_path, line(0, **twin), line(1, **twin), line(2))
    names = [row["item"] for row in run.items().to_pylist()]
    assert names == ["a" * 16, "a" * 16 + "-1", f"{2:064x}"[:16]]


def test_older_logs_have_lists_and_no_hashes(tmp_path):
    old = line(3, acc=0.0)
    for name in ("doc_hash", "prompt_hash", "target_hash", "metrics", "filter"):
        del old[name]
    old["arguments"] = [
        ["Sentence 3 is here. It was", " bad"],
        ["Sentence 3 is here. It was", " good"],
    ]
    old["filtered_resps"] = [[-2.0, False], [-0.5, True]]
    run = of_lines(tmp_path, old)
    (item,) = run.items().to_pylist()
    assert (item["item"], json.loads(item["gold"])) == ("doc-3", "good")
    assert run.outputs().to_pylist()[0]["answer"] == "good"
    assert "There is no results_*.json beside the samples in m." in run.manifest["warnings"]


def test_the_question_is_told_from_instructions_and_examples(tmp_path):
    context = "Judge.\n\nA: fine\n\nB: it rained. It was"
    args = {
        f"gen_args_{k}": {"arg_0": context, "arg_1": word} for k, word in enumerate((" no", " yes"))
    }
    results = {
        "model_name": "org/m",
        "n-shot": {"t": 1},
        "configs": {"t": {"description": "Judge.\n\n", "fewshot_delimiter": "\n\n"}},
        "results": {"t": {"acc,none": 0.25, "acc_stderr,none": 0.1}},
    }
    date = "2026-01-02T03-04-05.678"
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / f"results_{date}.json").write_text(json.dumps(results))
    run = of_lines(tmp_path, line(0, arguments=args), name=f"samples_t_{date}.jsonl")
    (item,) = run.items().to_pylist()
    assert json.loads(item["fields"])["text"] == "B: it rained. It was"
    assert run.manifest["warnings"] == [
        "t was asked with 1 examples in front.",
        "org/m on t: lm-eval printed 0.25 for acc; the mean over the logged items is 1.",
    ]


def test_choices_may_stand_in_the_contexts(tmp_path):
    sides = ("The cup fell because the cup", "The cup fell because the table")
    args = {f"gen_args_{k}": {"arg_0": s, "arg_1": " was loose."} for k, s in enumerate(sides)}
    run = of_lines(tmp_path, line(0, arguments=args))
    (item,) = run.items().to_pylist()
    assert json.loads(item["gold"]) == sides[1]
    assert json.loads(item["fields"])["text"] == "Sentence 0 is here."


def test_of_several_dates_the_newest_counts_unless_all_are_wanted(tmp_path):
    for day, hit in (("01", 0.0), ("02", 1.0)):
        name = f"samples_t_2026-01-{day}T00-00-00.jsonl"
        write_lines(tmp_path / "m" / name, [line(k, acc=hit) for k in range(6)])
    newest = imported("lm-eval", [tmp_path / "m"], tmp_path / "newest")
    (estimate,) = newest.estimates()
    assert estimate.value == 1.0
    assert "samples_t_2026-01-01T00-00-00.jsonl (--each-date" in newest.manifest["warnings"][0]
    both = imported("lm-eval", [tmp_path / "m"], tmp_path / "both", each_date=True)
    (estimate,) = both.estimates()
    assert (estimate.value, estimate.n_replicates) == (0.5, 2)


def test_replicates_with_other_items_are_planned_and_skipped(tmp_path):
    for seed, count in ((1, 8), (2, 6)):
        path = tmp_path / f"seed-{seed}" / "samples_t.jsonl"
        write_lines(path, [line(k) for k in range(count)])
    run = imported("lm-eval", [f"{tmp_path}/seed-{{seed}}"], tmp_path / "run")
    lacking = rows_of(run, status="skipped")
    assert {row["reason"] for row in lacking} == {"not_in_log"}
    assert {row["replicate"] for row in lacking} == {'{"seed":"2"}'}
    (estimate,) = run.estimates()
    assert (estimate.counts.n, estimate.counts.skipped) == (6, 2)


def test_a_pattern_may_not_mix_models(tmp_path):
    for seed in (1, 2):
        for model in ("a", "b"):
            write_lines(tmp_path / f"seed-{seed}" / model / "samples_t.jsonl", [line(0)])
    with pytest.raises(DataError, match=r"several models each \(a, b\)"):
        imported("lm-eval", [f"{tmp_path}/seed-{{seed}}"], tmp_path / "run")
    with pytest.raises(DataError, match="Nothing matches"):
        imported("lm-eval", [f"{tmp_path}/sed-{{seed}}"], tmp_path / "run")


def test_logs_are_told_by_what_is_there(logs, tmp_path):
    assert tool_of(str(logs / "scripted")) == "lm-eval"
    assert tool_of(f"{logs}/tiny/seed-{{seed}}") == "lm-eval"
    assert tool_of(str(tmp_path)) is None
    assert tool_of("hf:./v1") is None
