"""Coreference: counts and metrics, on published examples, by hand, and by their properties."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scrutiny.core.answers.clusters import clusters_of
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.tasks.coreference import (
    B_CUBED_F1,
    CEAF_E_F1,
    CONLL_F1,
    LINKED_CONLL_F1,
    MENTION_F1,
    MUC_F1,
    OF_DOCUMENTS,
    PartitionCounts,
    count,
    without_singletons,
)
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import load_task

TASK = load_task("coreference")
METRICS = {"muc": MUC_F1, "b3": B_CUBED_F1, "ceafe": CEAF_E_F1, "mention": MENTION_F1}
NAMES = [measure.name for measure in OF_DOCUMENTS]
LUO = ("12345", "67", "89ABC")

partitions = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 4)).map(
    lambda of: [[m for m in of if of[m] == c] for c in set(of.values())]
)


def value(metric, *documents):
    """Metric of documents, each gold clusters and an answer."""
    rows = [
        (*count(g, a), *count(without_singletons(g), without_singletons(a))) for g, a in documents
    ]
    sums = np.array(rows, dtype=float).sum(axis=0)
    chosen = sums[[NAMES.index(need) for need in metric.needs]]
    return float(metric.value(metric.components(chosen)[None], np.ones(1)))


def f1(recall, precision):
    return 2 * recall * precision / (recall + precision)


# Test cases of the reference scorer (Pradhan et al. 2014), with the values stated beside them.
OF_THE_SCORER = {
    "A-1": ("a bc def", "a bc def", {"muc": 1, "b3": 1, "ceafe": 1}),
    "A-2": ("a bc def", "a de", {"muc": 1 / 2, "b3": 14 / 25, "ceafe": 0.72}),
    "A-3": ("a bc def", "a bcx defy z", {"muc": 3 / 4, "b3": 110 / 163, "ceafe": 0.75918}),
    "A-4": ("a bc def", "a bcx dy z", {"muc": 1 / 3, "b3": f1(5 / 9, 17 / 42), "ceafe": 0.62857}),
    "A-5": ("a bc def", "a bcxB dy z", {"muc": 2 / 7, "b3": f1(5 / 9, 5 / 16), "ceafe": 0.59048}),
    "A-6": ("a bc def", "a bcx dy Bz", {"muc": 2 / 7, "b3": f1(5 / 9, 17 / 48), "ceafe": 0.62857}),
    "A-10": ("a bc def", "a b c d e f", {"muc": 0, "b3": 2 / 3}),
    "A-11": ("a bc def", "abcdef", {"muc": 3 / 4, "b3": 14 / 25}),
    "A-12": ("a bc def", "a x y c d e z", {"muc": 0, "b3": f1(13 / 36, 4 / 7)}),
    "A-13": ("a bc def", "axycdez", {"muc": 2 / 9, "b3": f1(17 / 36, 6 / 49)}),
    "D-1": ("12345 67 89ABC", "12345 6789ABC", {"muc": 0.947368421, "b3": 0.864864865}),
    "E-1": ("12345 67 89ABC", "1234589ABC 67", {"muc": 0.947368421, "b3": 0.736842105}),
    "F-1": ("ABCD", "AB CD", {"muc": 4 / 5}),
    "G-1": ("AB CD", "ABCD", {"muc": 4 / 5}),
    "J-1": ("ABC", "AC", {"muc": 2 / 3}),
    "K-1": ("BCDEGHJ", "ABC DEF GHI", {"muc": 1 / 2}),
    "L-1": ("ABC DEFG", "AB CD FGH", {"muc": 4 / 9}),
    "M-1": ("abcdef", "abcdef", {"muc": 1, "b3": 1, "ceafe": 1}),
    "M-2": ("abcdef", "a b c d e f", {"muc": 0}),
    "N-1": ("a b c d e f", "a b c d e f", {"muc": 0, "b3": 1, "ceafe": 1}),
    "N-4": ("a b c d e f", "a b c x y z", {"muc": 0}),
}


@pytest.mark.reproduces
@pytest.mark.parametrize("case", OF_THE_SCORER)
def test_test_cases_of_the_reference_scorer(case):
    gold, answer, expected = OF_THE_SCORER[case]
    for name, stated in expected.items():
        found = value(METRICS[name], (gold.split(), answer.split()))
        assert found == pytest.approx(stated, abs=6e-6), name


@pytest.mark.parametrize(
    ("answer", "muc", "b3", "ceafe"),
    [
        ("12345 6789ABC", 0.947, 0.865, 0.733),
        ("1234589ABC 67", 0.947, 0.737, 0.667),
        ("123456789ABC", 0.900, 0.545, 0.294),
        ("1 2 3 4 5 6 7 8 9 A B C", 0.0, 0.400, 0.178),
    ],
)
def test_the_example_of_luo(answer, muc, b3, ceafe):
    found = [value(METRICS[name], (LUO, answer.split())) for name in ("muc", "b3", "ceafe")]
    assert found == pytest.approx([muc, b3, ceafe], abs=5e-4)


def test_counts_by_hand():
    # {ab} {cde}: of cde the answer has de together, and takes b from a to c
    found = count(["ab", "cde"], ["bcx", "de"])
    assert found == PartitionCounts(
        common=4,
        gold=5,
        answer=5,
        links=1,  # d-e
        gold_links=3,
        answer_links=3,
        recalled=1 / 2 + 1 / 3 + 2 * 2 / 3,  # b, c, d and e
        precise=1 / 3 + 1 / 3 + 2 * 2 / 2,
        alike=pytest.approx(2 / 5 + 4 / 5),  # ab with bcx, cde with de
        gold_clusters=2,
        answer_clusters=2,
    )


def test_the_assignment_is_the_best_and_not_the_greedy_one():
    # abcde and abcxy are most alike, 6/10, but leave de and xy with nothing
    assert count(["abcde", "xy"], ["abcxy", "de"]).alike == pytest.approx(4 / 7 + 4 / 7)


def test_documents_are_summed_before_they_are_divided():
    small, large = (["ab"], ["a", "b"]), (["abcdefghij"], ["abcdefghij"])
    assert value(MUC_F1, small, large) == pytest.approx(2 * 9 / (10 + 9))
    parts = [value(m, small, large) for m in (MUC_F1, B_CUBED_F1, CEAF_E_F1)]
    assert value(CONLL_F1, small, large) == pytest.approx(sum(parts) / 3)


def test_singletons_count_as_both_sides_give_them_and_can_be_left_out():
    gold, answer = ["ab", "c", "d"], ["ab", "c"]
    assert value(B_CUBED_F1, (gold, answer)) == pytest.approx(2 * 1 * 0.75 / 1.75)
    assert value(CEAF_E_F1, (gold, answer)) == pytest.approx(2 * 2 / 5)
    assert value(LINKED_CONLL_F1, (gold, answer)) == 1.0
    # an answer with singletons to data without them pays for each, but not where they are left out
    assert value(B_CUBED_F1, (["ab"], answer)) < 1
    assert value(LINKED_CONLL_F1, (["ab"], answer)) == 1.0


@given(partitions, partitions)
def test_properties(gold, answer):
    assume(gold and answer)
    for metric in (*METRICS.values(), CONLL_F1):
        found = value(metric, (gold, answer))
        assert 0 <= found <= 1 + 1e-12
        assert value(metric, (answer, gold)) == pytest.approx(found)  # F1 knows no sides
        renamed = [sorted(cluster, reverse=True) for cluster in reversed(answer)]
        assert value(metric, (gold, renamed)) == pytest.approx(found)
    for metric in (B_CUBED_F1, CEAF_E_F1, MENTION_F1):
        assert value(metric, (gold, gold)) == pytest.approx(1.0)
    if any(len(cluster) > 1 for cluster in gold):
        assert value(CONLL_F1, (gold, gold)) == pytest.approx(1.0)


@given(partitions, partitions)
def test_muc_counts_the_same_links_from_both_sides(gold, answer):
    assert count(gold, answer).links == count(answer, gold).links


def test_nothing_has_no_score_and_nothing_found_has_none():
    assert np.isnan(value(B_CUBED_F1, ([], [])))
    assert np.isnan(value(CONLL_F1, ([], [])))
    assert value(CONLL_F1, (["ab"], [])) == 0.0


def item(clusters, words=("Ida", "saw", "her", "aunt")):
    row = {"id": "1", "words": list(words), "clusters": clusters, "u_document": "d"}
    return TASK.parse(row, source="x:1")


def test_rows_of_words_and_of_texts():
    found = item([[[0, 0], [2, 2]], [[2, 3]]])
    assert found.gold == clusters_of("text", [[(0, 3), (8, 11)], [(8, 16)]])
    assert found.attributes == {"u_document": "d"}
    row = {"text": "Ida saw her aunt", "clusters": [[(0, 3), (8, 11)], [(8, 16)]]}
    as_text = TASK.parse(row, source="x:1")
    assert as_text.gold == found.gold
    assert as_text.tokens is None
    assert TASK.parse({"text": "Ida"}, source="x:1").gold is None


@pytest.mark.parametrize(
    ("clusters", "says"),
    [
        ("0-1", "clusters is not a list"),
        ([[[0, 9]]], "clusters: an answer is a list of clusters"),
        ([[[2, 0]]], "clusters: the gold answer has the mention"),
        ([[[0, 0]], [[0, 0]]], "twice"),
    ],
)
def test_rows_that_do_not_read(clusters, says):
    with pytest.raises(DataError, match=says):
        item(clusters)


def test_scores_are_counts_and_other_answers_are_refused():
    found = item([[[0, 0], [2, 2]], [[2, 3]]])
    scores = TASK.score(found.gold, Prediction(found.gold), labels=())
    assert dict(zip(NAMES, scores, strict=True))["links"] == 1
    assert len(scores) == len(TASK.measures)
    assert level_of(TASK, [found], [Prediction(found.gold)]) == 1.0
    with pytest.raises(ModelError, match="gave no clusters"):
        TASK.score(found.gold, Prediction("Ida"), labels=())


def test_no_skill_knows_the_mentions_and_the_better_of_all_alone_and_all_one():
    pairs = item([[[0, 0]], [[1, 1]], [[2, 2]], [[3, 3]]])
    chain = item([[[0, 0], [1, 1], [2, 2], [3, 3]]])
    assert TASK.chance([pairs]) == pytest.approx(2 / 3)  # B-cubed and CEAF-e of all alone
    assert TASK.chance([chain, Example("2", {"text": "no gold"})]) == 1.0  # all in one
