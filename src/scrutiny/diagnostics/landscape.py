"""The landscape diagnostic: loss, gradient, sharpness and curvature at a model's weights."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.boundary.parameters import at_least, shares
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import RUNNING_TEXT
from scrutiny.core.queries.language import HasLandscape, Probe
from scrutiny.core.record import Measure, Row

#: In the order of the report.
PROPERTIES: Final = ("loss", "gradient", "sharpness", "curvature")
_NO_LOSS: Final = Failure("nothing_to_guess", status="undefined")


@dataclass(frozen=True, slots=True)
class LandscapeParams:
    """Settings of the loss landscape.

    Parameters
    ----------
    radius
        Length of a random step, relative to the weights' own.
    directions
        Random directions, each looked at both ways.
    iterations
        Most steps of the power iteration.
    """

    radius: float = 0.05
    directions: int = 4
    iterations: int = 30

    def __post_init__(self) -> None:
        shares(self, "radius", zero=False)
        at_least(self, directions=1, iterations=1)


class Landscape(Diagnostic[LandscapeParams]):
    """Loss, gradient, sharpness and curvature at a language model's weights.

    ``loss`` is the mean negative log-likelihood of the guessed tokens of a text; ``gradient`` the
    norm of the mean loss's gradient; ``sharpness`` the rise of the loss at a random step that is
    normalized by filter; ``curvature`` the largest eigenvalue, in size, of the mean loss's Hessian,
    by power iteration with Hessian-vector products. ``[[relate]]`` in a plan correlates them with
    any other diagnostic over replicates and steps.

    **Measures**: what kind of minimum training ended in, as the explanation that was proposed for
    replicates that agree on a task and disagree on diagnostics.

    **Misleads when**: models of different sizes are compared (parameters, not flatness, differ);
    a few replicates are correlated with a diagnostic and the absence of a correlation is read as
    a finding: see ``detectable``. The direction of steepest curvature is found on the same texts
    that it is then measured on, and held fixed under resampling.

    **References**: Aribandi, Tay & Metzler (2021), How reliable are model diagnostics?, future
    work; Li et al. (2018), Visualizing the loss landscape of neural nets; Keskar et al. (2017), On
    large-batch training for deep learning.
    """

    id = "landscape@1"
    needs = frozenset({"landscape"})
    wants = (RUNNING_TEXT,)
    measures = (Measure("value", unit="nats"),)
    scope = "dataset"

    def design(self, params: LandscapeParams, inputs: Inputs) -> Design:
        """One estimate of each property; no claims."""
        return Design(
            conditions=tuple({"property": name} for name in PROPERTIES),
            estimates=tuple(
                EstimateSpec(name, "mean@1", {"property": name}) for name in PROPERTIES
            ),
            queries_per_item=2 * params.directions + 2 * params.iterations + 8,
            notes=(
                f"Random steps are {params.radius:g} times as long as the weights, row by row; "
                f"{params.directions} of them, both ways, the same for every replicate.",
                "The steepest direction is found by power iteration on all texts, then held fixed.",
            ),
        )

    def measure(
        self, params: LandscapeParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each text and property."""
        model = ctx.model
        if not isinstance(model, HasLandscape):
            raise PlanError("landscape@1 needs a language model whose weights can be moved.")
        probe = Probe(ctx.seed, params.radius, params.directions, params.iterations)
        found = model.landscape([e.text for e in batch.examples], probe=probe)
        for name in PROPERTIES:
            kind = RowKind.of({"property": name})
            for example, value in zip(batch.examples, found[name], strict=True):
                # a text without tokens to predict has no loss
                yield kind.row(example.id, _NO_LOSS if np.isnan(value) else (value,))
