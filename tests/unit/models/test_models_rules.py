"""Baselines by rule for sentiment: words of praise and blame near an aspect, and one label."""

import pytest

from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.model_loading import load_model
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_adapter

ASPECTS, TEXTS = load_task("aspect-sentiment"), load_task("text-classification")
LABELS = "#labels=negative|neutral|positive"


def answers(model, *pairs):
    fields = (dict(zip(("text", "aspect"), pair, strict=True)) for pair in pairs)
    return [one.answer for one in model.predict([Example("", texts) for texts in fields])]


def test_the_nearest_words_decide_and_count_less_beyond_a_but():
    text = "The food was good, but the staff was rude; I sat at a table."
    model = load_model("rules:polar-words", ASPECTS)
    assert answers(model, (text, "food"), (text, "staff")) == ["positive", "negative"]
    assert model.labels == ("negative", "neutral", "positive")


def test_a_negation_reverses_and_nothing_known_is_neutral():
    model = load_model("rules:polar-words", ASPECTS)
    pairs = [
        ("The food was not good.", "food"),
        ("The food wasn't bad.", "food"),
        ("I had the food.", "food"),
        ("Rude staff.", "service"),
    ]
    assert answers(model, *pairs) == ["negative", "positive", "neutral", "negative"]


def test_whole_texts_are_read_by_all_their_words():
    model = load_model("rules:polar-words#labels=negative|positive", TEXTS)
    texts = ("A great film, great cast, bad end.", "Bad.", "A film.")
    given = model.predict([Example("", {"text": text}) for text in texts])
    assert [one.answer for one in given] == ["positive", "negative", "positive"]


def test_one_label_answers_it_to_everything():
    model = load_model("rules:one-label#label=neutral,labels=negative|neutral", ASPECTS)
    assert answers(model, ("Good food.", "food"), ("Bad food.", "food")) == ["neutral", "neutral"]


@pytest.mark.parametrize(
    "name", ["polar-words", "one-label#label=positive,labels=negative|positive"]
)
def test_they_keep_the_promises_of_models(name):
    rows = [("Good food.", "food"), ("Rude staff.", "staff"), ("A bar.", "bar")]
    examples = [Example(str(i), {"text": t, "aspect": a}) for i, (t, a) in enumerate(rows)]
    check_adapter(load_model(f"rules:{name}", ASPECTS), examples)


@pytest.mark.parametrize(
    ("name", "task", "said"),
    [
        ("polar", ASPECTS, "There are: bm25, .*head-match, .*one-label, .*polar-words"),
        ("polar-words#labels=1|2", ASPECTS, "are no names of them"),
        ("polar-words", load_task("coreference"), "it gives labels"),
        ("one-label", ASPECTS, "has to say which label"),
        ("one-label#label=x,labels=a|b", ASPECTS, "has to say which label"),
        ("one-label#label=x", load_task("token-tagging"), "it gives labels"),
    ],
)
def test_what_they_cannot_do_is_refused(name, task, said):
    with pytest.raises(ModelError, match=said):
        load_model(f"rules:{name}", task)


@pytest.mark.parametrize(
    ("file", "right"), [("laptop_test", 443), ("rest_test", 865), ("mams_test", 605)]
)
@pytest.mark.data("absa_semeval14_mams")
def test_polar_words_on_reviews(shared_data, file, right):
    """They are no better than the commonest label where every text has two polarities (MAMS)."""
    data = load_dataset(f"aspects:{shared_data('absa_semeval14_mams')}/{file}.json")
    given = load_model("rules:polar-words", ASPECTS).predict(data.examples)
    hits = [one.answer == e.gold for one, e in zip(given, data.examples, strict=True)]
    assert sum(hits) == right
