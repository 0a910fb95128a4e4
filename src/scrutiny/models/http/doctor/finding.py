"""Findings of a doctor: what a check has found, and what it means for the user."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["ok", "fault", "not offered", "can't tell"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Outcome of one check.

    Parameters
    ----------
    check
        Name of the check.
    state
        ``fault`` where the endpoint does otherwise than it should; ``not offered`` where it does
        without what was asked for, and the description of the endpoint doesn't need it.
    says
        What it means and what to do, in a sentence or two.
    numbers
        What was measured, for machines.
    """

    check: str
    state: State
    says: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Plain JSON of it."""
        return {**asdict(self), "numbers": dict(self.numbers)}


def verdict(findings: list[Finding]) -> str:
    """One line of all findings.

    Examples
    --------
    >>> verdict([Finding("stop words", "fault", ""), Finding("seed", "not offered", "")])
    '1 of 2 checks found a fault: stop words. Not offered: seed.'
    """
    named = {
        state: [one.check for one in findings if one.state == state]
        for state in ("fault", "not offered", "can't tell")
    }
    faults = named.pop("fault")
    if not findings:
        return "No check was made."
    first = f"{len(faults)} of {len(findings)} checks found a fault: {', '.join(faults)}."
    rest = [f"{state.capitalize()}: {', '.join(names)}." for state, names in named.items() if names]
    return " ".join([first if faults else f"No fault in {len(findings)} checks.", *rest])
