"""Recurrent classifiers: answers by hand, gradients, families of untrained ones, folders."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scrutiny.core.errors import ModelError, PlanError  # noqa: E402
from scrutiny.core.queries.gradients import Gradients, InputPiece  # noqa: E402
from scrutiny.models.strings.model_families import expand  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.models.words.recurrent_classifier import (  # noqa: E402
    CELLS,
    POOLINGS,
    RecurrentArchitecture,
    RecurrentClassifier,
    RecurrentParts,
    make_recurrent,
)
from scrutiny.models.words.word_model import (  # noqa: E402
    BEGIN,
    END,
    Vocabulary,
)
from scrutiny.models.words.word_networks import read_network, write_network  # noqa: E402
from scrutiny.testing import check_adapter  # noqa: E402

WORDS = Vocabulary(("good", "bad", "film", "the", "."))
TEXTS = ["The film was good.", "bad", "", "good good bad film the the film"]


def parts_of(**choices):
    architecture = RecurrentArchitecture(embedding=5, hidden=4, **choices)
    network = make_recurrent(architecture, n_words=5, n_labels=2, seed=3)
    with torch.no_grad():  # answers that differ visibly
        for values in network.parameters():
            values.mul_(2)
    return RecurrentParts(architecture, WORDS, ("neg", "pos"), network)


def plain(parts, text):
    """Probabilities by the modules themselves, one text at a time and without packing."""
    ids = [BEGIN, *WORDS.ids(WORDS.cut(text)), END]
    network, architecture = parts.network.double(), parts.architecture
    with torch.no_grad():
        states, final = network["cell"](network["embedding"](torch.tensor([ids])))
        final = final[0] if architecture.cell == "lstm" else final
        last = final[-architecture.directions :].transpose(0, 1).flatten(1)
        pooled = {"last": last, "max": states.amax(1), "mean": states.mean(1)}
        return torch.softmax(network["output"](pooled[architecture.pooling]), -1)[0].tolist()


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("both", [True, False])
def test_answers_are_those_of_one_text_at_a_time(cell, pooling, both, make):
    parts = parts_of(cell=cell, pooling=pooling, is_bidirectional=both, layers=2)
    answers = RecurrentClassifier(parts, "recurrent:here").predict(make(*TEXTS))
    for text, answer in zip(TEXTS, answers, strict=True):
        assert answer.scores == pytest.approx(plain(parts, text), abs=1e-12)
    assert len({answer.scores for answer in answers}) == 4


def test_conformance():
    model = RecurrentClassifier(parts_of(), "recurrent:here")
    assert isinstance(model, Gradients)
    check_adapter(model)


@pytest.mark.parametrize("pooling", ["max", "last"])
def test_slopes_are_those_of_finite_differences(pooling, make):
    parts = parts_of(pooling=pooling)
    model = RecurrentClassifier(parts, "recurrent:here")
    found = model.gradients(make(*TEXTS), ["pos", "neg", "neg", "pos"])
    assert [len(one.pieces) for one in found] == [5, 1, 0, 7]
    assert found[0].pieces[1] == InputPiece("text", 4, 8)
    vocabulary = model.embeddings().vocabulary
    assert [vocabulary[i] for i in found[0].ids] == ["the", "film", "", "good", "."]
    place, step = 1, 1e-6
    network = parts.network
    for dimension in range(5):
        losses = []
        for sign in (1, -1):
            ids = torch.tensor([[BEGIN, *found[3].ids, END]])
            vectors = network["embedding"](ids).clone()
            vectors[0, place + 1, dimension] += sign * step
            logits = model._parts.logits(vectors, [9], None)
            losses.append(-torch.log_softmax(logits, -1)[0, 1].item())
        slope = (losses[0] - losses[1]) / (2 * step)
        assert found[3].gradient[place, dimension] == pytest.approx(slope, abs=1e-7)


def test_vectors_are_those_of_the_network():
    model = RecurrentClassifier(parts_of(), "recurrent:here")
    given = model.embeddings()
    assert given is model.embeddings()
    assert given.vocabulary == ("", "", "", "", *WORDS.words)
    assert given.starts_word.tolist() == [False] * 4 + [True] * 5
    np.testing.assert_array_equal(given.matrix, model._network["embedding"].weight.numpy())
    with pytest.raises(ModelError, match="no label 'fine'"):
        model.gradients([], ["fine"])


def test_what_is_written_is_read(tmp_path, classification, tagging, make):
    parts = parts_of(cell="gru", pooling="mean")
    write_network(parts, tmp_path)
    model = load_model(f"recurrent:{tmp_path}", classification)
    again = load_model(f"recurrent:{tmp_path}#labels=0|1", classification)
    assert model.predict(make("good")) == again.predict(make("good"))
    assert (model.labels, again.labels) == (("neg", "pos"), ("0", "1"))
    assert model.fingerprint() == parts_fingerprint(parts_of(cell="gru", pooling="mean"))
    assert model.fingerprint() != again.fingerprint()
    with pytest.raises(ModelError, match="cannot answer the task"):
        load_model(f"recurrent:{tmp_path}", tagging)


def parts_fingerprint(parts):
    return parts.digest()


def test_untrained_ones_are_a_family(tmp_path, classification):
    write_network(parts_of(), tmp_path)
    family = expand(f"recurrent:{tmp_path}#untrained={{seed}}", name="null", seeds=(1, 2))
    prints = [load_model(one.source, classification).fingerprint() for one in family.replicates]
    own = load_model(f"recurrent:{tmp_path}", classification).fingerprint()
    assert len({own, *prints}) == 3
    with pytest.raises(ModelError, match="untrained is a whole number"):
        load_model(f"recurrent:{tmp_path}#untrained=x", classification)


def test_folders_that_are_something_else(tmp_path):
    with pytest.raises(ModelError, match="`scrutiny train recurrent` makes one"):
        read_network(RecurrentParts, tmp_path, "recurrent:here")
    write_network(parts_of(), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["architecture"]["hidden"] = 7
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="does not load"):
        read_network(RecurrentParts, tmp_path, "recurrent:here")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cell": "rnn"}, "cell is one of"),
        ({"pooling": "first"}, "pooling is one of"),
        ({"layers": 0}, "must be at least 1"),
    ],
)
def test_architectures_that_do_not_read(given, message):
    with pytest.raises(PlanError, match=message):
        RecurrentArchitecture(**given)
