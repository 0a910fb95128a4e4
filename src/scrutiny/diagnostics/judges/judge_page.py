"""May I use this judge? One of three outcomes, its biases, agreement and corrected scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.labels import capitalized
from scrutiny.blocks.numbers import NO_VALUE, bracketed, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, Part, ReportPart
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.expressions import name_and_arguments
from scrutiny.diagnostics.judges.judge_design import AS_GIVEN, ASKED, POLICY
from scrutiny.diagnostics.judges.verdicts import POLICIES

#: Name of the fact that says one of the three outcomes.
QUESTION: Final = "may I use it?"
#: The three outcomes.
AS_IT_IS: Final = "usable for ranking as it is"
CORRECTED: Final = "usable with correction by human labels"
NOT_SHOWN: Final = "not shown to be better than a constant verdict"
_LEAD: Final = (
    "A judge that agrees with people more than the best constant verdict does, and whose biases "
    "and noise are within the tolerance, can rank as it is. With a bias that is shown, or "
    "cannot be excluded, its mean verdicts need the correction."
)
#: Human labels of which a variance says something.
_FEWEST_LABELS: Final = 20
_NAMED: Final = next(iter(POLICIES))
#: States of what a judge has to notice, in the words of risks: to notice is what is wanted.
_STATES: Final = {"supported": "holds", "not supported": "hurts", "undecided": "can't tell"}


@dataclass(frozen=True, slots=True)
class JudgeView:
    """Numbers and findings of one judge on one dataset.

    Parameters
    ----------
    where
        Judge and data, in words.
    estimates, findings
        Its own.
    """

    where: str
    estimates: Sequence[Estimate]
    findings: Sequence[Finding]

    def find(self, metric: str, condition: Mapping[str, str]) -> Estimate | None:
        """Number of a metric in a condition, over all items; None if it has no value."""
        for one in self.estimates:
            name, measure = name_and_arguments(one.key.metric)
            said = f"{name}({measure})" if name == "mean" else name
            if said == metric and dict(one.key.condition) == condition and one.key.group == "all":
                return one if one.value is not None else None
        return None

    def decision(self) -> tuple[str, str]:
        """One of the three outcomes, and why, in a sentence."""
        skill = next((one for one in self.findings if one.claim.is_headline), None)
        if skill is None:
            return NOT_SHOWN, "no verdicts of people stand beside its own."
        if skill.verdict != "supported":
            agree, constant = self._agreement()
            if agree is None or constant is None:
                return NOT_SHOWN, "its agreement with people has no value."
            said = f"it agrees with people on {_percent(agree)} % of the items, such a verdict on"
            return NOT_SHOWN, f"{said} {_percent(constant, bounds=False)} %."
        risks = [one for one in self.findings if one.claim.risk is not None and one.estimate]
        hurts, opens = (
            [one.claim.risk.what for one in risks if one.claim.risk and one.verdict == state]
            for state in ("hurts", "can't tell")
        )
        if hurts:
            *others, last = hurts
            said = f"{', '.join(others)} and {last} hurt" if others else f"{last} hurts"
            return CORRECTED, f"{said}."
        if opens:
            return CORRECTED, f"nothing is shown to hurt; can't tell yet: {', '.join(opens)}."
        return AS_IT_IS, "noise and every bias are within the tolerance."

    def _agreement(self) -> tuple[Estimate | None, Estimate | None]:
        """Agreement with people, and that of the best constant verdict."""
        named = {POLICY: _NAMED}
        return self.find("mean(agreement)", named), self.find("commonest_label", named)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Agreement, kappa under each policy, mean verdicts, and human labels, in words."""
        agree, constant = self._agreement()
        if agree is not None and constant is not None:
            yield (
                "agreement with people",
                f"{_percent(agree)} % of {agree.counts.n:,} items; always giving their commonest "
                f"verdict has {_percent(constant, bounds=False)} %",
            )
        kappas = {policy: self.find("kappa", {POLICY: policy}) for policy in POLICIES}
        told = {policy: one for policy, one in kappas.items() if one is not None}
        if told:
            yield "kappa", "; ".join(_kappas(told))
        odd = [
            f"{_percent(one)} % {name}"
            for name, measure in (("unparsed", "unparsed"), ("ties", "tie"))
            if (one := self.find(f"mean({measure})", {ASKED: AS_GIVEN})) is not None
        ]
        if odd:
            yield "odd verdicts", ", ".join(odd)
        yield from self.means()

    def means(self) -> Iterator[tuple[str, str]]:
        """Mean verdicts, raw and corrected, and what a narrower interval needs."""
        names = {
            "mean(value)": "mean verdict, raw",
            "corrected": "corrected (PPI++)",
            "rogan_gladen": "corrected (Rogan-Gladen)",
            "human_mean": "human labels alone",
        }
        for metric, name in names.items():
            found = self.find(metric, {ASKED: AS_GIVEN})
            if found is not None:
                of = f", {found.divided_by:,.0f} items" if metric == "human_mean" else ""
                yield name, f"{_percent(found)} %{of}"
        needed = next(
            (one for one in self.estimates if one.key.metric.startswith("labels_needed(")), None
        )
        labels = self.find("human_mean", {ASKED: AS_GIVEN})
        if needed is not None and labels is not None and labels.divided_by >= _FEWEST_LABELS:
            width = float(name_and_arguments(needed.key.metric)[1])
            said = (
                f"judging all {needed.counts.n:,} items would not suffice"
                if needed.value is None
                else f"{needed.value:,.0f} of the {needed.counts.n:,} items"
            )
            yield f"human labels for ±{100 * width:g} points", said

    def checks(self) -> ChartTable:
        """Each check with its limits, what was decided, and how many items it is of."""
        rows = []
        for one in self.findings:
            if one.claim.is_headline:
                continue
            risk, found = one.claim.risk, one.estimate
            name = risk.what if risk else f"notices {one.claim.id.rpartition('/')[2]}"
            if found is None or found.value is None:
                rows.append((name, NO_VALUE, "not asked", "0"))
            else:
                state = _STATES.get(one.verdict, one.verdict)
                rows.append((name, _points(one), state, f"{found.divided_by:,.0f}"))
        return ChartTable(("check", "points [limits]", "outcome", "items"), tuple(rows))

    def slices(self) -> ChartTable | None:
        """Agreement with people by slice; None where there are no slices."""
        rows = tuple(
            (one.key.group, f"{_percent(one)} %", f"{one.counts.n:,}")
            for one in self.estimates
            if one.key.metric.startswith("mean(agreement)") and one.key.group != "all"
            if one.value is not None
        )
        return ChartTable(("slice", "agreement with people", "items"), rows) if rows else None


