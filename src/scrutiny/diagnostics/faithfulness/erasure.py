"""Erasure of attention weights: effect of the highest weight, and how many until a flip.

Weights are erased one after the other, the rest brought to sum 1 again.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Final

import numpy as np

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.design import Design, Inputs
from scrutiny.core.diagnostic import Context, Failure, RowKind
from scrutiny.core.queries.attention_layer import AttentionLayer
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.faithfulness.erasure_design import make_erasure_design
from scrutiny.diagnostics.faithfulness.orders import Order, order_names, orders_of
from scrutiny.diagnostics.faithfulness.params import ErasureParams
from scrutiny.diagnostics.faithfulness.reading import LengthGroup, OfLayer, layer_of
from scrutiny.stats.distributions.unchecked import js, kl

#: Steps, share and mass of a decision that never flips, as in the released code.
NEVER: Final = -1.0
_NONE_OF_MASS: Final = Failure("no_same_mass", status="skipped")


@dataclass(frozen=True, slots=True)
class Erased:
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


def _erase(
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


class Erasure(OfLayer[ErasureParams]):
    """Whether a decision needs the largest attention weights (Serrano & Smith).

    Flips, divergences and erased shares when attention weights are erased in an order.

    Records of an item, for each order of `scrutiny.diagnostics.faithfulness.orders`: ``weight``
    that the first step took, ``kl`` and ``js`` between the outputs after it and before, ``flip`` of
    the decision; ``flipped`` (ever), and ``steps``, ``share`` of the tokens and ``mass`` of the
    weights erased when it first flipped, -1 if it never does; ``hit`` of the model's own answer.
    What is left sums to 1 again after each step; the order is fixed by the original weights.

    **Measures**: whether a layer's largest weights are those that its decision needs: more than a
    random other weight, more than other weights of the same sum, and sooner than in random order.

    **Misleads when**: read as what the *words* are worth: vectors of a recurrent or convolutional
    encoder hold their neighbors, and stay where they are. Few decisions flip by any single weight,
    so that differences are small where accuracy is high. Shares are over texts whose decision
    flips under both orders; a class that the bias of the readout prefers seldom does.

    **References**: Serrano & Smith (2019), Is attention interpretable?, ACL.
    """

    id = "faithfulness.erasure@1"
    measures = (
        Measure("weight"),
        Measure(
            "kl",
            unit="nats",
            says="KL divergence of outputs",
            scale="amount",
            drawn_as=(("mean", "erasure_kl@1"),),
        ),
        Measure(
            "js",
            unit="nats",
            says="JS divergence of outputs",
            scale="amount",
            row_range=(0.0, math.log(2.0)),
            drawn_as=(("mean", "erasure_js@1"),),
        ),
        Measure("flip", says="decisions flipped", drawn_as=(("share", "erasure_flip_rate@1"),)),
        Measure("flipped"),
        Measure("steps", unit="tokens"),
        Measure(
            "share",
            unit="share of tokens",
            says="tokens erased until it flips",
            scale="share",
            among=("flipped",),
            drawn_as=(("mean", "erasure_share@1"),),
        ),
        Measure(
            "mass",
            unit="share of attention",
            says="attention erased until it flips",
            scale="share",
            among=("flipped",),
            drawn_as=(("mean", "erasure_mass@1"),),
        ),
        Measure("hit", unit="items"),
    )

    def design(self, params: ErasureParams, inputs: Inputs) -> Design:
        """Flips and shares of each order, and the claims about the highest weight."""
        return make_erasure_design(params, inputs)

    def kinds(self, params: ErasureParams) -> Sequence[RowKind]:
        """One for each order."""
        return [name.place for name in order_names(params)]

    def rows_of(
        self, params: ErasureParams, group: LengthGroup, ctx: Context
    ) -> Iterator[tuple[str, Sequence[Row]]]:
        """Rows of each item of a group."""
        layer, weights, names = layer_of(ctx), group.weights, order_names(params)
        top = np.eye(group.probabilities.shape[1])[group.probabilities.argmax(axis=1)]
        gradient = layer.reweighted_slopes(group.attended, weights[:, None], top[:, None])[:, 0]
        orders = [
            orders_of(
                names,
                weights[i],
                gradient[i],
                [ctx.rng("order", stream_of(Erasure), example.id, k) for k in range(params.draws)],
            )
            for i, example in enumerate(group.examples)
        ]
        found = _erase(layer, group, orders)
        for example, hit, outcomes in zip(group.examples, group.hits, found, strict=True):
            rows = [
                name.place.row(
                    example.id, _NONE_OF_MASS if outcome is None else (*astuple(outcome), hit)
                )
                for name, outcome in zip(names, outcomes, strict=True)
            ]
            yield example.id, rows
