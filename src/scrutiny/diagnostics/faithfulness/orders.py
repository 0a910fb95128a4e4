"""Orders in which the weights of a text are erased.

=================== ==============================================================================
attention           highest weight first
second              the same from the second on, the highest last
ascending           lowest weight first
second_lowest       the same from the second on, the lowest last
gradient            largest gradient of the likeliest label's probability first
gradient_attention  largest gradient times weight first
sign_attention      largest weight times sign of the gradient first (released: reversed attention)
random              at random; a control
other               at random, the highest weight last: its first is a random *other* weight; a
                    control (released: a random rank taken for a position, which never is position
                    0 and may be the highest weight)
same_mass           as other, but the first step takes as many weights as come nearest to the
                    highest in sum; a control
=================== ==============================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.diagnostic import RowKind
from scrutiny.diagnostics.faithfulness.params import ErasureParams

#: Orders that need no chance.
FIXED: Final = (
    "attention",
    "second",
    "ascending",
    "second_lowest",
    "gradient",
    "gradient_attention",
    "sign_attention",
)
#: Orders that are drawn.
DRAWN: Final = ("random", "other", "same_mass")
#: What the released code does otherwise.
RELEASED: Final = ("sign_attention", "other")


@dataclass(frozen=True, slots=True)
class OrderName:
    """One order of one procedure, and its draw."""

    order: str
    procedure: str = "default"
    draw: int | None = None

    @property
    def role(self) -> str:
        """Random orders are controls."""
        return "measured" if self.draw is None else "control"

    @property
    def condition(self) -> dict[str, object]:
        """Condition of its records."""
        drawn = {} if self.draw is None else {"draw": self.draw}
        return {"order": self.order, "procedure": self.procedure, **drawn}

    @property
    def place(self) -> RowKind:
        """Position of its records."""
        return RowKind.of(self.condition, self.role)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Tokens ``(token,)`` in order of erasure; ``first`` of them in the first step."""

    ranking: Integers
    first: int = 1


def order_names(params: ErasureParams) -> list[OrderName]:
    """All orders, in the order of the records."""
    drawn = dict.fromkeys(DRAWN, range(params.draws))
    draws: dict[str, Sequence[int | None]] = {**dict.fromkeys(FIXED, (None,)), **drawn}
    return [
        OrderName(order, procedure, draw)
        for procedure in params.procedures
        for order, own in draws.items()
        if procedure == "default" or order in RELEASED
        for draw in own
    ]


def orders_of(
    names: Sequence[OrderName],
    weights: Floats,
    gradient: Floats,
    rngs: Sequence[np.random.Generator],
) -> list[Order | None]:
    """Each order of one text; `None` if it does not exist.

    Parameters
    ----------
    names
        Which.
    weights, gradient
        ``(token,)``: the layer's own weights, and the gradient with regard to them.
    rngs
        One source for each draw.
    """
    fixed = _fixed(weights, gradient)
    drawn = [_drawn(weights, fixed["attention"], rng) for rng in rngs]
    found: list[Order | None] = []
    for name in names:
        if name.draw is not None:
            key = "released" if name.procedure == "as_released" else name.order
            found.append(drawn[name.draw][key])
        elif name.procedure == "as_released":
            found.append(Order(fixed["ascending"]))  # a scalar took the place of the signs
        else:
            found.append(Order(fixed[name.order]))
    return found


def _fixed(weights: Floats, gradient: Floats) -> dict[str, Integers]:
    """Deterministic rankings; of equal weights the first in the text comes first."""
    attention = np.argsort(-weights, kind="stable")
    ascending = attention[::-1]
    return {
        "attention": attention,
        "second": np.roll(attention, -1),
        "ascending": ascending,
        "second_lowest": np.roll(ascending, -1),
        "gradient": np.argsort(-gradient, kind="stable"),
        "gradient_attention": np.argsort(-gradient * weights, kind="stable"),
        "sign_attention": np.argsort(-np.sign(gradient) * weights, kind="stable"),
    }


def _drawn(
    weights: Floats, attention: Integers, rng: np.random.Generator
) -> dict[str, Order | None]:
    """Orders of one draw, with one common permutation."""
    top = attention[0]
    random = rng.permutation(weights.size)
    others = random[random != top]
    other = np.append(others, top)
    position = int(rng.integers(1, weights.size))
    released = np.append([position], random[random != position])
    return {
        "random": Order(random),
        "other": Order(other),
        "released": Order(released),
        "same_mass": _of_same_mass(weights, other),
    }


def _of_same_mass(weights: Floats, other: Integers) -> Order | None:
    """Order whose first step has about the mass of the highest weight; `None` if impossible.

    Of the sums of the first one, two, ... others, that is taken which is nearest.
    """
    *others, top = other.tolist()
    sums = np.cumsum(weights[others])
    if sums[-1] < weights[top]:
        return None
    return Order(other, int(np.abs(sums - weights[top]).argmin()) + 1)
