"""Vectors of the layers of networks over words: those of their modules, poolings, other tasks."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.errors import ConformanceError, ModelError  # noqa: E402
from scrutiny.core.queries.language import Passage, Represents  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.attention_classifier import (  # noqa: E402
    Architecture,
    AttentionClassifier,
    AttentionParts,
    make_network,
)
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    RecurrentArchitecture,
    RecurrentClassifier,
    RecurrentParts,
    make_recurrent,
)
from scrutiny.models.words.word_model import BEGIN, END, Vocabulary  # noqa: E402
from scrutiny.models.words.word_networks import write_network  # noqa: E402
from scrutiny.tasks.dependency_arcs import DependencyArcs  # noqa: E402
from scrutiny.tasks.token_tagging import TokenTagging  # noqa: E402

WORDS = Vocabulary(("good", "bad", "film", "the", "."))
TEXT = "The film was good."


def recurrent(**choices):
    architecture = RecurrentArchitecture(embedding=7, hidden=4, layers=2, **choices)
    network = make_recurrent(architecture, n_words=5, n_labels=2, seed=3)
    return RecurrentParts(architecture, WORDS, ("neg", "pos"), network)


def attending(encoder):
    architecture = Architecture(encoder=encoder, embedding=6, hidden=4)
    network = make_network(architecture, n_words=5, n_labels=2, seed=3)
    return AttentionParts(architecture, WORDS, ("neg", "pos"), network)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_layers_of_a_recurrent_network_are_those_of_its_modules(cell):
    parts = recurrent(cell=cell)
    model = RecurrentClassifier(parts, "recurrent:here")
    assert isinstance(model, Represents)
    assert model.n_layers == 2
    words = [Passage(TEXT, place) for place in ((0, 3), (4, 8), (9, 12), (13, 17))]
    found = model.representations(words, poolings=["word"], layers=(0, 2))[:, :, 0]
    ids = torch.tensor([[BEGIN, *WORDS.ids(WORDS.cut(TEXT)), END]])
    with torch.no_grad():
        embedded = parts.network["embedding"](ids)
        states = parts.network["cell"](embedded)[0][0].numpy()
    np.testing.assert_allclose(found[:, 0, :7], embedded[0, 1:5].numpy(), atol=1e-6)
    assert (found[:, 0, 7:] == 0).all()  # narrower than the widest layer
    np.testing.assert_allclose(found[:, 1], states[1:5], atol=1e-6)


@pytest.mark.parametrize("encoder", ["bilstm", "projection", "conv"])
def test_the_layer_of_an_attention_classifier_is_what_it_weights(encoder):
    model = AttentionClassifier(attending(encoder), "attention-classifier:here")
    vectors = model.attention_layer([TEXT])[0].vectors
    words = [Passage(TEXT, place) for place in ((0, 3), (4, 8))]
    found = model.representations(words, poolings=["word"], layers=[1])[:, 0, 0]
    np.testing.assert_allclose(found[:, : vectors.shape[1]], vectors[:2], atol=1e-6)


def test_boundaries_are_the_special_tokens():
    model = RecurrentClassifier(recurrent(), "recurrent:here")
    poolings = ["cls", "last", "mean", "first-piece", "word"]
    found = model.representations([Passage(TEXT)], poolings=poolings, layers=[0])[0, 0]
    weight = model._network["embedding"].weight.numpy()
    np.testing.assert_allclose(found[0, :7], weight[BEGIN], atol=1e-6)
    np.testing.assert_allclose(found[1, :7], weight[END], atol=1e-6)
    np.testing.assert_allclose(found[3, :7], weight[WORDS.index()["the"]], atol=1e-6)
    assert np.isnan(found[4]).all()
    assert np.isnan(
        model.representations([Passage(TEXT, pair="bad")], poolings=["mean"], layers=[0])
    ).all()


def test_an_unknown_pooling_and_layer_are_refused():
    model = RecurrentClassifier(recurrent(), "recurrent:here")
    for asked in ({"poolings": ["max"], "layers": [0]}, {"poolings": ["mean"], "layers": [3]}):
        with pytest.raises(ConformanceError):
            model.representations([Passage(TEXT)], **asked)


def test_of_other_tasks_it_has_vectors_and_no_answers(tmp_path):
    write_network(recurrent(), tmp_path)
    trees = load_model(f"recurrent:{tmp_path}", DependencyArcs())
    assert trees.capabilities == {"representations"}
    assert not trees.gives_answers
    tags = load_model(f"recurrent:{tmp_path}#head=none", TokenTagging())
    assert tags.representations([Passage(TEXT)], poolings=["mean"], layers=[1]).shape == (
        1,
        1,
        1,
        8,
    )
    with pytest.raises(ModelError, match="cannot answer"):
        load_model(f"recurrent:{tmp_path}", TokenTagging())
    with pytest.raises(ModelError, match="head is none"):
        load_model(f"recurrent:{tmp_path}#head=mine", TokenTagging())
