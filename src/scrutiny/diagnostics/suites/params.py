"""Parameters of the diagnostic of suites."""

from dataclasses import dataclass

from scrutiny.core.boundary.limits import shares


@dataclass(frozen=True, slots=True)
class SuitesParams:
    """Shares and drops that can be lived with.

    Parameters
    ----------
    tolerance
        Share of the cases of a test that may fail.
    drop
        Drop of the task's score from the items to the texts made of them, where both have a gold
        answer; nothing takes the task's own.
    """

    tolerance: float = 0.05
    drop: float | None = None

    def __post_init__(self) -> None:
        shares(self, "tolerance", "drop")
