"""Small classifiers as nodes of plans: trained once, checked without training, refused by name."""

import json
from dataclasses import replace

import pytest
from word_texts import write_rows

pytest.importorskip("sklearn")

from scrutiny.core.errors import PlanError, StorageError
from scrutiny.core.registry import registry
from scrutiny.run import training
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.doubtful_data import trained_on_it
from scrutiny.run.planning.plan_file import plan_of
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.training import Nodes, recipe_of_node, with_stand_ins, with_trained
from scrutiny.training.job import held
from scrutiny.training.words.linear import LinearRecipe

TESTED = "sentence\tlabel\nthe end was good\tpos\na tired end\tneg\nfine , really fine\tpos\n"
SMALL = {"embedding": 4, "hidden": 4, "epochs": 2, "batch": 32, "lr": 0.02}


@pytest.fixture
def files(tmp_path):
    (tmp_path / "test.tsv").write_text(TESTED)
    (tmp_path / "dev.tsv").write_text(TESTED.replace("end", "start"))
    return {
        "train": write_rows(tmp_path / "train.tsv"),
        "test": f"tsv:{tmp_path / 'test.tsv'}#text=sentence,label=label",
        "dev": f"tsv:{tmp_path / 'dev.tsv'}#text=sentence,label=label",
    }


def plan(files, *, measured=("test",), data="train", **node):
    own = {"name": "words", "trainer": "linear", "data": data, "runs": 2, **node}
    return plan_of(
        {
            "data": {name: {"source": source} for name, source in files.items()},
            "train": [{key: value for key, value in own.items() if value is not None}],
            "measure": [
                {"id": "level", "diagnostic": "performance", "models": ["words"], "data": measured}
            ],
            "resampling": {"draws": 200},
        }
    )


class Trained(AssertionError):
    pass


def refuse(*_, **__):
    raise Trained


class Heard:
    """Everything that was told."""

    def __init__(self):
        self.steps, self.notes, self.started = 0, [], []

    def start(self, phase, *, total, done):
        self.started.append((phase, total, done))

    def advance(self, phase, *, asked=0, cached=0):
        self.steps += 1

    def passed(self, text):
        self.notes.append(text)

    def note(self, text):
        self.notes.append(text)


def test_a_node_is_trained_once_and_then_measured(files, tmp_path, monkeypatch):
    made = plan(files)
    first = with_trained(made)
    family = first.models[-1]
    assert (family.name, family.role, family.random) == ("words", "measured", ("seed",))
    assert family.source.startswith("linear:")
    monkeypatch.setattr(LinearRecipe, "fit", refuse)
    assert with_trained(made) == first  # found where it was left
    with pytest.raises(Trained):
        with_trained(plan(files, params={"strength": 0.5}))
    folder = run_plan(resolve(first), tmp_path / "run")
    assert folder.records().num_rows == 2 * 3
    model = folder.manifest["models"]["words"]
    assert model["replicates_of"] == "training-sample"
    assert [one["random"] for one in model["replicates"]] == [{"seed": "1"}, {"seed": "2"}]
    assert folder.manifest["plan"]["train"][0]["trainer"] == "linear"
    assert folder.manifest["promise"] == "records are byte-identical"


def test_the_folder_is_named_by_what_decides_the_weights(files):
    def key(**node):
        made = plan(files, **node)
        return Nodes(made, {}).job(made.train[0]).key

    one = key()
    assert key(role="control", params={"least": 2}) == one  # 2 is the default
    assert key(runs=None, seeds=[1, 2]) == one
    assert key(runs=3) != one
    assert key(params={"least": 1}) != one
    assert key(dev="dev") != one


def test_seeds_name_the_replicates_and_roles_go_along(files):
    made = plan(files, runs=None, seeds=[3, 7], role="control", control_of="words")
    found = with_trained(made)
    assert (found.models[-1].role, found.models[-1].control_of) == ("control", "words")
    families = resolve(found).families
    assert [one.random["seed"] for one in families["words"].replicates] == ["3", "7"]


