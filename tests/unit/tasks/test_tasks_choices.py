"""Tasks of options, candidates, several labels, marked parts and borders of words."""

import json
import math
import random
from itertools import permutations
from statistics import fmean

import numpy as np
import pytest

from scrutiny.core.answers.choices import LabelSet, Option, Ranking, options_in
from scrutiny.core.errors import DataError
from scrutiny.core.example import Span
from scrutiny.core.facts import Facts
from scrutiny.core.task import ClassCounts, Prediction
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import perturb
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.choices import expected_reciprocal
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.check_data import check_task

CHOICE, RANK, MULTI, RELATION, CUTTING, MEANT = map(
    load_task,
    ["multiple-choice", "passage-ranking", "multi-label-classification",
     "relation-classification", "word-segmentation", "pronoun-resolution"],
)  # fmt: skip
ROWS = {
    CHOICE: [
        {"text": "He left.", "question": "Who?", "options": ["he", "she", "it"], "answer": "he"},
        {"text": "Is it?", "options": "yes|no", "answer": "B"},
    ],
    RANK: [
        {"query": "who", "candidates": ["he did", "it did"], "relevant": 0},
        {"query": "what", "candidates": ["a", "b", "c"], "relevant": ["c", 1]},
    ],
    MULTI: [
        {"text": "good food", "label": ["food", "joy"]},
        {"text": "dear", "label": "price"},
        {"text": "closed", "label": []},
    ],
    RELATION: [
        {"text": "<e1>Ida</e1> left <e2>Rome</e2>.", "label": "from(e1,e2)"},
        {"text": "Ida saw Rome.", "e1": [8, 12], "e2": [0, 3], "label": "seen(e1,e2)"},
    ],
    CUTTING: [{"segmented": "ab c de"}, {"text": "ab c", "segmented": ["ab", "c"]}],
}


@pytest.mark.parametrize("task", ROWS, ids=lambda task: task.name)
def test_tasks_keep_their_contract(task):
    check_task(task, ROWS[task])


def item(task, **row):
    return task.parse(row, source="x:1")


@pytest.mark.parametrize(
    ("task", "facts", "grounds"),
    [
        (CHOICE, Facts("option", "relation"), ("option", "relation")),
        (RANK, Facts("ranking", "relation"), ("ranking", "relation")),
        (MULTI, Facts("labels", "text"), ("labels", "label")),
        (RELATION, Facts("label", "marked"), ("marked", "anchor", "label")),
        (CUTTING, Facts("segments", "text"), ("segments", "words")),
        (MEANT, Facts("option", "marked"), ("option", "relation")),
    ],
)
def test_facts_follow_from_columns_and_answers(task, facts, grounds):
    assert task.facts == facts
    assert task.facts.grounds == grounds


def test_options_and_a_missing_question_are_fields():
    first, second = (item(CHOICE, **row) for row in ROWS[CHOICE])
    assert list(first.fields) == ["text", "question", "option_1", "option_2", "option_3"]
    assert list(second.fields) == ["text", "option_1", "option_2"]
    assert (first.gold, second.gold) == (Option(0), Option(1))


@pytest.mark.parametrize(
    "cell", [["a", "b"], "a|b", "a | b", '["a", "b"]', "['a', 'b']", {"text": ["a", "b"]}]
)
def test_a_cell_lists_options_in_several_ways(cell):
    assert options_in(item(CHOICE, text="x", options=cell).fields) == ["a", "b"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"options": ["a"]}, "options holds 1 texts"),
        ({"options": ["a", ""]}, r"options\[1\] is empty"),
        ({"options": 3}, "not a list of texts"),
        ({}, "options is missing"),
        ({"options": ["a", "b"], "answer": 2}, "there are 2 options"),
        ({"options": ["a", "b"], "answer": "c"}, "its letter"),
        ({"options": ["a", "b"], "answer": []}, "there are 2 options"),
    ],
)
def test_options_that_cannot_be_read_are_bad_rows(row, said):
    with pytest.raises(DataError, match=said):
        item(CHOICE, text="x", **row)


def test_chance_of_options_is_that_of_guessing_or_of_a_place():
    items = [item(CHOICE, text="x", options="a|b|c", answer=k % 3) for k in range(6)]
    assert CHOICE.chance(items) == pytest.approx(1 / 3)
    assert CHOICE.without_skill(items) == "guessing among the options"
    items += [item(CHOICE, text="x", options="a|b", answer=1)] * 2
    assert CHOICE.chance(items) == pytest.approx(4 / 8)
    assert CHOICE.without_skill(items) == "always taking option 2"


def test_ranks_are_those_of_the_first_right_candidate():
    gold = item(RANK, **ROWS[RANK][1]).gold
    assert gold == Ranking((1, 2))
    orders = {(0, 2, 1): (0, 0, 1 / 2, 1), (2, 0, 1): (1, 2, 1, 1), (0,): (0, 0, 0, 1)}
    for order, score in orders.items():
        assert RANK.score(gold, Prediction(Ranking(order)), labels=()) == score


