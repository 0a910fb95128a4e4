"""What all transformations of words promise, and the rules about verbs under them."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrutiny.core.answers.words import WordsType
from scrutiny.core.example import Example
from scrutiny.core.facts import GROUNDS
from scrutiny.core.plugin_base import sentence_of
from scrutiny.core.registry import registry
from scrutiny.core.transformation import effect_of
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.changes import in_random_order
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.languages.conjugation import agreement_of, tense_of
from scrutiny.perturb.languages.related_words import (
    SynonymSettings,
    antonym_forms,
    synonym_forms,
    words_with_synonym,
)
from scrutiny.perturb.languages.sentence_tokens import sentence_tokens
from scrutiny.perturb.languages.verbs import (
    auxiliary_kind,
    finite_kind,
    is_main_verb,
    mistagged_verb,
)
from scrutiny.perturb.languages.word_forms import _likely_tag
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_to_text
from scrutiny.text.tagger import Tag

NAMES = [
    "add_fact",
    "ambiguous_word",
    "antonym_swap",
    "back_translation",
    "delete_subtree",
    "double_denial",
    "entity_swap",
    "entity_type_swap",
    "insert_adverb",
    "known_name_swap",
    "masked_lm",
    "name_place_swap",
    "prefix_swap",
    "reverse_negation",
    "synonym_vectors",
    "synonym_wordnet",
    "tense",
]
LIGHT = [n for n in NAMES if n not in ("back_translation", "masked_lm", "synonym_vectors")]


@pytest.mark.parametrize("name", NAMES)
def test_the_anatomy(name):
    transformation = registry().load("transformation", name)()
    assert transformation.id == f"{name}@1"
    assert re.fullmatch(r"[A-Z].*\.", sentence_of(transformation))
    assert set(transformation.resources) <= set(RESOURCES)
    assert "*" in transformation.effect
    assert set(transformation.effect) <= {"*", *GROUNDS, *WordsType.layers}
    assert transformation.languages == {"en"}
    for heading in ("**Measures**", "**Misleads when**", "References\n"):
        assert heading in type(transformation).__doc__


@pytest.mark.parametrize(
    ("name", "task", "effect"),
    [
        ("antonym_swap", "text-classification", "may change"),
        ("reverse_negation", "text-classification", "may change"),
        ("reverse_negation", "token-tagging", "keeps"),
        ("masked_lm", "text-classification", "may change"),
        ("synonym_wordnet", "text-classification", "keeps"),
        ("synonym_wordnet", "text-pair-classification", "keeps"),
        ("entity_swap", "text-pair-classification", "may change"),
        ("entity_swap", "token-tagging", "keeps"),
        ("back_translation", "token-tagging", "may change"),
    ],
)
def test_what_happens_to_the_gold_answer_is_declared(name, task, effect):
    made = registry().load("transformation", name)()
    assert effect_of(made, load_task(task).facts) == effect


ODD = ["", " ", "...", "'s", "n't", "n't n't", "'", "not", "don't", "do not", "\u0301", "🙂 is 🙂"]


@pytest.mark.parametrize("name", LIGHT)
@pytest.mark.parametrize("text", ODD)
def test_odd_texts_raise_nothing(name, text):
    variant = perturb(Example("1", {"text": text}), name, seed=0)
    assert variant.status != "failed", variant.reason


WORDS = "He she they dog dogs is are was has have had do does did can will not n't 's 'll it 't \
likes liked like goes went good better an a the old , . ? and that who if her John Paris never \
don't can't isn't I'm you're no Nobody any at all only to be been yet".split()


@pytest.mark.parametrize("name", LIGHT)
@settings(max_examples=60)
@given(words=st.lists(st.sampled_from(WORDS), max_size=12), seed=st.integers(0, 3))
def test_any_order_of_words_gives_edits_that_apply(name, words, seed):
    text = " ".join(words)
    variant = perturb(Example("1", {"text": text}), name, seed=seed)
    assert variant.status in ("ok", "skipped", "refused"), variant.reason
    changed = apply_to_text(text, variant.edits)
    assert (changed != text) == (variant.status == "ok")
    assert perturb(Example("1", {"text": text}), name, seed=seed) == variant


def test_a_random_order_has_all_options_and_a_uniform_first():
    rng = np.random.default_rng(0)
    firsts = [next(in_random_order("abcd", rng)) for _ in range(4000)]
    assert sorted(in_random_order("abcd", rng)) == list("abcd")
    assert all(abs(firsts.count(c) - 1000) < 110 for c in "abcd")  # four standard errors
    assert list(in_random_order((), rng)) == []


def kinds(text, of):
    document = document_of(text)
    return [of(document, i) for i in range(len(document.words))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He is here", [None, "be", None]),
        ("He'd go", ["modal", None]),
        ("John's house", [None, None]),
        ("it 's fine", [None, "be", None]),
        ("They don't know", [None, "do", None]),
        ("They play chess", [None, "verb", None]),
        ("He has had it", [None, "have", None, None]),
        ("to see it", [None, None, None]),
    ],
)
def test_finite_verbs(text, expected):
    assert kinds(text, finite_kind) == expected


def test_auxiliaries_and_main_verbs():
    assert kinds("He could have seen it", is_main_verb) == [False, False, False, True, False]
    assert kinds("They have a car", is_main_verb) == [False, True, False, False]
    assert kinds("They did their homework", is_main_verb) == [False, True, False, False]
    assert kinds("They did not go", is_main_verb) == [False, False, False, True]
    assert kinds("let 's go", auxiliary_kind) == [None, None, None]


class Wrong:
    """Tags by a list, whatever the words are."""

    def __init__(self, *tags):
        self.tags = [Tag(tag, "X") for tag in tags]

    def tag_at(self, words, position):
        return self.tags[position]


@pytest.mark.parametrize(
    ("text", "tags", "place"),
    [
        ("John lives in Ireland", "NNP NNS IN NNP", 1),
        ("The dogs bark", "DT NNS NN", 2),
        ("Apple shares in London fell", "NNP NNS IN NNP VBD", None),
        ("John tables in Ireland", "NNP NNP IN NNP", None),
        ("the city lives", "DT NN NNS", None),
    ],
)
def test_a_noun_in_the_place_of_the_verb_is_taken_for_one_if_there_is_no_other(text, tags, place):
    document = document_of(text, resources={"tagger": Wrong(*tags.split())})
    assert mistagged_verb(document, 0, len(document.words)) == place


def test_sentences_as_ranges_of_tokens():
    assert sentence_tokens(document_of("He left. She came!")) == [(0, 3), (3, 6)]
    assert sentence_tokens(document_of("  ")) == []


@pytest.mark.parametrize(
    ("text", "index", "tense", "agreement"),
    [
        ("He was late.", 1, "past", "VBZ"),
        ("They left.", 1, "past", "VBP"),
        ("The men with a dog ran.", 5, "past", "VBP"),
        ("The man who left", 3, "past", "VBZ"),
        ("Anna and John left.", 3, "past", None),
        ("He plays.", 1, "present", "VBZ"),
        ("He'd go.", 0, None, None),
    ],
)
def test_tense_and_agreement(text, index, tense, agreement):
    document = document_of(text)
    assert tense_of(document, index) == tense
    assert tense is None or agreement_of(document, index) == agreement


def test_replacements_of_words():
    usual = SynonymSettings()
    assert "purchase" in synonym_forms("buy", "VB", usual)
    assert synonym_forms("dogs", "NNS", usual) == ()
    assert synonym_forms("movie", "JJ", usual) == ()
    assert all(" " not in form for form in synonym_forms("car", "NN", usual))
    assert synonym_forms("boring", "VBG", usual) == ()
    strict = SynonymSettings(least_zipf=9.0)
    assert synonym_forms("buy", "VB", strict) == ()
    assert antonym_forms("wooden", "JJ", senses=3, least_zipf=2.5, indirect=True) == ()
    assert antonym_forms("swift", "JJ", senses=3, least_zipf=2.5, indirect=True) == ("slow",)
    assert antonym_forms("swift", "JJ", senses=3, least_zipf=2.5, indirect=False) == ()
    assert _likely_tag("early", "RB") == "RB"
    known = words_with_synonym(usual)
    assert [known[w] for w in ("MOVIE", "the", "42", "qqqq")] == [True, False, False, False]
