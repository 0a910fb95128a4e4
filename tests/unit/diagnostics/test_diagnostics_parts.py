"""F1 of groups of parts: counted by hand, adding up to that of all, with and without training."""

import json
import random

import numpy as np
import pytest

import scrutiny
from scrutiny.core.answers.label_and_spans import Segments
from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example, Span
from scrutiny.core.model import Model
from scrutiny.core.registry import registry
from scrutiny.core.task import Prediction
from scrutiny.data.attribute import Training
from scrutiny.data.parts.part_attribute import Surroundings, load_part_attribute
from scrutiny.data.parts.part_counts import PartCounts, parts_of
from scrutiny.diagnostics.classes import part_scores
from scrutiny.diagnostics.classes.parts import Parts, PartsParams
from scrutiny.tasks.tasks import load_task
from scrutiny.testing import check_diagnostic
from scrutiny.testing.checking import ToyContext

TAGS = load_task("token-tagging")
ROWS = [
    (["Ida", "Lo", "saw", "New", "York", "City"], ["B-P", "I-P", "O", "B-L", "I-L", "I-L"]),
    (["Bo", "left"], ["B-P", "O"]),
    (["He", "met", "Ann"], ["O", "O", "B-P"]),
    (["Nobody", "came"], ["O", "O"]),
]
#: What a tagger says: it cuts the city short, and takes "He" for a person.
SAID = [["B-P", "I-P", "O", "B-L", "I-L", "O"], ["B-P", "O"], ["B-P", "O", "O"], ["O", "O"]]


def items():
    return [
        TAGS.parse({"id": f"i{k}", "tokens": words, "tags": tags}, source="x:1")
        for k, (words, tags) in enumerate(ROWS)
    ]


class Tagger(Model):
    """Answers of the list, by the text."""

    source = "toy"
    task = "token-tagging"
    capabilities = frozenset({"predict"})
    labels = ("L", "P")

    def fingerprint(self):
        return "toy"

    def predict(self, examples):
        said = {" ".join(words): tags for (words, _), tags in zip(ROWS, SAID, strict=True)}
        return [
            Prediction(
                TAGS.parse({"tokens": e.text.split(), "tags": said[e.text]}, source="x").gold
            )
            for e in examples
        ]


def counted(by, training=()):
    """Sums of found, wrong and missed parts of each group."""
    context = ToyContext(TAGS, Tagger())
    context.training = training
    rows = Parts().measure(PartsParams(by), Cell("m", None, "d"), Batch(tuple(items())), context)
    sums = {}
    for row in rows:
        group = row.condition.split('"bucket":"')[1].split('"')[0]
        before = sums.get(group, (0, 0, 0))
        sums[group] = tuple(a + b for a, b in zip(before, row.values, strict=True))
    return sums


def test_a_part_counts_in_the_group_that_it_is_in():
    """The city is missed among those of three words, what was given for it wrong among two."""
    assert counted("length") == {
        "1": (1, 1, 1), "2": (1, 1, 0), "3": (0, 0, 1), "4 or more": (0, 0, 0),
    }  # fmt: skip


def test_a_label_that_gold_lacks_counts_as_wrong_all_the_same():
    item = Example("1", {"text": "Ida left"}, (Span("text", 0, 3, "P"),))
    beside = Surroundings(PartCounts([item]))
    by_label = load_part_attribute("label")
    groups = by_label.groups_of([item], beside)
    said = (Span("text", 0, 3, "Q"),)
    assert by_label.counted(item.gold, said, item, beside, groups) == {
        "P": (0, 0, 1), "others": (0, 1, 0),
    }  # fmt: skip


def test_parts_of_training_are_seen_in_any_case():
    training = [
        TAGS.parse({"tokens": ["ida", "lo", "and", "ann"], "tags": ["B-P", "I-P", "O", "B-L"]},
                   source="x:1"),
        Example("2", {"text": "without gold"}),
    ]  # fmt: skip
    assert counted("unseen", training) == {"seen": (1, 0, 1), "unseen": (1, 2, 1)}


def test_without_training_it_is_refused():
    with pytest.raises(PlanError, match="training data"):
        counted("unseen")


def test_groups_add_up_to_all_parts():
    rng = random.Random(5)
    places = [(a, b) for a in range(0, 20, 4) for b in range(a + 1, a + 5)]
    names = set(registry().names("part_attribute")) - {"distance@1"}  # spans have no head
    assert "length@1" in names
    for _ in range(8):
        gold, said = (
            tuple(Span("text", *rng.choice(places), rng.choice("PL")) for _ in range(4))
            for _ in range(2)
        )
        example = Example("1", {"text": "a b c d e f g h i j k l"}, gold)
        beside = Surroundings(PartCounts([example]), Training([example]))
        for attribute in map(load_part_attribute, names):
            groups = attribute.groups_of([example], beside)
            found = attribute.counted(gold, said, example, beside, groups)
            if not attribute.of_words:
                sums = tuple(map(sum, zip(*found.values(), strict=True)))
                assert sums == TAGS.score(gold, Prediction(said), labels=())
            assert tuple(found) == groups.names


