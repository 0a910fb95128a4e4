"""Pipelines of transformers as objects: all labels, long texts, pairs, entities."""

import pytest

pytest.importorskip("transformers")

from tiny_bert import make_checkpoint

from scrutiny.core.example import Example, Span
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.returned_labels import from_answers
from scrutiny.models.python.python_model import PythonModel
from scrutiny.models.strings.model_loading import load_model
from scrutiny.models.strings.model_strings import parse

pytestmark = pytest.mark.extra("hf")
TEXTS = ("a good film", "a bad , dull story", "the film was very fine " * 30)
TAGS = ("O", "B-PER", "I-PER", "B-LOC")


def pipeline_of(folder, kind, **settings):
    from transformers import pipeline

    return pipeline(kind, model=str(folder), tokenizer=str(folder), device="cpu", **settings)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("bert") / "classifier", seed=3)


@pytest.fixture(scope="module")
def tags(tmp_path_factory):
    where = tmp_path_factory.mktemp("bert") / "tagger"
    return make_checkpoint(where, head="TokenClassification", labels=TAGS, seed=4)


def wrapped(obj, task):
    return PythonModel(obj, task, parse("python:object:given"))


@pytest.mark.parametrize("settings", [{}, {"top_k": 1}, {"top_k": None}])
def test_a_classifier_gives_what_its_checkpoint_gives(folder, classification, make, settings):
    model = wrapped(pipeline_of(folder, "text-classification", **settings), classification)
    own = load_model(f"hf:{folder}", classification)
    assert model.labels == own.labels == ("neg", "pos")
    found, wanted = (predict_or_fail(one, make(*TEXTS)) for one in (model, own))
    for answer, other in zip(found, wanted, strict=True):
        assert answer.scores == pytest.approx(other.scores, abs=1e-5)


def test_pairs_are_given_as_pairs(folder, pairs):
    model = wrapped(pipeline_of(folder, "text-classification"), pairs)
    own = load_model(f"hf:{folder}", pairs)
    examples = [Example("1", {"text": "a good film", "text_pair": "the story was bad"})]
    (found,), (wanted,) = model.predict(examples), own.predict(examples)
    assert found.scores == pytest.approx(wanted.scores, abs=1e-5)


def test_what_a_pipeline_returns_by_itself_is_read(folder):
    pipe = pipeline_of(folder, "text-classification")
    best = from_answers(pipe(["a good film"]), ("neg", "pos"), count=1, source="m")
    every = from_answers(pipe(["a good film"], top_k=None), ("neg", "pos"), count=1, source="m")
    assert best[0].answer == ("neg", "pos")[every[0].scores.index(max(every[0].scores))]
    assert sum(every[0].scores) == pytest.approx(1)


@pytest.mark.parametrize("settings", [{}, {"aggregation_strategy": "simple"}])
def test_a_tagger_gives_entities(tags, tagging, make, settings):
    pipe = pipeline_of(tags, "token-classification", **settings)
    (found,) = predict_or_fail(wrapped(pipe, tagging), make("ada left paris for london"))
    joined = pipe("ada left paris for london", aggregation_strategy="simple")
    assert joined
    assert [tuple(span)[1:] for span in found.answer] == [
        (one["start"], one["end"], one["entity_group"]) for one in joined
    ]


def test_tagged_pieces_are_joined(tagging, make):
    pieces = [
        {"entity": "B-PER", "index": 1, "start": 0, "end": 2, "word": "ad"},
        {"entity": "I-PER", "index": 2, "start": 2, "end": 3, "word": "##a"},
        {"entity": "I-PER", "index": 5, "start": 9, "end": 14, "word": "paris"},
    ]
    model = wrapped(lambda texts: [pieces for _ in texts], tagging)
    (found,) = predict_or_fail(model, make("ada left paris"))
    assert found.answer == (Span("text", 0, 3, "PER"), Span("text", 9, 14, "PER"))
    pieces[1]["start"] = None
    (failure,) = predict_or_fail(model, make("ada left paris"))
    assert "a tagged piece has no start" in failure.message
