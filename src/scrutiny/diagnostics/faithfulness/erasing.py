"""Erasing weights one after the other, the rest brought to sum 1 again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.attention_layer import AttentionLayer
from scrutiny.diagnostics.faithfulness.distances import js, kl
from scrutiny.diagnostics.faithfulness.orders import Order
from scrutiny.diagnostics.faithfulness.reading import LengthGroup

#: Steps, share and mass of a decision that never flips, as in the released code.
NEVER: Final = -1.0


@dataclass(frozen=True, slots=True)
class Erased:
    """What one order did to one text.

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


def erase(
    layer: AttentionLayer, group: LengthGroup, orders: Sequence[Sequence[Order | None]]
) -> list[list[Erased | None]]:
    """What each order did to each text of a group.

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
    """What one order did: outputs ``(step, label)``, flips and mass ``(step,)``."""
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
