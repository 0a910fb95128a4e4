"""Erasure of attention weights: effect of the highest weight, and how many until a flip.

For a single weight: flips and divergences of the highest, the second, the lowest and the second
lowest, against a random other weight (the 2 x 2 table, the gap of divergences by the gap of
weights) and against other weights of the same sum. For sets: share of tokens erased until the
decision flips, by order.
"""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from scrutiny.core.boundary.printable import points
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Context, Failure, RowKind
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure
from scrutiny.diagnostics.faithfulness.orders import (
    ErasureParams,
    OrderName,
    erased_by,
    order_names,
    orders_of,
)
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup, OfLayer, layer_of

_AS_RELEASED: Final = (
    "as_released follows the released code where it differs: a random rank is used as a position, "
    "and the signed order is reversed attention. No claim uses it."
)
_NONE_OF_MASS: Final = Failure("no_same_mass", status="skipped")


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
        *(
            Measure(
                name,
                unit="nats",
                says=f"{name.upper()} divergence of outputs",
                scale="amount",
                row_range=row_range,
                drawn_as=(("mean", f"erasure_{name}@1"),),
            )
            for name, row_range in (("kl", None), ("js", (0.0, math.log(2.0))))
        ),
        Measure("flip", says="decisions flipped", drawn_as=(("share", "erasure_flip_rate@1"),)),
        Measure("flipped"),
        Measure("steps", unit="tokens"),
        *(
            Measure(
                name,
                unit=f"share of {what}",
                says=f"{what} erased until it flips",
                scale="share",
                among=("flipped",),
                drawn_as=(("mean", f"erasure_{name}@1"),),
            )
            for name, what in (("share", "tokens"), ("mass", "attention"))
        ),
        Measure("hit", unit="items"),
    )

    def design(self, params: ErasureParams, inputs: Inputs) -> Design:
        """Flips and shares of each order, and the claims about the highest weight."""
        names = order_names(params)
        return Design(
            conditions=tuple(name.condition for name in names),
            estimates=tuple(_specs(names)),
            claims=tuple(_claims(params, inputs)),
            notes=(
                "Weights are set to zero and the others normalized to sum 1; vectors do not "
                "change. The original weights fix the order of erasure. Texts of one token are "
                "skipped.",
                f"{params.draws} random orders of each text, the same for every replicate. Shares "
                "of tokens are over texts whose decision flips; never_flips is the share of the "
                "others.",
                "same_mass erases random others until their sum is closest to the highest weight; "
                "texts whose highest weight exceeds the sum of all others are skipped.",
                *((_AS_RELEASED,) if "as_released" in params.procedures else ()),
            ),
            families={
                "erasure": f"decisions of {inputs.subject.name} need the largest attention weights "
                "more than others, and as much as gradients say"
            },
            contrasts=tuple(ContrastSpec.untrained(["flip_gap/other/0", "share_gap/random/0"])),
        )

    def kinds(self, params: ErasureParams) -> Sequence[RowKind]:
        """One for each order."""
        return [RowKind.of(name.condition, name.role) for name in order_names(params)]

    def values_of(
        self, params: ErasureParams, group: LengthGroup, ctx: Context
    ) -> Iterator[Sequence[Sequence[float] | Failure]]:
        """What each order does to each item of a group."""
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
        for outcomes in erased_by(layer, group, orders):
            yield [_NONE_OF_MASS if outcome is None else outcome for outcome in outcomes]


_TOP = OrderName("attention")
_GRADIENT = OrderName("gradient_attention")
#: Orders whose first step is a single weight of a known rank, or gradient.
_SINGLE = ("attention", "second", "ascending", "second_lowest", "other", "same_mass")
#: Orders of sets.
_SETS = ("attention", "ascending", "gradient", "gradient_attention", "sign_attention", "random")
_TABLE = tuple(f"flips({which})" for which in ("only_first", "only_other", "both", "neither"))
_GAPS = ("gap(mean(js))", "erasure_js_reversed", "erasure_js_slope")


def _specs(names: list[OrderName]) -> Iterator[EstimateSpec]:
    """Specifications in the order of the report."""
    yield EstimateSpec(
        "level", "accuracy@1", {"order": "none"}, role="baseline", sides={"": _TOP.selector}
    )
    for name in names:
        first = ("share(flip)", "mean(js)", "mean(kl)") if name.order in _SINGLE else ()
        until = ("mean(share)", "mean(mass)", "never_flips") if name.order in _SETS else ()
        for metric in (*first, *until):
            place = f"{metric}/{_label(name)}"
            yield EstimateSpec(place, f"{metric}@1", name.condition, role=name.role)
    for name in names:
        if name.order in ("other", "same_mass"):
            yield _two("gap(share(flip))", "flip_gap", _TOP, name)
        if name.order == "other":
            for metric in (*_TABLE, *_GAPS):
                yield _two(metric, metric, _TOP, name)
        if name.order == "random":
            yield _two("erasure_share_gap", "share_gap", name, _TOP)
    yield _two("erasure_share_gap", "share_gap", _GRADIENT, _TOP)


def _label(name: OrderName) -> str:
    """Name of an order in the estimates."""
    draw = "" if name.draw is None else f"/{name.draw}"
    return name.order + draw + ("/as_released" if name.procedure == "as_released" else "")


def _two(metric: str, short: str, first: OrderName, other: OrderName) -> EstimateSpec:
    """Specification of two orders on the same texts; its condition names the second."""
    named = other if first == _TOP else first
    condition = {**named.condition, "order": f"{first.order} - {other.order}"}
    sides = {"first": first.selector, "other": other.selector}
    return EstimateSpec(f"{short}/{_label(named)}", f"{metric}@1", condition, sides=sides)


def _claims(params: ErasureParams, inputs: Inputs) -> Iterator[Claim]:
    """The highest weight against others, and orders against each other."""
    claim = partial(Claim, family="erasure", competence=(("level", inputs.data.chance),))
    drawn = partial(claim, checks=("items", "seeds", "choices:draw", "datasets"))
    margin, share_margin = params.margin, params.share_margin
    yield drawn(
        "highest",
        "erasing the highest attention weight flips decisions more often than erasing a random "
        f"other one, by {points(margin)}",
        components=(
            *_in_draws("flip_gap/other", margin, "a random other", params.draws),
            *inputs.beyond_untrained("flip_gap/other/0", margin),
        ),
    )
    yield drawn(
        "highest beyond its size",
        "erasing the highest attention weight flips decisions more often than erasing others with "
        f"the same sum, by {points(margin)}",
        components=tuple(_in_draws("flip_gap/same_mass", margin, "the same sum", params.draws)),
    )
    yield drawn(
        "order",
        "erasing from the highest weight down flips decisions sooner than a random order, by "
        f"{share_margin:g} of the tokens",
        components=(
            *_in_draws("share_gap/random", share_margin, "random order", params.draws),
            *inputs.beyond_untrained("share_gap/random/0", 0.0),
        ),
    )
    against = "control: gradient x weight"
    yield claim(
        "as good as gradients",
        "erasing from the highest weight down flips decisions about as soon as by gradient times "
        f"weight (later by less than {share_margin:g} of the tokens)",
        components=(Component("share_gap/gradient_attention", -share_margin, against),),
        checks=Claim.checks_with(),
    )


def _in_draws(name: str, margin: float, what: str, draws: int) -> Iterator[Component]:
    """Alternative that each draw excludes; the first draw is the control, others are choices."""
    for d in range(draws):
        against = f"choice: draw {d + 1}, {what}" if d else f"control: {what}"
        yield Component(f"{name}/{d}", margin, against)
