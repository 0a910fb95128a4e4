"""Which claims may be stated: the rule, condition by condition."""

import csv
import io
from dataclasses import replace

import pytest
import reliability_sample
import report_sample

from scrutiny.core.claim import Check, Component, Risk
from scrutiny.reliability.verdicts.prerequisites import SKILL_NOT_COMPUTED
from scrutiny.report.formats import render_csv, render_latex
from scrutiny.report.load import load_view
from scrutiny.report.page import render_html
from scrutiny.report.text import plain_text, render_markdown
from scrutiny.report.trust import CONDITIONS, NO_CONTROL, NONE_DECLARED, NOT_NEEDED, trusted_table


@pytest.fixture(scope="module")
def view(tmp_path_factory):
    return load_view(reliability_sample.write(tmp_path_factory.mktemp("run")).path)


def rows_of(view):
    return {r.row.finding.claim.id: r for r in trusted_table(view).rows}


def outcome(row, name):
    return row.outcomes[name]


def test_only_what_meets_every_condition_is_trusted(view):
    rows = rows_of(view)
    trusted = {name for name, row in rows.items() if row.is_trusted}
    assert trusted == {"skill", "pairs-race-color"}
    race = rows["pairs-race-color"]
    assert race.outcomes == dict.fromkeys(CONDITIONS, "yes")
    assert (race.failed, race.why) == ((), "")
    assert race.standing == "trusted"
    assert trusted_table(view).sentence == "2 of 8 findings can be reported by this rule."


def test_without_a_control_nothing_is_trusted_but_skill_itself(view):
    rows = rows_of(view)
    triples = rows["triples-Race"]
    assert triples.failed == ("controls",)
    assert triples.why == f"controls: {NO_CONTROL}"
    assert triples.standing == "not trusted"
    skill = rows["skill"]
    assert outcome(skill, "controls") == NOT_NEEDED
    assert skill.standing == "trusted"


def of_a_cost(view, verdict, *outcomes, value=0.04):
    """Row of the trusted claim as a cost beside controls that were found so."""
    finding = finding_of(view)
    claim = replace(
        finding.claim,
        says="typos lower accuracy",
        components=(Component("e", 0.0),),
        risk=Risk("typos", 0.02, "cost {} points"),
    )
    checks = tuple(Check(f"more than control {n}", outcome) for n, outcome in enumerate(outcomes))
    each = dict.fromkeys(finding.estimate.by_replicate, value)
    ends = {"value": value, "low": value - 0.01, "high": value + 0.01, "by_replicate": each}
    estimate = replace(finding.estimate, **ends, across={})
    more = {"claim": claim, "checks": checks, "estimate": estimate, "verdict": verdict}
    return changed(view, **more)


@pytest.mark.parametrize(
    ("outcomes", "said", "standing"),
    [
        (("yes", "yes"), "yes", "trusted"),
        (("yes", "undecided"), "not yet shown to exceed control 1", None),
        (("no",), "not shown to exceed control 0", None),
        (("not run",), "control 0 not run", "not trusted"),
        ((), NOT_NEEDED, "trusted"),
    ],
)
def test_a_cost_stands_beside_what_its_control_shows(view, outcomes, said, standing):
    row = of_a_cost(view, "hurts", *outcomes)
    assert outcome(row, "controls") == said
    assert row.standing == (standing or f"trusted; {said}")
    assert row.row.found == "typos cost 4.0 points [3.0, 5.0]"
    small = of_a_cost(view, "holds", *outcomes, value=0.0)
    assert outcome(small, "controls") == NOT_NEEDED  # whatever random change costs
    assert small.row.found == "typos cost at most 1.0 points"


