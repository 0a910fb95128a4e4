"""Two metrics of the same items: one minus the other, or divided by it.

Both are computed of the same rows and the same draws of them. Where both are quotients of sums with
equal denominators, numerators are subtracted first: 95 - 90 of 100 are exactly .05.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.core.expressions import OPERATORS
from scrutiny.core.statistic import AdditiveStatistic, Statistic, WeightedStatistic
from scrutiny.reliability.additive import Additive, Array, divide, is_quotient, scale_of
from scrutiny.reliability.weighted import Weighted

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
    both, width = (one, other), width or len(one.needs)
    name = f"{one.id} {how} {other.id}"
    for of in both:
        if of.cells or not isinstance(of, AdditiveStatistic | WeightedStatistic):
            raise PlanError(
                f"{name} does not exist: {of.id} is fitted anew on each draw of the items, or "
                "keeps parts of the data apart. Use metrics such as accuracy, recall or macro_f1."
            )
    declared = {
        "says": f"{one.says} {OPERATORS[how]} {other.says}",
        "needs": (*one.needs, *other.needs),
        "conditional_on": ", and ".join(filter(None, (of.conditional_on for of in both))) or None,
        **(_of_difference(one, other, name) if how == "-" else _of_ratio(one, other)),
    }
    if not all(isinstance(of, AdditiveStatistic) for of in both):
        return Weighted(name, of_rows=partial(_weighted, how, both, width), **declared)
    make, combine = partial(_components, both, width), partial(_of_sums, how, both, width)
    divisor = partial(_smaller, both, width) if any(of.divisor for of in both) else None
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


def _of_ratio(one: Statistic, other: Statistic) -> dict[str, Any]:
    """Range and no effect of a ratio; neither more nor less of it is better."""
    is_amount = min(scale_of(one).low, scale_of(other).low) >= 0
    return {"scale": "amount" if is_amount else "identity", "no_effect": 1.0}


def _components(both: tuple[Statistic, Statistic], width: int, measures: Array) -> Array:
    """Components of both, side by side."""
    sides = zip(both, (measures[..., :width], measures[..., width:]), strict=True)
    return np.concatenate([_additive(of).components(side) for of, side in sides], axis=-1)


def _apart(both: tuple[Statistic, Statistic], width: int, sums: Array) -> tuple[Array, Array]:
    """Sums of each of both."""
    first = _additive(both[0]).components(np.zeros((1, width))).shape[-1]
    return sums[..., :first], sums[..., first:]


def _of_sums(how: str, both: tuple[Statistic, Statistic], width: int, sums: Array) -> Array:
    """Values ``(...)`` of the sums ``(..., component)`` of both."""
    sides = _apart(both, width, sums)
    values = [_value(of, side) for of, side in zip(both, sides, strict=True)]
    found = _HOW[how](*values)
    if not all(map(is_quotient, both)):
        return found
    below, numerators = [side[..., -1] for side in sides], []
    for of, side in zip(both, sides, strict=True):
        alone = side.copy()
        alone[..., -1] = 1.0  # divided by 1, the quotient is its numerator
        numerators.append(_value(of, alone))
    exact = _HOW[how](*numerators)
    exact = divide(exact, below[0]) if how == "-" else exact
    return np.where((below[0] == below[1]) & (below[0] > 0), exact, found)


def _smaller(both: tuple[Statistic, Statistic], width: int, sums: Array) -> Array:
    """Smaller of the denominators that are not all rows."""
    sides = zip(both, _apart(both, width, sums), strict=True)
    return np.asarray(np.minimum.reduce([of.divisor(side) for of, side in sides if of.divisor]))


def _weighted(
    how: str, both: Sequence[Statistic], width: int, measures: Array, weights: Array
) -> Array:
    """Values ``(draw,)`` of the measures ``(row, need)`` of both under weights ``(draw, row)``."""
    sides = zip(both, (measures[:, :width], measures[:, width:]), strict=True)
    return _HOW[how](
        *(
            of.weighted(side, weights)
            if isinstance(of, WeightedStatistic)
            else _value(of, weights @ _additive(of).components(side))
            for of, side in sides
        )
    )


def _value(of: Statistic, sums: Array) -> Array:
    """Values of sums ``(..., component)``."""
    return np.asarray(_additive(of).value(sums[..., None, :], np.ones((*sums.shape[:-1], 1))))


def _additive(of: Statistic) -> AdditiveStatistic:
    assert isinstance(of, AdditiveStatistic)
    return of
