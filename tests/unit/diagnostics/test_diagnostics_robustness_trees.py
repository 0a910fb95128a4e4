"""Robustness of a parser: trees follow the changes, and known new words are scored."""

import pytest

import scrutiny
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.tasks.dependency_arcs import DependencyArcs

ROWS = [
    {
        "id": name.lower(),
        "words": [name, "sold", "it", "."],
        "heads": [2, 0, 2, 2],
        "relations": ["nsubj", "root", "obj", "punct"],
        "upos": ["PROPN", "VERB", "PRON", "PUNCT"],
        "xpos": ["NNP", "VBD", "PRP", "."],
    }
    for name in ("She", "He", "It", "They")
]


class Remembers(Model):
    """Parser that knows the data's own sentences; of others, the arcs onto the second word."""

    source = "toy-parser"
    task = "dependency-arcs"
    labels = ()
    capabilities = frozenset({"predict"})
    is_batch_invariant = True

    def __init__(self):
        golds = [DependencyArcs().parse(row, source="x") for row in ROWS]
        self.known = {example.text: example.gold for example in golds}

    def fingerprint(self):
        return "remembers"

    def predict(self, examples):
        return [Prediction(self.known.get(e.text) or self.flat(e)) for e in examples]

    def flat(self, example):
        borders = example.tokens["text"]
        heads = tuple(ROOT if i == 1 else 1 for i in range(len(borders)))
        relations = ("nsubj", "root", "obj", "punct", "punct")[: len(borders)]
        return Words("text", borders, heads, relations, ("VERB",) * len(borders))


def test_relations_are_a_parsers_classes(tmp_path):
    model = Remembers()
    del model.known["He sold it ."], model.known["It sold it ."]  # their arcs are flat, and right
    model.known["They sold it ."] = model.known["They sold it ."]._replace(heads=(2, ROOT, 1, 1))
    found = scrutiny.run("classes", model=model, data=ROWS, out=tmp_path / "r")
    assert (found.estimate("recall(nsubj)").value, found.estimate("recall(obj)").value) == (0.75, 1)
    assert found.estimate("recall(nsubj)").denominator == 4
    assert found.estimate("recall(csubj)").status == "undefined"


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        # She sells it .: all arcs are right, one of four tags is; nobody knows the treebank's
        ("tense", (4, 4, 4, 1, 4, 0, 0)),
        # She really sold it .: five arcs, and the model's are onto the adverb
        ("insert_adverb", (0, 0, 5, 1, 5, 0, 0)),
    ],
)
def test_words_of_a_changed_text_are_scored(change, counts, tmp_path):
    run = scrutiny.run(
        "robustness", model=Remembers(), data=ROWS, out=tmp_path / "r", transformations=[change]
    )
    level = run.estimate("las")
    assert (level.value, level.denominator) == (1.0, 16)
    drops = [e.value for e in run.estimates if e.key.metric == "drop(las)@1"]
    assert 1.0 - counts[1] / counts[2] in drops
    after = [row for row in run.folder.records().to_pylist() if row["role"] == "measured"]
    assert {tuple(row["values"][: len(counts)]) for row in after} == {counts}
    assert len(after) == len(ROWS)