@pytest.mark.parametrize(("n", "right"), [(2, 1), (5, 1), (5, 2), (6, 6), (4, 3)])
def test_mean_reciprocal_rank_of_a_random_order(n, right):
    """Against all orders, one by one."""
    ranks = (min(order.index(k) for k in range(right)) + 1 for order in permutations(range(n)))
    assert expected_reciprocal(n, right) == pytest.approx(fmean(1 / rank for rank in ranks))


def test_micro_f1_exact_match_and_hamming_loss_as_scikit_learn_has_them():
    metrics = pytest.importorskip("sklearn.metrics")
    rng, names = random.Random(3), "abcd"
    golds, answers = (
        [LabelSet(rng.sample(names, rng.randrange(4))) for _ in range(1000)] for _ in range(2)
    )
    items = [
        item(MULTI, text=f"text {k}", label=sorted(gold), id=str(k)) for k, gold in enumerate(golds)
    ]
    predictions = [Prediction(answer) for answer in answers]
    task = MULTI.on(items)
    dense = [[[name in one for name in names] for one in side] for side in (golds, answers)]
    wanted = {
        "micro_f1@1": metrics.f1_score(*dense, average="micro"),
        "hamming@1": metrics.hamming_loss(*dense),
        "exact_match@1": metrics.accuracy_score(*dense),
    }
    for metric, value in wanted.items():
        assert level_of(task, items, predictions, metric=metric) == pytest.approx(value)
    counts = [task.class_counts(*pair) for pair in zip(golds, answers, strict=True)]
    rows = [[one.get(name, ClassCounts()) for name in names] for one in counts]
    sums = np.array(rows, float).sum(0).reshape(1, 12)  # (label, count)
    macro = metric_of("macro_f1(4)@1").value(sums, np.ones(1))
    assert macro == pytest.approx(metrics.f1_score(*dense, average="macro"))


def test_hamming_loss_counts_labels_that_a_model_alone_has():
    metrics = pytest.importorskip("sklearn.metrics")
    golds, answers = [{"a", "b"}, {"a"}, set()], [{"e"}, {"a"}, set()]
    task = MULTI.on([item(MULTI, text="x", label=sorted(gold)) for gold in golds])
    rows = [
        task.score(LabelSet(gold), Prediction(LabelSet(said)), labels=("a", "b", "e"))
        for gold, said in zip(golds, answers, strict=True)
    ]
    dense = [[[name in one for name in "abe"] for one in side] for side in (golds, answers)]
    _, wrong, missed, _, asked = np.sum(rows, axis=0)
    assert (wrong + missed) / asked == pytest.approx(metrics.hamming_loss(*dense))


def test_the_best_labels_for_all_are_found():
    """Against each set of labels."""
    rng, names = random.Random(1), "abcd"
    shares = dict(zip(names, (0.7, 0.5, 0.4, 0.1), strict=True))
    golds = [[name for name, share in shares.items() if rng.random() < share] for _ in range(60)]
    items = [item(MULTI, text="x", label=gold) for gold in golds]
    each = [LabelSet(n for k, n in enumerate(names) if mask >> k & 1) for mask in range(1, 16)]
    levels = [level_of(MULTI, items, [Prediction(one)] * len(items)) for one in each]
    assert MULTI.chance(items) == pytest.approx(max(levels))
    assert MULTI.without_skill(items).count("'") == 2 * len(each[levels.index(max(levels))])


def test_each_label_is_counted_by_itself():
    counts = MULTI.class_counts(LabelSet("ab"), LabelSet("bc"))
    assert counts == {
        "a": ClassCounts(0, 0, 1), "b": ClassCounts(1, 0, 0), "c": ClassCounts(0, 1, 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "labels"),
    [("a|b", "ab"), (["a"], "a"), ([], ""), ("", ""), ("['a', 'b']", "ab"), ([1, 0], "10")],
)
def test_a_cell_lists_labels_in_several_ways(cell, labels):
    assert item(MULTI, text="x", label=cell).gold == LabelSet(labels)


@pytest.mark.parametrize("cell", [[["a"]], [None], [0.5], None])
def test_labels_that_cannot_be_read_are_bad_rows(cell):
    with pytest.raises(DataError, match="label is"):
        item(MULTI, text="x", label=cell)


def test_labels_can_be_renamed_and_exchanged():
    rows = [{"text": f"text {k}", "label": [k % 3 and "a", "b"][k % 2 :]} for k in range(1, 30, 2)]
    columns = {"task": "multi-label-classification", "labels": "a:A|b:B"}
    assert load_dataset(rows, columns=columns).labels == ("B",)
    shuffled = load_dataset(
        [{"text": f"text {k}", "label": "ab"[k % 2] } for k in range(30)],
        columns={"task": "multi-label-classification", "permute": "1"},
    )  # fmt: skip
    golds = [example.gold for example in shuffled.examples]
    assert golds.count(LabelSet("a")) == 15
    assert golds[::2] != [LabelSet("a")] * 15


