"""The zoo's driver at the smallest sizes: order, equal text, resuming, and what is shipped."""

import json
import sys
from pathlib import Path

import pytest
from pretraining_texts import DOCUMENTS, write_texts

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from scrutiny.models.strings.training_records import TrainingGoal  # noqa: E402
from scrutiny.training.competence.masked import read_pairs  # noqa: E402
from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe  # noqa: E402

sys.path.insert(0, str(Path(__file__).parents[3] / "tools" / "zoo"))
import competence  # noqa: E402
import goals  # noqa: E402
import package  # noqa: E402
import recipe  # noqa: E402
import train  # noqa: E402

sys.path.pop(0)


def tiny(layers, steps):
    return PretrainingRecipe(
        layers=layers, hidden=16, heads=2, feed_forward=32, positions=96, steps=steps,
        phases=(Phase(1.0, 16, 4),), precision="fp32",
    )  # fmt: skip


EDITION = recipe.Edition(
    first=tiny(1, 4), further=tiny(1, 6), seeds=(1, 2), checkpoints=(2, 5), with_checkpoints=(1,)
)
RUNS = [
    "first-2x128/seed-1", "bert-2x128/seed-1", "bert-4x128/seed-1",
    "first-2x128/seed-2", "bert-2x128/seed-2", "bert-4x128/seed-2", "bert-2x128-distilled/seed-1",
]  # fmt: skip


LONG = [[line for document in DOCUMENTS for line in document] * 2] * 4


class Killed(Exception):
    pass


class StopsOrDies:
    """Goes on so many steps, then says stop, or ends all at once."""

    def __init__(self, steps, *, dies):
        self.left, self.dies = steps, dies

    def __call__(self):
        self.left -= 1
        if self.left < 0 and self.dies:
            raise Killed
        return self.left < 0


@pytest.fixture(scope="module", autouse=True)
def few_pairs():
    patch = pytest.MonkeyPatch()
    patch.setattr(competence, "read_pairs", lambda: read_pairs()[::40])
    yield
    patch.undo()


