"""The annotated samples that ship: negation and dependencies."""

from collections import Counter

import pytest

from scrutiny.core.queries.annotation import AnchoredWords, Arcs
from scrutiny.data.dataset import load_dataset

NEGATION = load_dataset("builtin:negation")
ARCS = load_dataset("builtin:arcs")
#: What a single word must be to be a cue by itself.
CUES = {"n't", "not", "no", "never", "nobody", "nothing", "none", "nowhere", "without", "nor"}


def test_negation_is_varied():
    assert (NEGATION.task, NEGATION.bad_rows, NEGATION.notes) == ("anchored-spans", (), ())
    sentences = Counter(e.attributes["u_sentence"] for e in NEGATION.examples)
    assert (len(NEGATION), len(sentences)) == (48, 42)
    assert max(sentences.values()) == 3
    halves = Counter(e.attributes["a_half"] for e in NEGATION.examples)
    assert halves == {"A": 24, "B": 24}
    cues = Counter(e.attributes["a_cue"] for e in NEGATION.examples)
    assert len(cues) == 16
    assert sum(" " in cue for cue in cues) == 6


@pytest.mark.parametrize("example", NEGATION.examples, ids=lambda e: e.id)
def test_a_frame(example):
    view = AnchoredWords.of(example)
    cue = [view.words[i].lower() for i in view.anchors]
    assert len(cue) > 1 or cue[0] in CUES
    assert not set(view.anchors) & set(view.targets)
    assert not {view.words[i] for i in view.targets} & set(".,!?")
    assert view.n_listed == len(view.targets)
    assert view.words[0][0].isupper()
    assert view.words[-1] in ".!?"


def test_scopes_lie_on_both_sides_and_some_are_empty():
    views = [AnchoredWords.of(e) for e in NEGATION.examples]
    assert sum(not v.targets for v in views) == 3
    before = sum(bool(v.targets) and v.targets[0] < v.anchors[0] for v in views)
    assert before > len(views) / 2


def test_every_negation_word_of_a_sentence_is_annotated():
    cues = {}
    for e in NEGATION.examples:
        view = AnchoredWords.of(e)
        cues.setdefault(view.words, set()).update(view.anchors)
    lacking = [
        (" ".join(words), word)
        for words, marked in cues.items()
        for i, word in enumerate(words)
        if word.lower() in CUES and i not in marked
    ]
    assert lacking == []


@pytest.mark.parametrize("example", ARCS.examples, ids=lambda e: e.id)
def test_a_tree(example):
    view = Arcs.of(example)
    roots = [i for i, head in enumerate(view.heads) if head == -1]
    assert len(roots) == 1
    for word in range(len(view.words)):
        path = []
        while word != -1:
            assert word not in path, (view.words[word], "hangs on itself")
            path.append(word)
            word = view.heads[word]
    for i, relation in enumerate(view.relations):
        assert (relation == "punct") == (not view.words[i][0].isalnum() and view.words[i] != "'s")
        if relation == "punct":
            assert i not in view.heads


def test_dependencies_are_varied():
    assert (ARCS.task, ARCS.bad_rows, ARCS.notes, len(ARCS)) == ("dependency-arcs", (), (), 25)
    relations = Counter(r for e in ARCS.examples for r in Arcs.of(e).relations)
    assert len(relations) == 31
    assert relations["nsubj"] > 20
    assert {"advcl", "csubj", "obj", "amod", "advmod", "conj"} <= set(relations)
    words = {w for e in ARCS.examples for w in Arcs.of(e).words}
    assert "didn't" not in words  # a multiword token: did n't
