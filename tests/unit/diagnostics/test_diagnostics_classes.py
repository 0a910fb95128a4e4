"""The numbers of each label by hand and by scikit-learn, macro-F1, and where they stand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score
from toy_runs import estimate, run

from scrutiny.blocks.scores import label_lines
from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.errors import PlanError
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.classes.class_scores import PART, part
from scrutiny.diagnostics.classes.classes import LABEL_F1, MACRO_F1, PRECISION, RECALL, Classes
from scrutiny.models.answers.returned_answers import borders
from scrutiny.reliability.row_statistics import resample_any
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.text import risk_lines
from scrutiny.report.load import load_view
from scrutiny.report.text import screen_lines
from scrutiny.run.driver import run_plan
from scrutiny.run.planning.resolve import resolve
from scrutiny.stats.resampling.weights import Units
from scrutiny.testing import check_diagnostic, check_part, check_statistic

LABELS = ("ham", "spam", "news")


class Said:
    """Answers with the last word of the text."""

    labels = LABELS

    def predict(self, texts):
        return [self._answer(text.split()[-1]) for text in texts]

    def _answer(self, said):
        return Prediction(said, tuple(0.8 if name == said else 0.1 for name in LABELS))


def rows(*cells):
    """Items of a gold label, an answer, and how many there are."""
    pairs = [(gold, said) for gold, said, n in cells for _ in range(n)]
    return [
        {"id": f"i{n}", "text": f"number {n} {said}", "label": gold}
        for n, (gold, said) in enumerate(pairs)
    ]


UNEQUAL = rows(
    *(("ham", "ham", 60), ("ham", "spam", 4), ("spam", "spam", 12), ("spam", "ham", 6)),
    *(("news", "news", 10), ("news", "ham", 3), ("ham", "news", 1)),
)
EQUAL = rows(("ham", "ham", 20), ("spam", "spam", 18), ("spam", "ham", 4), ("news", "news", 20))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run("classes", Said(), UNEQUAL, tmp_path_factory.mktemp("classes"))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(Classes())
    for metric in (RECALL, PRECISION, LABEL_F1, MACRO_F1.of("2"), MACRO_F1.of("3")):
        check_statistic(metric)


def test_numbers_are_those_of_scikit_learn(folder):
    gold = [row["label"] for row in UNEQUAL]
    said = [row["text"].split()[-1] for row in UNEQUAL]
    for metric, score in (
        ("recall", recall_score),
        ("precision", precision_score),
        ("label_f1", f1_score),
    ):
        expected = score(gold, said, labels=LABELS, average=None)
        found = [estimate(folder, metric, label=label) for label in LABELS]
        assert [one.value for one in found] == pytest.approx(expected.tolist())
        assert all(one.low < one.value < one.high for one in found)
    macro = estimate(folder, "macro_f1(3)")
    assert macro.value == pytest.approx(f1_score(gold, said, labels=LABELS, average="macro"))
    assert macro.low < macro.value < macro.high


def test_a_label_is_divided_by_its_own_items(folder):
    assert estimate(folder, "recall", label="spam").denominator == 18
    assert estimate(folder, "precision", label="spam").denominator == 16


def test_equal_labels_have_no_macro_f1(tmp_path):
    equal = run("classes", Said(), EQUAL, tmp_path)
    assert not [e for e in equal.estimates() if e.key.metric.startswith("macro")]
    assert estimate(equal, "recall", label="spam").value == pytest.approx(18 / 22)


def test_a_label_that_nobody_has_or_gives_is_not_there():
    macro = MACRO_F1.of("2")
    counts = np.array([[5.0, 0, 0, 0, 0, 0]])  # no item and no answer has the second label
    assert macro.value(counts[:, None, :], np.ones((1, 1))).tolist() == [1.0]
    with pytest.raises(PlanError, match="a number of classes, 2 or more"):
        MACRO_F1.of("1")


def test_classes_that_are_never_or_always_found_have_an_error_that_no_draw_shows():
    macro = MACRO_F1.of("3")
    # found 8 of 10; 0 of 10, and 5 of others taken for it; all 10
    counts = np.array([8.0, 2, 2, 0, 5, 10, 10, 0, 0])
    high, low = 1 - 0.025 ** (1 / 10), 0.025 ** (1 / 10)
    limits = [0, 2 * high * 10 / (10 * (1 + high) + 5), 1 - 2 * low / (1 + low)]
    expected = np.array(limits) / (3 * 1.959964)
    assert macro.hidden(counts, 1.0) == pytest.approx(expected)
    # of items in documents of four, as many are worth a fourth; without gold items nothing is told
    crowded = macro.hidden(np.array([8.0, 2, 2, 0, 5, 10, 0, 3, 0]), 4.0)
    assert crowded[1] > expected[1]
    assert crowded[2] == 0
    narrow = replace(macro, hidden=None)
    values = np.repeat(np.eye(9)[[0, 2, 5, 6]], [8, 2, 10, 10], axis=0)[None]
    drawn = [
        resample_any(m, values, units=Units.of(30), draws=500, rng=np.random.default_rng(0))
        for m in (macro, narrow)
    ]
    assert (drawn[0].point == drawn[1].point).all()
    assert drawn[0].draws.std() > 1.5 * drawn[1].draws.std()
    # of two systems each has an error of its own, and replicates of one have the same
    error = (drawn[0].draws - drawn[1].draws).std() * np.sqrt(2)
    for systems, apart in (([0, 0], 0.0), ([0, 1], error)):
        both, rng = np.concatenate([values, values]), np.random.default_rng(0)
        found = resample_any(macro, both, units=Units.of(30), draws=500, rng=rng, systems=systems)
        assert (found.draws[:, 0] - found.draws[:, 1]).std() == pytest.approx(apart, rel=0.15)


def test_one_flip_moves_macro_f1_of_equal_labels_as_it_moves_accuracy():
    assert MACRO_F1.of("2").flips_over(np.array([50.0, 0, 0, 50.0, 0, 0])) == pytest.approx(100)


def test_the_part_has_the_worst_label_first(folder):
    view = load_view(folder.path)
    check_part(PART, view)
    (chart,) = part(view).charts
    assert [row[:2] for row in chart.table.rows] == [("spam", "18"), ("news", "13"), ("ham", "65")]
    assert chart.table.rows[0][2].startswith("66.7 % [")


class Parser(Model):
    """Says that each word depends on the one behind it, and the last one is the root."""

    source, task, labels = "python:object:Parser", "dependency-arcs", ()
    capabilities = frozenset({"predict"})

    def predict(self, examples):
        return [self._answer(borders(example)) for example in examples]

    def _answer(self, places):
        heads = (*range(1, len(places)), ROOT)
        relations = (*["det"] * (len(places) - 1), "root")
        return Prediction(Words("text", tuple(places), heads, relations))


def test_classes_of_a_parser_are_relations_and_what_is_counted_are_words(tmp_path):
    one = {"words": ["the", "dog", "barks"], "heads": [2, 3, 0]}
    trees = [{**one, "id": f"s{n}", "relations": ["det", "nsubj", "root"]} for n in range(3)]
    folder = run("classes", Parser(), trees, tmp_path, task="dependency-arcs")
    assert 0 < estimate(folder, "macro_f1(27)").value < 1  # relations are never equal
    (chart,) = part(load_view(folder.path)).charts
    assert chart.title.endswith("scores of each relation")
    assert "'nsubj', .000 [.000, .915], with 3 words." in chart.caption
    assert chart.table.header[:2] == ("relation", "words")


class Tagger:
    """Gives the tags that stand in the text itself, behind its words."""

    input = "words"

    def predict(self, rows):
        return [[SAID.get(word, "O") for word in words] for words in rows]


SAID = {f"{tag}{n}": tag for tag in ("B-PER", "I-PER", "B-LOC", "I-LOC") for n in range(6)}
GOLD = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def tagged_rows():
    """Sentences of random gold tags, whose words say what is answered."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(80):
        gold = rng.choice(GOLD, size=6, p=[0.4, 0.2, 0.15, 0.15, 0.1]).tolist()
        said = [one if rng.random() < 0.75 else rng.choice(GOLD) for one in gold]
        words = [f"{one}{place}" for place, one in enumerate(said)]
        rows.append({"id": f"t{number}", "tokens": words, "tags": gold})
    return rows


