"""Kept answers: a reference's invariances, compared with another run and random changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from scrutiny.blocks.forest import Line, forest_or_table, forest_table
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import RELIABILITY, Chapter, Part, ReportPart, part_of
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import grouped
from scrutiny.diagnostics.invariance.scope_claims import KEPT

_OF_RANDOM, _LIFT = "kept_by(target)@1", "scope_lift@1"
#: Numbers that stand beside what is kept, by the names of their metrics.
_FURTHER: Final[Mapping[str, str]] = {
    _LIFT: "lift",
    "lift of itself": "of itself",
    "kappa_inv@1": "kappa",
    "soft_scope@1": "Soft-SCoPE",
    "pairs_found@1": "",  # for those who read the numbers
}
_SHOWN: Final = {"supported": "kept", "not supported": "lost"}
_LEAD: Final = (
    "Texts were changed so that one model keeps its answer, and the other was asked about them, "
    "too."
)


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """How often a target keeps its answer for changes that keep the reference's.

    Parameters
    ----------
    finding
        That the target keeps its answer as often as the ceiling, less a margin.
    hard
        Hard-SCoPE: changes over which the target keeps its answer, too.
    random
        The same over random changes of as many words.
    ceiling
        Hard-SCoPE of the reference's other runs on the same texts; of the reference itself where
        there is one run of it.
    further
        Lift, kappa, Soft-SCoPE, the ceiling's lift, pairs found, by the name of the metric.
    """

    finding: Finding
    hard: Estimate
    random: Estimate
    ceiling: Estimate
    further: Mapping[str, Estimate]

    @property
    def capability(self) -> str:
        """Kind of change."""
        return str(self.hard.key.condition["capability"])

    @property
    def reference(self) -> str:
        """Model whose answer the changes keep."""
        return str(self.hard.key.reference)

    @property
    def how(self) -> str:
        """Kind of the ceiling: "another run" of the reference, or "itself"."""
        (component,) = self.finding.claim.components
        return "another run" if component.against.startswith("another run of ") else "itself"

    @property
    def margin(self) -> float:
        """Largest loss that is accepted, as a share of the changed texts."""
        return -self.finding.claim.components[0].limit

    @classmethod
    def of_run(cls, estimates: Iterable[Estimate], findings: Iterable[Finding]) -> list[Self]:
        """Invariances of a run that claims are about, by capability and amount.

        Parameters
        ----------
        estimates, findings
            Of one run.
        """
        found = []
        known = list(estimates)
        for finding in findings:
            if not finding.claim.family.endswith(f"/{KEPT}") or finding.estimate is None:
                continue
            key = finding.estimate.key
            changed = {name: key.condition[name] for name in ("capability", "amount")}
            own = replace(key, role="measured", condition=changed)

            def beside(own: EstimateKey = own, **other: Any) -> list[Estimate]:
                """Estimates that differ only in these fields; a condition may be narrower."""
                wanted = replace(own, **other)
                alike = [e for e in known if replace(e.key, condition=wanted.condition) == wanted]
                return [e for e in alike if wanted.condition.items() <= e.key.condition.items()]

            further = {metric: beside(metric=metric) for metric in _FURTHER}
            further["lift of itself"] = beside(metric=_LIFT, subject=key.reference)
            found.append(
                cls(
                    finding=finding,
                    hard=beside()[0],
                    random=beside(metric=_OF_RANDOM, role="control")[0],
                    ceiling=beside(subject=key.reference)[0],
                    further={name: several[0] for name, several in further.items() if several},
                )
            )
        return found


def invariance_part(
    found: Sequence[KeptAnswers], anchor: str, *, chapter: Chapter = RELIABILITY
) -> Part:
    """Part on the invariances of a reference that another model shares: answers kept, by change.

    Parameters
    ----------
    found
        What is kept, of one direction.
    anchor
        Stable name within the page.
    chapter
        Heading that it stands under.
    """
    first, facts, drawn, listed = found[0].hard.key, [], [], []
    ceiling = "the reference itself"
    if found[0].how != "itself":
        ceiling = f"{found[0].how} of the reference"
    for one in found:
        of = one.hard.key.dataset
        label = f"{one.capability}{f' of {of}' * (of != first.dataset)}"
        series = {"keeps the answer": one.hard, ceiling: one.ceiling}
        series["random changes"] = one.random
        more = {n: one.further[k] for k, n in _FURTHER.items() if n and k in one.further}
        drawn.append(Line(label, series))
        listed.append(Line(label, series | more))
        verdict = one.finding.verdict
        facts.append((label, f"{_SHOWN.get(verdict, verdict)}: {one.finding.reason}"))
    charts = forest_or_table(
        f"{anchor}-chart",
        "How often the answer stays the same",
        "Share of the changed texts for which the answer stays the same (Hard-SCoPE). Random "
        "changes of as many words are the control; the highest value to expect is the ceiling, "
        f"{ceiling}. A loss of at most {found[0].margin:g} is accepted.",
        drawn,
        metric="answers kept",
        table=forest_table(listed),
    )
    title = f"Changes that keep the answer of {first.reference}, asked of {first.subject}"
    return Part(anchor, title, "", tuple(charts), chapter=chapter, facts=tuple(facts))


def part(view: RunView) -> Part | None:
    """Part on shared invariances: a chart for each model and reference with claims about losses."""
    kept = KeptAnswers.of_run(view.estimates, view.findings)
    pairs = grouped(((one.reference, one.hard.key.subject), one) for one in kept)
    told = [invariance_part(several, f"kept-{n}") for n, several in enumerate(pairs.values(), 1)]
    charts = [replace(chart, title=one.title) for one in told for chart in one.charts]
    title = "Shared invariances"
    return part_of("kept-answers", title, _LEAD, charts, "models beside a reference")


PART: Final = ReportPart(__doc__, part)
