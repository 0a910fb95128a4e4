"""Flips, slices and inputs of taggers, and of scores that are partly right."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import plan, run
from two_sides import sides, slice_of

from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.example import Span
from scrutiny.diagnostics.similarity.side_by_side.sides import (
    Answers,
    flips_of,
    noise_of_replicates,
)
from scrutiny.diagnostics.similarity.side_by_side.sides_agreement import find_disagreements
from scrutiny.diagnostics.similarity.side_by_side.sides_answers import marked, sides_of_models
from scrutiny.reliability.metrics import metric_of
from scrutiny.reliability.row_statistics import item_scores
from scrutiny.run.comparing.changed_slices import changes, shown
from scrutiny.run.comparing.comparison_results import CompareOptions
from scrutiny.run.comparing.whole_comparison import commonest_turn, compare_side_by_side

#: Finds capitalized names; the second version overlooks them where the sentence is a question.
TAGGER = """
class Model:
    labels = ("PER",)
    is_batch_invariant = {exact}

    def __init__(self, version="1"):
        self.version = version

    def fingerprint(self):
        return self.version

    def predict(self, texts):
        return [self.spans(text) for text in texts]

    def spans(self, text):
        if self.version == "2" and "?" in text:
            return []
        found, place = [], 0
        for word in text.split(" "):
            if word in ("Ida", "Otto"):
                found.append((place, place + len(word), "PER"))
            place += len(word) + 1
        return found
