"""The distribution with the zoo's weights: its index says what is there."""

import hashlib
import importlib.util
import json
import tomllib
from pathlib import Path

import pytest

from scrutiny.models.strings.training_records import TrainingGoal

PACKAGE = Path(__file__).parents[3] / "packages" / "scrutiny-zoo"
INIT = PACKAGE / "src" / "scrutiny_zoo" / "__init__.py"


@pytest.fixture(scope="module")
def zoo():
    spec = importlib.util.spec_from_file_location("scrutiny_zoo", INIT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def checkpoints(zoo):
    """Checkpoints of the index."""
    if not (zoo.folder() / "index.json").exists():
        pytest.skip("packages/scrutiny-zoo has no weights yet")
    families = zoo.index()["families"].values()
    return [checkpoint for family in families for checkpoint in family["checkpoints"]]


def test_every_checkpoint_is_in_the_index(zoo, checkpoints):
    folders = {path.parent for path in zoo.folder().rglob("model.safetensors")}
    assert {zoo.folder() / c["path"] for c in checkpoints} == folders


def test_files_are_those_of_the_index(zoo, checkpoints):
    for checkpoint in checkpoints:
        folder = zoo.folder() / checkpoint["path"]
        found = {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if path.is_file()
        }
        assert found == checkpoint["files"]
        assert {"competence.json", "training.json", "README.md", "tokenizer.json"} <= found.keys()
        gates = json.loads((folder / "competence.json").read_text())["gates"]
        assert gates == checkpoint["gates"]


def test_records_and_cards_say_which_goals_of_the_index_are_missed(zoo, checkpoints):
    stated = zoo.index()["goals"]
    reached = [
        stated[name]["is_reached"] for name in ("larger_above_smaller", "student_above_smaller")
    ]
    for checkpoint in checkpoints:
        folder = zoo.folder() / checkpoint["path"]
        record = json.loads((folder / "competence.json").read_text())
        assert record["family"] == checkpoint["path"].split("/")[0]
        assert [goal.is_reached for goal in TrainingGoal.all_in(record)] == reached
        card = (folder / "README.md").read_text()
        assert card.count("and is missed") == reached.count(False)


def test_configurations_name_no_folder_of_the_machine_that_made_them(zoo, checkpoints):
    for checkpoint in checkpoints:
        config = json.loads((zoo.folder() / checkpoint["path"] / "config.json").read_text())
        assert config["model_type"] == "bert"
        assert "_name_or_path" not in config


def test_weights_are_what_their_records_say(zoo, checkpoints):
    for checkpoint in checkpoints:
        record = json.loads((zoo.folder() / checkpoint["path"] / "training.json").read_text())
        assert record["weights"]["sha256"] == checkpoint["files"]["model.safetensors"]
        assert record["weights"]["precision"] == "fp16"
        assert record["license"] == "CC BY-SA 4.0"
        assert (record["step"] == record["recipe"]["steps"]) == checkpoint["is_final"]


def test_replicates_share_all_but_the_seed(zoo, checkpoints):
    recipes = {}
    for checkpoint in checkpoints:
        record = json.loads((zoo.folder() / checkpoint["path"] / "training.json").read_text())
        family = checkpoint["path"].split("/")[0]
        shared = {k: record[k] for k in ("recipe", "texts", "pieces", "distilled_from")}
        recipes.setdefault(family, []).append(json.dumps(shared, sort_keys=True))
        assert record["seeds"] == {"init_seed": checkpoint["seed"], "data_seed": checkpoint["seed"]}
    assert all(len(set(found)) == 1 for found in recipes.values())


def test_it_stays_small(zoo):
    size = sum(path.stat().st_size for path in zoo.folder().rglob("*") if path.is_file())
    assert size < 100e6


def test_its_texts_are_attributed():
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert set(project["license-files"]) == {"LICENSE", "ATTRIBUTION.md"}
    attributed = (PACKAGE / "ATTRIBUTION.md").read_text()
    tools = Path(__file__).parents[3] / "tools" / "zoo" / "texts.py"
    for name in ("standard_ebooks", "wikitext2", "movie_reviews", "product_reviews_1"):
        assert name in attributed
    named = ["sentence_polarity", "subjectivity", "wnut17", "wikigold", "semeval2010_task8"]
    assert all(name in attributed and f'"{name}"' in tools.read_text() for name in named)
