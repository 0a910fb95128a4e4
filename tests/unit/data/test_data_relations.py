"""Relations of two marked parts: SemEval-2010 task 8, and lists of entities in JSON."""

import json
import random
from collections import Counter

import pytest

from scrutiny.core.errors import DataError
from scrutiny.core.task import ClassCounts
from scrutiny.data.dataset import load_dataset
from scrutiny.data.labels import LabelMatch
from scrutiny.reliability.metrics import metric_of
from scrutiny.tasks.classification import RelationClassification
from scrutiny.tasks.tasks import load_task

BLOCKS = (
    '1\t"The <e1>lid</e1> of the <e2>box</e2>."\r\nComponent-Whole(e1,e2)\r\nComment: "a" part\r\n'
    '\r\n2\t"An "odd" <e2>box</e2> of <e1>oak</e1>."\r\nOther\r\nComment:\r\n\r\n'
    'without a number\r\nOther\r\nComment:\r\n\r\n4\t"No <e1>a</e1> <e2>b</e2>."\r\nComment:\r\n'
)
SENTENCE = {
    "tokens": ["Rash", "and", "acute", "pain", "after", "CP", "."],
    "entities": [
        {"type": "Effect", "start": 0, "end": 1},
        {"type": "Effect", "start": 2, "end": 4},
        {"type": "Drug", "start": 5, "end": 6},
    ],
    "relations": [{"type": "effect of", "head": 1, "tail": 2}],
}


def test_blocks_of_semeval(write):
    write("a.txt", BLOCKS)
    data = load_dataset("relations:a.txt")
    assert data.task == "relation-classification"
    assert [(e.id, e.text, e.gold) for e in data.examples] == [
        ("1", "The <e1>lid</e1> of the <e2>box</e2>.", "Component-Whole(e1,e2)"),
        ("2", 'An "odd" <e2>box</e2> of <e1>oak</e1>.', "Other"),
    ]
    assert [bad.reason.partition(" is ")[2][:14] for bad in data.bad_rows] == [
        "no number, a t",
        "missing",
    ]


def test_pairs_of_entities_of_the_types_of_a_relation(write):
    write("a.json", json.dumps([SENTENCE]))
    data = load_dataset("relations:a.json")
    assert [(e.id, e.text, e.gold) for e in data.examples] == [
        ("a/1/0-2", "<e1>Rash</e1> and acute pain after <e2>CP</e2> .", "none"),
        ("a/1/1-2", "Rash and <e1>acute pain</e1> after <e2>CP</e2> .", "effect of"),
    ]
    assert {e.attributes["u_sentence"] for e in data.examples} == {"a/1"}


@pytest.mark.parametrize("content", ["[1]", '[{"tokens": ["a"]}]', "[{]"])
def test_other_json_is_refused(write, content):
    write("a.json", content)
    with pytest.raises(DataError, match="is no list of sentences with tokens"):
        load_dataset("relations:a.json")


@pytest.mark.data("semeval2010_task8")
def test_semeval_is_read_whole(shared):
    """Counts of the release, and of each relation as Hendrickx et al. (2010) print them."""
    folder = shared / "semeval2010_task8"
    train = load_dataset(f"relations:{folder}/TRAIN_FILE.TXT")
    test = load_dataset(f"relations:{folder}/TEST_FILE_FULL.TXT")
    assert (len(train), len(test), train.bad_rows + test.bad_rows) == (8000, 2717, ())
    names = Counter(e.gold.partition("(")[0] for e in (*train.examples, *test.examples))
    assert names == {
        "Cause-Effect": 1331, "Component-Whole": 1253, "Entity-Destination": 1137,
        "Entity-Origin": 974, "Product-Producer": 948, "Member-Collection": 923,
        "Message-Topic": 895, "Content-Container": 732, "Instrument-Agency": 660, "Other": 1864,
    }  # fmt: skip
    task = RelationClassification().on(test.examples)
    assert len(task.classes) == 9
    assert task.chance(test.examples) == pytest.approx(454 / 2717)


@pytest.mark.data("pfn_ade")
def test_ade_has_the_relations_that_do_not_overlap(shared):
    data = load_dataset(f"relations:{shared}/pfn_ade/ade_split_0_test.json")
    assert len(data.bad_rows) == 12
    assert Counter(e.gold for e in data.examples) == {"Adverse-Effect": 654, "none": 21}