"""


def sentences(count=200):
    """An eighth are questions; each names one or two people."""
    rows = []
    for k in range(count):
        words = ["case", str(k), "was", "seen", "by", "Ida"]
        words += ["and", "Otto"] if k % 2 else []
        words.append("?" if k % 8 == 0 else ".")
        tags = ["B-PER" if word in ("Ida", "Otto") else "O" for word in words]
        rows.append({"id": f"i{k}", "tokens": words, "tags": tags})
    return rows


def tagger(folder, version, exact=True):
    path = folder / f"tagger_{exact}.py"
    path.write_text(TAGGER.format(exact=exact))
    return f"python:{path}:Model#version={version}"


@pytest.fixture(scope="module")
def level(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tags")
    runs = [
        run(plan(tagger(folder, v)), folder / f"run-{v}", data={"x": sentences()}) for v in (1, 2)
    ]
    (found,) = compare_side_by_side(*runs, CompareOptions(margin=0.02)).levels
    return found


def test_a_tagger_has_a_level_of_sentences(level):
    assert (level.metric, level.condition) == ("entity_f1@1", "mean of items")
    assert (level.overall.before, level.overall.after) == (1.0, 0.875)
    assert level.difference.value == pytest.approx(0.125)
    assert level.outcome == "regression"


def test_a_mean_of_scores_from_0_to_1_differs_by_one_at_most(tmp_path):
    """Three sentences: limits of 143 points were said of a share."""
    rows = [row for row in sentences(8) if row["id"] in ("i0", "i1", "i2")]
    folders = [
        run(plan(tagger(tmp_path, v)), tmp_path / f"few-{v}", data={"x": rows}) for v in (1, 1)
    ]
    (found,) = compare_side_by_side(*folders, CompareOptions()).levels
    assert (found.difference.low, found.difference.high) == (-1.0, 1.0)
    assert found.detectable is None


def test_sentences_flip_where_their_f1_falls(level):
    flips = level.flips
    assert flips.is_graded
    assert (flips.broken.value, flips.mended.value, flips.answers_differ) == (0.125, 0.0, 0.125)
    assert flips.tests[0].n == 25


def test_the_planted_slice_leads(level):
    lead = level.shown[0]
    assert (lead.change.name, lead.change.n, lead.change.after) == ("question", 25, 0.0)
    assert lead.turn is None  # every sentence has answers of its own
    first = level.disagreements[0]
    assert (first.first, first.second, first.gold) == ("Ida (PER)", "nothing", "Ida (PER)")
    assert len(level.disagreements) == 25


def test_answers_of_a_tagger_are_right_as_far_as_their_f1_goes(tmp_path):
    folders = [
        run(plan(tagger(tmp_path, version, exact=True)), tmp_path / str(version), data=data)
        for version, data in ((1, {"x": sentences()}), (2, {"x": sentences()[:80]}))
    ]
    found = sides_of_models(tuple((folder, "m") for folder in folders), ["x"])
    assert (found.metric, len(found.examples)) == ("mean@1", 80)
    assert found.first.tolist() == [[1.0] * 80]
    assert found.second.tolist() == [[float(k % 8 > 0) for k in range(80)]]


# --- scores from 0 to 1 -------------------------------------------------------------------------


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=8))
def test_f1_of_an_item_is_that_of_its_counts(counts):
    found = item_scores(metric_of("entity_f1@1"), np.array([counts], dtype=float))[0]
    for (right, wrong, missed), f1 in zip(counts, found, strict=True):
        total = 2 * right + wrong + missed
        assert f1 == pytest.approx(2 * right / total if total else 1.0)


def test_scores_that_are_partly_right_get_worse_and_better():
    before = np.array([[1.0, 0.5, 0.5, 0.2, 0.9]])
    after = np.array([[0.5, 0.5, 1.0, 0.1, 0.9]])
    one = sides(before, after, metric="mean@1")
    assert one.is_share
    flips = flips_of(one)
    assert (flips.broken.value, flips.mended.value) == (0.4, 0.2)
    less = flips_of(sides(before, after, metric="mean@1", sign=-1))
    assert (less.broken.value, less.mended.value) == (0.2, 0.4)


def test_scores_without_bounds_do_not_flip():
    assert not sides([[3.0, 0.5]], [[0.5, 0.5]], metric="mean@1").is_share
    assert not sides([[1.0, 0.0]], [[0.0, 0.0]]).is_share  # hits are hits


def test_hits_flip_as_they_always_did():
    rng = np.random.default_rng(3)
    before, after = rng.random((2, 1, 50)) < 0.6
    hits = flips_of(sides(before, after))
    graded = flips_of(sides(before, after, metric="mean@1"))
    assert (hits.broken.value, hits.mended.value) == (graded.broken.value, graded.mended.value)
    assert hits.tests == graded.tests
    assert (hits.is_graded, graded.is_graded) == (False, True)


def test_noise_of_partly_right_items_is_the_share_that_moves():
    values = [[0.5, 1.0, 0.0, 0.3], [0.5, 0.9, 0.0, 0.1], [0.5, 1.0, 0.0, 0.3]]
    found = noise_of_replicates(sides(values, values, metric="mean@1"))
    assert found.share == pytest.approx((0.5 + 0.0 + 0.5) / 3)


def test_a_fault_on_a_slice_of_scores_leads():
    rng = np.random.default_rng(0)
    inside = np.arange(400) < 40
    before = rng.uniform(0.6, 1.0, (1, 400))
    after = np.where(inside, before - 0.4, before)
    one = sides(before, after, metric="mean@1")
    found = changes(one, [slice_of("planted", inside), slice_of("other", np.arange(400) % 3 == 0)])
    assert [change.name for change in shown(found)][:1] == ["planted"]


# --- answers that are spans ---------------------------------------------------------------------


def test_other_tags_of_one_score_are_told_behind_those_that_got_worse():
    one = sides([[1.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]], metric="mean@1")
    made = [np.full((1, 3), None) for _ in range(2)]
    for filled, answers in zip(made, ("A..", ".B."), strict=True):
        for k, label in enumerate(answers):
            filled[0, k] = () if label == "." else (Span("text", 0, 4, label),)
    answers = tuple(Answers(given, None, SPANS) for given in made)
    one = replace(one, answers=answers)
    found = find_disagreements(one, marked(one), noise=noise_of_replicates(one))
    assert [(d.item, d.distance) for d in found] == [("i0", 1.0), ("i1", 0.5)]
    assert (found[1].first, found[1].second) == ("nothing", "text (B)")
    assert commonest_turn(answers, np.ones(3, dtype=bool)) is None
