"""Deeper networks that start from shallower ones: which weights they have, and what they do."""

import json
from dataclasses import replace

import numpy as np
import pytest
from pretraining_texts import SMALL, write_texts

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.training.pretraining.batches import Batches  # noqa: E402
from scrutiny.training.pretraining.bert import (  # noqa: E402
    PretrainingForward,
    new_network,
    stack,
)
from scrutiny.training.pretraining.job import PretrainingJob, Seeds, Start  # noqa: E402
from scrutiny.training.pretraining.pretraining import prepare, pretrain  # noqa: E402

TWO, FOUR = replace(SMALL, layers=2), replace(SMALL, layers=4)
LAYER = "bert.encoder.layer."
PIECES = torch.randint(5, 70, (3, 16), generator=torch.Generator().manual_seed(3))


@pytest.fixture
def source():
    return new_network(TWO, 1)


def hidden(network):
    forward = PretrainingForward(network, is_bf16=False)
    return forward, forward.hidden(PIECES, torch.zeros_like(PIECES))


def test_layers_repeat_those_of_the_source(source):
    deeper = new_network(FOUR, 2)
    stack(source, deeper)
    own, given = deeper.state_dict(), source.state_dict()
    for name, weight in given.items():
        assert torch.equal(own[name], weight)
        if name.startswith(f"{LAYER}0."):
            assert torch.equal(own[name.replace(".0.", ".2.", 1)], weight)
        if name.startswith(f"{LAYER}1."):
            assert torch.equal(own[name.replace(".1.", ".3.", 1)], weight)
    assert not torch.equal(
        own[f"{LAYER}2.output.dense.weight"], given[f"{LAYER}1.output.dense.weight"]
    )


def test_equal_depth_is_a_copy_that_answers_alike(source):
    other = new_network(TWO, 2)
    assert not torch.equal(hidden(other)[1], hidden(source)[1])
    stack(source, other)
    assert torch.equal(hidden(other)[1], hidden(source)[1])


def test_the_stacked_network_is_the_source_applied_twice(source):
    deeper = new_network(FOUR, 2)
    stack(source, deeper)
    forward, once = hidden(source)
    for layer in range(2):
        once = forward._layer(once, f"{LAYER}{layer}.")
    assert torch.equal(hidden(deeper)[1], once)


def test_layers_that_write_nothing_leave_normalized_states_as_they_are(source):
    """A source whose upper half is silent: the copy answers as one stack does."""
    with torch.no_grad():
        for name, weight in source.named_parameters():
            if name.startswith(LAYER) and ("output.dense" in name):
                weight.zero_()
    deeper = new_network(FOUR, 2)
    stack(source, deeper)
    torch.testing.assert_close(hidden(deeper)[1], hidden(source)[1])


def test_the_source_is_left_alone(source):
    before = {name: weight.clone() for name, weight in source.state_dict().items()}
    deeper = new_network(FOUR, 2)
    stack(source, deeper)
    with torch.no_grad():
        deeper.bert.encoder.layer[0].output.dense.weight.zero_()
    assert all(torch.equal(weight, before[name]) for name, weight in source.state_dict().items())


@pytest.mark.parametrize("odd", [{"layers": 3}, {"layers": 1}, {"feed_forward": 64}, {"heads": 4}])
def test_what_cannot_be_stacked_is_refused(source, odd):
    target = new_network(replace(FOUR, **odd), 2)
    before = target.bert.encoder.layer[0].output.dense.weight.clone()
    with pytest.raises(ModelError, match="cannot be stacked"):
        stack(source, target)
    assert torch.equal(target.bert.encoder.layer[0].output.dense.weight, before)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare([write_texts(tmp_path_factory.mktemp("texts"))], TWO)


@pytest.fixture(scope="module")
def first(prepared, tmp_path_factory):
    return pretrain(PretrainingJob(prepared, Seeds(1, 1)), tmp_path_factory.mktemp("first"))


def further(prepared, first, layers, *, steps=20, met=20):
    recipe = replace(prepared.recipe, layers=layers, steps=steps)
    start = Start(first, "first/seed-1", met)
    return PretrainingJob(replace(prepared, recipe=recipe), Seeds(1, 1), start=start)


@pytest.mark.parametrize("layers", [2, 4])
def test_a_run_starts_from_the_checkpoint(prepared, first, tmp_path, layers):
    """One step at the first, tiny rate of the warm-up hardly moves a weight."""
    job = further(prepared, first, layers, steps=1)
    slow = replace(job.prepared.recipe, learning_rate=1e-9)
    folder = pretrain(replace(job, prepared=replace(job.prepared, recipe=slow)), tmp_path)
    made, given = load_file(folder / "model.safetensors"), load_file(first / "model.safetensors")
    assert len({n.split(".")[3] for n in made if n.startswith(LAYER)}) == layers
    for name, weight in given.items():
        torch.testing.assert_close(made[name], weight, atol=1e-6, rtol=0)


def test_record_and_card_say_what_it_started_from(prepared, first, tmp_path):
    folder = pretrain(further(prepared, first, 4), tmp_path)
    record = json.loads((folder / "training.json").read_text())
    assert record["started_from"]["name"] == "first/seed-1"
    assert record["started_from"]["steps"] == 20
    given = json.loads((first / "training.json").read_text())
    assert record["started_from"]["identity"].startswith(given["weights"]["sha256"])
    assert given["started_from"] is None
    assert "Started from `first/seed-1` after its 20 steps" in (folder / "README.md").read_text()
    assert "Started from" not in (first / "README.md").read_text()


def test_the_start_is_part_of_the_identity(prepared, first):
    job = further(prepared, first, 2)
    others = [replace(job, start=None), further(prepared, first, 2, met=21)]
    assert len({job.digest(), *(other.digest() for other in others)}) == 3


def test_a_killed_run_goes_on_to_the_same_bits(prepared, first, tmp_path):
    """Killed in the middle of a step, between two savings of its state."""

    class Killed(Exception):
        pass

    def killed_at(step):
        seen = iter(range(step))

        def should_stop():
            if next(seen, None) is None:
                raise Killed
            return False

        return should_stop

    job = further(prepared, first, 4)
    whole = load_file(pretrain(job, tmp_path / "whole") / "model.safetensors")
    pretrain(job, tmp_path / "killed", should_stop=iter([False] * 5 + [True]).__next__)
    with pytest.raises(Killed):
        pretrain(job, tmp_path / "killed", should_stop=killed_at(9))
    made = load_file(pretrain(job, tmp_path / "killed") / "model.safetensors")
    assert all(torch.equal(made[name], weight) for name, weight in whole.items())


def test_texts_are_met_where_the_first_run_left_off(prepared):
    """Sizes that start from the same run see the same batches, and not those of before again."""
    two, four = (
        Batches(prepared.corpus, replace(prepared.recipe, layers=layers), 1, met=20)
        for layers in (2, 4)
    )
    before = Batches(prepared.corpus, prepared.recipe, 1)
    longer = Batches(prepared.corpus, replace(prepared.recipe, steps=60), 1)
    alike = [np.array_equal(two.at(s).pieces, before.at(s).pieces) for s in range(10)]
    assert not any(alike)
    for step in range(5):
        for one, other in zip(two.at(step), four.at(step), strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(two.at(step).pieces, longer.at(step + 20).pieces)
