"""Doubtful labels: the rule by hand, planted label errors, near duplicates, and what is said."""

import numpy as np
import pytest
from toy_runs import estimate, run

from scrutiny.blocks.section import parts
from scrutiny.blocks.terminal_and_markdown import block_lines
from scrutiny.core.claim import Component, Risk
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.data.near_duplicates import conflicting_labels
from scrutiny.diagnostics.labels.doubtful_items import PART, doubtful_in, lines, part
from scrutiny.diagnostics.labels.labels import DoubtfulLabels, LabelsParams, confident_disagreements
from scrutiny.reliability.verdicts.risks import state_of
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.load import load_view
from scrutiny.testing import check_diagnostic, check_part

LABELS = ("ham", "spam")


class Reads:
    """Reads the probability of spam off the last word."""

    labels = LABELS

    def predict(self, texts):
        return [self._answer(float(text.split()[-1])) for text in texts]

    def _answer(self, p):
        return Prediction(LABELS[int(p > 0.5)], (1 - p, p))


class Names(Reads):
    """The same without probabilities."""

    def _answer(self, p):
        return Prediction(LABELS[int(p > 0.5)])


def rows(cells):
    """Items of a probability of spam and a gold label."""
    return [
        {"id": f"i{n}", "text": f"{word(n)} film {p}", "label": gold}
        for n, (p, gold) in enumerate(cells)
    ]


def word(n):
    """A word of its own for each number: near duplicates are told by their letters."""
    return "".join(chr(97 + int(digit)) for digit in str(n))


def planted(rate, *, n=600, seed=5):
    """Answers of a good model, and gold labels of which a share was flipped; and which."""
    rng = np.random.default_rng(seed)
    is_spam = rng.random(n) < 0.5
    sure = np.clip(rng.normal(0.93, 0.05, n), 0.55, 0.99)
    is_error = rng.random(n) < 0.03
    sure = np.where(is_error, np.clip(rng.normal(0.65, 0.08, n), 0.52, 0.9), sure)
    p = np.where(is_spam != is_error, sure, 1 - sure).round(4)
    is_wrong = rng.random(n) < rate
    golds = np.where(is_spam != is_wrong, "spam", "ham")
    cells = list(zip(p.tolist(), golds.tolist(), strict=True))
    return cells, is_wrong


