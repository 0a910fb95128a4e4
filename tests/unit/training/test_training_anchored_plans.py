"""Tuned families in plans: trained, probed without markers, compared on what was held out."""

import json
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from anchored_toys import QUICK, frames, make_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.cli import group  # noqa: E402 - torch may be missing
from scrutiny.cli.failures import exit_code_of  # noqa: E402
from scrutiny.core.errors import PlanError  # noqa: E402
from scrutiny.run.driver import run_plan  # noqa: E402
from scrutiny.run.planning.doubtful_data import trained_on_it  # noqa: E402
from scrutiny.run.planning.measurements import make_params  # noqa: E402
from scrutiny.run.planning.plan_file import plan_of  # noqa: E402
from scrutiny.run.planning.resolve import resolve  # noqa: E402
from scrutiny.run.training import with_stand_ins, with_trained  # noqa: E402
from scrutiny.training.finetuning.piece_tasks import TASKS, piece_task  # noqa: E402
from scrutiny.training.finetuning.recipe import (  # noqa: E402
    ControlRecipe,
    FinetuningRecipe,
)

ROWS = [{**row, "heldout": "no" if n % 4 else "yes"} for n, row in enumerate(frames(64))]
HELD_OUT = sum(row["heldout"] == "yes" for row in ROWS)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


def plan(base, folder, *, estimates=(), **control):
    path = folder / "frames.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    params = {**QUICK, "epochs": 1}
    tuned = {"from": "pretrained", "data": "cd", "runs": 2}
    return plan_of(
        {
            "data": {"cd": {"source": f"jsonl:{path}#group=heldout"}},
            "models": {"pretrained": {"source": base}},
            "train": [
                {**tuned, "name": "downstream", "task": "anchored-tagging", "params": params},
                {
                    **tuned,
                    "name": "control",
                    "task": "control-labels",
                    "role": "control",
                    "control_of": "downstream",
                    "params": params,
                    **control,
                },
            ],
            "measure": [
                {
                    "id": "heads",
                    "diagnostic": "attention.heads",
                    "params": {"presets": ["default"]},
                    "nulls": 0,
                }
            ],
            "estimate": list(estimates),
            "resampling": {"draws": 200},
        }
    )


GAIN = {
    "id": "gain",
    "from": "heads",
    "metric": "mean_head(f1)",
    "contrast": {"a": {"subject": "downstream"}, "b": {"subject": "pretrained"}},
}


def test_both_tasks_are_trained_from_the_same_inputs_and_probed(base, tmp_path):
    on_held_out = {**GAIN, "id": "gain_held_out", "where": {"a_heldout": "yes"}}
    made = plan(base, tmp_path, estimates=[GAIN, on_held_out])
    trained = with_trained(made)
    families = {model.name: model for model in trained.models}
    assert families["control"].control_of == "downstream"
    assert families["control"].role == "control"
    assert {families[name].base for name in ("downstream", "control")} == {"pretrained"}
    resolved = resolve(trained)
    said = list(trained_on_it(resolved))
    assert [text.partition(" were")[0] for text in said] == [
        "2 of 2 replicates of downstream",
        "2 of 2 replicates of control",
    ]
    assert all(f"{HELD_OUT} were held out (a_heldout = yes)" in text for text in said)
    folder = run_plan(resolved, tmp_path / "run")
    assert folder.manifest["warnings"] == said
    records = folder.records().to_pylist()
    assert {r["subject"] for r in records} == {"pretrained", "downstream", "control"}
    assert {r["status"] for r in records if r["role"] == "measured"} == {"ok"}
    wanted = ("mean_head(f1)@1", "downstream", "pretrained")
    gains = {
        e.key.group: e
        for e in folder.estimates()
        if (e.key.metric, e.key.subject, e.key.reference) == wanted
    }
    assert gains["all"].counts.n == len(ROWS)
    assert gains["a_heldout = yes"].counts.n == HELD_OUT
    assert gains["a_heldout = yes"].n_units == HELD_OUT
    assert gains["all"].value != gains["a_heldout = yes"].value