def test_types_of_entities_are_scored_as_seqeval_scores_them(tmp_path):
    metrics = pytest.importorskip("seqeval.metrics")
    rows = tagged_rows()
    folder = run("classes", Tagger(), rows, tmp_path, task="token-tagging")
    gold = [row["tags"] for row in rows]
    said = [[SAID.get(word, "O") for word in row["tokens"]] for row in rows]
    report = metrics.classification_report(gold, said, output_dict=True)
    for kind in ("PER", "LOC"):
        found = {
            name: estimate(folder, metric, label=kind)
            for name, metric in (("precision", "precision"), ("recall", "recall"))
        }
        found["f1-score"] = estimate(folder, "label_f1", label=kind)
        for name, one in found.items():
            assert one.value == pytest.approx(report[kind][name])
            assert one.low < one.value < one.high
        assert found["recall"].denominator == report[kind]["support"]
    macro = estimate(folder, "macro_f1(2)").value
    assert macro == pytest.approx(report["macro avg"]["f1-score"])
    whole = run("performance", Tagger(), rows, tmp_path / "level", task="token-tagging")
    assert estimate(whole, "entity_f1").value == pytest.approx(metrics.f1_score(gold, said))
    (chart,) = part(load_view(folder.path)).charts
    assert chart.title.endswith("scores of each type")
    assert chart.table.header[:2] == ("type", "entities")


