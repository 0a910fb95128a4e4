import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from scrutiny.training.pretraining.batches import IGNORED, StepInput  # noqa: E402
from scrutiny.training.pretraining.bert import (  # noqa: E402
    PretrainingForward,
    new_network,
    start_from_frequencies,
)
from scrutiny.training.pretraining.corpus import Corpus  # noqa: E402
from scrutiny.training.pretraining.loop import Distillation, losses, on_device  # noqa: E402
from scrutiny.training.pretraining.recipe import Phase, PretrainingRecipe  # noqa: E402

RECIPE = PretrainingRecipe(
    layers=2,
    hidden=16,
    heads=4,
    feed_forward=32,
    positions=12,
    vocabulary=40,
    initial_sd=0.5,
    phases=(Phase(1.0, 12, 4),),
)


def a_batch(rows=3, length=12, seed=0):
    draw = np.random.default_rng(seed)
    pieces = draw.integers(1, 40, (rows, length))  # 0 pads: transformers gives it no gradient
    segments = np.tile((np.arange(length) > 5).astype(np.int64), (rows, 1))
    places = np.sort(draw.permutation(rows * length)[:8])
    return StepInput(pieces, segments, places, draw.integers(0, 40, 8), np.array([0, IGNORED, 1]))


def test_the_forward_pass_is_that_of_transformers():
    network = new_network(RECIPE, 0).eval()
    with torch.no_grad():  # biases and normalizations are not what they were made as
        for parameter in network.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.manual_seed(1)))
    batch = on_device(a_batch(), "cpu")
    forward = PretrainingForward(network, is_bf16=False)
    hidden = forward.hidden(batch.pieces, batch.segments)
    with torch.no_grad():
        theirs = network(input_ids=batch.pieces, token_type_ids=batch.segments)
    at_places = theirs.prediction_logits.reshape(-1, 40)[batch.places]
    torch.testing.assert_close(forward.scores(hidden, batch.places), at_places)
    torch.testing.assert_close(forward.next_scores(hidden), theirs.seq_relationship_logits)


def test_gradients_are_those_of_transformers():
    batch = on_device(a_batch(), "cpu")
    own, other = new_network(RECIPE, 0), new_network(RECIPE, 0)
    losses(PretrainingForward(own, is_bf16=False), batch, next_weight=0.3).total.backward()
    other.eval()
    theirs = other(input_ids=batch.pieces, token_type_ids=batch.segments)
    cross = torch.nn.functional.cross_entropy
    logits = theirs.prediction_logits.reshape(-1, 40)[batch.places]
    follows = cross(theirs.seq_relationship_logits, batch.is_next, ignore_index=IGNORED)
    (cross(logits, batch.answers) + 0.3 * follows).backward()
    named = dict(other.named_parameters())
    for name, parameter in own.named_parameters():
        torch.testing.assert_close(parameter.grad, named[name].grad, rtol=1e-4, atol=1e-6)


def test_bfloat16_is_near_float32():
    network, batch = new_network(RECIPE, 0), on_device(a_batch(), "cpu")
    both = [PretrainingForward(network, is_bf16=flag) for flag in (False, True)]
    found = [f.scores(f.hidden(batch.pieces, batch.segments), batch.places) for f in both]
    assert found[1].dtype == torch.float32
    difference = float((found[0] - found[1]).detach().abs().max())
    assert 0 < difference < 0.05 * float(found[0].detach().abs().max())


def test_the_seed_gives_the_weights_and_leaves_the_generator():
    before = torch.random.get_rng_state()
    one, same, other = (new_network(RECIPE, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    weight = "bert.encoder.layer.0.output.dense.weight"
    assert torch.equal(one.get_parameter(weight), same.get_parameter(weight))
    assert not torch.equal(one.get_parameter(weight), other.get_parameter(weight))
    assert float(one.get_parameter(weight).detach().std()) == pytest.approx(0.5, rel=0.15)


def test_scores_start_from_the_frequencies():
    network = new_network(RECIPE, 0)
    pieces = np.repeat([5, 6], [30, 9]).astype(np.uint16)
    start_from_frequencies(network, Corpus(pieces, np.array([0, 39]), np.array([0])))
    bias = network.cls.predictions.bias.detach()
    assert float(bias[5] - bias[6]) == pytest.approx(np.log(31 / 10), abs=1e-5)
    assert float(bias.exp().sum()) == pytest.approx(1.0, abs=1e-5)


def test_a_batch_without_pairs_has_no_next_sentence_loss():
    batch = on_device(a_batch()._replace(is_next=np.full(3, IGNORED)), "cpu")
    found = losses(
        PretrainingForward(new_network(RECIPE, 0), is_bf16=False), batch, next_weight=0.3
    )
    assert found.next_sentence is None
    assert float(found.total.detach()) == float(found.masked)


def test_a_teacher_that_agrees_adds_nothing():
    batch = on_device(a_batch(), "cpu")
    student = PretrainingForward(new_network(RECIPE, 0), is_bf16=False)
    agrees = Distillation(PretrainingForward(new_network(RECIPE, 0), is_bf16=False), weight=1.0)
    differs = Distillation(PretrainingForward(new_network(RECIPE, 1), is_bf16=False), weight=1.0)
    found = [losses(student, batch, next_weight=0.0, distill=d) for d in (agrees, differs)]
    assert float(found[0].total.detach()) == pytest.approx(0.0, abs=1e-6)
    assert float(found[1].total.detach()) > 0.1
    half = losses(student, batch, next_weight=0.0, distill=Distillation(agrees.teacher, 0.5))
    assert float(half.total.detach()) == pytest.approx(0.5 * float(half.masked), rel=1e-5)
