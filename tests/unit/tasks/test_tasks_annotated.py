"""Annotated tasks: rows of our own JSONL, and what is wrong with rows."""

import json

import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.queries.annotation import (
    AlignedWords,
    AnchoredWords,
    Arcs,
    Mentions,
    WordClasses,
)
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.tasks.cells import runs_of_words
from scrutiny.tasks.item_hashes import half_of, is_held_out
from scrutiny.tasks.tasks import load_task

WORDS = ["Ann", "never", "said", "that", "Bob", "lied", "."]
ROWS = {
    "anchored-spans": {"anchor": [1], "target": [0, 2, 3, 4, 5]},
    "dependency-arcs": {
        "heads": [3, 3, 0, 6, 6, 3, None],
        "relations": ["nsubj", "advmod", "root", "mark", "nsubj", "ccomp", None],
    },
    "mention-clusters": {
        "mentions": [
            {"words": [0], "cluster": "ann", "kind": "proper"},
            {"words": [4], "cluster": 2, "kind": "proper"},
        ]
    },
    "token-classes": {"classes": ["PROPN", "", None, None, "PROPN", "VERB", "PUNCT"]},
    "aligned-pairs": {"pairs": [[[2], [0]], [[5], [4]]]},
}


def row(task, **changes):
    return {"words": WORDS, **ROWS[task], **changes}


@pytest.fixture
def load(write):
    def load_rows(*rows, options=""):
        write("own.jsonl", "".join(json.dumps(one) + "\n" for one in rows))
        return load_dataset(f"jsonl:own.jsonl{options}")

    return load_rows


@pytest.mark.parametrize("name", ROWS)
def test_contract(name):
    task = load_task(name)
    assert f"{name}@1" in registry().names("task")
    assert (task.name, task.fields, task.must_be_answered) == (name, ("text",), False)
    assert task.chance([]) == 0.0
    needed = {r.name for r in task.roles if r.is_needed}
    assert set(task.identifying_columns) < needed == {"words", *ROWS[name]}
    with pytest.raises(DataError, match=r"so they have no score|there is no gold"):
        task.score(None, Prediction(), labels=())


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_known_by_their_columns(load, name):
    data = load(row(name))
    assert (data.task, data.labels, data.bad_rows) == (name, (), ())
    (one,) = data.examples
    assert one.text == "Ann never said that Bob lied ."
    assert [one.text[a:b] for a, b in one.tokens["text"]] == WORDS
    assert ((one.gold is None) == (one.spans != ()), one.source) == (True, "own.jsonl:1")
    assert one.attributes["a_half"] == half_of(one.attributes["u_sentence"])


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("beside", [{"text": "Ann never said"}, {"sentence": "s1", "label": "x"}])
def test_a_text_beside_the_words_is_not_what_the_rows_are_for(load, name, beside):
    data = load(row(name, **beside))
    assert (data.task, data.bad_rows) == (name, ())
    assert data.examples[0].text == "Ann never said that Bob lied ."


def test_what_the_user_says_the_rows_are_for_goes_before_their_names(load):
    both = row("anchored-spans", text="Ann never said", label="x")
    for options in ("#label=label", "#text=text", "#text=text,label=label"):
        assert load(both, options=options).task == "text-classification"
    assert load(both, options="#task=text-classification").task == "text-classification"
    tagged = row("dependency-arcs", tags=["O"] * len(WORDS))
    assert load(tagged).task == "token-tagging"


def test_views_of_rows(load):
    view = AnchoredWords.of(load(row("anchored-spans")).examples[0])
    assert (view.words, view.anchors, view.targets) == (tuple(WORDS), (1,), (0, 2, 3, 4, 5))
    view = Arcs.of(load(row("dependency-arcs")).examples[0])
    assert view.heads == (2, 2, -1, 5, 5, 2, None)
    assert view.relations == ("nsubj", "advmod", "root", "mark", "nsubj", "ccomp", "")
    view = Mentions.of(load(row("mention-clusters")).examples[0])
    assert [(m.words, m.cluster) for m in view.mentions] == [((0,), "ann"), ((4,), "2")]
    view = WordClasses.of(load(row("token-classes")).examples[0])
    assert view.classes == ("PROPN", "", "", "", "PROPN", "VERB", "PUNCT")
    view = AlignedWords.of(load(row("aligned-pairs")).examples[0])
    assert view.pairs == (((2,), (0,)), ((5,), (4,)))


def test_frames_of_one_sentence_share_its_unit_and_half(load):
    other = row("anchored-spans", anchor=[4], target=[5])
    first, second, third = load(
        row("anchored-spans"), other, {**other, "words": [*WORDS[:6], "!"]}
    ).examples
    assert first.attributes["u_sentence"] == second.attributes["u_sentence"]
    assert first.attributes["a_half"] == second.attributes["a_half"]
    assert third.attributes["u_sentence"] != first.attributes["u_sentence"]
    assert (first.attributes["a_cue"], second.attributes["a_cue"]) == ("never", "bob")
    assert len({one.id for one in (first, second, third)}) == 3


