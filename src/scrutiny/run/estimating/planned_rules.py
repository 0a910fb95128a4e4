"""Rules of a gate before a run is asked: how often so many items decide them.

A finished run stands for the next one. Its numbers are taken for the truth, and its limits for the
width that the same number of items gives: the items' part of it shrinks with their number, that of
seeds does not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import scipy

from scrutiny.core.claim import Component
from scrutiny.core.estimate import Estimate, Limits
from scrutiny.reliability.verdicts.limits import costs
from scrutiny.reliability.written_metrics import parse_rule
from scrutiny.run.estimating.gate import estimates_on, gate_run
from scrutiny.stats.intervals.families import tail_of
from scrutiny.store.run_folder import RunFolder

_TIMES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True, slots=True)
class RuleChances:
    """Chances of a rule with so many items.

    Parameters
    ----------
    items
        Units of resampling, of the number that decides least.
    passes, fails
        Chance that the rule is shown to hold, and that it is shown not to. What is left is
        undecided.
    """

    items: int
    passes: float
    fails: float


@dataclass(frozen=True, slots=True)
class PlannedRule:
    """A rule with the chances of its outcomes.

    Parameters
    ----------
    rule
        As it is written.
    value
        What is taken for the true value of the number that decides least.
    is_alike
        Whether that is no difference between two models, whatever the run has seen.
    n_numbers
        Numbers that the rule is about; all have to hold.
    chances
        From the fewest items on.
    """

    rule: str
    value: float
    is_alike: bool
    n_numbers: int
    chances: tuple[RuleChances, ...]


def plan_rules(
    folder: RunFolder, rules: Sequence[str], *, group: str = "all"
) -> Iterator[PlannedRule]:
    """Chances of rules in runs to come that are like a finished one.

    Parameters
    ----------
    folder
        The finished run.
    rules, group
        As `gate_run` has them. A rule whose numbers have no limits has no chances, and is left out.

    Raises
    ------
    PlanError, UnknownNameError
        As `gate_run` does.
    """
    for text, finding in zip(rules, gate_run(folder, rules, group=group), strict=True):
        numbers = estimates_on(folder, parse_rule(text), group=group)
        parts = [
            _Part(component, estimate, limits)
            for component, estimate, limits in zip(
                finding.claim.components, numbers, finding.limits, strict=True
            )
            if limits is not None and estimate.value is not None
        ]
        if not parts:
            continue
        weakest = min(parts, key=lambda part: part.chances(1.0).passes)
        each = [[part.chances(times) for part in parts] for times in _TIMES]
        chances = tuple(
            RuleChances(
                weakest.chances(times).items,
                min(one.passes for one in several),
                max(one.fails for one in several),
            )
            for times, several in zip(_TIMES, each, strict=True)
        )
        yield PlannedRule(text, weakest.value, weakest.is_alike, len(parts), chances)


@dataclass(frozen=True, slots=True)
class _Part:
    """One number of a rule."""

    component: Component
    estimate: Estimate
    limits: Limits

    @property
    def is_alike(self) -> bool:
        """Whether the rule allows a loss of one model against another."""
        key = self.estimate.key
        is_between = key.role == "contrast" and key.reference is not None
        least, _ = costs(self.component, (0.0, 0.0))
        return is_between and least > 0.0

    @property
    def value(self) -> float:
        """Value that is taken for the truth."""
        return 0.0 if self.is_alike else self.estimate.value or 0.0

    def chances(self, times: float) -> RuleChances:
        """Chances with so many times the items."""
        seen = self.estimate.value or 0.0
        low, high = self.limits.widest
        reach = (seen - low, high - seen)
        if not self.component.operator.startswith(">"):
            reach = reach[::-1]
        off, _ = costs(self.component, (self.value, self.value))
        parts = self.estimate.variance
        whole = sum(parts.values())
        fixed = parts.get("seeds", 0.0) / whole if whole > 0.0 else 0.0
        width = ((1.0 - fixed) / times + fixed) ** 0.5
        far = -float(scipy.special.ndtri(tail_of(self.limits.n_rows, self.estimate.level)))
        passes, fails = (
            float(scipy.special.ndtr(far * (by / max(width * own, 1e-12) - 1.0)))
            for by, own in zip((off, -off), reach, strict=True)
        )
        return RuleChances(round(times * self.estimate.n_units), passes, fails)
