"""Erasing attention weights: whether the highest decides, and how much must go until it flips."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Literal

import numpy as np

from scrutiny.core.diagnostic import Batch, Cell, Context, Design, Inputs
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure, Row
from scrutiny.core.task import Task
from scrutiny.diagnostics.faithfulness.erasing import erase
from scrutiny.diagnostics.faithfulness.erasure_design import make_erasure_design
from scrutiny.diagnostics.faithfulness.orders import OrderName, order_names, orders_of
from scrutiny.diagnostics.faithfulness.params import ErasureParams
from scrutiny.diagnostics.faithfulness.reading import LengthGroup, in_order, layer_of, read


class Erasure:
    """Flips, divergences and shares erased when attention weights are taken out in some order.

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
    summary = "whether a decision needs the largest attention weights (Serrano & Smith)"
    Params = ErasureParams
    needs: frozenset[str] = frozenset({"attention_layer"})
    tasks: frozenset[str] = frozenset({"text-classification"})
    measures: tuple[Measure, ...] = (
        Measure("weight"),
        Measure("kl", unit="nats"),
        Measure("js", unit="nats"),
        Measure("flip"),
        Measure("flipped"),
        Measure("steps", unit="tokens"),
        Measure("share", unit="share of tokens"),
        Measure("mass", unit="share of attention"),
        Measure("hit", unit="items"),
    )
    scope: Literal["item", "dataset"] = "item"

    def measured(self, task: Task) -> tuple[Measure, ...]:
        """What the first step did, and when the decision flipped."""
        return self.measures

    def design(self, params: ErasureParams, inputs: Inputs) -> Design:
        """Flips and shares of each order, and the claims about the highest weight."""
        return make_erasure_design(params, inputs)

    def measure(
        self, params: ErasureParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each item and order."""
        names = order_names(params)
        reading = read(ctx, batch.examples)
        rows = (
            found
            for group in reading.groups
            for found in _rows(group, names, draws=params.draws, ctx=ctx)
        )
        places = [name.place for name in names]
        return in_order(batch.examples, places, reading, rows)


def _rows(
    group: LengthGroup, names: Sequence[OrderName], *, draws: int, ctx: Context
) -> Iterator[tuple[str, list[Row]]]:
    """Rows of each item of a group."""
    layer, weights = layer_of(ctx), group.weights
    top = np.eye(group.probabilities.shape[1])[group.probabilities.argmax(axis=1)]
    gradient = layer.reweighted_slopes(group.attended, weights[:, None], top[:, None])[:, 0]
    orders = [
        orders_of(
            names,
            weights[i],
            gradient[i],
            [ctx.rng("order", stream_of(Erasure), example.id, draw) for draw in range(draws)],
        )
        for i, example in enumerate(group.examples)
    ]
    found = erase(layer, group, orders)
    for example, hit, outcomes in zip(group.examples, group.hits, found, strict=True):
        rows = [
            name.place.without(example, "skipped", "no_same_mass")
            if outcome is None
            else name.place.ok(example, (*astuple(outcome), hit))
            for name, outcome in zip(names, outcomes, strict=True)
        ]
        yield example.id, rows