def judge_views(view: RunView) -> list[JudgeView]:
    """Judges of a run, each on each dataset."""
    own = [one for one in view.estimates if one.key.diagnostic_name == "judge"]
    found = []
    for subject, data in dict.fromkeys((one.key.subject, one.key.dataset) for one in own):
        here = [one for one in own if (one.key.subject, one.key.dataset) == (subject, data)]
        findings = [
            one
            for one in view.findings
            if one.claim.diagnostic_name == "judge" and f"/{subject}/{data}/" in one.claim.id
        ]
        found.append(JudgeView(view.on_data(subject, data), here, findings))
    return found


def _kappas(told: Mapping[str, Estimate]) -> Iterator[str]:
    """Kappa of the default policy, then of those under which it is another."""
    first = told.get(_NAMED) or next(iter(told.values()))
    yield f"{number(first.value, 2)} {bracketed(first.low, first.high, 2)}, odd verdicts named"
    others = [policy for policy, one in told.items() if one.value != first.value]
    if not others:
        yield "the same under every policy for ties and unparsed verdicts"
    for policy in others:
        yield f"{number(told[policy].value, 2)} where {POLICIES[policy]}"


def _percent(found: Estimate, *, bounds: bool = True) -> str:
    """Hundred times a number, with its interval."""
    low, high = (None if end is None else 100 * end for end in (found.low, found.high))
    value = number(None if found.value is None else 100 * found.value, 1)
    return f"{value} {bracketed(low, high, 1)}".rstrip() if bounds else value


def _points(finding: Finding) -> str:
    """Hundred times the number of a finding, with the limits that decide."""
    found = finding.estimate
    if found is None or found.value is None:
        return NO_VALUE
    limits = finding.limits[0] if finding.limits else None
    ends = (found.low, found.high) if limits is None else limits.checkpoints
    low, high = (None if end is None else 100 * end for end in ends)
    return f"{number(100 * found.value, 1)} {bracketed(low, high, 1)}".rstrip()


def first_sentences(view: RunView) -> Iterator[str]:
    """The outcome of each judge, and its mean verdict beside the corrected one."""
    views = judge_views(view)
    for one in views:
        outcome, why = one.decision()
        of = f"{one.where}: " * (len(views) > 1)
        yield f"{of}May I use this judge? {capitalized(outcome)}: {why}"
        means = dict(one.means())
        if "corrected (PPI++)" in means:
            raw, corrected = means["mean verdict, raw"], means["corrected (PPI++)"]
            yield (
                f"{of}Its mean verdict is {raw}; corrected by human labels, it is {corrected}, and "
                f"they alone give {means['human labels alone']}."
            )


def judge_part(view: RunView) -> Part | None:
    """The section: the outcome of each judge, facts, and a table of its checks."""
    views = judge_views(view)
    charts: list[Chart] = []
    facts: list[tuple[str, str]] = []
    for one in views:
        outcome, why = one.decision()
        facts += [(QUESTION, f"{outcome}: {why}"), *one.facts()]
        anchor = digest(one.where, size=4)
        charts.append(
            Chart(
                anchor=f"judge-{anchor}",
                title=f"{one.where}: {outcome}",
                caption="A bias hurts where its limits lie above half of the tolerance, and holds "
                "where they stay within it. What a judge has to notice holds where it is shown "
                "beyond the noise floor. Limits hold for all numbers of a kind at once.",
                table=one.checks(),
            )
        )
        slices = one.slices()
        if slices is not None:
            charts.append(
                Chart(
                    anchor=f"judge-slices-{anchor}",
                    title=f"{one.where}: agreement with people by slice",
                    caption="Each interval is for its own number only.",
                    table=slices,
                )
            )
    if not views:
        return None
    return Part(
        "judge",
        "May I use this judge?",
        _LEAD,
        tuple(charts),
        chapter=FINDINGS,
        facts=tuple(facts),
    )


PART = ReportPart(__doc__, judge_part, first=first_sentences)
