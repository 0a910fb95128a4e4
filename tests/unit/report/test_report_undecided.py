"""How many items or replicates would decide a claim."""

from dataclasses import replace

import pytest
import report_sample

from scrutiny.core.claim import Component
from scrutiny.report.findings.risks import UNDECIDED, _needed, undecided_part
from scrutiny.testing import check_part


def undecided(view, **given):
    """The sample with its first finding undecided: .03 above the limit, shown from .06 on."""
    first = next(f for f in view.findings if f.estimate is not None)
    e = replace(first.estimate, value=0.03, low=-0.01, high=0.07, n_units=200, n_replicates=5)
    e = replace(e, variance=given.get("variance", {"items": 3e-4, "seeds": 0.5e-4}))
    found = replace(
        first,
        verdict=given.get("verdict", "undecided"),
        claim=replace(first.claim, components=(Component("drop", 0.0),)),
        estimate=e,
        minimum_detectable_effect=given.get("shown_from", 0.06),
    )
    return replace(view, findings=(found,))


@pytest.fixture
def view():
    return report_sample.sample()


def test_items_and_replicates_that_would_decide(view):
    shown = undecided(view)
    check_part(UNDECIDED, shown)
    (row,) = undecided_part(shown).charts[0].table.rows
    # a quarter of the variance of 3.5e-4 is wanted: .875e-4, of which replicates leave .5e-4
    assert row[3:] == ("200", "1,600", "5", "no number suffices")


def test_decided_claims_and_those_at_the_limit_are_left_out(view):
    assert undecided_part(undecided(view, verdict="supported")) is None
    assert undecided_part(undecided(view, shown_from=0.02)) is None
    assert undecided_part(undecided(view, variance={})) is None


@pytest.mark.parametrize(
    ("shrinks", "stays", "wanted", "said"),
    [
        (4.0, 0.0, 1.0, "40"),
        (4.0, 1.0, 1.0, "no number suffices"),
        (4.0, 0.0, 0.01, "over 1,000"),
        (0.0, 0.0, 1.0, "10"),
    ],
)
def test_a_part_of_the_variance_shrinks_with_its_number(shrinks, stays, wanted, said):
    assert _needed(shrinks, stays, wanted, 10) == said
