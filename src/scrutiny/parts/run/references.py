"""Reference value of an estimate: "no effect", or the limit of its claim."""

from collections.abc import Iterable, Sequence

from scrutiny.core.claim import Component, Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.run.estimates import main_estimates
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView
from scrutiny.reliability.metrics import no_effect_of

Claimed = tuple[Finding, Component]


class References:
    """Claims of a run by their estimates."""

    def __init__(self, view: RunView) -> None:
        self._mains = {identity(f.estimate.key) for f in view.findings if f.estimate is not None}
        self._claims = grouped(
            (identity(key), (finding, component))
            for finding in view.findings
            for component, key in finding.comparisons
        )

    def claims_on(self, estimate: Estimate) -> Sequence[Claimed]:
        """Claims about an estimate, each with its comparison."""
        return self._claims.get(identity(estimate.key), ())

    def is_claimed(self, estimate: Estimate) -> bool:
        """Whether there is any claim about it."""
        return identity(estimate.key) in self._claims

    def rank(self, estimates: Iterable[Estimate]) -> int:
        """Sort position of estimates: 0 for a claim's own, 1 if any claim uses them."""
        known = list(estimates)
        if any(identity(e.key) in self._mains for e in known):
            return 0
        return 1 if any(self.is_claimed(e) for e in known) else 2

    def of(self, estimate: Estimate) -> float | None:
        """Reference value of an estimate; `None` if there is none.

        The statistic's "no effect" where it has one, zero for a difference, else the limit of the
        claims on it if they have one in common.
        """
        stated = no_effect_of(estimate.key.metric, estimate.key.diagnostic)
        if stated is not None:
            return stated
        if estimate.key.role == "contrast":
            return 0.0
        limits = {component.limit for _, component in self.claims_on(estimate)}
        return limits.pop() if len(limits) == 1 else None

    def shared(self, estimates: Iterable[Estimate]) -> float | None:
        """Common reference value of these; `None` if there are none, or several.

        Neighbors of a claimed estimate (other conditions, other groups) are held against its limit.
        """
        known = {reference for e in estimates if (reference := self.of(e)) is not None}
        return known.pop() if len(known) == 1 else None


def own_subjects(view: RunView) -> set[str]:
    """Subjects that a run measures; not its untrained networks and other controls."""
    measured = {e.key.subject for e in view.estimates if e.key.role == "measured"}
    return measured or {e.key.subject for e in view.estimates}


def settled(view: RunView) -> list[Estimate]:
    """Main estimates that have a value."""
    return [e for e in main_estimates(view) if e.status == "ok" and e.value is not None]


def replicated(view: RunView, *, least: int = 2) -> list[Estimate]:
    """Estimates of a run over at least this number of replicates, with a value and an interval."""
    return [e for e in settled(view) if e.key.replicate is None and len(e.by_replicate) >= least]
