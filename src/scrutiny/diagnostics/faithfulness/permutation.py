"""Permuting attention: whether it matters which token has which weight."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Context, RowKind
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure
from scrutiny.diagnostics.faithfulness.single_layer import LengthGroup, OfLayer, layer_of
from scrutiny.stats.distributions.divergence import tvd


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
        Measure(
            "median_change",
            unit="total variation",
            says="change of the output in the median permutation",
            scale="amount",
            row_range=(0.0, 1.0),
            drawn_as=(("mean", "permutation_change@1"),),
        ),
        Measure("mean_change", unit="total variation"),
        Measure("max_weight"),
        Measure(
            "uniform_change",
            unit="total variation",
            says="change of the output with uniform weights",
            scale="amount",
            row_range=(0.0, 1.0),
            drawn_as=(("mean", "uniform_change@1"),),
        ),
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
