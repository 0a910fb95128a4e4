"""Whether other attention gives the same output: permuted weights, and weights of an adversary."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from scipy.special import softmax

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import above_zero, at_least
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Context, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.attention import AttentionLayer
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup, OfLayer, layer_of
from scrutiny.stats.distributions.divergence import js, js_slope, tvd


@dataclass(frozen=True, slots=True)
class PermutationParams:
    """Settings of permutation.

    Parameters
    ----------
    permutations
        Of each text, 100 as published.
    margin
        Smallest change of the output worth a claim, as total variation distance.
    """

    permutations: int = 100
    margin: float = 0.05

    def __post_init__(self) -> None:
        at_least(self, permutations=1)


_METRICS: Final = (
    "mean(median_change)",
    "permutation_change_peaked",
    "permutation_correlation",
    "mean(uniform_change)",
)


def _change(name: str, when: str, stream: str) -> Measure:
    """Change of the output, whose mean has drawn from a stream."""
    return Measure(
        name,
        unit="total variation",
        says=f"change of the output {when}",
        scale="amount",
        row_range=(0.0, 1.0),
        drawn_as=(("mean", stream),),
    )


class Permutation(OfLayer[PermutationParams]):
    """Whether permuted attention weights change the output (Jain & Wallace).

    Change of the output when a text's attention weights are permuted among its tokens.

    Records of an item: ``median_change`` of the output over permutations (total variation
    distance), ``mean_change``, ``max_weight``, ``uniform_change`` when all weights are equal, and
    ``hit`` of the model's own answer. Boundary tokens have no weight and get none.

    **Measures**: whether a decision depends on *which* tokens are attended to. A small change
    where one weight is large says that the weights explain little.

    **Misleads when**: read as "attention is useless": the same vectors may carry the answer at
    every position because the encoder has spread it. Texts of a few tokens have few permutations,
    some of which change nothing.

    **References**: Jain & Wallace (2019), Attention is not explanation, NAACL; Wiegreffe & Pinter
    (2019), Attention is not not explanation, EMNLP (uniform weights).
    """

    id = "faithfulness.permutation@1"
    measures = (
        _change("median_change", "in the median permutation", "permutation_change@1"),
        Measure("mean_change", unit="total variation"),
        Measure("max_weight"),
        _change("uniform_change", "with uniform weights", "uniform_change@1"),
        Measure("hit", unit="items"),
    )

    def design(self, params: PermutationParams, inputs: Inputs) -> Design:
        """Mean changes, their relation to the largest weight, and one claim."""
        change = "mean(median_change)"
        return Design(
            estimates=(
                EstimateSpec("level", "accuracy@1", role="baseline", sides={"": Selector()}),
                *(EstimateSpec(name, f"{name}@1") for name in _METRICS),
            ),
            claims=(
                Claim(
                    id="order matters",
                    says="permuting the attention weights changes the output by more than "
                    f"{params.margin:g} (total variation, median permutation)",
                    components=(
                        Component(change, params.margin),
                        *inputs.beyond_untrained(change, 0.0),
                    ),
                    family="permutation",
                    checks=Claim.checks_with(),
                    competence=(("level", inputs.data.chance),),
                    needs_control="null" in inputs.controls,
                ),
            ),
            notes=(
                f"{params.permutations} permutations of each text, the same for every replicate; "
                "of each text the median change counts. Texts of one token are skipped.",
            ),
            families={
                "permutation": f"the output of {inputs.subject.name} depends on attention weights"
            },
            contrasts=tuple(ContrastSpec.untrained([change])),
        )

    def kinds(self, params: PermutationParams) -> Sequence[RowKind]:
        """One kind of row."""
        return [RowKind()]

    def values_of(
        self, params: PermutationParams, group: LengthGroup, ctx: Context
    ) -> Iterator[Sequence[Sequence[float]]]:
        """Changes of the output, and the largest weight, of each item of a group."""
        weights, layer = group.weights, layer_of(ctx)
        n = weights.shape[1]
        rngs = [ctx.rng("permutation", stream_of(Permutation), e.id) for e in group.examples]
        plain = np.tile(np.arange(n), (params.permutations, 1))
        orders = np.stack([rng.permuted(plain, axis=1) for rng in rngs])  # (text, draw, token)
        shuffled = np.take_along_axis(weights[:, None, :], orders, axis=-1)  # (text, draw, token)
        uniform = np.full((len(weights), 1, n), 1 / n)
        outputs = layer.reweighted(group.attended, np.concatenate([shuffled, uniform], axis=1))
        changes = tvd(outputs, group.probabilities[:, None, :])  # (text, draw)
        own, even = changes[:, :-1], changes[:, -1]
        columns = np.median(own, axis=1), own.mean(axis=1), weights.max(axis=1), even
        for values in np.stack(columns, axis=1).tolist():
            yield [values]


@dataclass(frozen=True, slots=True)
class AdversarialParams:
    """Settings of the search for other attention with the same output.

    Parameters
    ----------
    copies, steps, lr, spread
        As published: five copies, 500 steps of Adam with amsgrad at .01, from logits of the uniform
        distribution plus normal noise of standard deviation 3.
    slack
        Change of the output that costs nothing during the search, as total variation distance.
    penalty
        What more of it costs.
    epsilons
        Changes of the output up to which an attention counts as one with the same output. The
        first is that of the claims; .01 is the paper's for text classification, .05 is what the
        released plots take.
    limit
        Mean divergence below which attention is said to be pinned down, in nats.
    """

    copies: int = 5
    steps: int = 500
    lr: float = 0.01
    spread: float = 3.0
    slack: float = 0.01
    penalty: float = 500.0
    epsilons: tuple[float, ...] = (0.01, 0.05)
    limit: float = 0.35

    def __post_init__(self) -> None:
        at_least(self, copies=1, steps=0, spread=0, slack=0, penalty=0)
        above_zero(self, "lr")
        if not self.epsilons or min(self.epsilons) <= 0 or max(self.epsilons) > 1:
            raise PlanError(f"epsilons lie between 0 and 1, at least one; not {self.epsilons}.")


class Adversarial(OfLayer[AdversarialParams]):
    """How different other attention with the same output can be (Jain & Wallace).

    Largest divergence found of attention with the same output, in nats.

    Records of an item, for each epsilon: ``js`` between the layer's own weights and the farthest
    found whose output differs by epsilon or less (0 if there is none: its own), ``change`` of the
    output there, ``max_weight`` of the layer's own, and ``hit`` of its answer. Role ``control``
    holds the same for the random weights that the search began with: what is found without any.

    **Measures**: whether the output pins the attention down. At log 2 = .69 nats quite other tokens
    are attended to, and the answer is the same.

    **Misleads when**: read as the largest divergence there is: it is what a search has found, a
    lower bound. Each text is attacked by itself, which says nothing of whether a *model* could be
    trained to attend like this. Short texts and flat attention keep it below log 2.

    **References**: Jain & Wallace (2019), Attention is not explanation, NAACL; Wiegreffe & Pinter
    (2019), Attention is not not explanation, EMNLP; Reddi, Kale & Kumar (2018), On the convergence
    of Adam and beyond (amsgrad).
    """

    id = "faithfulness.adversarial@1"
    measures = (
        Measure(
            "js",
            unit="nats",
            says="largest divergence of attention with the same output",
            scale="amount",
            row_range=(0.0, math.log(2.0)),
            drawn_as=(("mean", "adversarial_js@1"),),
        ),
        Measure("change", unit="total variation"),
        Measure("max_weight"),
        Measure("hit", unit="items"),
    )

    def design(self, params: AdversarialParams, inputs: Inputs) -> Design:
        """Mean divergence and share of large ones by epsilon, and one claim."""
        levels = {epsilon: f"mean(js)/{epsilon:g}" for epsilon in params.epsilons}
        first = levels[params.epsilons[0]]
        own = {"": Selector("measured", {"epsilon": params.epsilons[0]})}
        specs = [EstimateSpec("level", "accuracy@1", sides=own, role="baseline")]
        for epsilon, level in levels.items():
            of = partial(EstimateSpec, condition={"epsilon": epsilon})
            specs.append(of(level, "mean(js)@1"))
            specs.append(of(f"adversarial_found/{epsilon:g}", "adversarial_found@1"))
            specs.append(of(f"{level}/start", "mean(js)@1", role="control"))
        components = [
            Component(level, params.limit, f"choice: epsilon {e:g}" if i else "reference", "<")
            for i, (e, level) in enumerate(levels.items())
        ]
        claim = Claim(
            id="pinned down",
            says="attention with the same output is close to the model's own: less than "
            f"{params.limit:g} of {np.log(2):.2f} possible nats on average",
            components=(*components, *inputs.beyond_untrained(first, 0.0, operator="<")),
            family="adversarial",
            checks=Claim.checks_with(epsilon=params.epsilons),
            competence=(("level", inputs.data.chance),),
            needs_control="null" in inputs.controls,
        )
        return Design(
            conditions=tuple({"epsilon": epsilon} for epsilon in params.epsilons),
            estimates=tuple(specs),
            claims=(claim,),
            queries_per_item=1 + params.steps // 20,  # a step is far less than an answer
            notes=(
                f"{params.copies} copies of each text, {params.steps} steps of Adam with amsgrad "
                f"at {params.lr:g}, from random weights that are the same for every replicate; the "
                "objective is that of the released code. Texts of one token are skipped.",
            ),
            families={
                "adversarial": f"the output of {inputs.subject.name} pins its attention down"
            },
            contrasts=tuple(ContrastSpec.untrained([first])),
        )

    def kinds(self, params: AdversarialParams) -> Sequence[RowKind]:
        """Two for each epsilon: after the search, and before."""
        roles = ("measured", "control")
        return [RowKind.of({"epsilon": e}, role) for e in params.epsilons for role in roles]

    def values_of(
        self, params: AdversarialParams, group: LengthGroup, ctx: Context
    ) -> Iterator[Sequence[Sequence[float]]]:
        """Divergence, change of the output, and the largest weight, of each item of a group."""
        shape = params.copies, group.weights.shape[1]
        rngs = [ctx.rng("noise", stream_of(Adversarial), e.id) for e in group.examples]
        noise = np.stack([rng.standard_normal(shape) for rng in rngs])
        layer = layer_of(ctx)
        start, end = search(layer, group, noise, params)
        found = []
        for weights in (end, start):
            apart = js(weights, group.weights[:, None, :])  # (text, copy)
            outputs = layer.reweighted(group.attended, weights)
            found.append((apart, tvd(outputs, group.probabilities[:, None, :])))
        for i, highest in enumerate(group.weights.max(axis=1).tolist()):
            yield [
                (*_farthest(apart[i], change[i], epsilon), highest)
                for epsilon in params.epsilons
                for apart, change in found
            ]


def _farthest(apart: Floats, change: Floats, epsilon: float) -> tuple[float, float]:
    """Largest divergence ``(copy,)`` among copies that change the output by epsilon or less.

    And that change. The text's own attention is among them: 0 and 0 where no copy is.

    Examples
    --------
    >>> _farthest(np.array([0.5, 0.6]), np.array([0.001, 0.2]), 0.01)
    (0.5, 0.001)
    >>> _farthest(np.array([0.5, 0.6]), np.array([0.3, 0.2]), 0.01)
    (0.0, 0.0)
    """
    allowed = np.flatnonzero(change <= epsilon)
    if not allowed.size:
        return 0.0, 0.0
    best = allowed[apart[allowed].argmax()]
    return float(apart[best]), float(change[best])


_BETAS = (0.9, 0.999)
_EPSILON = 1e-8


def search(
    layer: AttentionLayer, group: LengthGroup, noise: Floats, params: AdversarialParams
) -> tuple[Floats, Floats]:
    """Weights of the copies before and after the search.

    Parameters
    ----------
    layer
        Asked for outputs and gradients at each step.
    group
        Texts of n tokens.
    noise
        Standard normal ``(text, copy, token)``.
    params
        Steps, rate, slack and penalty.
    """
    logits = params.spread * noise  # those of the uniform distribution are equal, so 0
    start = softmax(logits, axis=-1)

    before = group.probabilities[:, None, :]

    def gradient(logits: Floats) -> Floats:
        weights = softmax(logits, axis=-1)
        after = layer.reweighted(group.attended, weights)
        is_beyond = tvd(after, before) > params.slack  # (text, copy)
        directions = np.sign(after - before) / 2 * (params.penalty * is_beyond)[..., None]
        outer = layer.reweighted_slopes(group.attended, weights, directions)
        # each pair stands twice in the mean over pairs, and JS is symmetric
        pairs = js_slope(weights[:, :, None, :], weights[:, None, :, :]).sum(axis=2)
        own = outer - js_slope(weights, group.weights[:, None, :])
        slopes = own - 2 * pairs / weights.shape[1] ** 2  # (text, copy, token), of the weights
        mean = (weights * slopes).sum(axis=-1, keepdims=True)
        return np.asarray(weights * (slopes - mean))

    return start, softmax(adam(logits, gradient, steps=params.steps, lr=params.lr), axis=-1)


def adam(start: Floats, gradient: Callable[[Floats], Floats], *, steps: int, lr: float) -> Floats:
    """Result of Adam with amsgrad, for each number separately.

    Parameters
    ----------
    start
        Where it begins.
    gradient
        Gradient at a place, of the same shape.
    steps, lr
        How many steps, and their rate.

    Examples
    --------
    >>> adam(np.array([1.0]), lambda x: 2 * x, steps=400, lr=0.05).round(3).tolist()
    [0.0]
    """
    place = start.copy()
    mean, square, largest = (np.zeros_like(start) for _ in range(3))
    for step in range(1, steps + 1):
        slope = gradient(place)
        mean = _BETAS[0] * mean + (1 - _BETAS[0]) * slope
        square = _BETAS[1] * square + (1 - _BETAS[1]) * slope * slope
        largest = np.maximum(largest, square)
        scale = np.sqrt(largest) / np.sqrt(1 - _BETAS[1] ** step) + _EPSILON
        place = place - lr / (1 - _BETAS[0] ** step) * mean / scale
    return place
