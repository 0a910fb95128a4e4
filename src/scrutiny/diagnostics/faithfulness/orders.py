"""Orders in which the weights of a text are erased, and what the erasing does.

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

Weights are erased one after the other, the rest brought to sum 1 again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from scrutiny.core.arrays import Booleans, Floats, Integers
from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.design import Selector
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import AttentionLayer
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup
from scrutiny.stats.distributions.divergence import js, kl

#: Procedures: ours, and where the released code differs, what it does.
PROCEDURES: Final = ("default", "as_released")


@dataclass(frozen=True, slots=True)
class ErasureParams:
    """Settings of erasure.

    Parameters
    ----------
    draws
        Random orders of each text, five as published.
    procedures
        ``default``, and ``as_released``: the released code takes a random rank for a position, and
        orders by reversed attention where it means signed attention.
    margin
        Smallest difference of flip rates worth a claim.
    share_margin
        Smallest difference of the share of tokens that is erased until the decision flips.
    """

    draws: int = 5
    procedures: tuple[str, ...] = PROCEDURES
    margin: float = 0.02
    share_margin: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, draws=1)
        if "default" not in self.procedures or set(self.procedures) - set(PROCEDURES):
            raise PlanError(
                f"procedures are {', '.join(PROCEDURES)}, the first always among them; not "
                f"{', '.join(self.procedures) or 'none'}."
            )


def _descending(values: Floats) -> Integers:
    """Tokens, the largest value first; of equal ones the first in the text."""
    return np.argsort(-values, kind="stable")


#: Orders that need no chance: tokens by their weights, and by gradients with regard to them.
FIXED: Final[Mapping[str, Callable[[Floats, Floats], Integers]]] = {
    "attention": lambda weights, gradient: _descending(weights),
    "second": lambda weights, gradient: np.roll(_descending(weights), -1),
    "ascending": lambda weights, gradient: _descending(weights)[::-1],
    "second_lowest": lambda weights, gradient: np.roll(_descending(weights)[::-1], -1),
    "gradient": lambda weights, gradient: _descending(gradient),
    "gradient_attention": lambda weights, gradient: _descending(gradient * weights),
    "sign_attention": lambda weights, gradient: _descending(np.sign(gradient) * weights),
}
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
    def selector(self) -> Selector:
        """Its records."""
        return Selector(self.role, self.condition)


class Order(NamedTuple):
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
    drawn = [_drawn(weights, rng) for rng in rngs]
    found: list[Order | None] = []
    for name in names:
        is_released = name.procedure == "as_released"
        if name.draw is not None:
            found.append(drawn[name.draw]["released" if is_released else name.order])
        else:  # a scalar took the place of the signs
            rank = FIXED["ascending" if is_released else name.order]
            found.append(Order(rank(weights, gradient)))
    return found


def _drawn(weights: Floats, rng: np.random.Generator) -> dict[str, Order | None]:
    """Orders of one draw, with one common permutation."""
    top = weights.argmax()
    random = rng.permutation(weights.size)
    others = random[random != top]
    other = np.append(others, top)
    sums = np.cumsum(weights[others])  # of which one is closest to the highest weight
    first = np.abs(sums - weights[top]).argmin()
    position = int(rng.integers(1, weights.size))
    released = np.append([position], random[random != position])
    return {
        "random": Order(random),
        "other": Order(other),
        "released": Order(released),
        "same_mass": None if sums[-1] < weights[top] else Order(other, int(first) + 1),
    }


#: Steps, share and mass of a decision that never flips, as in the released code.
NEVER: Final = -1.0


class Erased(NamedTuple):
    """Effects of one erasure order on one text.

    Parameters
    ----------
    weight
        What the first step took away.
    kl, js
        Divergences of the new output from the old one after the first step, in nats.
    flip
        1 if the decision is another one then.
    flipped
        1 if it ever flips.
    steps, share, mass
        Tokens, share of the tokens, and weight that were erased when it first flipped; -1 if it
        never does.
    """

    weight: float
    kl: float
    js: float
    flip: float
    flipped: float
    steps: float
    share: float
    mass: float


def erased_by(
    layer: AttentionLayer, group: LengthGroup, orders: Sequence[Sequence[Order | None]]
) -> list[list[Erased | None]]:
    """Effects of each erasure order on each text of a group.

    The order is fixed by the original weights. After the last step nothing is attended to.

    Parameters
    ----------
    layer
        Asked once for all steps of all orders.
    group
        Texts of n tokens.
    orders
        ``[text][order]``; nothing where there is no such order.
    """
    weights, before = group.weights, group.probabilities
    n = weights.shape[1]
    none = np.arange(n)
    rankings = np.array([[none if o is None else o.ranking for o in row] for row in orders])
    place = np.argsort(rankings, axis=-1)  # (text, order, token): when it is erased
    # (text, order, step, token): what is left after so many steps
    kept = weights[:, None, None, :] * (place[:, :, None, :] > none[:, None])
    total = kept.sum(axis=-1, keepdims=True)
    left = kept / np.where(total > 0, total, 1.0)
    texts, n_orders = rankings.shape[:2]
    outputs = layer.reweighted(group.attended, left.reshape(texts, n_orders * n, n))
    after = outputs.reshape(texts, n_orders, n, -1)  # (text, order, step, label)
    is_other = after.argmax(axis=-1) != before.argmax(axis=-1)[:, None, None]
    mass = np.cumsum(np.take_along_axis(weights[:, None, :], rankings, axis=-1), axis=-1)
    return [
        [
            None
            if order is None
            else _outcome(before[t], after[t, o], is_other[t, o], mass[t, o], first=order.first)
            for o, order in enumerate(row)
        ]
        for t, row in enumerate(orders)
    ]


def _outcome(
    before: Floats, after: Floats, is_other: Booleans, mass: Floats, *, first: int
) -> Erased:
    """Effects of one order: outputs ``(step, label)``, flips and mass ``(step,)``."""
    n = is_other.size
    at = first - 1
    flips = np.flatnonzero(is_other[at:])
    found = int(flips[0]) + at if flips.size else -1
    return Erased(
        weight=float(mass[at]),
        kl=float(kl(after[at], before)),
        js=float(js(after[at], before)),
        flip=float(is_other[at]),
        flipped=float(flips.size > 0),
        steps=found + 1.0 if flips.size else NEVER,
        share=(found + 1) / n if flips.size else NEVER,
        mass=float(mass[found]) if flips.size else NEVER,
    )