def test_words_of_a_text_are_parts_and_labels_are_none():
    assert parts_of(Segments("text", ((0, 1), (1, 3)))) == {
        Span("text", 0, 1), Span("text", 1, 3),
    }  # fmt: skip
    assert parts_of("good") == parts_of(None) == frozenset()
    assert parts_of("good", Example("1", {"text": "Oh."})) == {Span("text", 0, 3, "good")}


def test_an_unknown_attribute_is_refused_by_name():
    with pytest.raises((UnknownNameError, PlanError), match="length"):
        PartsParams("lenght")
    with pytest.raises(PlanError, match="groups of its own"):
        PartsParams("unseen", buckets="mass")
    with pytest.raises(PlanError, match="edges need"):
        PartsParams("length", edges=(1, 2))
    with pytest.raises(PlanError, match='only by = "unseen_density"'):
        PartsParams("length", known_words="words.txt")
    with pytest.raises(PlanError, match="cannot be read"):
        PartsParams("unseen_density", known_words="nowhere.txt").seen_words()


def test_conformance():
    check_diagnostic(Parts(), examples=items(), task=TAGS, model=Tagger())
    check_diagnostic(Parts())  # of reviews with labels, each one part


def rows_of_entities():
    return [
        {"id": str(k), "tokens": [*words, str(k)], "tags": [*tags, "O"]}
        for k, (words, tags) in enumerate(ROWS * 6)
    ]


def test_numbers_of_a_run_and_of_each_group():
    def tag(texts):
        said = {words[0]: tags for (words, _), tags in zip(ROWS, SAID, strict=True)}
        return [[*said[words[0]], "O"] for words in texts]

    tag.input = "words"
    found = scrutiny.run("parts", tag, rows_of_entities())
    assert found.estimate("part_recall", bucket="3").value == 0
    assert found.estimate("part_precision", bucket="2").value == 0.5
    assert found.estimate("part_f1", bucket="1").value == 0.5
    assert found.estimate("part_f1", bucket="4 or more").value is None
    with pytest.raises(PlanError, match=r"training = .* under \[data.data\]"):
        scrutiny.run("parts", tag, rows_of_entities(), by="unseen")


def test_a_plan_names_the_training_data(tmp_path):
    names = ("dev", "train")
    for name, rows in zip(names, (rows_of_entities(), rows_of_entities()[1:2]), strict=True):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    answers = "".join(
        json.dumps({"id": row["id"], "tags": row["tags"]}) + "\n" for row in rows_of_entities()
    )
    (tmp_path / "right.jsonl").write_text(answers, encoding="utf-8")
    plan = {
        "data": {
            "dev": {
                "source": f"jsonl:{tmp_path}/dev.jsonl",
                "training": f"jsonl:{tmp_path}/train.jsonl",
            }
        },
        "models": {"m": {"source": f"predictions:{tmp_path}/right.jsonl"}},
        "measure": [{"id": "parts", "diagnostic": "parts", "params": {"by": "unseen"}}],
    }
    found = scrutiny.run(plan)
    seen, unseen = (found.estimate("part_recall", bucket=name) for name in ("seen", "unseen"))
    assert (seen.value, unseen.value) == (1, 1)
    assert (seen.denominator, unseen.denominator) == (6, 18)


def side(n_seeds, items, names, *, seed=0):
    counts = np.random.default_rng(seed).integers(1, 9, (n_seeds, len(items), len(names), 3))
    return part_scores._Grouped(tuple(names), tuple(items), counts.astype(float), None)


def test_seeds_of_either_side_widen_the_limits_of_a_comparison():
    a, b = side(5, "abcd", "xyz"), side(3, "abcd", "xyz", seed=1)
    first, second = (np.cov(part_scores._scores(one)[1].T) for one in (a, b))
    assert np.allclose(part_scores._seeds(a, b), first / 5 + second / 3)
    alone = a._replace(counts=a.counts[:1])
    assert np.allclose(part_scores._seeds(alone, b), second / 3)
    assert "a single seed" in part_scores._limits_of(alone, b, 4)
    assert part_scores._limits_of(a, b, 4) == ""


def test_two_models_are_compared_on_what_both_answered():
    a, b = part_scores._shared(side(1, "abcd", "xyz"), side(1, "acde", "yzw", seed=1))
    assert (a.items, b.items) == (tuple("acd"), tuple("acd"))
    assert (a.names, b.names) == (("y", "z"), ("y", "z"))
    assert (a.counts == side(1, "abcd", "xyz").counts[:, [0, 2, 3]][:, :, 1:]).all()
    assert "Of 4 items, 3 have" in part_scores._limits_of(a, b, 4)
