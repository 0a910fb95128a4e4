"""Users' own torch modules with an LSTM or GRU: their cells, networks of chance, what they miss."""

from unittest.mock import MagicMock

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.queries.states import HasCells  # noqa: E402
from scrutiny.models.python.python_model import around_object  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.strings.model_strings import parse  # noqa: E402
from scrutiny.tasks.tasks import load_task  # noqa: E402

OWN = """
import torch

class Letters(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.embedding = torch.nn.Embedding(128, 5)
        self.recurrent = torch.nn.GRU(5, 7, num_layers=2)

    def cell_pieces(self, text):
        return [(i, i + 1) for i in range(len(text))]

    def cell_vectors(self, text):
        return self.embedding(torch.tensor([ord(c) for c in text], dtype=torch.long))

    def forward(self, texts):
        return ["yes" for _ in texts]
"""


class Plain:
    """No module: a layer with one number for each letter."""

    def __init__(self, width=1):
        torch.manual_seed(2)
        self.recurrent = torch.nn.LSTM(1, 3)
        self.width = width

    def cell_pieces(self, text):
        return [(i, i + 1) for i in range(len(text))]

    def cell_vectors(self, text):
        return np.array([[ord(c) / 100] * self.width for c in text]).reshape(-1, self.width)


def around(obj, task="passages"):
    return around_object(obj, load_task(task), parse("python:object:Mine"))


def test_a_module_of_a_file_has_cells(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    text = f"python:{tmp_path / 'mine.py'}:Letters"
    model = load_model(text, load_task("passages"))
    assert isinstance(model, HasCells)
    assert model.capabilities == {"cells", "shuffled_weights"}
    found = model.cells("ab c")
    assert set(found) == {"layer 1", "layer 2"}
    own = model._object
    with torch.inference_mode():
        wanted = own.recurrent(own.cell_vectors("ab c")[:, None])[0][:, 0].numpy()
    assert found["layer 2"].hidden == pytest.approx(wanted, abs=1e-6)
    asked = load_model(f"{text}#labels=yes|no", load_task("text-classification"))
    assert asked.capabilities == {"predict", "cells", "shuffled_weights"}


def test_networks_of_chance_leave_the_object_as_it_is():
    model = around(Plain())
    before = model.cells("abc")["layer 1"].states
    with model.with_shuffled_weights(1.0, 3) as other:
        assert not np.allclose(other.cells("abc")["layer 1"].states, before)
        weights = [one.recurrent.weight_ih_l0 for one in (other._object, model._object)]
        first, second = (sorted(one.detach().flatten().tolist()) for one in weights)
        assert first == second
    assert model.cells("abc")["layer 1"].states == pytest.approx(before)


def test_a_text_without_pieces_has_no_states():
    assert around(Plain()).cells("")["layer 1"].states.shape == (0, 3)


def test_vectors_that_do_not_fit_are_named():
    with pytest.raises(ModelError, match=r"shape \(2, 4\) for a text of 2 pieces"):
        around(Plain(width=4)).cells("ab")


def test_another_layer_is_named():
    own = Plain()
    own.recurrent = torch.nn.RNN(1, 3)
    with pytest.raises(ModelError, match="LSTM and GRU"):
        around(own).cells("ab")


def test_an_object_without_a_layer_has_no_cells():
    assert not isinstance(around(lambda texts: texts), HasCells)
    assert not isinstance(around(MagicMock(labels=("a", "b"), n_samples=None)), HasCells)
