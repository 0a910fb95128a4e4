"""Vetoes: what each constraint refuses and what it lets through."""

import numpy as np
import pytest

from scrutiny.core.edit import Edit
from scrutiny.core.errors import MissingExtraError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.perturb.constraints.extent import EditDistance, MaxChange, StopWords
from scrutiny.perturb.constraints.fluency import Grammar, PerplexityRatio
from scrutiny.perturb.constraints.meaning import EmbeddingSimilarity
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.engine.edit_gate import reason_of
from scrutiny.perturb.resources.loading import load_resource

TEXT = "The old man saw a dog."


def edit(old, new, text=TEXT):
    start = text.index(old)
    return Edit("text", start, start + len(old), new)


def allows(constraint, *edits, text=TEXT, resources=None):
    return constraint.allows(document_of(text, resources=resources), edits)


@pytest.mark.parametrize(
    ("edits", "allowed"),
    [
        ([edit("dog", "cat")], True),
        ([edit("The", "A")], False),
        ([edit("he o", "x")], False),
        ([Edit("text", 3, 3, " very")], True),
        ([Edit("text", 1, 1, "x")], False),
        ([edit("a dog", "an owl")], False),
        ([Edit("text", 16, 17, "an"), edit("dog", "owl")], True),
    ],
)
def test_stop_words(edits, allowed):
    assert allows(StopWords(), *edits) is allowed


def test_stop_words_of_ones_own():
    assert not allows(StopWords(words=frozenset({"dog"})), edit("dog", "cat"))
    assert allows(StopWords(words=frozenset({"dog"})), edit("The", "A"))


@pytest.mark.parametrize(
    ("share", "unit", "edits", "allowed"),
    [
        (0.15, "words", [edit("dog", "cat")], True),
        (0.14, "words", [edit("dog", "cat")], False),
        (0.29, "words", [edit("dog", "cat"), edit("old", "new")], True),
        (0.28, "words", [edit("dog", "cat"), edit("old", "new")], False),
        (0.28, "words", [edit("dog", "big red dog")], False),
        (0.14, "characters", [edit("dog", "cat")], True),
        (0.13, "characters", [edit("dog", "cat")], False),
        (0.2, "characters", [edit("dog", "")], True),
    ],
)
def test_max_change(share, unit, edits, allowed):
    assert allows(MaxChange(share=share, unit=unit), *edits) is allowed


@pytest.mark.parametrize(
    ("most", "share", "new", "allowed"),
    [
        (1, None, "dig", True),
        (1, None, "cat", False),
        (3, None, "cat", True),
        (None, 0.14, "cat", True),
        (None, 0.13, "cat", False),
        (3, 0.05, "cat", False),
        (None, None, "elephant", True),
    ],
)
def test_edit_distance(most, share, new, allowed):
    assert allows(EditDistance(most=most, share=share), edit("dog", new)) is allowed


@pytest.mark.parametrize(
    ("edits", "distance"),
    [
        ([edit("man", "men")], 1),  # two of the three letters are as they were
        ([edit("old man", "old many")], 1),
        ([edit("old", "odd"), edit("saw", "was")], 3),
        ([edit("The old", "")], 7),
        ([Edit("text", 3, 3, " very")], 5),
        ([edit("old ", ""), Edit("text", 12, 12, "old ")], 6),
    ],
)
def test_the_edit_distance_is_that_of_the_texts_and_not_of_the_edits(edits, distance):
    document = document_of(TEXT)
    found = [
        EditDistance(most=most, share=None).screen(document, [edits, ()]) for most in range(11)
    ]
    assert found == [[most >= distance, True] for most in range(11)]


class Model:
    """Perplexity by a table of words; vectors by their counts."""

    SURPRISING = frozenset({"owl"})

    def perplexity(self, texts):
        return [30.0 if self.SURPRISING & set(t.strip(".").split()) else 10.0 for t in texts]

    def encode(self, texts):
        words = sorted({w for t in texts for w in t.split()})
        return np.array([[t.split().count(w) for w in words] for t in texts], dtype=float)


def test_perplexity_ratio():
    resources = {"perplexity": Model()}
    assert allows(PerplexityRatio(most=2.0), edit("dog", "cat"), resources=resources)
    assert not allows(PerplexityRatio(most=2.0), edit("dog", "owl"), resources=resources)
    assert allows(PerplexityRatio(most=3.0), edit("dog", "owl"), resources=resources)


def test_embedding_similarity():
    resources = {"encoder": Model()}
    assert allows(EmbeddingSimilarity(least=5 / 6), edit("dog", "cat"), resources=resources)
    assert not allows(EmbeddingSimilarity(least=0.84), edit("dog", "cat"), resources=resources)
    assert not allows(
        EmbeddingSimilarity(least=0.0), Edit("text", 0, len(TEXT), ""), resources=resources
    )


@pytest.mark.parametrize("constraint", [PerplexityRatio(), EmbeddingSimilarity()])
def test_there_is_no_hidden_default_model(constraint):
    with pytest.raises(PlanError, match="has no default"):
        allows(constraint, edit("dog", "cat"))


@pytest.mark.parametrize(
    ("text", "old", "new", "allowed"),
    [
        ("They play.", "play", "do not play", True),
        ("They play.", "play", "does not play", False),
        ("I went home.", "went", "did not went", False),
        ("I went home.", "went", "did not go", True),
        ("They does not play.", "play", "sing", True),
        ("He has a dog.", "dog", "xqzt", True),
    ],
)
def test_grammar_refuses_new_complaints_only(text, old, new, allowed):
    pytest.importorskip("harper")
    assert allows(Grammar(), edit(old, new, text), text=text) is allowed


def test_grammar_counts_the_kinds_that_are_not_ignored():
    class Checker:
        def lints(self, text):
            return [("Spelling", "x")] * text.count("x") + [("Agreement", "y")] * text.count("y")

    resources = {"grammar": Checker()}
    assert allows(Grammar(), edit("dog", "xx"), resources=resources)
    assert not allows(Grammar(), edit("dog", "yy"), resources=resources)
    assert allows(Grammar(ignore=frozenset({"Agreement"})), edit("dog", "yy"), resources=resources)


def test_a_missing_checker_is_named_with_its_extra(monkeypatch):
    monkeypatch.setattr("scrutiny.perturb.resources.loading.find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match=r"scrutiny\[nlp\]"):
        load_resource.__wrapped__("grammar")


def test_the_engine_asks_and_gives_the_reason():
    example = Example("1", {"text": "The doctor."})
    free = perturb(example, "synonym_wordnet", seed=0)
    held = perturb(
        example, "synonym_wordnet", seed=0, constraints=[StopWords(words=frozenset({"doctor"}))]
    )
    assert free.status == "ok"
    assert (held.status, held.reason, held.edits) == ("refused", "stop_word", ())


@pytest.mark.parametrize("name", registry().names("constraint"))
def test_every_constraint_has_the_anatomy(name):
    constraint = registry().load("constraint", name)()
    assert constraint.id == name
    assert reason_of(constraint) == name.partition("@")[0].replace("stop_words", "stop_word")
    assert isinstance(constraint.resources, tuple)
