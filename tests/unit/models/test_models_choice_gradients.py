"""Gradients of language models as classifiers: against finite differences of their answers."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from tiny_language import make_language_model  # noqa: E402

from scrutiny.core.diagnostic import Failure  # noqa: E402
from scrutiny.core.errors import ModelError  # noqa: E402
from scrutiny.core.example import Example  # noqa: E402
from scrutiny.core.model import LoadOptions  # noqa: E402
from scrutiny.core.queries.gradients import Gradients, InputPiece  # noqa: E402
from scrutiny.core.queries.language import Cloze  # noqa: E402
from scrutiny.models.answers.checked import AnswerError  # noqa: E402
from scrutiny.models.strings.model_loading import load_model  # noqa: E402
from scrutiny.testing import check_gradients  # noqa: E402

TEXTS = ["the film was good", "bad", "a very dull story , not a film", ""]
CAUSAL = {"template": "it was : {text} so it was", "choices": "pos= good,neg= not good"}
MASKED = {"template": "it was {mask} , {text} !", "choices": "pos= good,neg= not good"}
OTHER = {**CAUSAL, "choices": "pos= good,neg= bad", "other": "true"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = {"GPT2": "LMHeadModel", "Bert": "ForMaskedLM", "Llama": "ForCausalLM"}
    return {
        kind: make_language_model(tmp_path_factory.mktemp("slopes"), kind, head=head)
        for kind, head in made.items()
    }


def ask(folder, task, options):
    return load_model(f"choice:hf:{folder}", task, LoadOptions(options=options))


def moved(model, change):
    """Context in which the vector of each ``film`` is moved in the network itself."""
    network = model._model._runner.network
    ids = model._model.encode(["film"], special=False)[0].ids
    weight = network.get_input_embeddings().weight
    with torch.no_grad():
        weight[list(ids)] += torch.tensor(change, dtype=weight.dtype)


def loss(model, example, label):
    (answer,) = model.predict([example])
    return -math.log(answer.scores[model.labels.index(label)])


CASES = [
    ("GPT2", CAUSAL),
    ("GPT2", {**CAUSAL, "length": "mean"}),
    ("GPT2", OTHER),
    ("Llama", {**CAUSAL, "choices": "pos= good,neg= bad"}),
    ("Bert", MASKED),
    ("Bert", {**MASKED, "choices": "pos=good,neg=bad", "length": "mean"}),
]


@pytest.mark.parametrize(("kind", "options"), CASES)
def test_slopes_are_those_of_finite_differences(folders, classification, make, kind, options):
    """A network in double precision, whose input vectors alone are moved: heads are untied."""
    model = ask(folders[kind], classification, options)
    lm = model._model
    network = lm._runner.network.double()
    embedding = network.get_input_embeddings()
    embedding.weight = torch.nn.Parameter(embedding.weight.detach().clone())  # untied
    lm._reader._head = None  # log-probabilities as the network gives them
    lm._reader._last = None
    lm._slopes = None
    (example,) = make("the film was a dull film")
    rng = np.random.default_rng(1)
    for label in model.labels:
        (found,) = model.gradients([example], [label])
        assert [example.text[p.start : p.end] for p in found.pieces] == example.text.split()
        change = rng.normal(size=16) * 1e-3
        expected = sum(found.gradient[i] @ change for i in (1, 5))
        ends = []
        for sign in (1, -2):  # there, and over to the other side
            moved(model, sign * change)
            ends.append(loss(model, example, label))
        moved(model, change)
        assert expected == pytest.approx((ends[0] - ends[1]) / 2, rel=2e-3, abs=1e-7)


@pytest.mark.parametrize(("kind", "options"), CASES[:3] + CASES[4:5])
def test_conformance(folders, classification, make, kind, options):
    model = ask(folders[kind], classification, options)
    assert isinstance(model, Gradients)
    assert model.capabilities == {"predict", "gradients", "wordings"}
    check_gradients(model, make(*TEXTS))


def test_only_the_example_has_slopes(folders, pairs):
    options = {"template": "the film : {text_pair} and {text} is", "choices": "yes= good|no= bad"}
    model = ask(folders["GPT2"], pairs, options)
    example = Example(id="0", fields={"text": "it was fine", "text_pair": "a story"})
    (found,) = model.gradients([example], ["yes"])
    places = [InputPiece("text_pair", 0, 1), InputPiece("text_pair", 2, 7)]
    assert found.pieces[:2] == tuple(places)
    assert found.pieces[2:] == (
        InputPiece("text", 0, 2),
        InputPiece("text", 3, 6),
        InputPiece("text", 7, 11),
    )
    vocabulary = model.embeddings().vocabulary
    assert [vocabulary[i] for i in found.ids] == ["a", "story", "it", "was", "fine"]


def test_a_masked_model_reads_what_stands_behind_the_mask(folders, classification, make):
    model = ask(folders["Bert"], classification, MASKED)
    (found,) = model.gradients(make("ada left"), ["neg"])
    assert found.pieces == (InputPiece("text", 0, 3), InputPiece("text", 4, 8))
    assert np.abs(found.gradient).max() > 0


def test_choices_of_one_token_share_a_sequence(folders, classification, make, monkeypatch):
    model = ask(folders["GPT2"], classification, {**CAUSAL, "choices": "a= good,b= bad,c= fine"})
    seen = []
    slopes = model._model.logprob_slopes
    monkeypatch.setattr(
        model._model, "logprob_slopes", lambda q, w: (seen.append(len(q)), slopes(q, w))[1]
    )
    model.gradients(make("the film", "bad", "it was"), ["a", "b", "c"])
    assert seen == [3]  # one call, one sequence an example


def test_what_is_too_long_fails_alone(folders, classification, make):
    model = ask(folders["GPT2"], classification, CAUSAL)
    fine, long = model.gradients(make("good", "good " * 30), ["pos", "neg"])
    assert len(fine.pieces) == 1
    assert isinstance(long, Failure)
    assert long.reason == "too_long"


def test_pieces_that_depend_on_the_choice_fail(folders, classification, make):
    """Without a space, the last word and the choice are one word to the tokenizer."""
    options = {"template": "{text}", "choices": "pos=s,neg=ly"}
    model = ask(folders["GPT2"], classification, options)
    (one,) = model.gradients(make("the film"), ["pos"])
    assert not isinstance(one, Failure)  # ##s and ##ly leave "film" as it is
    joined = {"template": "{text}", "choices": "pos=york,neg= york"}
    (other,) = ask(folders["GPT2"], classification, joined).gradients(make("new"), ["pos"])
    assert isinstance(other, Failure)
    assert other.reason == "pieces_differ"


def test_unknown_labels_and_models_without_slopes_are_refused(folders, classification, make):
    model = ask(folders["GPT2"], classification, CAUSAL)
    with pytest.raises(ModelError, match="its labels are pos, neg"):
        model.gradients(make("bad"), ["other"])
    model.capabilities = frozenset({"predict"})
    with pytest.raises(ModelError, match="has no gradients: its language model gives none"):
        model.gradients(make("bad"), ["pos"])


def test_slopes_of_log_probabilities_are_weighted_sums(folders, unlabeled):
    model = load_model(f"hf:{folders['GPT2']}", unlabeled)
    ids = model.encode(["the film was good bad"])[0].ids
    one = Cloze(ids, (1, 3), (ids[2], ids[4]))
    both, first, second = model.logprob_slopes(
        [one, Cloze(ids, (1,), (ids[2],)), Cloze(ids[:4], (3,), (ids[4],))],
        [(2.0, -1.0), (1.0,), (1.0,)],
    )
    assert both.shape == (5, 16)
    np.testing.assert_allclose(both[:4], 2 * first[:4] - second, atol=1e-4)
    assert not both[4].any()  # nothing is read off it
    assert not first[2:].any()  # a causal network does not look back
    with pytest.raises(AnswerError):
        model.logprob_slopes([Cloze(ids * 9, (1,), (1,))], [(1.0,)])
