"""Regression of attention to the anchor on label and distance."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, Inputs
from scrutiny.core.diagnostic import Failure, RowKind
from scrutiny.core.facts import ANCHORED_SPANS
from scrutiny.core.queries.annotation import AnchoredWords
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.presets import Made, ReadsMaps, preset, specs_of
from scrutiny.diagnostics.attention.regression_metrics import DESIGN
from scrutiny.diagnostics.attention.word_maps import MapOptions, WordMap

#: Forms of the distance between a word and its nearest anchor.
DISTANCES: Final[Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]]] = {
    "absolute": lambda away: away,
    "inverse": lambda away: 1.0 / away,
    "log": np.log,
}
_CLAIMED: Final = "selected_label_beta"
_METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("beta(label)", "beta(distance)", "lost_ss(label)", "lost_ss(distance)", "regression_r2"),
        ("layer", "head"),
    ),
    _CLAIMED: (),
}
_TOO_FEW: Final = Failure("no_other_words", status="undefined")


@dataclass(frozen=True, slots=True)
class RegressionParams:
    """Preset and terms of the regression.

    Parameters
    ----------
    preset
        Way from pieces to words, see `scrutiny.diagnostics.attention.presets`.
    distances
        Forms of the distance, each a condition: ``absolute``, ``inverse``, ``log``. The claim is of
        the first and has to survive the others.
    margin
        Smallest standardized coefficient worth a claim.

    Raises
    ------
    UnknownNameError
        If there is no such form or preset.
    """

    preset: str = "default"
    distances: tuple[str, ...] = ("absolute", "inverse", "log")
    margin: float = 0.05

    def __post_init__(self) -> None:
        preset(self.preset)
        known("distance", self.distances, DISTANCES)

    def conditions(self) -> dict[str, MapOptions]:
        """The only preset."""
        return {self.preset: preset(self.preset)}


class Regression(ReadsMaps[RegressionParams]):
    """Regression of attention to the cue on distance and label.

    Least-squares regression of attention to the anchor on distance and label, for every head.

    Records hold sums of products over the words of an example that are no anchor, so that the fit,
    its partial sums of squares and its bootstrap over sentences are functions of sums over rows.

    **Measures**: whether words in the scope attend more to the cue than words as far from it that
    are not (C2), in standard deviations of the attention.

    **Misleads when**: the distance's form is wrong; the label is a function of the distance; p
    values take words of one sentence as independent (both are given: see ``label_clustered``).
    The published sums of squares cannot be had from raw distances; its exact predictor is not
    stated, so forms are conditions here.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?,
    section 4.3.
    """

    id = "attention.regression@1"
    View = AnchoredWords
    wants = (ANCHORED_SPANS,)
    measures = (
        Measure("design", (("moment", len(DESIGN)),)),
        Measure("attention", (LAYERS, HEADS)),
        Measure("attention_distance", (LAYERS, HEADS)),
        Measure("attention_label", (LAYERS, HEADS)),
        Measure("attention_squared", (LAYERS, HEADS)),
    )

    def design(self, params: RegressionParams, inputs: Inputs) -> Design:
        """The fit of every head with every form of the distance, and claim C2."""
        names = params.distances
        labels = {name: f"{name}/{_CLAIMED}" for name in names}
        claim = Claim(
            id="C2",
            says=f"labels explain attention to the anchor beyond distance, by {params.margin:g} "
            "standard deviations, in the head chosen on the other half",
            components=tuple(Component.beside_untrained("distance", labels, params.margin)),
            family="attention.regression",
            checks=Claim.checks_with(distance=names),
        )
        return Design(
            conditions=tuple({"distance": name} for name in names),
            estimates=tuple(s for name in names for s in specs_of({"distance": name}, _METRICS)),
            claims=(claim,),
            notes=(
                "Errors of words in one sentence go together: intervals resample sentences; "
                "label_anova takes words as independent, label_clustered does not.",
            ),
            families={
                "attention.regression": f"labels explain the attention of {inputs.subject.name} "
                "beyond distance"
            },
            contrasts=tuple(ContrastSpec.untrained(labels.values())),
        )

    def rows_of(
        self, params: RegressionParams, item: str, view: AnchoredWords, made: Mapping[str, Made]
    ) -> Iterable[Row]:
        """One row for each form of the distance."""
        found = made[params.preset]
        for name in params.distances:
            kind = RowKind.of({"distance": name})
            if isinstance(found, Failure):
                yield kind.row(item, found)
            else:
                moments = moments_of_words(found, view, distance=name)
                yield kind.row(item, _TOO_FEW if moments is None else moments.tolist())


def moments_of_words(
    made: WordMap, view: AnchoredWords, *, distance: str
) -> NDArray[np.float64] | None:
    """Moments over the words that are not an anchor: of the design, then of every head.

    Attention to an anchor of several words is the sum over them; distance is to the nearest.
    Nothing where no other word, or no anchor, has a piece.
    """
    words = made.words
    is_anchor = np.isin(words, view.anchors)
    rows = np.flatnonzero(made.is_word & ~is_anchor)
    if not rows.size or not is_anchor.any():
        return None
    anchors = words[is_anchor]
    away = np.abs(words[rows, None] - anchors).min(axis=1).astype(np.float64)  # at least 1
    d = DISTANCES[distance](away)
    y = np.isin(words[rows], view.targets).astype(np.float64)
    # (layer, head, row)
    a = made.weights[..., rows, :][..., is_anchor].sum(axis=-1, dtype=np.float64)
    design = [rows.size, d.sum(), y.sum(), d @ d, d @ y, y @ y]
    return np.concatenate(
        [design, a.sum(axis=-1).ravel(), (a @ d).ravel(), (a @ y).ravel(), (a * a).sum(-1).ravel()]
    )