def test_scores_of_relations_are_those_of_the_official_scorer():
    """Macro-F1 of nine relations in the right direction, on 1,000 items, from a table of counts."""
    rng = random.Random(8)
    names = [f"R{k}({e})" for k in range(9) for e in ("e1,e2", "e2,e1")] + ["Other"]
    golds = [rng.choice(names) for _ in range(1000)]
    given = [rng.choice([gold, gold, rng.choice(names)]) for gold in golds]
    task = load_task("relation-classification")
    rows = [
        {"text": f"<e1>a</e1> {k} <e2>b</e2>", "label": g, "a_no_relation": "Other"}
        for k, g in enumerate(golds)
    ]
    task = task.on([task.parse(row, source="x:1") for row in rows])
    assert task.classes == tuple(f"R{k}" for k in range(9))
    found = [task.class_counts(*pair) for pair in zip(golds, given, strict=True)]
    sums = [[sum(one.get(c, ClassCounts())[i] for one in found) for c in task.classes]
            for i in range(3)]  # fmt: skip
    table = Counter(zip(golds, given, strict=True))
    each = []
    for k in range(9):
        own = [name for name in names if name.startswith(f"R{k}(")]
        right = sum(table[name, name] for name in own)
        said = sum(n for (_, b), n in table.items() if b in own)
        wanted = sum(n for (a, _), n in table.items() if a in own)
        precision, recall = right / said, right / wanted
        each.append(2 * precision * recall / (precision + recall))
    import numpy as np

    macro = metric_of("macro_f1(9)@1")
    value = macro.value(np.array(sums).T.reshape(1, 27), np.ones(1))
    assert value == pytest.approx(sum(each) / 9)


def test_a_wrong_direction_is_given_and_missed():
    task = load_task("relation-classification")
    row = {"text": "<e1>a</e1> <e2>b</e2>", "label": "Other", "a_no_relation": "Other"}
    count = task.on([task.parse(row, source="x:1")]).class_counts
    assert count("R(e1,e2)", "R(e2,e1)") == {"R": ClassCounts(fp=1, fn=1)}
    assert count("R(e1,e2)", "R(e1,e2)") == {"R": ClassCounts(tp=1)}
    assert count("R(e1,e2)", "Other") == {"R": ClassCounts(fn=1)}
    assert count("Other", "S") == {"S": ClassCounts(fp=1)}
    assert count("Other", "Other") == {}


def test_a_label_is_a_relation_unless_the_file_says_that_it_is_none(write):
    write("r.csv", "text,label\n<e1>a</e1> <e2>b</e2>,NA\n<e1>a</e1> of <e2>c</e2>,none\n")
    data = load_dataset("csv:r.csv#task=relation-classification")
    task = load_task("relation-classification").on(data.examples)
    assert task.classes == ("NA", "none")
    assert task.class_counts("NA", "none") == {"NA": ClassCounts(fn=1), "none": ClassCounts(fp=1)}
    write(
        "s.csv", "text,label,no_relation\n<e1>a</e1> <e2>b</e2>,NA,NA\n<e1>a</e1> <e2>c</e2>,x,NA\n"
    )
    data = load_dataset("csv:s.csv#task=relation-classification")
    task = load_task("relation-classification").on(data.examples)
    assert task.classes == ("x",)
    assert task.class_counts("NA", "x") == {"x": ClassCounts(fp=1)}


def test_the_label_of_no_relation_is_renamed_with_the_others(write):
    """By the data string, and to the names of a model's labels."""
    write("a.txt", BLOCKS.replace("Component-Whole(e1,e2)", "Part(e1,e2)"))
    plain = load_dataset("relations:a.txt")
    new = {"Other": "nothing", "Part(e1,e2)": "part(e1,e2)"}
    of_model = plain.with_labels(LabelMatch(new))
    in_data = load_dataset("relations:a.txt#labels=Other:nothing|Part(e1%2Ce2):part(e1%2Ce2)")
    for data in (of_model, in_data):
        assert [e.attributes["a_no_relation"] for e in data.examples] == ["nothing"] * 2
        task = load_task("relation-classification").on(data.examples)
        assert task.classes == ("part",)
        assert task.class_counts("nothing", "part(e1,e2)") == {"part": ClassCounts(fp=1)}
    assert plain.examples[0].attributes["a_no_relation"] == "Other"