def test_columns_of_the_users_own_names(load):
    own = {"toks": WORDS, "who": [1], "what": [0], "sid": 7, "doc": "d1", "part": "B"}
    options = "#words=toks,anchor=who,target=what,sentence=sid,document=doc,half=part"
    data = load(own, options=options)
    assert data.task == "anchored-spans"
    assert data.examples[0].attributes == {
        "u_sentence": "7",
        "u_document": "d1",
        "a_half": "B",
        "a_cue": "never",
        "a_heldout": "yes" if is_held_out(" ".join(WORDS)) else "no",
    }


def test_a_scope_that_lists_a_word_twice(load):
    (one,) = load(row("anchored-spans", target=[3, 2, 3, 5])).examples
    view = AnchoredWords.of(one)
    assert (view.targets, view.n_listed) == ((2, 3, 5), 4)
    marked = [one.text[s.start : s.end] for s in one.spans if s.label == "target"]
    assert marked == ["said that", "lied", "that"]


def test_control_characters_are_words(load):
    (one,) = load(row("anchored-spans", words=["\x85", *WORDS[1:]])).examples
    assert AnchoredWords.of(one).words[0] == "\x85"


@pytest.mark.parametrize(
    ("indices", "found"),
    [
        ([], []),
        ([3], [(3, 3)]),
        ([4, 1, 2, 2], [(1, 2), (4, 4), (2, 2)]),
        ([0, 0, 0], [(0, 0)] * 3),
    ],
)
def test_stretches(indices, found):
    assert runs_of_words(indices) == found


@pytest.mark.parametrize(
    ("task", "changes", "reason"),
    [
        ("anchored-spans", {"words": []}, "words is empty"),
        ("anchored-spans", {"words": "Ann never"}, "words is not a list"),
        ("anchored-spans", {"words": ["Ann", " "]}, "words[1] is empty or no text"),
        ("anchored-spans", {"words": ["Ann", 3]}, "words[1] is empty or no text"),
        ("anchored-spans", {"anchor": []}, "anchor has no words"),
        ("anchored-spans", {"anchor": [7]}, "anchor holds 7; words are counted from 0 to 6"),
        ("anchored-spans", {"anchor": [-1]}, "anchor holds -1"),
        ("anchored-spans", {"target": [True]}, "target holds True"),
        ("anchored-spans", {"target": "0 1"}, "target is not a list of word indices"),
        ("anchored-spans", {"half": "C"}, "half is 'C'; it is A or B"),
        ("anchored-spans", {"sentence_id": None}, "the unit sentence is missing"),
        ("dependency-arcs", {"heads": [0]}, "there are 7 words and 1 heads"),
        ("dependency-arcs", {"heads": [8] + [0] * 6}, "heads[0] is 8; heads are counted from 1"),
        ("dependency-arcs", {"heads": [1] + [0] * 6}, "'Ann' is its own head"),
        ("dependency-arcs", {"relations": [""] * 7}, "relations[0] is '', no name"),
        ("mention-clusters", {"mentions": ["Ann"]}, "mentions[0] is no object"),
        ("mention-clusters", {"mentions": [{"words": []}]}, "mentions[0].words has no words"),
        (
            "mention-clusters",
            {"mentions": [{"words": [0, 2]}]},
            "mentions[0].words holds [0, 2]: other words are between them",
        ),
        (
            "mention-clusters",
            {"mentions": [{"words": [0], "cluster": "a:b", "kind": "proper"}]},
            "mentions[0].cluster is 'a:b'",
        ),
        (
            "mention-clusters",
            {"mentions": [{"words": [0], "cluster": "a", "kind": "name"}]},
            "mentions[0].kind is 'name'; it is pronoun, proper, nominal",
        ),
        ("token-classes", {"classes": [1] * 7}, "classes[0] is 1, no name of a class"),
        ("aligned-pairs", {"pairs": [[0, 1]]}, "pairs[0], side a, is not a list of word indices"),
        ("aligned-pairs", {"pairs": [[[0]]]}, "pairs[0] is no pair of lists"),
    ],
)
def test_bad_rows(load, task, changes, reason):
    good = {"sentence_id": "s", "half": "A", **row(task)}
    data = load(good, {**good, **changes})
    assert len(data) == 1
    (bad,) = data.bad_rows
    assert bad.source == "own.jsonl:2"
    assert reason in bad.reason


def test_a_row_without_a_column(load):
    lacking = row("anchored-spans")
    del lacking["target"]
    data = load(row("anchored-spans"), lacking)
    assert data.bad_rows[0].reason == "the row has no 'target'"