def test_items_that_are_not_there_are_refused(base, tmp_path):
    wrong = {**GAIN, "where": {"a_heldout": "maybe"}}
    with with_stand_ins(plan(base, tmp_path, estimates=[wrong])) as (resolvable, _):
        with pytest.raises(
            PlanError, match="no item of 'cd' has a_heldout = maybe; there are no, yes"
        ):
            resolve(resolvable)


def test_a_check_trains_nothing(base, tmp_path):
    with with_stand_ins(plan(base, tmp_path)) as (resolvable, trainings):
        assert [one.name for one in trainings] == ["downstream", "control"]
        assert trainings[0].texts + trainings[0].dev == len(ROWS) - HELD_OUT
        assert len(resolve(resolvable).families["control"].replicates) == 2


def test_nodes_that_do_not_read(base, tmp_path):
    with pytest.raises(PlanError, match=r"train 'control', control_of: .*'downsteam'"):
        with_trained(plan(base, tmp_path, control_of="downsteam"))
    with pytest.raises(PlanError, match=r"train 'control', params: .*'true_share'"):
        with_trained(plan(base, tmp_path, params={"true_shares": 0.5}))
    with pytest.raises(PlanError, match=r"train 'control', params: .*'types'"):
        with_trained(plan(base, tmp_path, task="control-labels", params={"type": "words"}))


# -- the verb --------------------------------------------------------------------------------------


def typed(base, folder, *more):
    path = folder / "frames.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    given = ("train", "finetune", "--model", base, "--data", f"jsonl:{path}#group=heldout")
    quick = "--epochs 1 --seeds 1,2 --lr 0.005 --batch 8 --display none".split()
    return exit_code_of(group, [*given, "--out", str(folder / "out"), *quick, *more])


def test_the_verb_does_what_a_node_does(base, tmp_path, capsys):
    assert typed(base, tmp_path, "--task", "control-labels", "--set", "true_share=0.5") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:3:2]] == ["seed-1", "seed-2"]
    assert f"{HELD_OUT} held-out sentences: accuracy " in lines[1]
    assert lines[1].endswith(" the gate")
    made = plan(base, tmp_path, params={**QUICK, "epochs": 1, "true_share": 0.5})
    control = next(model for model in with_trained(made).models if model.name == "control")
    for seed in (1, 2):
        node = Path(control.source.removeprefix("hf:").format(seed=seed))
        verb = tmp_path / "out" / f"seed-{seed}"
        of_both = [json.loads((one / "training.json").read_text()) for one in (node, verb)]
        assert of_both[0]["identity"] == of_both[1]["identity"]
        assert (node / "model.safetensors").read_bytes() == (
            verb / "model.safetensors"
        ).read_bytes()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (
            ["--task", "anchored-tagging", "--set", "true_share=1"],
            "no parameter named 'true_share'",
        ),
        (["--task", "control-labels", "--set", "types=letters"], "types"),
        (["--task", "control-labels", "--set", "markers=["], "Write --set FIELD=VALUE"),
        (["--task", "control-label"], "There is no task named 'control-label'"),
        ([], "learned by the task anchored-tagging or control-labels"),
    ],
)
def test_mistakes_of_the_verb(base, tmp_path, capsys, more, says):
    assert typed(base, tmp_path, *more) == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_the_plan_of_the_docs_reads():
    page = Path(__file__).parents[3] / "docs" / "control-tasks.md"
    block = page.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    made = plan_of(tomllib.loads(block))
    for node in made.train:
        task = piece_task(node.task)
        assert task is not None
        assert make_params(task.recipe, node.params, where=node.name).epochs == 6
    assert {node.control_of for node in made.train} == {"", "downstream"}
    assert {node.task for node in made.train} < set(TASKS)
    text = page.read_text(encoding="utf-8")
    own = {field.name for field in fields(ControlRecipe)} - {
        field.name for field in fields(FinetuningRecipe)
    }
    assert not [name for name in (*own, *TASKS) if f"`{name}`" not in text]
