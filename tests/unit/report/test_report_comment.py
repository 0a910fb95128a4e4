"""The first screen as a comment on a pull request."""

from dataclasses import replace

import report_sample

from scrutiny.core.claim import Component, Risk
from scrutiny.report.first_screen.content import first_screen_of
from scrutiny.report.first_screen.text import case_folds, risk_blocks
from scrutiny.report.text import render_markdown

NAMES = ("typos", "keyboard", "ocr")
STATES = ("hurts", "can't tell", "holds")


def with_risks():
    """The sample with three risks, one of each state."""
    view = report_sample.sample()
    states = dict(zip(NAMES, STATES, strict=True))

    def declared(finding):
        risk = Risk(f"{finding.claim.id} (x)", 0.02, "costs {} points")
        claim = replace(finding.claim, risk=risk, components=(Component("drop", 0.0),))
        return replace(finding, claim=claim, verdict=states[finding.claim.id])

    found = [declared(f) if f.claim.id in states else f for f in view.findings]
    return replace(view, findings=tuple(found))


def test_a_comment_opens_with_the_risks_and_folds_the_rest():
    text = render_markdown(with_risks())
    head, _, folds = text.partition("<details>")
    assert head.startswith("### scrutiny: sentiment")
    assert "1 risk found" in head.splitlines()[0]
    assert "- ● **typos (x)** " in head
    assert "- ○ **keyboard (x)** " in head
    assert "✓ 1 holds" in head
    assert "**Look at 1 risk: typos (x).**" in head
    assert "Every claim with its checks" in folds


def test_cases_of_what_hurts_are_folded_with_what_was_changed():
    (fold,) = case_folds(first_screen_of(with_risks()))
    assert "Cases of typos (x)" in fold
    assert "friendly → freindly" in fold
    assert "**negative**" in fold


def test_a_comment_without_texts_has_no_cases():
    text = render_markdown(replace(with_risks(), manifest={}).without_texts())
    assert "friendly" not in text
    assert "- ● **typos (x)**" in text


def test_names_cannot_write_markup():
    view = with_risks()
    risk = replace(view.findings[1].claim.risk, what="<b>*x*")
    first = replace(view.findings[1], claim=replace(view.findings[1].claim, risk=risk))
    front = first_screen_of(replace(view, findings=(view.findings[0], first)))
    assert not any("<b>" in block or "*x*" in block for block in risk_blocks(front))
