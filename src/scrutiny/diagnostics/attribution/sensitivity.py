"""Whether an explanation stays as it is when the text hardly changes: max-sensitivity.

Neighbors of a text are the text without one word, which is drawn; the words that both have are
compared. The published measure moves the vectors of an input within a small ball, which needs a
network's inside; a word less is the smallest change that any model can be asked about.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.design import Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import EXTRACTS, LABELS, OPTIONS
from scrutiny.core.record import Measure, Row
from scrutiny.diagnostics.attribution.explained import AttributionParams, Explained, explain
from scrutiny.diagnostics.attribution.likeness import MEASURES, likeness, targets_of
from scrutiny.diagnostics.attribution.methods.random_words import (
    RANDOM,
    beside_random,
    random_scores,
)
from scrutiny.diagnostics.attribution.read_texts import FEWEST, ReadText

if TYPE_CHECKING:
    from scrutiny.core.example import Example

_FLIPPED: Final = Failure("other_answer", "without any of the words drawn it answers otherwise")
#: Word that is left out, and the explanation of what is left.
Neighbor = tuple[int, Explained]


@dataclass(frozen=True, slots=True)
class SensitivityParams(AttributionParams):
    """What is explained, and how many neighbors of each text.

    Parameters
    ----------
    neighbors
        Words that are left out of each text, one at a time.
    """

    neighbors: int = 3

    def __post_init__(self) -> None:
        AttributionParams.__post_init__(self)
        at_least(self, neighbors=1)


class Sensitivity(Diagnostic[SensitivityParams]):
    """Whether an explanation stays as it is when one word of the text is left out.

    Scores of the words of a text, and of the same words in its neighbors: the text without one
    word, which is drawn, the same for every method and model. The answer that is explained stays
    the same one; neighbors that the model answers otherwise do not count.

    Records of an item, for each ``method``: ``sensitivity``, the largest distance of the scores of
    a neighbor from those of the text, as a share of the sum of both lengths (0: they stay; about
    0.7: as far apart as two random ones); ``shared`` and ``tau`` as in `attribution.seeds`, the
    smallest over its neighbors. Role ``control`` holds the same of random attributions.

    **Measures**: max-sensitivity: an explanation that changes while text and answer hardly do says
    more of itself than of the model.

    **Misleads when**: words work together: without "not", "good" does speak for another answer, and
    its score should change. Scores that never change are no better for it: see `attribution` and
    `attribution.weights`.

    **References**: Yeh et al. (2019), On the (in)fidelity and sensitivity of explanations;
    Alvarez-Melis & Jaakkola (2018), On the robustness of interpretability methods.
    """

    id = "attribution.sensitivity@1"
    needs = frozenset({"predict"})
    wants = (LABELS, OPTIONS, EXTRACTS)
    measures = (
        Measure(
            "sensitivity",
            unit="share of both lengths",
            says="distance of the scores without a word",
            row_range=(0.0, 1.0),
            no_effect=0.0,
            higher_is="worse",
        ),
        *MEASURES,
    )
    asks_other_texts = True
    reads_gold = False
    searches = True
    only_when_named = True

    def design(self, params: SensitivityParams, inputs: Inputs) -> Design:
        """Each number by method, beside random attributions; no claim, as there is no limit."""
        names = params.names(inputs.subject.capabilities, inputs.task)
        return Design(
            conditions=(*({"method": name} for name in names), RANDOM),
            estimates=tuple(_estimates(names)),
            queries_per_item=(1 + params.neighbors)
            * params.asked(inputs.subject.capabilities, inputs.task),
            notes=(
                params.note(inputs.data.n_items),
                f"Each stands beside {params.neighbors} texts with a word less.",
            ),
        )

    def measure(
        self, params: SensitivityParams, cell: Cell, batch: Batch, ctx: Context
    ) -> Iterable[Row]:
        """A row for each method, and one of random attributions."""
        names = params.names(ctx.model.capabilities, ctx.task)
        own = explain(params, batch.examples, ctx, ctx)
        beside = _neighbors(params, own, ctx)
        for example in batch.examples:
            one, others = own[example.id], beside.get(example.id, [])
            for name in names:
                yield RowKind.of({"method": name}).row(example.id, _of_method(one, others, name))
            drawn = _of_random(one, others, ctx)
            yield RowKind.of(RANDOM, "control").row(example.id, drawn)


def _estimates(names: Sequence[str]) -> Iterator[EstimateSpec]:
    """Numbers of each method, of random attributions, and their differences."""
    yield from beside_random(("sensitivity", "shared", "tau"), names)


def _neighbors(
    params: SensitivityParams, own: Mapping[str, Explained | Failure], ctx: Context
) -> dict[str, list[Neighbor]]:
    """Explanations of the neighbors of each text that the model answers as it does the text."""
    found: dict[str, list[Neighbor]] = {}
    known = [one for one in own.values() if isinstance(one, Explained)]
    left_out = {one.text.example.id: _left_out(one.text, params.neighbors, ctx) for one in known}
    for k in range(params.neighbors):
        some: list[Example] = []
        places: dict[str, int] = {}
        for one in known:
            name = one.text.example.id
            if k < len(left_out[name]):
                places[name] = left_out[name][k]
                some.append(one.text.without({places[name]}))
        made = explain(params, some, ctx, ctx, targets_of(own))
        for one in known:
            name = one.text.example.id
            other = made.get(name)
            is_same = isinstance(other, Explained) and other.text.is_own
            if is_same and len(cast("Explained", other).text) == len(one.text) - 1:
                found.setdefault(name, []).append((places[name], cast("Explained", other)))
    return found


def _left_out(text: ReadText, most: int, ctx: Context) -> list[int]:
    """Words of a text that are left out one at a time."""
    if len(text) <= FEWEST:
        return []
    order = ctx.rng("neighbors", "attribution", text.example.id).permutation(len(text))
    return [int(i) for i in order[:most]]


def _of_method(
    one: Explained | Failure, others: Sequence[Neighbor], name: str
) -> tuple[float, ...] | Failure:
    """Measures of one method on one text."""
    if isinstance(one, Failure):
        return one
    scores = one.scores[name]
    if isinstance(scores, Failure):
        return scores
    pairs = []
    for left_out, other in others:
        there = other.scores[name]
        if isinstance(there, Failure):
            return there
        pairs.append((np.delete(scores, left_out), there))
    return _largest(pairs)


def _of_random(
    one: Explained | Failure, others: Sequence[Neighbor], ctx: Context
) -> tuple[float, ...] | Failure:
    """Measures of random attributions, a new one of each neighbor."""
    if isinstance(one, Failure):
        return one
    scores = random_scores(one.text, ctx, 0)
    return _largest(
        [
            (np.delete(scores, left_out), random_scores(other.text, ctx, draw))
            for draw, (left_out, other) in enumerate(others, 1)
        ]
    )


def _largest(pairs: Sequence[tuple[Floats, Floats]]) -> tuple[float, ...] | Failure:
    """Largest distance, and smallest likeness, of some pairs of scores."""
    if not pairs:
        return Failure(_FLIPPED.reason, _FLIPPED.message, "skipped")
    found = []
    for scores, there in pairs:
        length = float(np.linalg.norm(scores) + np.linalg.norm(there))
        alike = likeness(scores, there)
        if not length:
            return Failure("only_ties", "the scores of one name no words", "undefined")
        if isinstance(alike, Failure):
            return alike
        found.append((float(np.linalg.norm(scores - there)) / length, *alike))
    distances, *rest = zip(*found, strict=True)
    return max(distances), *map(min, rest)
