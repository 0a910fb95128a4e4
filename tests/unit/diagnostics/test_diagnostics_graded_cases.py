"""Cases of answers that are neither right nor wrong: what a change costs the score of each."""

import pytest
from toy_runs import run

from scrutiny.blocks.cases import EvidenceItem, ReplicateAnswers
from scrutiny.core.answers.texts import Text
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.report.cases.shown import CasePage, case_words
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html

pytest.importorskip("sacrebleu")
pytestmark = pytest.mark.extra("generation")


class Polite(Model):
    """Says please in front of every text."""

    source, task, labels = "python:object:Polite", "translation", ()
    capabilities = frozenset({"predict"})

    def predict(self, examples):
        return [Prediction(Text(f"por favor {example.text}")) for example in examples]


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    names = ("wonderful", "terrible", "ordinary", "forgotten", "remarkable", "brilliant")
    rows = [
        {"id": name, "text": f"a {name} evening", "reference": f"por favor a {name} evening"}
        for name in names
    ]
    out = tmp_path_factory.mktemp("graded")
    params = {"transformations": ["typos"]}
    return load_view(run("robustness", Polite(), rows, out, task="translation", **params).path)


def test_cases_of_translations_are_broken_by_what_they_cost(view):
    (finding,) = view.findings
    found = view.evidence[finding.claim.id]
    assert found.n_turned == {"broken": found.n_cases, "fixed": 0, "changed": 0, "failed": 0}
    costs = [case.cost for case in found.cases]
    assert costs == sorted(costs, reverse=True)  # the clearest first
    assert sum(costs) / 6 == pytest.approx(finding.estimate.value, abs=0.02)
    case = found.cases[0]
    assert case.answers[0].before == case.gold == f"por favor {case.fields['text']}"
    assert case_words(case) == f"broken; {case.points}; right is {case.gold}"
    assert case.points == f"costs {100 * case.cost:.1f} points"


def test_the_page_says_that_they_were_better_before(view):
    shown = render_html(view)
    (finding,) = view.findings
    case = view.evidence[finding.claim.id].cases[0]
    assert f"· {case.points}" in shown
    if finding.verdict == "hurts":
        assert '<span class="soft">better before</span>' in shown
        assert f"right: {case.gold}" not in shown  # it is what was said before


def test_a_card_tells_the_commonest_of_long_answers():
    tail = "obj of a verb whose name is long; 3 more"
    long = [(f"word {n} {tail}", f"word {n} nmod of another") for n in "112"]
    short = [("yes", "no"), ("yes", "no"), ("no", "yes")]
    for pairs, told in ((long, [(*long[0], 2)]), (short, [("yes", "no", 2), ("no", "yes", 1)])):
        answers = tuple(ReplicateAnswers(f"seed {n}", *pair) for n, pair in enumerate(pairs))
        case = EvidenceItem("i", "x", "v", "", "", {"text": "a"}, (), answers)
        assert [*CasePage(case, ()).told] == told