def working_folder(folder):
    for part in ("training", "held_out"):
        (folder / "texts" / part).mkdir(parents=True)
        write_texts(folder / "texts" / part, LONG)
    (folder / "texts" / "texts.json").write_text(json.dumps({"training": {}, "held_out": {}}))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Trained without a stop."""
    work = working_folder(tmp_path_factory.mktemp("whole"))
    assert train.train_all(work, EDITION, lambda: False)
    return work


def record(work, run):
    return json.loads((work / "runs" / run / "training.json").read_text())


def test_runs_are_trained_in_order_and_measured(whole):
    said = (whole / "progress.txt").read_text().splitlines()
    finished = [line.split()[2].rstrip(":") for line in said if "masked accuracy" in line]
    assert [name for name in finished if "step-" not in name] == RUNS
    assert all((whole / "runs" / run / "competence.json").exists() for run in RUNS)


def test_sizes_and_the_student_meet_equal_text_from_one_start(whole):
    small, large, student = (
        record(whole, f"{family}/seed-1") for family in (recipe.SMALL, recipe.LARGE, recipe.STUDENT)
    )
    assert small["started_from"] == large["started_from"] == student["started_from"]
    assert small["started_from"]["steps"] == 4
    assert {**large["recipe"], "layers": 1} == small["recipe"] == student["recipe"]
    assert large["recipe"]["layers"] == 2
    assert student["distilled_from"]["name"] == "zoo:bert-4x128/seed-1"
    assert small["distilled_from"] is large["distilled_from"] is None


def test_killed_again_and_again_it_comes_to_the_same_bits(whole, tmp_path):
    work = working_folder(tmp_path)
    (work / "tokenizer").symlink_to(whole / "tokenizer")
    is_whole, calls = False, 0
    while not is_whole:
        calls += 1
        try:  # by turns stopped, with its state saved, and killed without a warning
            is_whole = train.train_all(work, EDITION, StopsOrDies(3 + calls, dies=calls % 2 == 0))
        except Killed:
            continue
    assert calls > 6
    found = sorted(path.relative_to(whole) for path in whole.rglob("model.safetensors"))
    assert len(found) == len(RUNS) + 2 * len(EDITION.checkpoints)  # of both sizes
    for path in found:
        one, other = load_file(whole / path), load_file(work / path)
        assert all(torch.equal(one[name], other[name]) for name in one), path


def test_a_stop_saves_where_it_stands(whole, tmp_path):
    work = working_folder(tmp_path)
    (work / "tokenizer").symlink_to(whole / "tokenizer")
    assert not train.train_all(work, EDITION, iter([False] * 3 + [True] * 9).__next__)
    assert (work / "runs" / RUNS[0] / "working" / "state.safetensors").exists()
    assert not (work / "runs" / RUNS[1]).exists()


def test_goals_are_paired_differences_of_the_records(whole):
    found = goals.goals_of(whole, EDITION)
    accuracy = {
        run: json.loads((whole / "runs" / run / "competence.json").read_text())["masked_accuracy"]
        for run in RUNS
    }
    larger = found["larger_above_smaller"]
    for seed, gain in larger["by_seed"].items():
        one, other = (accuracy[f"bert-{layers}x128/seed-{seed}"] for layers in (4, 2))
        assert gain["value"] == pytest.approx(one["value"] - other["value"])
        assert (gain["n"], gain["n_units"]) == (one["n"], one["n_units"])
        assert gain["low"] <= gain["value"] <= gain["high"]
    values = [gain["value"] for gain in larger["by_seed"].values()]
    assert larger["over_seeds"]["value"] == pytest.approx(sum(values) / 2)
    assert larger["is_reached"] == (larger["over_seeds"]["low"] > 0)
    student = found["student_above_smaller"]
    distilled, alone = (accuracy[f"{f}/seed-1"]["value"] for f in (recipe.STUDENT, recipe.SMALL))
    assert student["value"] == pytest.approx(distilled - alone)
    assert set(found["agreement"]["values"]) == {run for run in RUNS if "first" not in run}


def test_what_is_shipped_is_what_was_measured(whole, tmp_path):
    out = tmp_path / "weights"
    (out / "bert-4x128" / "old").mkdir(parents=True)
    package.package(whole, EDITION, out)
    whole_index = json.loads((out / "index.json").read_text())
    index = whole_index["families"]
    assert set(whole_index["goals"]) == {
        "larger_above_smaller", "student_above_smaller", "agreement",
    }  # fmt: skip
    paths = [c["path"] for family in index.values() for c in family["checkpoints"]]
    assert sorted(paths) == sorted(
        [run for run in RUNS if "first" not in run]
        + [f"bert-4x128/seed-1/step-{step}" for step in EDITION.checkpoints]
    )
    assert index["bert-4x128"]["seeds"] == [1, 2]
    assert sorted(p.name for p in (out / "bert-4x128").iterdir()) == ["seed-1", "seed-2"]
    for run in paths:
        shipped, made = out / run / "model.safetensors", whole / "runs" / run / "model.safetensors"
        assert shipped.read_bytes() == made.read_bytes()
        assert load_file(shipped)["cls.predictions.bias"].dtype == torch.float16
        assert "four layers over two" in (out / run / "README.md").read_text()
        said = json.loads((out / run / "competence.json").read_text())
        assert said["family"] == run.split("/")[0]
        larger, student = TrainingGoal.all_in(said)
        assert larger.is_reached == whole_index["goals"]["larger_above_smaller"]["is_reached"]
        assert student.is_for("bert-2x128-distilled", "bert-4x128")
    assert (out / "training_hashes.npy").exists()


def test_an_unfinished_edition_leaves_the_package_alone(whole, tmp_path):
    out = tmp_path / "weights"
    out.mkdir()
    (out / "kept").touch()
    further = recipe.Edition(**{**vars(EDITION), "seeds": (1, 2, 3)})
    with pytest.raises(FileNotFoundError, match=r"bert-2x128/seed-3 is not finished"):
        package.package(whole, further, out)
    assert (out / "kept").exists()


def test_the_edition_that_ships():
    edition = recipe.Edition()
    runs = list(edition.runs())
    assert len(runs) == 16
    assert [edition.layers(f) for f in (recipe.FIRST, recipe.SMALL, recipe.LARGE)] == [2, 2, 4]
    assert len(edition.checkpoints) + 1 == 6  # the last is the run's end
    assert max(edition.checkpoints) < edition.further.steps
    for family, seed in runs:
        if family != recipe.FIRST:
            assert runs.index((recipe.FIRST, seed)) < runs.index((family, seed))
