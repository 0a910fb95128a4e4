"""Logs of inspect as runs."""

import json
import zipfile

import pytest
from tool_logs import imported, rows_of, unpacked

from scrutiny.core.errors import DataError
from scrutiny.report.load import load_view
from scrutiny.report.text import write_terminal
from scrutiny.run.importing import inspect_log
from scrutiny.run.importing.import_logs import tool_of


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return unpacked("inspect", tmp_path_factory.mktemp("inspect"))


@pytest.fixture(scope="module")
def run(logs, tmp_path_factory):
    return imported("inspect", [logs / "v1-eval"], tmp_path_factory.mktemp("run") / "v1")


def value_of(run, metric):
    return next(e for e in run.estimates() if e.key.condition == {"metric": metric})


@pytest.mark.reproduces
def test_epochs_are_replicates_and_the_means_are_those_that_inspect_printed(run):
    match = value_of(run, "match")
    assert (match.key.metric, match.n_replicates, match.counts.n) == ("accuracy@1", 2, 12)
    (file,) = inspect_log.files_of(next(iter(_paths(run))), {})
    for score in file.header["results"]["scores"]:
        scorer, name = score["scorer"], score["name"]
        printed = score["metrics"].get("accuracy", score["metrics"].get("mean"))["value"]
        ours = value_of(run, scorer if scorer == name else f"{scorer}.{name}").value
        assert ours == pytest.approx(printed)
    assert run.manifest["warnings"] == ["stories: 2 epochs, kept as replicates."]
    assert "epochs" in run.manifest["models"]["mockllm/model"]["replicates_of"]


def _paths(run):
    """The log that a run was read from."""
    name = run.manifest["data"]["stories"]["source"].partition(":")[2]
    return [p for p in LOGS if p.name == name]


LOGS = []


@pytest.fixture(scope="module", autouse=True)
def _known(logs):
    LOGS.extend(logs.rglob("*.eval"))


def test_numbers_that_are_not_all_0_or_1_are_means(run):
    assert value_of(run, "brevity").key.metric == "mean@1"
    assert value_of(run, "manners.letters").key.metric == "mean@1"
    assert value_of(run, "manners.polite").key.metric == "accuracy@1"
    half = rows_of(run, item="q0", condition='{"metric":"brevity"}')[0]
    assert half["values"] == [0.0, 0.5]  # "Well, yes": no full marks


def test_items_keep_text_gold_place_and_metadata(run):
    first, fourth = (run.items().to_pylist()[k] for k in (0, 3))
    assert first["item"] == "q0"
    assert json.loads(first["fields"])["text"] == "Is it said that the river of story 0 is old?"
    assert (json.loads(first["gold"]), json.loads(fourth["gold"])) == ("yes", "no")
    assert first["source"].endswith(".eval:samples/q0_epoch_1.json")
    answer = run.outputs().to_pylist()[0]
    assert (answer["said"], answer["replicate"]) == ("Well, yes", '{"epoch":"1"}')


def test_the_json_form_says_the_same(logs, run, tmp_path):
    found = imported("inspect", [logs / "v1-json"], tmp_path / "json")
    assert {row["replicate"] for row in rows_of(found)} == {None}
    ours = {(r["item"], r["condition"]): r["values"] for r in rows_of(found)}
    theirs = {
        (r["item"], r["condition"]): r["values"] for r in rows_of(run, replicate='{"epoch":"1"}')
    }
    assert len(ours) == 4 * 4
    assert ours.items() <= theirs.items()


def test_the_report_reads_the_run(run, capsys):
    write_terminal(load_view(run.path))
    assert "match · accuracy" in capsys.readouterr().out


def test_logs_are_told_by_what_is_there(logs, tmp_path):
    assert tool_of(str(logs)) == "inspect"
    assert tool_of(str(logs / "v1-json")) == "inspect"
    (tmp_path / "other.json").write_text('{"version": 1}')
    assert tool_of(str(tmp_path)) is None
    with pytest.raises(DataError, match="holds no log of inspect"):
        imported("inspect", [tmp_path], tmp_path / "out")


# --- logs like inspect's ------------------------------------------------------------------------


def sample(number, **more):
    return {
        "id": number,
        "epoch": 1,
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": f"Question {number}?"}]},
        ],
        "target": ["four", "4"],
        "output": {"choices": [{"message": {"content": "4"}}]},
        "scores": {"judge": {"value": "C", "answer": "4"}},
        "metadata": {"is_long": True},
        **more,
    }


