"""Metrics of other metrics: drop, excess, beyond and gap of one; difference and ratio of two.

All are computed of the same rows and the same draws of them. Where a metric is a mean over rows, or
both are quotients of sums with equal denominators, numerators are subtracted before they are
divided: 95 - 90 of 100 are exactly .05, and not a little more.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.expressions import OPERATORS
from scrutiny.core.statistic import AdditiveStatistic, Statistic, WeightedStatistic
from scrutiny.reliability.row_statistics import (
    Additive,
    Array,
    Weighted,
    divide,
    is_quotient,
    scale_of,
    value_of,
    with_count,
)

#: Random streams of gaps with another name.
_GAPS: Final = {"erasure_flip_rate@1": "erasure_flip_gap@1"}


def _drop(of: Additive, name: str) -> Additive:
    """Drop: a metric before minus the same after."""
    return _difference(
        of,
        name,
        ("before.", "after."),
        minus=(0, 1),
        higher_is=OPPOSITE[of.higher_is],
        says=f"{of.says} drop",
        tests=of.pair_tests,
        stream=of.drawn_as.replace("@", "_drop@"),
    )


def _excess(of: Additive, name: str) -> Additive:
    """Excess drop: drop of a metric minus its drop under the matched random change.

    The original cancels out. It is still needed: a row counts if all three sides were measured.
    """
    return _difference(
        of,
        name,
        ("before.", "after.", "control."),
        minus=(2, 1),
        higher_is=OPPOSITE[of.higher_is],
        says=f"{of.says} drop beyond random change",
        stream="excess_" + of.drawn_as.replace("@", "_drop@"),
    )


def _beyond(of: Additive, name: str) -> Additive:
    """Metric minus its chance level."""
    chance = of.chance
    if chance is None:
        raise PlanError(f"{name} does not exist: {of.id} has no chance level.")
    fixed = (of.conditional_on, chance.measure and f"what {chance.says} give")
    return _difference(
        of,
        name,
        ("",) if chance.measure else ("", "control."),
        minus=(0, 1),
        beside=chance.measure,
        by_row=of.is_mean,
        higher_is=of.higher_is,
        says=f"{of.says}, beyond {chance.says}",
        conditional_on=", and ".join(filter(None, fixed)) or None,
        tests=None if chance.measure else of.pair_tests,
        stream=chance.stream or of.drawn_as.replace("@", "_excess@"),
    )


def _gap(of: Additive, name: str) -> Additive:
    """Gap: a metric in one order minus the same in another, row by row."""
    return _difference(
        of,
        name,
        ("first.", "other."),
        minus=(0, 1),
        by_row=of.is_mean,
        higher_is=of.higher_is,
        says=f"{of.says}, beyond another order",
        tests=of.pair_tests,
        stream=_GAPS.get(of.drawn_as, of.drawn_as.replace("@", "_gap@")),
    )


#: Metrics of other metrics, by what they are called.
MACROS: Final[dict[str, Callable[[Additive, str], Additive]]] = {
    "drop": _drop,
    "excess": _excess,
    "beyond": _beyond,
    "gap": _gap,
}


def _difference(
    of: Additive,
    name: str,
    sides: tuple[str, ...],
    *,
    minus: tuple[int, int],
    beside: str = "",
    by_row: bool = False,
    **more: Any,
) -> Additive:
    """One side of a metric minus another, or minus a measure of the same rows.

    Means are subtracted row by row, or keep a component a side.
    """
    width = len(of.needs)

    def parts(measures: Array) -> list[Array]:
        found = [of.make(measures[..., i * width : (i + 1) * width]) for i in range(len(sides))]
        return [*found, measures[..., -1:]] if beside else found

    def make(measures: Array) -> Array:
        if not of.is_mean:
            return np.concatenate(parts(measures), axis=-1)
        means = [part[..., 0] for part in parts(measures)]
        return with_count(*([means[0] - means[1]] if by_row else means))

    def combine_means(sums: Array) -> Array:
        return divide(sums[..., minus[0]] - sums[..., minus[1]], sums[..., -1])

    def joined(how: np.ufunc, value: Callable[[Array], Array], sums: Array) -> Array:
        by_side = np.split(sums, len(sides), axis=-1)
        return np.asarray(how(*(value(by_side[i]) for i in minus)))

    combine = combine_means if of.is_mean else partial(joined, np.subtract, of.combine)
    span = of.row_range
    return Additive(
        name,
        needs=(*(f"{side}{need}" for side in sides for need in of.needs), *filter(None, [beside])),
        make=make,
        combine=of.combine if by_row else combine,
        scale="identity" if span is not None else OF_DIFFERENCE.get(of.scale, "identity"),
        row_range=None if span is None else (span[0] - span[1], span[1] - span[0]),
        no_effect=0.0,
        divisor=of.divisor and partial(joined, np.minimum, of.divisor),
        flips_over=of.flips_over and partial(joined, np.minimum, of.flips_over),
        is_mean=of.is_mean,
        **more,
    )


_HOW: Final[dict[str, Callable[[Array, Array], Array]]] = {"-": np.subtract, "/": divide}
#: Scale of a difference of two values of a scale.
OF_DIFFERENCE: Final = {
    **{"logit": "coefficient", "share": "coefficient"},
    **{"coefficient": "excess", "percent": "points"},
}
#: The other direction.
OPPOSITE: Final = {"better": "worse", "worse": "better", "neither": "neither"}


def of_two(how: str, one: Statistic, other: Statistic, *, width: int = 0) -> Additive | Weighted:
    """Metric minus another one, or divided by it, of the measures of both side by side.

    Parameters
    ----------
    how
        "-" or "/".
    one, other
        The metrics.
    width
        How many columns are the first one's: as many as it needs, unless told.

    Raises
    ------
    PlanError
        If one is fitted anew on each draw or keeps parts of the data apart, or they have not the
        same unit.
    """
    both: list[AdditiveStatistic | WeightedStatistic] = []
    name, width = f"{one.id} {how} {other.id}", width or len(one.needs)
    for of in (one, other):
        if of.cells or not isinstance(of, AdditiveStatistic | WeightedStatistic):
            raise PlanError(
                f"{name} does not exist: {of.id} is fitted anew on each draw of the items, or "
                "keeps parts of the data apart. Use metrics such as accuracy, recall or macro_f1."
            )
        both.append(of)
    # neither more nor less of a ratio is better
    is_amount = min(scale_of(one).low, scale_of(other).low) >= 0
    ratio = {"scale": "amount" if is_amount else "identity", "no_effect": 1.0}
    declared = {
        "says": f"{one.says} {OPERATORS[how]} {other.says}",
        "needs": (*one.needs, *other.needs),
        "conditional_on": ", and ".join(filter(None, (of.conditional_on for of in both))) or None,
        **(_of_difference(one, other, name) if how == "-" else ratio),
    }
    sums = [of for of in both if isinstance(of, AdditiveStatistic)]
    if len(sums) < len(both):
        return Weighted(name, of_rows=partial(_weighted, how, both, width), **declared)
    make, combine = partial(_components, sums, width), partial(_of_sums, how, sums, width)
    divisor = partial(_smaller, sums, width) if any(of.divisor for of in sums) else None
    return Additive(name, make=make, combine=combine, divisor=divisor, **declared)


def _of_difference(one: Statistic, other: Statistic, name: str) -> dict[str, Any]:
    """Range, direction and no effect of a difference."""
    scales = scale_of(one), scale_of(other)
    if scales[0].whole != scales[1].whole:
        percent, share = sorted((one, other), key=lambda of: -scale_of(of).whole)
        raise PlanError(
            f"{name} has no unit: {percent.id} is in percent and {share.id} is a share of 1. "
            "Subtract metrics of one unit."
        )
    spans = one.row_range, other.row_range
    ways = {one.higher_is, OPPOSITE[other.higher_is]}
    differences = {OF_DIFFERENCE.get(of.scale, "identity") for of in (one, other)}
    return {
        "scale": differences.pop() if len(differences) == 1 and None in spans else "identity",
        "row_range": None
        if spans[0] is None or spans[1] is None
        else (spans[0][0] - spans[1][1], spans[0][1] - spans[1][0]),
        "higher_is": ways.pop() if len(ways) == 1 else "neither",
        "no_effect": 0.0,
    }


#: Two metrics of sums over rows.
Both = Sequence[AdditiveStatistic]


def _components(both: Both, width: int, measures: Array) -> Array:
    """Components of both, side by side."""
    sides = zip(both, (measures[..., :width], measures[..., width:]), strict=True)
    return np.concatenate([of.components(side) for of, side in sides], axis=-1)


def _apart(both: Both, width: int, sums: Array) -> tuple[Array, Array]:
    """Sums of each of both."""
    first = both[0].components(np.zeros((1, width))).shape[-1]
    return sums[..., :first], sums[..., first:]


def _of_sums(how: str, both: Both, width: int, sums: Array) -> Array:
    """Values ``(...)`` of the sums ``(..., component)`` of both."""
    sides = _apart(both, width, sums)
    values = [value_of(of, side) for of, side in zip(both, sides, strict=True)]
    found = _HOW[how](*values)
    if not all(map(is_quotient, both)):
        return found
    below, numerators = [side[..., -1] for side in sides], []
    for of, side in zip(both, sides, strict=True):
        alone = side.copy()
        alone[..., -1] = 1.0  # divided by 1, the quotient is its numerator
        numerators.append(value_of(of, alone))
    exact = _HOW[how](*numerators)
    exact = divide(exact, below[0]) if how == "-" else exact
    return np.where((below[0] == below[1]) & (below[0] > 0), exact, found)


def _smaller(both: Both, width: int, sums: Array) -> Array:
    """Smaller of the denominators that are not all rows."""
    sides = zip(both, _apart(both, width, sums), strict=True)
    return np.asarray(np.minimum.reduce([of.divisor(side) for of, side in sides if of.divisor]))


def _weighted(
    how: str,
    both: Sequence[AdditiveStatistic | WeightedStatistic],
    width: int,
    measures: Array,
    weights: Array,
) -> Array:
    """Values ``(draw,)`` of the measures ``(row, need)`` of both under weights ``(draw, row)``."""
    sides = zip(both, (measures[:, :width], measures[:, width:]), strict=True)
    return _HOW[how](
        *(
            of.weighted(side, weights)
            if isinstance(of, WeightedStatistic)
            else value_of(of, weights @ of.components(side))
            for of, side in sides
        )
    )
