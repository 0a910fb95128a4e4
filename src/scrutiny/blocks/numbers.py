"""Formatting of numbers; the width of the interval decides the digits."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from scrutiny.core.boundary.printable import percent_within
from scrutiny.core.estimate import Estimate

MINUS: Final = "\N{MINUS SIGN}"
NO_VALUE: Final = "\N{EN DASH}"
_MOST_DECIMALS: Final = 6


def decimals_for(low: float | None, high: float | None, value: float | None = None) -> int:
    """Number of decimals: two significant digits of the interval's half-width.

    One digit where the half-width is under .01, so that tables of shares stay at three decimals.
    Without an interval, or with one of no width, the value itself gets three digits.

    Examples
    --------
    >>> decimals_for(0.021, 0.047), decimals_for(0.1, 0.9), decimals_for(120.0, 480.0)
    (3, 2, 0)
    >>> decimals_for(0.001, 0.013), decimals_for(0.0011, 0.0013)
    (3, 4)
    """
    width = (high - low) / 2 if low is not None and high is not None else 0.0
    if width <= 0 or not math.isfinite(width):
        width, digits = abs(value or 1.0), 3
    else:
        digits = 2 if width >= 0.01 else 1
    exponent = math.floor(math.log10(width))
    return min(_MOST_DECIMALS, max(0, digits - 1 - exponent))


def number(value: float | None, decimals: int = 3, *, signed: bool = False) -> str:
    """Fixed-point text with a true minus sign; an en dash for `None`.

    Examples
    --------
    >>> number(-0.03), number(1234.5, 0), number(0.5, 1, signed=True), number(None)
    ('−0.030', '1,234', '+0.5', '–')
    """
    if value is None:
        return NO_VALUE
    text = f"{abs(value):,.{decimals}f}"
    is_zero = not text.strip("0.,")
    if value < 0 and not is_zero:
        return MINUS + text
    return f"+{text}" if signed and not is_zero else text


def interval(estimate: Estimate | None, *, signed: bool = False) -> str:
    """Value with its interval, ``0.034 [0.021, 0.047]``; an en dash for no value."""
    if estimate is None or estimate.value is None:
        return NO_VALUE
    value, bounds = value_and_bounds(estimate, signed=signed)
    return f"{value} {bounds}".rstrip()


def value_and_bounds(estimate: Estimate, *, signed: bool = False) -> tuple[str, str]:
    """Value and bracketed interval, apart; the second is empty where there is no interval."""
    decimals = decimals_for(estimate.low, estimate.high, estimate.value)
    bounds = bracketed(estimate.low, estimate.high, decimals, signed=signed)
    return number(estimate.value, decimals, signed=signed), bounds


def bracketed(
    low: float | None, high: float | None, decimals: int = 3, *, signed: bool = False
) -> str:
    """Bounds in brackets; empty if there are none.

    Examples
    --------
    >>> bracketed(-0.1, 0.25, 2), bracketed(None, None)
    ('[−0.10, 0.25]', '')
    """
    if low is None or high is None:
        return ""
    return f"[{number(low, decimals, signed=signed)}, {number(high, decimals, signed=signed)}]"


def denominator(estimate: Estimate) -> str:
    """Denominator of the value; a mean over replicates may have a decimal.

    Examples
    --------
    >>> from scrutiny.core.estimate import EstimateKey
    >>> from scrutiny.core.record import Counts
    >>> key = EstimateKey("attack@1", "attack_success@1", "model", "reviews")
    >>> made = Estimate(key, 0.7, None, None, 0.95, "", Counts(100), 100, denominator=76.5)
    >>> denominator(made), out_of(made)
    ('76.5', '76.5/100')
    """
    return f"{estimate.divided_by:.1f}".removesuffix(".0")


def out_of(estimate: Estimate | None, *, sign: str = "/") -> str:
    """``n/planned`` of an estimate; ``n in planned`` if items have several pairs or words."""
    if estimate is None:
        return NO_VALUE
    planned = estimate.counts.planned
    is_within = estimate.divided_by <= planned
    return f"{denominator(estimate)}{sign if is_within else ' in '}{planned}"


def p_value(p: float | None) -> str:
    """P-value to two significant digits, never "0".

    Examples
    --------
    >>> p_value(0.0312), p_value(0.00002), p_value(None)
    ('.031', '< .0001', '–')
    """
    if p is None:
        return NO_VALUE
    if p < 1e-4:
        return "< .0001"
    return f"{p:.{max(2, 1 - math.floor(math.log10(p)))}f}".removeprefix("0") if p < 1 else "1"


def by_replicate(estimate: Estimate, names: Sequence[str]) -> list[str]:
    """Value of each of these replicates, with the digits of the interval."""
    decimals = decimals_for(estimate.low, estimate.high, estimate.value)
    return [number(estimate.by_replicate.get(name), decimals) for name in names]


def plainly(value: float | None) -> str:
    """Reference value as stated, without additional digits.

    Examples
    --------
    >>> plainly(50.0), plainly(0.52), plainly(None)
    ('50', '0.52', '–')
    """
    return NO_VALUE if value is None else f"{value:.6g}".replace("-", MINUS)


def mean_and_sd(values: Mapping[str, float], decimals: int) -> str:
    """``mean ± sd`` over replicates (ddof 1)."""
    from statistics import mean, stdev

    each = list(values.values())
    return f"{number(mean(each), decimals)} \N{PLUS-MINUS SIGN} {number(stdev(each), decimals)}"


def percent_of(found: Estimate | None) -> str:
    """A share in percent with its limits: "97.8 % [97.0, 98.4]"."""
    if found is None or found.value is None:
        return NO_VALUE
    return percent_within(found.value, found.low, found.high)


def decimal_of(found: Estimate | None) -> str:
    """A share with three decimals and no leading zero, with its limits: ".951 [.934, .964]"."""
    if found is None or found.value is None:
        return NO_VALUE
    if found.low is None or found.high is None:
        return _decimal(found.value)
    return f"{_decimal(found.value)} [{_decimal(found.low)}, {_decimal(found.high)}]"


def _decimal(value: float) -> str:
    """Three decimals, without the zero in front.

    Examples
    --------
    >>> _decimal(0.9514), _decimal(1.0), _decimal(-0.02)
    ('.951', '1.000', '−.020')
    """
    sign = "\N{MINUS SIGN}" if round(value, 3) < 0 else ""
    text = f"{abs(value):.3f}"
    return sign + text.removeprefix("0")
