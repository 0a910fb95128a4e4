"""Dependencies: gold trees of rows, and scores of parsers by words with equal borders."""

import numpy as np
import pytest

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.tasks import scores
from scrutiny.tasks.dependency_arcs import DependencyArcs, counts
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tags import placed
from scrutiny.testing.check_reporting import check_statistic
from scrutiny.text.tokens import offsets_of_words

TASK = DependencyArcs()
ROW = {
    "words": ["She", "sold", "her", "car", "."],
    "heads": [2, 0, 4, 2, 2],
    "relations": ["nsubj", "root", "nmod:poss", "obj", "punct"],
    "upos": ["PRON", "VERB", "PRON", "NOUN", None],
}
GOLD = TASK.parse(ROW, source="x:1").gold
NAMES = [measure.name for measure in TASK.measures]


def measured(answer, gold=GOLD):
    return dict(zip(NAMES, TASK.score(gold, Prediction(answer), labels=()), strict=True))


def changed(layer, place, value):
    """Gold answer with one other value."""
    values = list(getattr(GOLD, layer))
    values[place] = value
    return GOLD._replace(**{layer: tuple(values)})


def test_the_gold_answer_of_a_row():
    assert GOLD == Words(
        "text",
        ((0, 3), (4, 8), (9, 12), (13, 16), (17, 18)),
        (1, ROOT, 3, 1, 1),
        ("nsubj", "root", "nmod:poss", "obj", "punct"),
        ("PRON", "VERB", "PRON", "NOUN", ""),
    )
    raw = TASK.parse({**ROW, "raw": "She sold her car."}, source="x:1")
    assert (raw.text, raw.gold.borders[-1]) == ("She sold her car.", (16, 17))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"raw": "She sold her car"}, "is not the words"),
        ({"raw": "She sold her old car."}, "is not the words"),
        ({"upos": ["PRON"]}, "there are 5 words and 1 upos"),
        ({"xpos": ["PRP", 3, "X", "X", "X"]}, r"xpos\[1\] is 3, no part of speech"),
    ],
)
def test_rows_that_do_not_fit(change, says):
    with pytest.raises(DataError, match=says):
        TASK.parse({**ROW, **change}, source="x:1")


def test_words_are_found_one_after_the_other():
    assert offsets_of_words(" a  b", ["a", "b"]) == ((1, 2), (4, 5))
    assert offsets_of_words("ab c", ["a", "b", "c"]) == ((0, 1), (1, 2), (3, 4))
    assert offsets_of_words("a x b", ["a", "b"]) is None
    assert placed([], None) == ("", ())


def test_a_right_answer():
    right = {"right_heads": 5, "right_arcs": 5, "arcs": 5, "right_upos": 4, "upos": 4}
    assert measured(GOLD) == {**right, "right_xpos": 0, "xpos": 0}


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (changed("heads", 0, 3), {"right_heads": 4, "right_arcs": 4}),
        (changed("heads", 1, 3), {"right_heads": 4, "right_arcs": 4}),
        (changed("heads", 3, None), {"right_heads": 4, "right_arcs": 4}),
        (changed("relations", 3, "iobj"), {"right_arcs": 4}),
        (changed("relations", 2, "nmod"), {}),  # a subtype
        (changed("upos", 0, "DET"), {"right_upos": 3}),
        (changed("upos", 4, "PUNCT"), {}),  # gold does not say
        (GOLD._replace(upos=None), {"right_upos": 0, "upos": 0}),
        (GOLD._replace(relations=None), {"right_arcs": 0}),
        (GOLD._replace(heads=None), {"right_heads": 0, "right_arcs": 0, "arcs": 0}),
    ],
)
def test_one_thing_is_wrong(answer, wrong):
    assert measured(answer) == {**measured(GOLD), **wrong}


def test_a_word_without_a_head_is_not_scored():
    gold = changed("heads", 4, None)
    assert measured(GOLD, gold)["arcs"] == 4
    assert measured(changed("heads", 4, 0), gold)["right_heads"] == 4


def test_other_words_are_scored_by_their_borders():
    """As in the shared task: "her car" is one word; heads are words of the same borders."""
    own = Words(
        "text",
        ((0, 3), (4, 8), (9, 16), (17, 18)),
        (1, ROOT, 1, 1),
        ("nsubj", "root", "obj", "punct"),
    )
    found = counts(GOLD, own)
    assert found[:3] == (3, 3, 4.5)  # 2 x 3 of 5 + 4 words
    onto = own._replace(heads=(2, ROOT, 1, 1))
    assert counts(GOLD, onto)[:2] == (2, 2)


def test_words_by_relation():
    wrong = changed("heads", 0, 3)._replace(relations=("nsubj", "root", "nmod", "iobj", "punct"))
    found = TASK.class_counts(GOLD, wrong)
    assert {name: tuple(one) for name, one in found.items()} == {
        "nsubj": (0, 1, 1),
        "root": (1, 0, 0),
        "nmod": (1, 0, 0),
        "obj": (0, 0, 1),
        "iobj": (0, 1, 0),
        "punct": (1, 0, 0),
    }
    assert {one.fp + one.fn for one in TASK.class_counts(GOLD, GOLD).values()} == {0}
    assert TASK.class_counts(GOLD, GOLD._replace(heads=None)) == {}


def test_scores_are_of_words_and_not_of_sentences():
    rows = [ROW, {"words": ["Go", "!"], "heads": [0, 1], "relations": ["root", "punct"]}]
    examples = [TASK.parse(row, source="x:1") for row in rows]
    answers = [Prediction(GOLD), Prediction(examples[1].gold._replace(heads=(1, ROOT)))]
    assert level_of(TASK, examples, answers) == 5 / 7


@pytest.mark.parametrize("one", [scores.LAS, scores.UAS, scores.UPOS, scores.XPOS])
def test_metrics(one):
    check_statistic(one)
    sums = np.array([[[3.0, 4.0]], [[0.0, 0.0]]])
    assert one.value(sums, np.ones((2, 1))).tolist() == pytest.approx([0.75, np.nan], nan_ok=True)


def test_what_is_no_answer():
    with pytest.raises(ModelError, match="no annotation of words"):
        TASK.score(GOLD, Prediction("VERB"), labels=())
    with pytest.raises(DataError, match="no gold annotation"):
        TASK.score(None, Prediction(GOLD), labels=())


def test_no_skill_is_the_commonest_relation_to_a_neighbor():
    examples = [Example("1", {"text": "She sold her car ."}, GOLD)]
    assert TASK.chance(examples) == 1 / 5
    assert TASK.chance([]) == 0.0
