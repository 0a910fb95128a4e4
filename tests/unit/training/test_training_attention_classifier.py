"""Attention classifiers that learn a keyword, the same each time, and refuse what is reported."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from scrutiny.cli import group  # noqa: E402
from scrutiny.cli.failures import exit_code_of  # noqa: E402
from scrutiny.core.errors import DataError, PlanError  # noqa: E402
from scrutiny.core.registry import registry  # noqa: E402
from scrutiny.data.dataset import load_dataset  # noqa: E402
from scrutiny.data.hashes import letters_hash  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.attention_classifier import Architecture  # noqa: E402
from scrutiny.training.finetuning.training_data import load_parts  # noqa: E402
from scrutiny.training.words.network_recipes import AttentionRecipe  # noqa: E402
from scrutiny.training.words.trainers import train_words  # noqa: E402

TASK = registry().load("task", "text-classification")()
FILLERS = "a day in rain with some old friends near harbor and then home again by bus".split()
SMALL = Architecture("projection", embedding=8, hidden=8)
QUICK = AttentionRecipe(SMALL, epochs=6, batch=8, lr=3e-2, dev_share=0.2)


def texts(n, *, seed=0):
    """Rows of a keyword among fillers."""
    rng = random.Random(seed)
    made = []
    for number in range(n):
        label = ("positive", "negative")[number % 2]
        words = [{"positive": "good", "negative": "bad"}[label], *rng.sample(FILLERS, 5)]
        rng.shuffle(words)
        made.append({"text": " ".join(words), "label": label})
    return made


def data(n=80, *, seed=0):
    return load_dataset(texts(n, seed=seed), task="text-classification")


def accuracy(model, given):
    answers = model.predict(given.examples)
    right = [
        model.labels[int(np.argmax(a.scores))] == e.gold
        for a, e in zip(answers, given.examples, strict=True)
    ]
    return np.mean(right)


@pytest.mark.parametrize("encoder", ["projection", "bilstm", "conv"])
def test_it_learns_the_keyword_and_leaves_what_the_adapter_reads(encoder, tmp_path):
    made = Architecture(encoder, embedding=8, hidden=8, widths=(1, 3))
    recipe = AttentionRecipe(made, epochs=8, batch=8, lr=3e-2, dev_share=0.2)
    (one,) = train_words(data(), tmp_path, recipe=recipe, seeds=[3])
    model = load_model(f"attention-classifier:{one.folder}", TASK)
    assert accuracy(model, data(40, seed=9)) > 0.9
    assert one.record["dev_score"] == max(e["dev"] for e in one.record["epochs"])
    assert one.record["chosen_epoch"] == 1 + next(
        i for i, e in enumerate(one.record["epochs"]) if e["dev"] == one.record["dev_score"]
    )
    hashes = model.training_hashes()
    followed = {"path_gradients", "parameter_gradients", "last_layer", "shuffled_weights"}
    assert model.capabilities == {"predict", "attention_layer", "representations", *followed}
    n_known = sum(letters_hash(e.text) in hashes for e in data().examples)
    assert n_known == one.record["data"]["train"]["n"]


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path):
    state = torch.get_rng_state()
    first = train_words(data(), tmp_path / "a", recipe=QUICK, seeds=[1, 2])
    again = train_words(data(), tmp_path / "b", recipe=QUICK, seeds=[2])
    assert torch.equal(state, torch.get_rng_state())
    weights = [(one.folder / "model.safetensors").read_bytes() for one in [*first, *again]]
    assert weights[1] == weights[2]
    assert weights[0] != weights[1]


def test_what_is_there_is_not_trained_again(tmp_path, monkeypatch):
    first = train_words(data(), tmp_path, recipe=QUICK, seeds=[1])
    monkeypatch.setattr("scrutiny.training.words.network_recipes.take", None)
    assert train_words(data(), tmp_path, recipe=QUICK, seeds=[1]) == first
    with pytest.raises(PlanError, match="holds something else"):
        train_words(data(), tmp_path, recipe=AttentionRecipe(SMALL, epochs=5), seeds=[1])
    assert [path.name for path in tmp_path.iterdir()] == ["seed-1"]


def test_without_a_dev_part_the_last_epoch_is_kept(tmp_path):
    recipe = AttentionRecipe(SMALL, epochs=2, dev_share=0)
    (one,) = train_words(data(), tmp_path, recipe=recipe, seeds=[1])
    assert (one.record["chosen_epoch"], one.record["dev_score"]) == (2, None)


def test_rare_words_are_not_known(tmp_path):
    rows = [*texts(20), {"text": "good unheard words", "label": "positive"}]
    given = load_dataset(rows, task="text-classification")
    (one,) = train_words(
        given, tmp_path, recipe=AttentionRecipe(SMALL, epochs=1, least=2, dev_share=0), seeds=[1]
    )
    words = json.loads((one.folder / "vocabulary.json").read_text())
    assert {"good", "bad"} <= set(words)
    assert "unheard" not in words


def test_what_is_reported_on_is_never_trained_on(tmp_path):
    given = data()
    with pytest.raises(PlanError, match="The reported data"):
        train_words(given, tmp_path, recipe=QUICK, reported=[given])


def test_what_cannot_be_trained_is_refused(tmp_path):
    with pytest.raises(PlanError, match="seeds are different whole numbers"):
        train_words(data(), tmp_path, recipe=QUICK, seeds=[1, 1])
    alike = [{**row, "label": "same"} for row in texts(10)]
    with pytest.raises(DataError, match="training needs at least two"):
        train_words(load_dataset(alike, task="text-classification"), tmp_path, recipe=QUICK)
    made = load_parts(data(), QUICK.rows())
    blank = tuple(replace(example, fields={"text": " "}) for example in made.train)
    with pytest.raises(DataError, match="No word occurs often enough"):
        QUICK.fit(replace(made, train=blank), seed=1)
    for values, message in (
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"lr": 0.0}, "lr must be above 0"),
        ({"dropout": 1.0}, "dropout must lie between 0 and 1"),
        ({"dev_share": 1.0}, "dev_share must lie"),
    ):
        with pytest.raises(PlanError, match=message):
            AttentionRecipe(**values)


def test_the_command_trains_rows_of_a_file(tmp_path, capsys):
    path = tmp_path / "rows.tsv"
    lines = "\n".join(f"{row['text']}\t{row['label']}" for row in texts(60))
    path.write_text("text\tlabel\n" + lines + "\n")
    flags = ["--data", f"tsv:{path}", "--rows", "0:40", "--out", str(tmp_path / "family")]
    small = ["--encoder", "projection", "--embedding", "4", "--hidden", "4", "--epochs", "1"]
    train = ["train", "attention", *small]
    assert exit_code_of(group, [*train, *flags, "--seeds", "1,4"]) == 0
    out = capsys.readouterr().out
    assert f"model: attention-classifier:{tmp_path / 'family'}/seed-{{seed}}" in out
    assert {p.name for p in (tmp_path / "family").iterdir()} == {"seed-1", "seed-4"}
    recipe = json.loads((tmp_path / "family" / "seed-1" / "training.json").read_text())["recipe"]
    assert recipe["architecture"]["encoder"] == "projection"
    assert exit_code_of(group, [*train, "--data", "tsv:gone.tsv", *flags[4:]]) == 2
    assert "gone.tsv" in capsys.readouterr().err
    assert exit_code_of(group, [*train, *flags, "--seeds", "1,x"]) == 2
    assert "whole numbers" in capsys.readouterr().err