def log_of(folder, *samples, status="success", **spec):
    """A JSON log."""
    known = {"task": "sums", "model": "org/m", "created": "2026-01-01", "config": {"epochs": 1}}
    header = {"version": 2, "status": status, "eval": {**known, **spec}, "results": None}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.json").write_text(json.dumps({**header, "samples": list(samples)}))
    return folder


def test_letters_errors_and_missing_scores(tmp_path):
    samples = (
        sample(1),
        sample(2, scores={"judge": {"value": "P"}}),
        sample(3, scores={"judge": {"value": "unclear"}}),
        sample(4, scores={}, error={"message": "died"}),
        sample(5, scores={}, limit={"type": "token"}),
        sample(6, scores={"judge": {"value": ["C", "I"]}}),
        sample(7, scores={"judge": {"value": "N"}}),
        {"id": 8},
    )
    run = imported("inspect", [log_of(tmp_path / "log", *samples)], tmp_path / "run")
    found = {row["item"]: (row["status"], row["reason"]) for row in rows_of(run)}
    assert found["4"] == ("failed", "sample_error")
    assert found["3"] == ("undefined", "no_number")
    assert found["5"] == found["6"] == ("undefined", "no_score")
    values = {row["item"]: row["values"] for row in rows_of(run, status="ok")}
    assert values == {"1": [1.0, 1.0], "2": [0.0, 0.5], "7": [0.0, 0.0]}
    data = run.manifest["data"]["sums"]
    assert data["notes"] == [
        "1 x halted by a limit; kept with the score that it has",
        "1 x judge: several values for one sample",
    ]
    assert data["bad_rows"][0]["source"] == "log.json:samples[7]"
    estimate = value_of(run, "judge")
    assert estimate.key.metric == "mean@1"  # half marks are no 0 or 1
    assert (estimate.counts.n, estimate.counts.undefined, estimate.counts.failed) == (3, 3, 1)


def test_conversations_lists_of_targets_and_settings(tmp_path):
    settings = {"temperature": 0.7, "seed": None}
    log = log_of(tmp_path / "log", sample(1), status="cancelled", model_generate_config=settings)
    run = imported("inspect", [log], tmp_path / "run")
    (item,) = run.items().to_pylist()
    assert json.loads(item["fields"])["text"] == "Question 1?"
    assert json.loads(item["gold"]) == "four | 4"
    assert run.manifest["warnings"] == [
        "log.json ended with the status 'cancelled': it may lack samples.",
        'org/m was asked with {"temperature":0.7}.',
    ]


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return path


def test_archives_that_were_never_finished_and_samples_in_pieces(tmp_path):
    spec = {"task": "sums", "model": "m", "created": "2026-01-01", "config": {"epochs": 1}}
    path = archive(
        tmp_path / "log.eval",
        [
            ("_journal/start.json", {"version": 2, "eval": spec}),
            (
                "samples/1_epoch_1.json",
                sample(1, input="attachment://x", attachments={"x": "Long?"}),
            ),
            ("samples/2_epoch_1/sample.json", sample(2, metadata={})),
            ("samples/2_epoch_1/metadata.json", {"kind": "two"}),
            ("samples/2_epoch_1/events/0.json", []),
            ("samples/3_epoch_1.json", "{"),
        ],
    )
    run = imported("inspect", [path], tmp_path / "run")
    assert [json.loads(r["fields"])["text"] for r in run.items().to_pylist()] == [
        "Long?",
        "Question 2?",
    ]
    assert (
        run.manifest["data"]["sums"]["bad_rows"][0]["source"] == "log.eval:samples/3_epoch_1.json"
    )
    assert "'started'" in run.manifest["warnings"][0]


def test_a_damaged_member_is_a_bad_line_and_a_damaged_header_an_error(logs, tmp_path):
    (path,) = (logs / "v2-eval").iterdir()
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as whole:
        info = whole.getinfo("samples/q0_epoch_1.json")
    content[info.header_offset + 400] ^= 0xFF
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(bytes(content))
    run = imported("inspect", [damaged], tmp_path / "run")
    data = run.manifest["data"]["stories"]
    assert [row["source"] for row in data["bad_rows"]] == ["damaged.eval:samples/q0_epoch_1.json"]
    assert rows_of(run, status="skipped", item="q0")  # the other epoch has it
    with zipfile.ZipFile(path) as whole:
        content[whole.getinfo("header.json").header_offset + 300] ^= 0xFF
    damaged.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"damaged\.eval' is no log of inspect"):
        imported("inspect", [damaged], tmp_path / "other")