def test_the_finding_is_listed_and_never_the_hypothesis_that_was_denied(view):
    finding = finding_of(view)
    risk = Risk("doubtful labels", 0.05, "{} % of the items", settled_by="look")
    claim = replace(finding.claim, says="gold labels are wrong", risk=risk)
    claim = replace(claim, components=(Component("e", 0.0),))
    ends = {"value": 0.01, "low": 0.0, "high": 0.013, "across": {}}
    estimate = replace(finding.estimate, **ends)
    held = replace(finding, claim=claim, estimate=estimate, verdict="holds", checks=())
    findings = tuple(held if f is finding else f for f in view.findings)
    shown = replace(view, findings=findings)
    for text in (plain_text(shown), render_markdown(shown), render_html(shown)):
        flat = " ".join(text.split())
        assert "doubtful labels at most 1.3 % of the items" in flat
        assert "gold labels are wrong" not in flat.partition("Which findings")[2]


def test_what_needs_no_control_is_the_claims_to_say(view):
    skill = next(f for f in view.findings if f.claim.id == "skill")
    other = replace(skill, claim=replace(skill.claim, needs_control=True))
    findings = tuple(other if f is skill else f for f in view.findings)
    row = rows_of(replace(view, findings=findings))["skill"]
    assert outcome(row, "controls") == NO_CONTROL


@pytest.mark.parametrize(("role", "said"), [("null", "yes"), ("measured", NO_CONTROL)])
def test_a_difference_to_a_control_family_is_a_control(view, role, said):
    triples = next(f for f in view.findings if f.claim.id == "triples-Race")
    key = replace(triples.estimate.key, role="contrast", reference="untrained")
    estimate = replace(triples.estimate, key=key)
    other = replace(triples, estimate=estimate, evidence={})
    findings = tuple(other if f is triples else f for f in view.findings)
    models = {**view.manifest["models"], "untrained": {"role": role}}
    manifest = {**view.manifest, "models": models}
    changed = replace(
        view, manifest=manifest, findings=findings, estimates=(*view.estimates, estimate)
    )
    assert outcome(rows_of(changed)["triples-Race"], "controls") == said


def test_what_fails_is_named(view):
    age = rows_of(view)["pairs-age"]
    assert outcome(age, "interval") in ("undecided", "not supported")
    assert outcome(age, "controls") == "earlier step not passed"
    assert outcome(age, "seeds").endswith("of 5 agree")
    assert age.why.startswith("interval: ")
    assert outcome(age, "skill") == "yes"


def changed(view, **changes):
    """Row of the trusted claim after a change to its finding."""
    finding = next(f for f in view.findings if f.claim.id == "pairs-race-color")
    other = replace(finding, **changes)
    findings = tuple(other if f is finding else f for f in view.findings)
    return rows_of(replace(view, findings=findings))["pairs-race-color"]


def finding_of(view):
    return next(f for f in view.findings if f.claim.id == "pairs-race-color")


@pytest.mark.parametrize(("gates", "said"), [(("agreement",), "yes"), ((), NONE_DECLARED)])
def test_a_gate_on_record_is_skill(view, gates, said):
    claim = replace(finding_of(view).claim, competence=(), gates=gates)
    assert outcome(changed(view, claim=claim), "skill") == said


def test_one_seed_on_the_other_side_is_enough(view):
    estimate = finding_of(view).estimate
    values = dict(estimate.by_replicate) | {next(iter(estimate.by_replicate)): 0.4}
    row = changed(view, estimate=replace(estimate, by_replicate=values))
    assert outcome(row, "seeds") == "4 of 5 agree"
    assert row.failed == ("seeds",)


def test_signs_of_differences_are_those_of_the_estimate(view):
    estimate = finding_of(view).estimate
    across = {"sign_agreement": 0.8}
    row = changed(view, estimate=replace(estimate, across=across))
    assert outcome(row, "seeds") == "4 of 5 agree"


@pytest.mark.parametrize(("count", "said"), [(1, "1 replicate"), (2, "2 replicates")])
def test_few_replicates_are_too_few(view, count, said):
    estimate = finding_of(view).estimate
    values = dict(list(estimate.by_replicate.items())[:count])
    few = replace(estimate, n_replicates=count, by_replicate=values)
    assert outcome(changed(view, estimate=few), "seeds") == said


