"""Training as nodes of plans and as a verb: trained once, checked without training, refused."""

import json
from dataclasses import replace

import pytest
from finetune_toys import make_encoder, sentiment, weights

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from scrutiny.cli import group  # noqa: E402 - torch may be missing
from scrutiny.cli.failures import exit_code_of  # noqa: E402
from scrutiny.core.claim import Claim, Component  # noqa: E402
from scrutiny.core.errors import PlanError, UnknownNameError  # noqa: E402
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan  # noqa: E402
from scrutiny.run import training  # noqa: E402
from scrutiny.run.driver import run_plan  # noqa: E402
from scrutiny.run.planning.doubtful_data import trained_on_it  # noqa: E402
from scrutiny.run.planning.loading import (  # noqa: E402
    LoadedModels,
    Opened,
)
from scrutiny.run.planning.plan_file import plan_of  # noqa: E402
from scrutiny.run.planning.resolve import resolve  # noqa: E402
from scrutiny.run.training import (  # noqa: E402
    Nodes,
    resolved_when_trained,
    with_stand_ins,
    with_trained,
)
from scrutiny.training.finetuning import finetuning  # noqa: E402

PARAMS = {"epochs": 2, "batch": 8, "lr": 2e-2, "head_lr_factor": 1.0, "dev_share": 0.25}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_encoder(tmp_path_factory.mktemp("encoder") / "base")


@pytest.fixture
def files(tmp_path):
    def write(name, rows):
        lines = [f"{row['text']}\t{row['label']}" for row in rows]
        (tmp_path / name).write_text("\n".join(["text\tlabel", *lines]) + "\n")
        return f"tsv:{tmp_path / name}"

    return {
        "train": write("train.tsv", sentiment(40)),
        "dev": write("dev.tsv", sentiment(20, seed=7)),
        "test": write("test.tsv", sentiment(24, seed=8)),
    }


def plan(base, files, *, data="train", measured=("test",), **node):
    return plan_of(
        {
            "data": {name: {"source": source} for name, source in files.items()},
            "train": [
                {"name": "ours", "from": base, "data": data, "runs": 2, "params": PARAMS, **node}
            ],
            "measure": [
                {"id": "level", "diagnostic": "performance", "models": ["ours"], "data": measured}
            ],
            "resampling": {"draws": 200},
        }
    )


class Untrained(AssertionError):
    pass


def refuse(*_, **__):
    raise Untrained


def test_a_node_is_trained_once_and_then_measured(base, files, tmp_path, monkeypatch):
    made = plan(base, files, dev="dev")
    first = with_trained(made)
    family = first.models[-1]
    assert (family.name, family.role, family.random) == ("ours", "measured", ("seed",))
    monkeypatch.setattr(finetuning, "FinetuningRun", refuse)
    assert with_trained(made) == first  # found where it was left
    with pytest.raises(Untrained):
        with_trained(plan(base, files, dev="dev", params={**PARAMS, "epochs": 1}))
    folder = run_plan(resolve(first), tmp_path / "run")
    assert {row["subject"] for row in folder.records().to_pylist()} == {"ours"}
    assert folder.records().num_rows == 2 * 24
    assert folder.manifest["plan"]["train"][0]["name"] == "ours"
    items = folder.items().to_pylist()
    assert {row["dataset"] for row in items} == {"test"}  # what is only trained on is no item