def test_types_of_entities_in_closed_form(tmp_path):
    rows = [
        {"id": "a", "tokens": ["B-PER0", "I-PER1", "x"], "tags": ["B-PER", "I-PER", "O"]},
        {"id": "b", "tokens": ["B-PER0", "x", "B-LOC2"], "tags": ["B-PER", "I-PER", "B-LOC"]},
        {"id": "c", "tokens": ["x", "y", "B-LOC2"], "tags": ["B-LOC", "O", "B-PER"]},
        {"id": "d", "tokens": ["x", "y"], "tags": ["O", "O"]},
    ]
    folder = run("classes", Tagger(), rows, tmp_path, task="token-tagging")
    shares = {"PER": (1 / 3, 1 / 2, 0.4), "LOC": (1 / 2, 1 / 2, 0.5)}
    for kind, expected in shares.items():
        metrics = ("recall", "precision", "label_f1")
        found = [estimate(folder, metric, label=kind).value for metric in metrics]
        assert found == pytest.approx(expected)


def test_one_type_has_numbers_of_its_own_and_no_mean(tmp_path):
    rows = [row | {"tags": [t.replace("LOC", "PER") for t in row["tags"]]} for row in tagged_rows()]
    folder = run("classes", Tagger(), rows, tmp_path, task="token-tagging")
    assert 0 < estimate(folder, "recall", label="PER").value < 1
    assert not [e for e in folder.estimates() if e.key.metric.startswith("macro")]


def measured(model, rows, out, *diagnostics):
    """View of a run of several diagnostics on a model object."""
    plan = Plan(
        data=(DataPlan("x", "object:x"),),
        models=(ModelPlan("m", "python:object:Said"),),
        measure=tuple(MeasurePlan(name, name, ("m",), ("x",)) for name in diagnostics),
        resampling=Resampling(draws=400),
    )
    made = resolve(plan, data={"x": rows}, models={"m": model})
    return load_view(run_plan(made, out, models={"m": model}).path)


def test_types_have_a_table_on_the_first_screen_and_no_table_no_heading(tmp_path):
    front = first_screen_of(measured(Said(), UNEQUAL, tmp_path / "a", "performance", "calibration"))
    assert not front.labels
    second = [line.plain for line in risk_lines(front)][1]
    assert second.startswith("no skill ")
    assert second.endswith("   m · x · 95 % intervals")
    folder = run("classes", Tagger(), tagged_rows(), tmp_path / "b", task="token-tagging")
    (own,) = label_lines(folder.estimates()).values()
    typed = replace(front, labels=tuple(own), class_words=("type", "entities"))
    lines = [line.plain for line in risk_lines(typed)]
    assert max(map(len, lines)) <= 80
    heading = lines.index("m · x · 95 % intervals")
    assert lines[heading + 1].split() == ["type", "entities", "recall", "precision", "F1"]
    assert lines[heading + 2].split()[0] in ("PER", "LOC")


def test_unequal_labels_stand_on_the_first_screen(tmp_path):
    view = measured(Said(), UNEQUAL, tmp_path, "performance", "classes", "calibration")
    front = first_screen_of(view)
    assert [n.split(" ")[0] for n in (front.numbers[0].says, *front.beside)] == [
        "Accuracy",
        "no",  # no skill 67.7 %
        "macro-F1",
        "ECE",
    ]
    assert [line.label for line in front.labels] == ["spam", "news", "ham"]
    lines = [line.plain for line in screen_lines(view)]
    assert max(map(len, lines)) <= 80
    assert any(line.split()[:2] == ["spam", "18"] for line in lines)


def test_labels_of_other_diagnostics_are_left_alone(folder):
    (lines,) = label_lines(folder.estimates()).values()
    assert len(lines) == 3
    assert label_lines(()) == {}