def test_a_choice_that_fails_is_enough(view):
    checks = (Check("seeds", "yes"), Check("choices:variant", "no", "1 of 2"))
    row = changed(view, checks=checks)
    assert outcome(row, "choices") == "no (1 of 2)"
    assert not row.is_trusted
    single = (Check("seeds", "yes"), Check("choices:variant", "not run", "one choice"))
    assert outcome(changed(view, checks=single), "choices") == NONE_DECLARED


def test_a_control_that_was_not_computed_is_not_passed(view):
    claim = finding_of(view).claim
    more = replace(
        claim, components=(*claim.components, Component("gone", 0.5, "control: untrained"))
    )
    row = changed(view, claim=more)
    assert outcome(row, "controls") == "untrained not run"


def test_only_the_lack_of_skill_is_refused_for_skill(view):
    reason = "no skill: 0.500 [0.450, 0.550] is not shown to exceed the 0.5 of a model without any"
    refused = changed(view, verdict="refused", p_supported=None, reason=reason)
    assert outcome(refused, "skill") == "refused"
    assert refused.why == f"not tested: {reason}"
    lacking = changed(view, verdict="undecided", p_supported=None, reason=SKILL_NOT_COMPUTED)
    assert outcome(lacking, "skill") == "not computed"


@pytest.mark.parametrize(
    "reason",
    [
        "a comparison was not run: control: untrained",
        "one item, or group of items, says nothing of others: add more",
    ],
)
def test_what_was_not_tested_says_why_and_blames_no_skill(view, reason):
    finding = finding_of(view)
    other = replace(finding, verdict="undecided", p_supported=None, reason=reason)
    findings = tuple(other if f is finding else f for f in view.findings)
    shown = replace(view, findings=findings)
    row = rows_of(shown)["pairs-race-color"]
    assert (row.why, outcome(row, "skill")) == (f"not tested: {reason}", "yes")
    terminal = " ".join(plain_text(shown).split())
    assert f"not tested: {reason} (1): race-color" in terminal
    assert "condition not met, skill" not in terminal
    for text in (render_html(shown), render_markdown(shown), render_csv(shown)):
        assert f"not tested: {reason}" in text


def test_many_reasons_are_cut_and_counted(view):
    findings = tuple(
        replace(f, verdict="undecided", p_supported=None, reason=f"reason {i}")
        for i, f in enumerate(view.findings + view.findings[:4])
    )
    terminal = plain_text(replace(view, findings=findings))
    assert terminal.count("not tested: reason") == 8
    assert f"not tested for other reasons: {len(findings) - 8} more" in terminal


def test_single_checkpoints_have_no_table():
    assert trusted_table(report_sample.one_replicate()) is None
    assert trusted_table(report_sample.empty()) is None
    assert "Which findings can I report" not in plain_text(report_sample.one_replicate())


def test_every_format_says_it(view):
    text = plain_text(view)
    assert "2 of 8 findings can be reported" in " ".join(text.split())
    assert "✓ race-color pairs lean one way" in text
    flat = " ".join(text.split())
    assert "condition not met, interval (4): gender, religion, age" in flat
    assert "condition not met, seeds (1): Gender triples lean" in flat
    assert "condition not met, validity control (1): Race triples lean" in flat
    assert "(family on task)" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    markdown = render_markdown(view)
    assert "<summary>Which findings can I report?</summary>" in markdown
    assert "| race-color pairs lean one way in the family | ✓ trusted | yes | yes |" in markdown
    assert "<summary>Results by seed</summary>" in markdown
    page = render_html(view)
    assert 'id="trusted"' in page
    assert "✓ trusted</b>" in page
    assert 'href="#claim-pairs-race-color"' in page
    latex = render_latex(view)
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") > 3
    assert r"\textbf{" in latex
    rows = list(csv.DictReader(io.StringIO(render_csv(view))))
    trusted = {row["claim"]: (row["trusted"], row["why_not"]) for row in rows if row["claim"]}
    assert trusted["race-color pairs lean one way in the family"] == ("yes", "")
    assert trusted["age pairs lean one way in the family"][0] == "no"
    assert any('"sd"' in row["across"] for row in rows)