def test_a_mistake_in_what_is_measured_is_found_before_a_long_training(base, files, monkeypatch):
    made = plan(base, files, dev="dev")
    claim = Claim("typo", "x", "plan", (Component("levle", 0.5),))
    wrong = replace(made, claim=(claim,))
    monkeypatch.setattr(training, "_LONG_S", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(finetuning, "FinetuningRun", refuse)
        with pytest.raises(PlanError, match="claim 'typo': There is no estimate"):
            resolved_when_trained(wrong, Opened(LoadedModels()))
    found = resolved_when_trained(made, Opened(LoadedModels()))
    assert found.plan == with_trained(made)


def test_the_folder_is_named_by_what_decides_the_weights(base, files, tmp_path):
    def key(made):
        return Nodes(made, {}).job(made.train[0]).key

    one = key(plan(base, files))
    assert key(plan(base, files, role="control", name="ours")) == one
    assert key(plan(base, files, params={**PARAMS, "lr": 1e-2})) != one
    assert key(plan(base, files, runs=3)) != one
    assert key(plan(base, files, dev="dev")) != one
    other = make_encoder(tmp_path / "other", seed=1)
    assert key(plan(other, files)) != one
    same = make_encoder(tmp_path / "same", seed=0)
    assert key(plan(same, files)) == one  # the same weights in another place


def test_measurements_without_models_take_what_is_trained(base, files):
    made = plan_of(
        {
            "data": {"train": {"source": files["train"]}},
            "models": {"other": {"source": base}},
            "train": [{"name": "ours", "from": base, "data": files["train"]}],
            "measure": [{"id": "level", "diagnostic": "performance", "data": ["train"]}],
        }
    )
    assert made.measure[0].models == ("other", "ours")


def test_a_node_never_trains_on_what_it_is_measured_on(base, files):
    with pytest.raises(PlanError, match="The reported data"):
        with_trained(plan(base, files, measured=("train",)))
    with pytest.raises(PlanError, match="The reported data"):
        with_trained(plan(base, files, dev="test"))
    everything = plan(base, files)
    everything = replace(
        everything, measure=(replace(everything.measure[0], data=("train", "test")),)
    )
    with pytest.raises(PlanError, match="The reported data"):
        with_trained(everything)


def test_a_node_may_be_measured_on_data_of_another_task(base, files, tmp_path):
    made = plan(base, files, task="text-classification")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("text\ttext_pair\tlabel\na\tb\tx\nc\td\ty\n")
    other = DataPlan("pairs", f"tsv:{pairs}")
    measure = MeasurePlan("more", "performance", ("ours",), ("pairs",))
    made = replace(made, data=(*made.data, other), measure=(*made.measure, measure))
    job = Nodes(made, {}).job(made.train[0])
    assert job.parts.task.name == "text-classification"


def test_nodes_that_do_not_read(base, files):
    with pytest.raises(PlanError, match="'gone' is neither data of the plan"):
        with_trained(plan(base, files, data="gone"))
    with pytest.raises(PlanError, match=r"train 'ours', params: .*'epochs'"):
        with_trained(plan(base, files, params={"epoch": 1}))
    with pytest.raises(PlanError, match="epochs must be at least 1"):
        with_trained(plan(base, files, params={"epochs": 0}))
    with pytest.raises(UnknownNameError, match="token-tagging"):
        with_trained(plan(base, files, task="token-taging"))
    made = plan(base, files)
    with pytest.raises(PlanError, match="a model of this name already"):
        with_trained(replace(made, models=(ModelPlan("ours", base),)))
    with pytest.raises(PlanError, match="reverse_negation@1 does not keep the labels"):
        with_trained(plan(base, files, params={**PARAMS, "augment": ["reverse_negation"]}))


def test_a_node_starts_from_a_family_of_the_plan(files, tmp_path):
    for seed in (1, 2):
        make_encoder(tmp_path / "bases" / f"seed-{seed}", seed=seed)
    made = plan("bases", files, runs=None, params={**PARAMS, "epochs": 1})
    bases = ModelPlan("bases", f"hf:{tmp_path}/bases/seed-{{seed}}")
    found = resolve(with_trained(replace(made, models=(bases,))))
    assert [dict(r.random) for r in found.families["ours"].replicates] == [
        {"seed": "1"},
        {"seed": "2"},
    ]


def test_a_check_trains_nothing_and_says_what_would_be(base, files, monkeypatch):
    made = plan(base, files)
    with monkeypatch.context() as patched:
        patched.setattr(finetuning, "FinetuningRun", refuse)
        with with_stand_ins(made) as (resolvable, trainings):
            assert len(resolve(resolvable).families["ours"].replicates) == 2
    one = trainings[0]
    assert (one.runs, one.epochs, one.texts + one.dev, one.is_done) == (2, 2, 40, False)
    assert one.steps == 2 * -(-one.texts // 8)
    assert one.seconds > 0
    assert "about" in " ".join(one.lines())
    with_trained(made)
    with with_stand_ins(made) as (_, trainings):
        assert trainings[0].is_done
        assert "trained already" in " ".join(trainings[0].lines())


def test_the_limit_of_a_run_is_not_one_of_what_it_trains_on(base, files, tmp_path):
    from scrutiny.cli.plans import audit_from_flags, plan_from_flags
    from scrutiny.run.planning.loading import LoadedModels, Opened

    path = tmp_path / "plan.toml"
    text = "\n".join(f'[data.{name}]\nsource = "{source}"' for name, source in files.items())
    text += f'\n[[train]]\nname = "ours"\nfrom = "{base}"\ndata = "train"\n'
    measure = '[[measure]]\nid = "d"\ndiagnostic = "performance"\ndata = ["test"]\n'
    path.write_text(text + measure)
    flags = {"what": str(path), "limit": "5", "seed": None, "on_bad_row": "skip"}
    limits = {one.name: one.limit for one in plan_from_flags(flags).data}
    assert limits == {"train": None, "dev": "5", "test": "5"}
    path.write_text(text)
    with pytest.raises(PlanError, match="trains 'ours', and an audit measures what is there"):
        audit_from_flags({**flags, "plan": path}, Opened(LoadedModels()))


def test_data_that_chose_a_checkpoint_are_named(base, files):
    training = with_trained(plan(base, files, dev="dev"))
    again = replace(
        training, train=(), measure=(replace(training.measure[0], data=("dev", "test")),)
    )
    assert [text for text in trained_on_it(resolve(again)) if "dev" in text] == list(
        trained_on_it(resolve(again))
    )
    assert next(trained_on_it(resolve(again))).startswith("2 of 2 replicates of ours")
    assert not list(trained_on_it(resolve(training)))


def test_leakage_applies_to_what_was_trained_here(base, files, tmp_path):
    training = with_trained(plan(base, files))
    leakage = replace(training.measure[0], id="leakage", diagnostic="leakage", data=("train",))
    found = run_plan(resolve(replace(training, train=(), measure=(leakage,))), tmp_path / "run")
    values = [row["values"][0] for row in found.records().to_pylist()]
    assert len(values) == 80
    assert sum(values) / 80 > 0.7  # all but the dev part


# -- the verb --------------------------------------------------------------------------------------


def typed(*arguments):
    return exit_code_of(group, ["train", "finetune", *map(str, arguments)])


QUICK = ["--epochs", 1, "--batch", 8, "--lr", 0.02, "--display", "plain"]


def test_the_verb_trains_all_seeds_and_says_how_to_name_them(base, files, tmp_path, capsys):
    out = tmp_path / "out"
    given = ["--model", base, "--data", files["train"], "--dev", files["dev"], "--out", out]
    assert typed(*given, "--seeds", "1,4", *QUICK) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0].startswith("seed-1: dev accuracy ")
    assert lines[1].startswith("seed-4: ")
    assert "sd over runs" in lines[2]
    assert lines[3] == f"model: hf:{out}/seed-{{seed}}"
    assert "Training: 10 steps" in said.err
    assert "seed-4, epoch 1 of 1" in said.err
    before = weights(out / "seed-4")
    assert typed(*given, "--seeds", "1,4", *QUICK, "--json") == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["seed"] for one in found] == [1, 4]
    assert weights(out / "seed-4") == before


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--seeds", "1;2"], "--seeds '1;2' cannot be read"),
        (["--seeds", "1", "--runs", "2"], "give one of the two"),
        (["--dev", "TRAIN"], "The dev data"),
        (["--reported", "TRAIN"], "The reported data"),
        (["--dev-share", "1.5"], "dev_share must lie between 0 and 1"),
        (["--augment", "typoes"], "Did you mean 'typos"),
        (["--model", "hf:./nowhere"], "no such folder"),
    ],
)
def test_mistakes_are_one_paragraph(base, files, tmp_path, capsys, more, says):
    more = [files["train"] if part == "TRAIN" else part for part in more]
    given = ["--model", base, "--data", files["train"], "--out", tmp_path / "out", *more, *QUICK]
    assert typed(*given) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert says in said
    assert "Traceback" not in said


def test_an_interrupted_verb_goes_on(base, files, tmp_path, capsys, monkeypatch):
    from scrutiny.cli.progress import Lines

    out = tmp_path / "out"
    given = ["--model", base, "--data", files["train"], "--out", out, "--seeds", "1,2", *QUICK]
    with monkeypatch.context() as patched:
        patched.setattr(Lines, "advance", interrupt_at(7))
        assert typed(*given) == 130
    assert (out / "seed-1").is_dir()
    assert not (out / "seed-2").exists()
    before = (out / "seed-1" / "training.json").stat().st_mtime_ns
    capsys.readouterr()
    assert typed(*given) == 0
    assert (out / "seed-1" / "training.json").stat().st_mtime_ns == before
    assert "done before" in capsys.readouterr().err


def interrupt_at(step):
    count = iter(range(1, 1000))

    def advance(self, phase, *, asked=0, cached=0):
        if next(count) == step:
            raise KeyboardInterrupt

    return advance
