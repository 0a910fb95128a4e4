"""The sentence that opens the report, and rows in the order a reader wants."""

from dataclasses import replace

import pytest
import report_sample

from scrutiny.core.claim import Check, Component
from scrutiny.reliability.verdicts.risks import worst_outcome
from scrutiny.report.findings.audit_rows import COLUMNS, audit_rows
from scrutiny.report.wording import MARKS, VERDICTS, context, counts, headline, sentences


def test_verdict_in_words_uses_the_family_sentence():
    view = report_sample.sample()
    assert headline(view.findings, view.families) == (
        "3 of 18 changes hurt builtin:sentiment more than random change does; 9 do not; "
        "5 undecided; 1 refused."
    )


def test_without_a_family_sentence_the_shared_words_stand_in():
    view = report_sample.sample()
    said = headline(view.findings, {})
    assert said.startswith("sentiment on reviews: 3 of 18 robustness claims hold (“… hurts")
    assert said.endswith("; 9 do not; 5 undecided; 1 refused.")


def test_family_sentence_is_found_by_the_last_part_of_the_name():
    view = report_sample.sample()
    findings = [
        replace(f, claim=replace(f.claim, family="robustness/m/d/robustness"))
        for f in view.findings[1:]
    ]
    assert headline(findings, view.families).startswith("3 of 18 changes hurt")


def test_one_claim_is_said_in_full():
    finding = report_sample.sample().findings[0]
    assert sentences([finding], {}) == (
        "Supported for this recipe: builtin:sentiment beats the majority class "
        "(sentiment on reviews).",
    )


def test_many_families_are_counted_together_and_what_holds_is_said():
    view = report_sample.sample()
    findings = [
        replace(f, claim=replace(f.claim, family=f"family {i}"))
        for i, f in enumerate(view.findings)
    ]
    first, *others = sentences(findings, {})
    assert first == "4 of 19 claims hold; 9 do not; 5 undecided; 1 refused."
    assert len(others) == 4
    assert all(said.startswith("Supported for this recipe: ") for said in others)


def test_one_contrary_finding_has_a_singular_verb():
    view = report_sample.sample()
    few = [f for f in view.findings if f.claim.id in {"typos", "tense"}]
    assert "1 does not" in headline(few, view.families)


def test_what_is_refused_for_one_reason_is_said_with_it():
    """Numbers in the table would read as answers."""
    view = report_sample.sample()
    plain = [f for f in view.findings if f.claim.id in {"typos", "tense"}]
    refused = [replace(f, verdict="refused", reason="no skill: 0.5 of 0.5.") for f in plain]
    assert headline(refused, view.families).endswith("; 2 refused: no skill: 0.5 of 0.5.")
    refused[0] = replace(refused[0], reason="no items")
    assert headline(refused, view.families).endswith("; 2 refused.")


def test_families_with_one_phrase_say_of_which_data_each_is():
    view = report_sample.sample()
    few = [f for f in view.findings if f.claim.id in {"typos", "tense"}]
    twice = [
        replace(
            f,
            claim=replace(f.claim, risk=None, family=f"{name}/layers"),
            estimate=replace(f.estimate, key=replace(f.estimate.key, dataset=name)),
        )
        for name in ("english", "chinese")
        for f in few
    ]
    said = sentences(twice, {"layers": "layers of m hold more"})
    assert [one.partition(";")[0].partition(" layers of m hold more ")[2] for one in said] == [
        "(sentiment on english)",
        "(sentiment on chinese)",
    ]
    over = [replace(f, claim=replace(f.claim, family="layers/across")) for f in twice[:2]]
    (whole,) = sentences(over, {"layers": "layers of m hold more"})
    assert "layers of m hold more, on each data set" in whole
    (alone,) = sentences(twice[:2], {"layers": "layers of m hold more"})
    assert "english" not in alone


def test_counts_name_every_verdict():
    assert counts([]) == dict.fromkeys(VERDICTS, 0)
    assert set(MARKS) == set(VERDICTS)


def test_worst_outcome_wins():
    assert worst_outcome([]) == "not run"
    assert worst_outcome(["yes", "undecided"]) == "undecided"
    assert worst_outcome(["yes", "no", "not run"]) == "no"


def test_rows_stand_by_verdict_then_by_size():
    rows = audit_rows(report_sample.sample())
    ranks = [VERDICTS.index(r.verdict) for r in rows if r.diagnostic == "robustness"]
    assert ranks == sorted(ranks)
    assert [r.label for r in rows[1:4]] == ["reverse negation", "antonym swap", "typos"]
    assert len({r.anchor for r in rows}) == len(rows) == 19
    assert all(len(r.cells()) == len(COLUMNS) for r in rows)


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("changes hurt sentiment", "4 of 18 changes hurt sentiment;"),
        ("sentiment prefers a to b", "4 of 18 claims hold that sentiment prefers a to b;"),
        ("without b, groups differ", "4 of 18 claims hold that without b, groups differ;"),
    ],
)
def test_phrases_that_name_the_model_first_are_no_counts(phrase, said):
    findings = report_sample.sample().findings[1:]
    supported = sum(f.verdict == "supported" for f in findings)
    (sentence,) = sentences(findings, {"robustness": phrase})
    assert sentence.startswith(said.replace("4", str(supported), 1))


def test_rows_of_a_diagnostic_nobody_knows_appear():
    view = report_sample.sample()
    claim = replace(view.findings[1].claim, diagnostic="plugin.new@3", family="")
    rows = audit_rows(
        replace(view, findings=(*view.findings, replace(view.findings[1], claim=claim)))
    )
    assert [r.diagnostic for r in rows if r.diagnostic.startswith("plugin")] == ["plugin.new"]


def test_claims_with_one_id_have_anchors_of_their_own():
    finding = report_sample.sample().findings[1]
    rows = audit_rows(replace(report_sample.empty(), findings=(finding, finding)))
    assert [r.anchor for r in rows] == ["claim-typos", "claim-typos-2"]


def test_choices_are_as_good_as_the_worst_of_them():
    finding = report_sample.sample().findings[1]
    checks = (Check("choices:a", "yes"), Check("choices:b", "no"), Check("own", "undecided"))
    row = audit_rows(replace(report_sample.empty(), findings=(replace(finding, checks=checks),)))[0]
    assert (row.choices, row.seeds, row.datasets) == ("no", "not run", "not run")


def test_claims_over_datasets_are_of_the_model_alone():
    finding = report_sample.sample().findings[1]
    over = replace(finding.claim, components=(Component("x", 0, "dataset a: reference"),))
    assert context(replace(finding, claim=over)) == "sentiment"
    assert context(replace(finding, estimate=None)) == ""


def test_a_step_of_a_family_is_said_with_its_name():
    view = report_sample.sample()
    findings = [
        replace(
            f,
            claim=replace(
                f.claim,
                id=f"robustness/m[step=400]/d/{number}",
                family="robustness/m[step=400]/d/robustness",
            ),
        )
        for number, f in enumerate(view.findings[1:])
    ]
    families = {"robustness/m/d/robustness": "changes hurt m more than random change does"}
    assert headline(findings, families).startswith(
        "3 of 18 changes hurt m more than random change does (step 400)"
    )
    assert context(findings[0]) == "sentiment (step 400) on reviews"