#: Five sure items a label, one that is surely the other, and one that is not sure enough.
FEW = [*[(0.9, "spam")] * 5, *[(0.1, "ham")] * 5, (0.95, "ham"), (0.7, "ham")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run("labels", Reads(), rows(FEW), tmp_path_factory.mktemp("labels"))


def test_it_keeps_the_promises_of_its_protocol():
    check_diagnostic(DoubtfulLabels())


def test_an_answer_has_to_be_as_sure_as_the_label_is_where_it_is_gold():
    p = np.array([c for c, _ in FEW])
    golds = np.array([LABELS.index(label) for _, label in FEW])
    scores = np.stack([1 - p, p], axis=1)
    # the mean probability of spam on spam is .9: .95 is enough, .7 is not
    assert confident_disagreements(scores, golds).tolist() == [False] * 10 + [True, False]
    # a label that no item has can be no item's true one
    only_ham = confident_disagreements(scores, np.zeros(len(p), dtype=int))
    assert not only_ham.any()


def test_numbers_of_the_run(folder):
    assert estimate(folder, "share(doubtful)").value == pytest.approx(1 / 12)
    assert estimate(folder, "share(disagreed)").value == pytest.approx(1 / 12)
    assert estimate(folder, "share(conflicting)").value == 0
    assert estimate(folder, "share(right)", role="baseline").value == pytest.approx(10 / 12)


def test_planted_label_errors_are_among_the_doubtful_and_most_of_them_are_wrong(tmp_path):
    cells, is_wrong = planted(0.06)
    noisy = load_view(run("labels", Reads(), rows(cells), tmp_path / "noisy").path)
    (found,) = doubtful_in(noisy)
    named = {int(one.item[1:]) for one in found.items}
    wrong = set(np.flatnonzero(is_wrong).tolist())
    recall, precision = len(named & wrong) / len(wrong), len(named & wrong) / len(named)
    assert recall > 0.4  # only half of all right answers are as sure as the mean
    assert precision > 0.9
    clean = run("labels", Reads(), rows(planted(0.0)[0]), tmp_path / "clean")
    assert estimate(clean, "share(doubtful)").value < 0.01
    (finding,) = clean.findings()
    assert finding.verdict == "holds"


def test_many_doubtful_labels_never_hurt_but_have_to_be_read(tmp_path):
    cells, _ = planted(0.3)
    view = load_view(run("labels", Reads(), rows(cells), tmp_path).path)
    (risk,) = first_screen_of(view).risks
    assert risk.state == "can't tell"
    assert risk.costs.startswith("at most ")
    assert risk.costs.endswith("% of the items")
    assert risk.scope == "read the doubtful items: model errors look the same"
    component = Component("x", 0.0)
    assert state_of(component, (0.2, 0.3), Risk("x", 0.05, "{}")) == "hurts"


def test_near_duplicates_with_another_label_are_found_field_by_field():
    words = "the quick brown fox jumps over the lazy dog and runs away from all of them today"
    texts = [(words, "a"), (words + " again", "b"), (words, "a"), ("something else", "b")]
    items = [Example(id=str(i), fields={"text": t}, gold=g) for i, (t, g) in enumerate(texts)]
    assert conflicting_labels(items, least=0.9) == {0: 1, 1: 0, 2: 1}
    assert conflicting_labels(items, least=0.99) == {}
    pairs = [
        Example(id="p", fields={"text": words, "text_pair": "a man sleeps"}, gold="a"),
        Example(id="q", fields={"text": words, "text_pair": "nobody is here"}, gold="b"),
        Example(id="r", fields={"text": words, "text_pair": "a man sleeps"}, gold="b"),
        Example(id="s", fields={"text": words, "text_pair": "a man sleeps"}, gold=None),
    ]
    assert conflicting_labels(pairs, least=0.9) == {0: 2, 2: 0}


@pytest.mark.parametrize(
    "marks", [("1", "9"), ("\u0661", "\u0669"), ("\U0001f600", "\U0001f621"), (":)", ":(")]
)
def test_texts_that_differ_in_a_number_do_not_conflict(marks):
    rest = "out of ten for this place, which I have seen too often by now, as you may well know"
    made = [Example(mark, {"text": f"I would give {mark} {rest}."}, mark) for mark in marks]
    assert conflicting_labels(made, least=0.8) == {}
    same = [Example(mark, {"text": f"I would give {marks[0]} {rest}."}, mark) for mark in marks]
    assert conflicting_labels(same, least=0.8) == {0: 1, 1: 0}


REST = "come back to this place, which I have seen too often by now, as you may well know by now"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"I would {REST}.", f"I would not {REST}."),
        (f"I would {REST}.", f"I wouldn't {REST}."),
        (f"I would {REST}.", f"I would n\u2019t {REST}."),
        (f"I would {REST}.", f"I wouldnt {REST}."),
        (f"I always {REST}.", f"I never {REST}."),
        (f"Everybody will {REST}.", f"Nobody will {REST}."),
        (f"With friends I {REST}.", f"Without friends I {REST}."),
        (f"Nine of us will {REST}.", f"One of us will {REST}."),
        (f"Two of us will {REST}.", f"Twelve of us will {REST}."),
        (
            "这部电影真的是很好看的一部电影啊朋友们都说好",
            "这部电影真的是不好看的一部电影啊朋友们都说好",
        ),
        (
            "Ich komme gern wieder in dieses Haus, das ich seit so vielen Jahren kenne und mag",
            "Ich komme nicht wieder in dieses Haus, das ich seit so vielen Jahren kenne und mag",
        ),
        (
            "Je reviens dans cette maison que je connais depuis tant de belles et longues nuits",
            "Je reviens sans cette maison que je connais depuis tant de belles et longues nuits",
        ),
    ],
)
def test_texts_that_differ_in_a_negation_or_a_number_word_do_not_conflict(one, other):
    made = [Example(text, {"text": text}, label) for text, label in ((one, "a"), (other, "b"))]
    assert conflicting_labels(made, least=0.6) == {}
    made = [Example(text, {"text": text}, label) for text, label in ((one, "a"), (one + "!", "b"))]
    assert conflicting_labels(made, least=0.6) == {0: 1, 1: 0}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"I do not {REST}.", f"I don't {REST}."),
        (f"I do n't {REST}.", f"I dont {REST}."),
        (f"Nobody will {REST}.", f"No one will {REST}."),
        (f"One will {REST}.", f"I will {REST}."),
    ],
)
def test_the_same_negation_written_otherwise_conflicts(one, other):
    made = [Example(text, {"text": text}, label) for text, label in ((one, "a"), (other, "b"))]
    assert conflicting_labels(made, least=0.6) == {0: 1, 1: 0}


def test_without_probabilities_nothing_is_said(tmp_path):
    (finding,) = run("labels", Names(), rows(FEW), tmp_path).findings()
    assert (finding.verdict, finding.estimate.value) == ("not asked", None)
    assert finding.reason.startswith("no probabilities: the model answers with labels alone; let")


def test_a_model_without_skill_doubts_nothing(tmp_path):
    cells = [(0.9, ("spam", "ham")[i % 2]) for i in range(40)]
    (finding,) = run("labels", Reads(), rows(cells), tmp_path).findings()
    assert finding.verdict == "not tested"


def test_the_page_and_the_terminal_have_the_items(folder):
    view = load_view(folder.path)
    check_part(PART, view)
    (chart,) = part(view).charts
    assert chart.table.rows == ((rows(FEW)[10]["text"], "ham", "spam 0.95", "the model", "i10"),)
    assert chart.caption == "1 of 12 labels are doubtful."
    said = "\n".join(line.plain for line in block_lines(lines(view)))
    assert "gold ham; spam 0.95; the model disagrees" in said
    hidden = view.without_texts()
    assert "labels" not in [one.anchor for one in parts(hidden)]
    assert "gold" not in "\n".join(line.plain for line in block_lines(lines(hidden)))


@pytest.mark.parametrize("given", [{"near": 0}, {"tolerance": 1}])
def test_parameters_are_checked(given):
    with pytest.raises(PlanError, match="must"):
        LabelsParams(**given)