def test_marked_parts_are_spans_that_nothing_changes():
    for row in ROWS[RELATION]:
        found = item(RELATION, **row)
        assert {found.text[s.start : s.end] for s in found.spans} == {"Ida", "Rome"}
        assert {s.label for s in found.spans} == {"e1", "e2"}
        for seed in range(4):
            variant = perturb(found, "typos(share=1)", seed=seed, task="relation-classification")
            for edit in variant.edits:
                assert not any(s.start < edit.end and edit.start < s.end for s in found.protected)
    assert found.text == "<e2>Ida</e2> saw <e1>Rome</e1>."
    assert found.protected[0] == Span("text", 0, 12, "marked")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": "Ida left Rome."}, "the marks of no part"),
        ({"text": "<e1>Ida</e1> left."}, "the marks <e1> </e1>;"),
        ({"text": "<e1>Ida <e2>left</e1></e2>."}, "marked once each"),
        ({"text": "<e1></e1> left <e2>Rome</e2>"}, "one of the marked parts is empty"),
        ({"text": "Ida left.", "e1": [0, 3], "e2": [2, 5]}, "e1 and e2 overlap"),
        ({"text": "Ida left.", "e1": [0, 3], "e2": [4, 40]}, "e2 holds 40"),
        ({"text": "Ida left.", "e1": [0, 3]}, "e2 is not a list"),
        ({"text": "Ida left.", "e1": [0, 3], "e2": [5, 5]}, "e2 is .*code points"),
    ],
)
def test_parts_that_are_not_marked_are_bad_rows(row, said):
    with pytest.raises(DataError, match=said):
        item(RELATION, label="x", **row)


def test_words_have_to_be_the_text():
    assert item(CUTTING, segmented=["ab", "c"]).text == "abc"
    assert item(CUTTING, text="ab c", segmented="ab c").gold.borders == ((0, 2), (3, 4))
    assert item(CUTTING, text="abc").gold is None
    with pytest.raises(DataError, match="its words are not the text 'abd'"):
        item(CUTTING, text="abd", segmented="ab c")
    with pytest.raises(DataError, match="text is missing"):
        item(CUTTING)


def test_word_f1_and_that_of_single_characters():
    items = [item(CUTTING, segmented="ab c de"), item(CUTTING, segmented="f g")]
    answers = [Prediction(item(CUTTING, segmented="ab cde").gold), Prediction(items[1].gold)]
    assert level_of(CUTTING, items, answers) == pytest.approx(2 * 3 / (5 + 4))
    assert CUTTING.chance(items) == pytest.approx(2 * 3 / (5 + 7))
    assert math.isclose(level_of(CUTTING, items, [Prediction(e.gold) for e in items]), 1)


def test_columns_tell_tasks_with_options(tmp_path):
    files = {
        "multiple-choice": {"passage": "x", "question": "y", "choices": ["a", "b"], "label": 0},
        "passage-ranking": {"query": "x", "passages": ["a", "b"], "relevant": 0},
        "text-classification": {"text": "x", "label": "a", "words": "b"},
    }
    for name, row in files.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(row) + "\n" + json.dumps({**row, "id": "2"}) + "\n")
        assert load_dataset(str(path)).task == name


@pytest.mark.parametrize("task", [CHOICE, MEANT], ids=lambda task: task.name)
def test_accuracy_of_options_as_scikit_learn_has_it(task):
    """On 1,000 items, and its level without skill counted item by item."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = random.Random(11)
    sizes = [2 if task is MEANT else rng.randrange(2, 6) for _ in range(1000)]
    golds, said = ([rng.randrange(size) for size in sizes] for _ in range(2))
    items = [
        item(task, text=f"{k} _", options=[f"x{i}" for i in range(size)], answer=gold)
        for k, (size, gold) in enumerate(zip(sizes, golds, strict=True))
    ]
    level = level_of(task, items, [Prediction(Option(one)) for one in said])
    assert level == pytest.approx(metrics.accuracy_score(golds, said))
    places = max(golds.count(place) for place in range(5)) / 1000
    assert task.chance(items) == pytest.approx(max(fmean(1 / size for size in sizes), places))


def test_reciprocal_ranks_are_average_precisions_of_one_right_candidate():
    """As scikit-learn has them, on 1,000 queries."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(2)
    right, scores = rng.integers(7, size=1000), rng.random((1000, 7))
    items = [
        item(RANK, query=f"q{k}", candidates=[*"abcdefg"], relevant=int(place))
        for k, place in enumerate(right)
    ]
    answers = [Prediction(Ranking(order)) for order in np.argsort(-scores).tolist()]
    wanted = metrics.label_ranking_average_precision_score(np.eye(7)[right], scores)
    assert level_of(RANK, items, answers) == pytest.approx(wanted)
    assert RANK.chance(items) == pytest.approx(sum(1 / rank for rank in range(1, 8)) / 7)
    top = metrics.accuracy_score(right, scores.argmax(1))
    assert level_of(RANK, items, answers, metric="accuracy@1") == pytest.approx(top)
