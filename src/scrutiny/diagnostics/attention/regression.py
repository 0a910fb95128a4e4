"""Whether a head attends to the anchor because of the label or because of the distance."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.claim import Claim, Component
from scrutiny.core.diagnostic import (
    Batch,
    Cell,
    Context,
    ContrastSpec,
    Design,
    Diagnostic,
    EstimateSpec,
    Failure,
    Inputs,
    Selector,
)
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.queries.annotation import AnchoredSpans
from scrutiny.core.record import HEADS, LAYERS, Measure, Row
from scrutiny.diagnostics.attention.claims import checks_over
from scrutiny.diagnostics.attention.metrics.regression import DESIGN
from scrutiny.diagnostics.attention.params import preset
from scrutiny.diagnostics.attention.reading import Made, Sentence, each_example, lost
from scrutiny.diagnostics.attention.word_maps import WordMap

#: Forms of the distance between a word and its nearest anchor.
DISTANCES: Final[Mapping[str, str]] = {
    "absolute": "words between",
    "inverse": "one by the words between",
    "log": "logarithm of the words between",
}
_METRICS: Final = (
    "beta(label)",
    "beta(distance)",
    "lost_ss(label)",
    "lost_ss(distance)",
    "regression_r2",
)
_TOO_FEW: Final = "no_other_words"


@dataclass(frozen=True, slots=True)
class RegressionParams:
    """How attention is made, and what it is regressed on.

    Parameters
    ----------
    preset
        Way from pieces to words, see `scrutiny.diagnostics.attention.params`.
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
        for name in self.distances:
            if name not in DISTANCES:
                raise UnknownNameError("distance", name, DISTANCES)


class Regression(Diagnostic[RegressionParams]):
    """Least squares of attention to the anchor on distance and label, of every head.

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
    summary = "attention to the cue, regressed on distance and label"
    Params = RegressionParams
    needs = frozenset({"attentions"})
    tasks = frozenset({"anchored-spans"})
    measures = (
        Measure("design", (("moment", len(DESIGN)),)),
        Measure("attention", (LAYERS, HEADS)),
        Measure("attention_distance", (LAYERS, HEADS)),
        Measure("attention_label", (LAYERS, HEADS)),
        Measure("attention_squared", (LAYERS, HEADS)),
    )
    nulls = 20

    def design(self, params: RegressionParams, inputs: Inputs) -> Design:
        """The fit of every head under every form of the distance, and the claim C2."""
        names = params.distances
        return Design(
            conditions=tuple({"distance": name} for name in names),
            estimates=tuple(spec for name in names for spec in _specs(name)),
            claims=(_claim(params),),
            notes=(
                "Errors of words in one sentence go together: intervals resample sentences; "
                "label_anova takes words as independent, label_clustered does not.",
            ),
            families={
                "attention.regression": f"labels explain the attention of {inputs.subject.name} "
                "beyond distance"
            },
            contrasts=tuple(
                ContrastSpec(f"untrained/{spec.id}", spec.id, spec.id)
                for name in names
                for spec in _specs(name)
                if spec.metric == "selected_label_beta@1"
            ),
        )

    def measure(
        self, params: RegressionParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """One row for each example and form of the distance."""
        views = [AnchoredSpans.of(example) for example in batch.examples]
        name, options = params.preset, {params.preset: preset(params.preset)}

        def use(position: int, sentence: Sentence) -> list[Row]:
            made, _ = sentence
            item = batch.examples[position].id
            return list(_rows(item, views[position], made[name], params.distances))

        return each_example(ctx.model, [view.words for view in views], options, use=use)


def _rows(item: str, view: AnchoredSpans, made: Made, distances: Iterable[str]) -> Iterator[Row]:
    """Rows of one example, one for each form of the distance."""
    for name in distances:
        start = (item, None, "measured", canonical_json({"distance": name}))
        if isinstance(made, Failure):
            yield lost(start, made)
            continue
        values = moments_of_words(made, view, distance=name)
        if values is None:
            yield Row(*start, "undefined", _TOO_FEW, None)
        else:
            yield Row(*start, "ok", None, tuple(values.tolist()))


def moments_of_words(
    made: WordMap, view: AnchoredSpans, *, distance: str
) -> NDArray[np.float64] | None:
    """Sums over the words that are no anchor: the design's, then those of every head.

    Attention to an anchor of several words is the sum over them; distance is to the nearest.
    Nothing where no other word, or no anchor, has a piece.
    """
    words = made.words
    is_anchor = np.isin(words, view.anchors)
    rows = np.flatnonzero(made.is_word & ~is_anchor)
    if not rows.size or not is_anchor.any():
        return None
    anchors = words[is_anchor]
    d = _formed(np.abs(words[rows, None] - anchors).min(axis=1).astype(np.float64), distance)
    y = np.isin(words[rows], view.targets).astype(np.float64)
    # (layer, head, row)
    a = made.weights[..., rows, :][..., is_anchor].sum(axis=-1, dtype=np.float64)
    design = [rows.size, d.sum(), y.sum(), d @ d, d @ y, y @ y]
    return np.concatenate(
        [design, a.sum(axis=-1).ravel(), (a @ d).ravel(), (a @ y).ravel(), (a * a).sum(-1).ravel()]
    )


def _formed(away: NDArray[np.float64], form: str) -> NDArray[np.float64]:
    """Distance in words, at least 1, in the form asked for."""
    if form == "inverse":
        return 1.0 / away
    return np.log(away) if form == "log" else away


def _specs(name: str) -> Iterator[EstimateSpec]:
    """What is computed under one form of the distance."""
    condition = {"distance": name}
    side = {"": Selector("measured", condition)}
    for metric in _METRICS:
        yield EstimateSpec(
            f"{name}/{metric}", f"{metric}@1", side, condition=condition, along=("layer", "head")
        )
    yield EstimateSpec(
        f"{name}/selected_label_beta", "selected_label_beta@1", side, condition=condition
    )


def _claim(params: RegressionParams) -> Claim:
    """C2, under every form of the distance."""
    components = []
    for position, name in enumerate(params.distances):
        choice = "" if position == 0 else f"choice: distance {name}"
        spec = f"{name}/selected_label_beta"
        components += [
            Component(spec, params.margin, choice or "reference"),
            Component(
                f"untrained/{spec}",
                params.margin,
                f"{choice}, untrained" if choice else "control: untrained",
            ),
        ]
    return Claim(
        id="C2",
        says=f"labels explain attention to the anchor beyond distance, by {params.margin:g} "
        "standard deviations, in the head chosen on the other half",
        diagnostic="attention.regression",
        components=tuple(components),
        family="attention.regression",
        checks=checks_over("distance", params.distances),
    )
