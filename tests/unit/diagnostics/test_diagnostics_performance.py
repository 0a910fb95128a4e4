"""Performance and leakage by hand."""

import pytest
from toy_runs import estimate, run

from scrutiny.core.answers.choices import Ranking
from scrutiny.core.errors import PlanError
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.data.hashes import training_hashes
from scrutiny.diagnostics.leakage import Leakage, LeakageParams
from scrutiny.diagnostics.performance.performance import Performance
from scrutiny.report.load import load_view
from scrutiny.report.sections.item_hits import ABSTENTION
from scrutiny.testing import (
    ConstantClassifier,
    GazetteerTagger,
    KeywordClassifier,
    check_diagnostic,
)

ROWS = [
    {"id": f"i{n}", "text": text, "label": label}
    for n, (text, label) in enumerate(
        [("so good", "positive")] * 12
        + [("so bad", "negative")] * 6
        + [("so good", "negative")] * 2
    )
]
ROWS = [{**r, "text": f"{r['text']} {n}"} for n, r in enumerate(ROWS)]


class Remembers(KeywordClassifier):
    """A classifier that says what it was trained on."""

    capabilities = frozenset({"training_hashes"})

    def __init__(self, texts):
        super().__init__()
        self._texts = texts

    def training_hashes(self):
        return training_hashes(self._texts)


def test_they_keep_the_promises_of_their_protocol():
    check_diagnostic(Performance())
    check_diagnostic(Leakage(), model=Remembers(["x"]))


def test_accuracy_and_the_claim_above_the_commonest_label(tmp_path):
    folder = run("performance", KeywordClassifier(), ROWS, tmp_path)
    assert estimate(folder, "accuracy").value == 0.9
    found = folder.findings()[0]
    assert found.claim.components[0].limit == pytest.approx(0.6)
    assert not found.claim.needs_control
    assert found.verdict == "supported"
    assert "replicate" not in found.reason


def test_the_commonest_label_has_no_skill(tmp_path):
    folder = run("performance", ConstantClassifier("positive"), ROWS, tmp_path)
    assert estimate(folder, "accuracy").value == pytest.approx(0.6)
    assert folder.findings()[0].verdict == "undecided"


def test_entities_are_counted_over_all_items(tmp_path):
    rows = [
        {"id": "a", "tokens": ["Ada", "saw", "London"], "tags": ["B-PER", "O", "B-LOC"]},
        {"id": "b", "tokens": ["Bob", "saw", "London"], "tags": ["B-PER", "O", "B-PER"]},
    ]
    model = GazetteerTagger({"Ada": "PER", "London": "LOC"})
    folder = run("performance", model, rows, tmp_path, task="token-tagging")
    # a: 2 right; b: London as LOC is wrong, Bob and London as PER are missed
    assert estimate(folder, "entity_f1").value == pytest.approx(2 * 2 / (2 * 2 + 1 + 2))
    assert folder.findings()[0].claim.components[0].limit == 0.0


def test_leakage_is_the_share_of_items_that_were_trained_on(tmp_path):
    seen = [r["text"].upper() + "!" for r in ROWS[:4]]  # punctuation and case do not count
    folder = run("leakage", Remembers(seen), ROWS, tmp_path)
    found = estimate(folder, "share")
    assert found.value == 4 / 20  # numbers tell the items apart: 14 say "so good"
    assert folder.findings()[0].verdict == "hurts"
    assert not folder.findings()[0].claim.needs_control
    assert len(folder.outputs()) == 0  # nothing is asked


def test_nothing_in_common_is_no_leak(tmp_path):
    rows = [{**r, "text": f"{r['text']} and much more of it"} for r in ROWS] * 10
    rows = [{**r, "id": f"{r['id']}-{n}"} for n, r in enumerate(rows)]
    folder = run("leakage", Remembers(["another text altogether, about something"]), rows, tmp_path)
    assert estimate(folder, "share").value == 0.0
    assert folder.findings()[0].verdict == "holds"


def test_a_model_that_does_not_say_what_it_was_trained_on_is_refused(tmp_path):
    with pytest.raises(PlanError, match="needs a model with training_hashes"):
        run("leakage", KeywordClassifier(), ROWS, tmp_path)
    with pytest.raises(PlanError, match="tolerance must lie between 0 and 1"):
        LeakageParams(tolerance=0)


class Ranks(Model):
    """A ranker that keeps the order of the item, and may say how sure it is."""

    source, task, capabilities = "ranks", "passage-ranking", frozenset({"predict"})

    def __init__(self, *, is_sure):
        self._is_sure = is_sure

    def predict(self, examples):
        return [
            Prediction(Ranking((0, 1)), (len(e.text) / 20,) if self._is_sure else None)
            for e in examples
        ]


@pytest.mark.parametrize("is_sure", [True, False])
def test_a_ranking_that_says_how_sure_it_is_has_a_curve_of_abstention(is_sure, tmp_path):
    rows = [
        {"query": "q" * n, "candidates": ["a", "b"], "relevant": n % 3 % 2} for n in range(1, 9)
    ]
    folder = run("performance", Ranks(is_sure=is_sure), rows, tmp_path, task="passage-ranking")
    found = ABSTENTION.make(load_view(folder.path))
    assert (found is not None) is is_sure
    if found is not None:
        (chart,) = found.charts
        kept = [row[2] for row in chart.table.rows]
        assert kept[0] == "100 %"
        assert kept[-1] != "100 %"
