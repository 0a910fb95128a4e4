"""Gates and states that are computed anew are those of torch; a planted counter of brackets."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.queries.states import HasCells, HasLastLayer  # noqa: E402
from scrutiny.models.recurrent_cells import states_of  # noqa: E402
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    RecurrentArchitecture,
    RecurrentClassifier,
    RecurrentParts,
)
from scrutiny.models.words.word_model import Vocabulary  # noqa: E402
from scrutiny.models.words.word_networks import fresh_parts  # noqa: E402
from scrutiny.stats.association.moved_features import followed_feature  # noqa: E402

LAYERS = [
    (torch.nn.LSTM, {"num_layers": 2, "bidirectional": True}),
    (torch.nn.GRU, {"num_layers": 2, "bidirectional": True}),
    (torch.nn.LSTM, {"bias": False}),
]


@pytest.mark.parametrize(("kind", "settings"), LAYERS)
def test_hidden_states_are_those_of_torch(kind, settings):
    torch.manual_seed(1)
    layer = kind(5, 7, batch_first=True, **settings).double()
    vectors = torch.randn(1, 11, 5, dtype=torch.float64)
    with torch.inference_mode():
        wanted = layer(vectors)[0][0].numpy()
    found = states_of(layer, vectors[0].numpy())
    last = [one.hidden for name, one in found.items() if name.startswith("layer 2")]
    last = last or [found["layer 1"].hidden]
    assert np.abs(np.concatenate(last, axis=1) - wanted).max() < 1e-6
    for one in found.values():
        for gate in one.gates.values():
            assert ((gate > 0) & (gate < 1)).all()


def test_a_bias_of_20_saturates_a_gate():
    layer = torch.nn.LSTM(3, 4)
    with torch.no_grad():
        layer.bias_ih_l0[4:8] += 20  # the forget gates
    found = states_of(layer, np.random.default_rng(2).normal(size=(30, 3)))["layer 1"]
    assert (found.gates["forget"] > 0.9).all()


def counter(seed):
    """LSTM of 64 random cells of which the first counts open brackets; reads "(", ")", "a"."""
    torch.manual_seed(seed)
    layer = torch.nn.LSTM(3, 64).double()
    with torch.no_grad():
        for rows in (layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0):
            rows[[0, 64, 128, 192]] = 0.0
        layer.bias_ih_l0[0] = layer.bias_ih_l0[64] = 20.0  # always let in, never forget
        layer.weight_ih_l0[128] = torch.tensor([0.1, -0.1, 0.0])
    return layer


def brackets(count, rng):
    """Pieces "(", ")", "a" as 0, 1, 2, and how many brackets are open behind each."""
    pieces, depth, depths = [], 0, []
    for draw in rng.random(count).tolist():
        piece = 0 if draw < 0.1 and depth < 3 else 1 if draw < 0.25 and depth else 2
        depth += (1, -1, 0)[piece]
        pieces.append(piece)
        depths.append(depth)
    return np.array(pieces), np.array(depths, dtype=float)


def test_a_planted_counter_of_brackets_is_found_first():
    rng = np.random.default_rng(3)
    pieces, depths = brackets(800, rng)
    states = states_of(counter(1), np.eye(3)[pieces])["layer 1"].states
    found = followed_feature(states, depths, rng=rng)
    assert found.cell == 0
    assert abs(found.r) > 0.99
    assert found.p_value <= 0.05
    is_open = followed_feature(states, (depths > 0).astype(float), rng=rng)
    assert (is_open.cell, is_open.auc) == (0, 1.0)


def test_other_layers_have_no_such_cells():
    with pytest.raises(ModelError, match="LSTM and GRU"):
        states_of(torch.nn.RNN(3, 4), np.ones((2, 3)))


@pytest.fixture(scope="module")
def model():
    words = Vocabulary.of_texts(["a good film , not bad"])
    shape = RecurrentArchitecture(embedding=6, hidden=5)
    parts = fresh_parts(RecurrentParts, shape, words, labels=("neg", "pos"), seed=1)
    return RecurrentClassifier(parts, "recurrent:toy")


def test_a_recurrent_classifier_shows_its_cells_at_each_word(model):
    assert isinstance(model, HasCells)
    text = "not a good film"
    found = model.cells(text)
    assert list(found) == ["layer 1", "layer 1 backward"]
    assert found["layer 1"].states.shape == (len(model.cell_pieces(text)), 5)
    assert model.cells("")["layer 1"].hidden.shape == (0, 5)


def test_its_last_layer_reads_what_its_answer_is_a_softmax_of(model):
    from scrutiny.core.example import Example

    assert isinstance(model, HasLastLayer)
    example = Example("1", {"text": "a good film"})
    (vector,) = model.last_layer([example])
    output = model._network["output"]
    logits = output.weight.numpy() @ vector + output.bias.numpy()
    shares = np.exp(logits) / np.exp(logits).sum()
    assert model.predict([example])[0].scores == pytest.approx(tuple(shares))
