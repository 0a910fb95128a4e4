"""Published figures and findings, and their reproduction by a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal

from scrutiny.core.errors import PlanError

_SLACK: Final = Decimal("1e-9")
_MINUS: Final = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-"})
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
    "not tested": "can't tell",
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
        among all heads; ``count``, replicates whose own test is significant; ``f1``, the harmonic
        mean of two printed figures, whatever the run says.
    percent
        Whether it is printed times 100.
    sign
        For ``count``: "+" or "-" counts the replicates whose statistic has that sign.
    level
        For ``count``: the p below which a test is significant.
    given
        For ``f1``: the printed ``precision`` and ``recall``.
    released
        In place of ``printed``: a figure that follows from what the authors released, and that they
        don't print.
    claim
        Of a finding: the claim of the run that states it. The figure is not compared by its digits.
    beside
        Whether the figure is of other models or data: the run's number stands beside it, with its
        interval, and nothing is compared. A count is then "3 of 5", and may be printed in words.
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
    level: float = 0.05
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

    def at_digits(self, value: float) -> str:
        """Value written with as many digits as the published figure, in its notation.

        Examples
        --------
        >>> PublishedPlan("a", ".415").at_digits(0.4242), PublishedPlan("b", "1e-5").at_digits(2e-5)
        ('.424', '2e-5')
        """
        text = printed_text(self.text)
        if text.startswith("<"):
            return f"{value:.2g}"
        mantissa, e, _ = text.lower().partition("e")
        decimals = len(mantissa.partition(".")[2])
        if e:
            shown, _, exponent = f"{value:.{decimals}e}".partition("e")
            return f"{shown}e{int(exponent)}"
        shown = f"{round(value, decimals) + 0.0:.{decimals}f}"
        is_bare = mantissa.lstrip("+-").startswith(".")
        return shown.replace("0.", ".", 1) if is_bare and abs(float(shown)) < 1 else shown


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


#: A value that lies on the border rounds either way; so much more is the float's own error.


def printed_text(printed: str) -> str:
    """Published figure with an ordinary minus sign and without spaces.

    Examples
    --------
    >>> printed_text("< .001"), printed_text(f"{chr(0x2212)}.206")
    ('<.001', '-.206')
    """
    return printed.translate(_MINUS).replace(" ", "")


def printed_value(printed: str) -> Decimal:
    """Value of a published figure; for "< .001", the limit.

    Raises
    ------
    PlanError
        If it is no number.
    """
    try:
        found = Decimal(printed_text(printed).removeprefix("<"))
    except InvalidOperation as error:
        raise PlanError(
            f"{printed!r} is no printed number: 92.9, .415, 7.578e-5, < .001."
        ) from error
    if not found.is_finite():
        raise PlanError(f"{printed!r} is no printed number: it has to be finite.")
    return found


def half_unit(printed: str) -> Decimal:
    """Half of a published figure's last digit: the largest distance of a value that rounds to it.

    Examples
    --------
    >>> half_unit("92.9"), half_unit("7.578e-5")
    (Decimal('0.05'), Decimal('5E-9'))
    """
    return Decimal((0, (5,), int(printed_value(printed).as_tuple().exponent) - 1))


def rounds_to(value: float, printed: str) -> bool:
    """Whether a value equals a published figure at its digits.

    Examples
    --------
    >>> rounds_to(82.948, "82.9"), rounds_to(82.948, "92.9"), rounds_to(2e-5, "< .001")
    (True, False, True)
    """
    number = printed_value(printed)
    if printed_text(printed).startswith("<"):
        return value < number
    return abs(Decimal(value) - number) <= half_unit(printed) * (1 + _SLACK)
