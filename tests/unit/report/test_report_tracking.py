"""Trackers of experiments: what they are told of a run, by real MLflow and Weights & Biases."""

import json
import re
import struct
import sys
import threading
import time
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
import report_sample
from werkzeug.serving import make_server

import scrutiny
from scrutiny.core.errors import DataError, MissingExtraError, PlanError
from scrutiny.report.exports.tracking import Tracked, log_to
from scrutiny.report.load import load_view

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of packages that are not ours
    pytest.mark.allow_hosts(["127.0.0.1", "localhost"]),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("tracked") / "run 1"
    rows = [{"text": "good", "label": "positive"}, {"text": "bad", "label": "negative"}] * 40
    return scrutiny.run(
        "robustness", "builtin:sentiment/seed-1", rows, out=out, transformations=["typos"], draws=1
    )


@pytest.fixture
def told(run):
    return Tracked.of(load_view(run.path))


def test_numbers_have_their_limits_and_items_beside_them(run, told):
    (risk,) = (r for r in run.risks if r["what"] == "typos")
    names = ("risk/typos", "risk/typos.low", "risk/typos.high")
    assert [told.metrics[n] for n in names] == [risk[n] for n in ("cost", "low", "high")]
    assert told.tags["risk.typos"] == risk["state"]
    assert told.tags["scrutiny.run"] == run.manifest["identity"]
    assert sum(v for n, v in told.metrics.items() if n.startswith("risks/")) == 1
    assert told.name == "run 1"
    assert told.params["seed_of_the_run"] == "0"


def test_names_are_those_that_trackers_take_and_texts_are_cut():
    view = report_sample.sample()
    odd = "a(b) c:\n" + "é" * 600
    estimates = tuple(replace(e, key=replace(e.key, dataset=odd)) for e in view.estimates)
    found = Tracked.of(replace(view, estimates=estimates, facts=replace(view.facts, command=odd)))
    names = (*found.metrics, *found.params, *found.tags)
    assert all(re.fullmatch(r"[A-Za-z0-9_./-]+", name) for name in names)
    assert max(map(len, (*found.params.values(), *found.tags.values()))) <= 500
    assert not any(map(isnan, found.metrics.values()))


def test_what_was_not_tested_has_a_state_and_no_cost(run):
    view = load_view(run.path)
    (finding,) = (f for f in view.findings if f.claim.risk)
    assert finding.estimate.value is not None
    found = Tracked.of(replace(view, findings=(replace(finding, verdict="not tested"),)))
    assert found.tags["risk.typos"] == "not tested"
    assert "risk/typos" not in found.metrics
    assert found.metrics["risks/not_tested"] == 1


def test_a_run_without_anything_tells_nothing():
    bare = replace(report_sample.sample(), estimates=(), findings=())
    assert Tracked.of(bare).metrics == {}


def test_an_unknown_tracker_is_refused(run):
    with pytest.raises(PlanError, match="'comet' names no tracker: write mlflow"):
        run.log_to("comet")


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
def test_a_tracker_that_is_not_installed_is_told_with_its_extra(run, tracker, monkeypatch):
    monkeypatch.setitem(sys.modules, tracker, None)
    with pytest.raises(MissingExtraError, match=rf"scrutiny\[{tracker}\]"):
        run.log_to(tracker)


def logged(client, run_id, told, folder):
    """Hold what a server has against what it was told."""
    kept = client.get_run(run_id)
    assert kept.data.metrics == pytest.approx(told.metrics)
    assert dict(kept.data.params) == told.params
    assert told.tags.items() <= kept.data.tags.items()
    page = client.download_artifacts(run_id, "report.html", str(folder))
    assert Path(page).read_text(encoding="utf-8").startswith("<!doctype html>")
    return kept


def test_mlflow_keeps_all_in_files(run, told, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    uri = (tmp_path / "runs").as_uri()
    said = run.log_to(f"mlflow:{uri}")
    assert said.startswith(f"Logged {len(told.metrics)} metrics and the page to MLflow, run ")
    client = mlflow.MlflowClient(uri)
    run_id = said.removesuffix(".").rpartition(" ")[2]
    kept = logged(client, run_id, told, tmp_path)
    assert (kept.info.run_name, kept.info.status) == ("run 1", "FINISHED")
    experiment = client.get_experiment(kept.info.experiment_id)
    assert experiment.name == "scrutiny"
    run.log_to(f"mlflow:{uri}")  # another run of the same experiment
    assert len(client.search_runs([kept.info.experiment_id])) == 2


def test_mlflow_takes_it_into_the_active_run(run, told, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as active:
        said = run.log_to("mlflow")
    assert active.info.run_id in said
    logged(mlflow.MlflowClient(), active.info.run_id, told, tmp_path)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Address of MLflow's own server, with its database, in a thread of this process."""
    pytest.importorskip("mlflow")
    # mlflow-skinny leaves them out
    for needed in ("flask_cors", "graphene", "alembic"):
        pytest.importorskip(needed)
    from mlflow.server import constants

    kept = {
        constants.BACKEND_STORE_URI_ENV_VAR: f"sqlite:///{tmp_path / 'runs.db'}",
        constants.ARTIFACTS_DESTINATION_ENV_VAR: str(tmp_path / "artifacts"),
        constants.SERVE_ARTIFACTS_ENV_VAR: "true",
        constants.ARTIFACT_ROOT_ENV_VAR: "mlflow-artifacts:/",
    }
    for name, value in kept.items():
        monkeypatch.setenv(name, value)
    from mlflow.server import app

    with make_server("127.0.0.1", 0, app, threaded=True) as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()
        thread.join()


def test_a_real_server_takes_it(run, told, server, tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    run_id = run.log_to(f"mlflow:{server}").removesuffix(".").rpartition(" ")[2]
    logged(mlflow.MlflowClient(server), run_id, told, tmp_path)
    assert (tmp_path / "runs.db").is_file()


def test_a_server_that_is_not_there_is_told_in_a_paragraph(run, monkeypatch):
    pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with pytest.raises(DataError, match="MLflow did not take the run: ") as refused:
        run.log_to("mlflow:http://127.0.0.1:9")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600


def records(data):
    """What wandb's own process wrote: blocks of 32 KiB with pieces of messages, as in LevelDB."""
    from wandb.proto.wandb_internal_pb2 import Record

    assert data.startswith(b":W&B")
    at, message = 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:  # too little of the block is left for a piece
            at += 32768 - at % 32768
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        message += data[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # whole, or the last piece
            yield Record.FromString(message)
            message = b""


def test_wandb_keeps_all_offline(run, told, tmp_path, monkeypatch):
    """Its own client and process; what another computer would be sent is what the file has."""
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    said = log_to(load_view(run.path), "wandb:audits")
    assert said.startswith(f"Logged {len(told.metrics)} metrics and the page to Weights & Biases")
    assert said.endswith("of project audits.")
    (kept,) = (tmp_path / "wandb").glob("offline-run-*/*.wandb")
    size = -1
    while size != (size := kept.stat().st_size):  # its process may still be writing
        time.sleep(0.5)
    summary, config, files = {}, {}, []
    for record in records(kept.read_bytes()):
        summary |= {one.key: json.loads(one.value_json) for one in record.summary.update}
        config |= {one.key: json.loads(one.value_json) for one in record.run.config.update}
        files += [one.path for one in record.request.log_artifact.artifact.manifest.contents]
        files += [one.path for one in record.artifact.manifest.contents]
    assert {name: summary[name] for name in told.metrics} == pytest.approx(told.metrics)
    assert (told.params | told.tags).items() <= config.items()
    assert files == ["report.html"]