@pytest.mark.parametrize("trainer", ["recurrent", "attention-classifier", "convolution"])
def test_networks_are_trained_with_flat_parameters(files, trainer, tmp_path):
    pytest.importorskip("torch")
    heard = Heard()
    made = plan(files, trainer=trainer, params=SMALL)
    found = with_trained(made, progress=heard)
    member = resolve(found).families["words"].replicates[0].source.partition(":")[2]
    record = json.loads((tmp_path / member / "training.json").read_text())
    assert record["recipe"]["architecture"]["hidden"] == 4
    assert record["recipe"]["epochs"] == len(record["epochs"]) == 2
    assert record["replicates_of"] == "training"
    steps = 2 * -(-record["data"]["train"]["n"] // 32)
    assert heard.started == [("train", 2 * steps, 0)]
    assert heard.steps == 2 * steps
    said = [note.rpartition(":")[0] for note in heard.notes]
    assert said == ["train words: seed-1", "train words: seed-2"]
    with_trained(made, progress=heard)
    assert heard.steps == 2 * steps  # nothing is told of what is done
    run = run_plan(resolve(found), tmp_path / "run")
    assert set(run.records()["status"].to_pylist()) == {"ok"}


def test_what_an_interruption_left_is_kept(files, monkeypatch):
    fit, made = LinearRecipe.fit, plan(files)

    def interrupted(self, parts, *, seed, on_step):
        if seed == 2:
            raise KeyboardInterrupt
        return fit(self, parts, seed=seed, on_step=on_step)

    with monkeypatch.context() as patched:
        patched.setattr(LinearRecipe, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            with_trained(made)
    heard = Heard()
    (family,) = with_trained(made, progress=heard).models
    assert heard.started == [("train", 2, 1)]
    assert heard.steps == 1
    folder = training._home() / family.source.split("/")[-2]
    assert sorted(path.name for path in folder.iterdir()) == ["seed-1", "seed-2"]


def test_two_processes_do_not_train_the_same(files):
    made = plan(files)
    job = Nodes(made, {}).job(made.train[0])
    with held(training._home() / job.key / "seed-1"):
        with pytest.raises(StorageError, match="is in use: process"):
            with_trained(made)
    with_trained(made)


@pytest.mark.parametrize(
    ("trainer", "params"),
    [("linear", {}), ("recurrent", SMALL), ("attention-classifier", SMALL)],
)
def test_a_check_trains_nothing_and_says_what_would_be(files, trainer, params):
    if trainer != "linear":
        pytest.importorskip("torch")
    made = plan(files, trainer=trainer, params=params)
    with with_stand_ins(made) as (resolvable, (one,)):
        family = resolve(resolvable).families["words"]
        assert len(family.replicates) == 2
        assert str(training._home()) not in family.source
    assert not training._home().exists()
    assert (one.trainer, one.runs, one.texts + one.dev, one.is_done) == (trainer, 2, 144, False)
    assert one.epochs == params.get("epochs", 0)
    assert one.seconds > 0
    said = " ".join(one.lines())
    assert said.startswith(f"train words: {trainer} on train")
    assert ("epochs" in said) == (trainer != "linear")
    with_trained(made)
    with with_stand_ins(made) as (_, (one,)):
        assert one.is_done
        assert "trained already" in " ".join(one.lines())


def test_labels_too_rare_for_a_sample_are_timed_on_all_rows(files, monkeypatch):
    monkeypatch.setattr("scrutiny.training.words.linear._TIMED", 1)
    with with_stand_ins(plan(files)) as (resolvable, (one,)):
        assert one.seconds > 0
        assert len(resolve(resolvable).families["words"].replicates) == 2


def test_data_that_trained_a_family_are_named(files):
    trained = with_trained(plan(files))
    again = replace(trained, train=(), measure=(replace(trained.measure[0], data=("train",)),))
    (said,) = trained_on_it(resolve(again))
    assert said.startswith("2 of 2 replicates of words were trained on train")
    assert not list(trained_on_it(resolve(trained)))


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ({"trainer": "liner"}, "train 'words': There is no trainer named 'liner'. Did you mean"),
        ({"from": "minilm"}, "linear starts from scratch, so leave from out"),
        ({"random": ["seed"]}, "linear starts from scratch, so leave random out"),
        ({"seeds": [1, 2]}, "seeds names the models and runs counts them"),
        ({"runs": None, "seeds": [1, 1]}, "train 'words': seeds are different whole numbers"),
        ({"trainer": "finetune"}, "finetune starts from a model.*linear@1, recurrent@1"),
        ({"task": "control-labels"}, "train 'words': linear models are trained for text-"),
        ({"params": {"leest": 1}}, "params: There is no parameter named 'leest'.*'least'"),
        ({"params": {"least": 0}}, "params: least must be at least 1"),
        ({"trainer": "recurrent", "params": {"hiden": 1}}, "no parameter named 'hiden'.*'hidden'"),
        ({"trainer": "recurrent", "params": {"cell": "rnn"}}, "params: .*cell"),
        ({"measured": ("train",)}, "train 'words': The reported data"),
        ({"dev": "test"}, "train 'words': The reported data"),
    ],
)
def test_nodes_that_do_not_read(files, node, says):
    with pytest.raises(PlanError, match=says):
        with_trained(plan(files, **node))


def test_data_of_another_task_are_refused(files, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("text\ttext_pair\tlabel\na\tb\tx\nc\td\ty\n")
    made = plan({**files, "pairs": f"tsv:{path}"}, data="pairs")
    stated = tuple(
        replace(one, task="text-pair-classification") if one.name == "pairs" else one
        for one in made.data
    )
    with pytest.raises(PlanError, match=r"of the task text-pair-classification, and linear"):
        with_trained(replace(made, data=stated))


def test_inner_fields_are_named_without_their_holder():
    from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture
    from scrutiny.training.words.network_recipes import RecurrentRecipe

    made = recipe_of_node(RecurrentRecipe, {"cell": "gru", "lr": 0.1, "layers": 2}, where="here")
    assert made == RecurrentRecipe(RecurrentArchitecture(cell="gru", layers=2), lr=0.1)
    assert recipe_of_node(RecurrentRecipe, {}, where="here") == RecurrentRecipe()
    with pytest.raises(PlanError, match="here: There is no parameter named 'architecture'"):
        recipe_of_node(RecurrentRecipe, {"architecture": {}}, where="here")


@pytest.mark.parametrize("name", registry().names("trainer"))
def test_every_trainer_keeps_the_promises(name):
    trainer = registry().load("trainer", name)
    assert isinstance(trainer.says, str)
    assert registry().resolve("adapter", trainer.scheme)
    assert isinstance(trainer.has_base, bool)
    assert isinstance(trainer.reads(""), str)
    kind = trainer.recipe("")
    assert recipe_of_node(kind, {}, where="here") == kind()
    for method in ("job", "train", "stand_in"):
        assert callable(getattr(trainer, method))
