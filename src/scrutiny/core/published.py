"""Published figures and findings, and their reproduction by a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Of = Literal["value", "sd", "p", "head", "count", "f1"]
Outcome = Literal[
    "agrees",
    "differs",
    "missing",
    "seen",
    "not seen",
    "can't tell",
    "refused",
    "beside",
    "unavailable",
]
#: Outcomes that want looking at, the first first.
ODD: Final[tuple[Outcome, ...]] = ("differs", "missing")
#: What the verdict on a claim says of the finding that it states.
OF_VERDICTS: Final[Mapping[str, Outcome]] = {
    "supported": "seen",
    "hurts": "seen",
    "not supported": "not seen",
    "holds": "not seen",
    "undecided": "can't tell",
    "can't tell": "can't tell",
    "not asked": "can't tell",
    "refused": "refused",
}


@dataclass(frozen=True, slots=True)
class PublishedPlan:
    """Published figure or finding, and what the run has beside it.

    Parameters
    ----------
    id
        Short name; unique in the plan.
    printed
        As it is printed: "92.9", ".415", "7.578e-5", "< .001", "8-4"; of a finding, in any words.
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
    released
        In place of ``printed``: a figure that follows from what the authors released, and that they
        don't print.
    claim
        Of a finding: the claim of the run that states it. The figure is not compared by its digits.
    beside
        Whether the figure is of other models or data: the run's number stands beside it, with its
        interval, and nothing is compared.
    unavailable
        Why no run of these data and models can have it.
    source
        Where it is printed ("Table A1").
    note
        Why it differs, if it is known.
    """

    id: str
    printed: str = ""
    measure: str = ""
    metric: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    of: Of = "value"
    percent: bool = False
    sign: Literal["", "+", "-"] = ""
    given: Mapping[str, str] = field(default_factory=dict)
    released: str = ""
    claim: str = ""
    beside: bool = False
    unavailable: str = ""
    source: str = ""
    note: str = ""

    @property
    def text(self) -> str:
        """The figure as it was printed or follows from what was released."""
        return self.printed or self.released


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Published figure compared with the run's.

    Parameters
    ----------
    figure
        Published value.
    outcome
        ``agrees`` to the printed digit, ``differs``, or ``missing``: the run has no such number. Of
        a finding ``seen``, ``not seen``, ``can't tell`` or ``refused``. ``beside``: not compared.
        ``unavailable``: can't be had.
    ours
        The run's figure with the printed number of digits; empty where there is none.
    value
        The same in full, on the printed scale.
    reason
        Why there is none, or what decided on a finding.
    low, high
        Interval of the value, where nothing is compared by digits.
    """

    figure: PublishedPlan
    outcome: Outcome
    ours: str = ""
    value: float | None = None
    reason: str = ""
    low: float | None = None
    high: float | None = None
