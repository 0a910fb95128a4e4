"""Published figures, and their reproduction by a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Of = Literal["value", "sd", "p", "head", "count", "f1"]
Outcome = Literal["agrees", "differs", "missing"]
#: Rows that want looking at come first.
OUTCOMES: Final[tuple[Outcome, ...]] = ("differs", "missing", "agrees")


@dataclass(frozen=True, slots=True)
class PublishedPlan:
    """Published figure, and the number of the run that reproduces it.

    Parameters
    ----------
    id
        Short name; unique in the plan.
    printed
        As it is printed: "92.9", ".415", "7.578e-5", "< .001", "8-4".
    measure, metric, where
        Measurement, and the estimate that is meant: by subject, reference (of a difference),
        dataset, role, group, replicate and condition.
    of
        Part of the estimate that is printed. ``value``; ``sd``, the population standard deviation
        (ddof 0) over the replicates' own values; ``p`` of the exact test that stands with a
        difference, or of a test of one replicate; ``head``, layer and head of the largest value
        among all heads; ``count``, replicates whose own test has p < .05; ``f1``, the harmonic mean
        of two printed figures, whatever the run says.
    percent
        Whether it is printed times 100.
    sign
        For ``count``: "+" or "-" counts the replicates whose statistic has that sign.
    given
        For ``f1``: the printed ``precision`` and ``recall``.
    source
        Where it is printed ("Table A1").
    note
        Why it differs, if it is known.
    """

    id: str
    printed: str
    measure: str = ""
    metric: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    of: Of = "value"
    percent: bool = False
    sign: Literal["", "+", "-"] = ""
    given: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Published figure compared with the run's.

    Parameters
    ----------
    figure
        Published value.
    outcome
        ``agrees`` to the printed digit, ``differs``, or ``missing``: the run has no such number.
    ours
        The run's figure with the printed number of digits; empty where there is none.
    value
        The same in full, on the printed scale.
    reason
        Why there is none.
    """

    figure: PublishedPlan
    outcome: Outcome
    ours: str = ""
    value: float | None = None
    reason: str = ""
