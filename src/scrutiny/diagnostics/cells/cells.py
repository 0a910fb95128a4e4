"""Cells of a recurrent model that follow a feature of the text, beside two kinds of chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import at_least, known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs, Selector
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.facts import LABELS, RUNNING_TEXT
from scrutiny.core.queries.states import CellStates
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance
from scrutiny.diagnostics.cells.cell_texts import TEXTS, CellText, kept_texts
from scrutiny.diagnostics.cells.gate_counts import GATES, GateCounts
from scrutiny.diagnostics.cells.text_features import FEATURES
from scrutiny.reliability.row_statistics import Additive, Array, divide
from scrutiny.stats.association.moved_features import correlations, followed_feature
from scrutiny.store.stored_forms import packed

#: Array of a task with the cells that were chosen.
CHOSEN: Final = "chosen_cells"
#: Condition of the networks with shuffled weights.
SHUFFLED: Final = {"weights": "shuffled"}
_FEWEST_WORDS: Final = 20
_FEWEST: Final = 4  # texts: two to choose the cell on, two to measure it on
_SUMS: Final = ("count", "sum_x", "sum_y", "sum_xx", "sum_yy", "sum_xy")


@dataclass(frozen=True, slots=True)
class CellsParams:
    """Features that cells may follow.

    Parameters
    ----------
    features
        Of ``quotes``, ``brackets`` (how many are open), ``position`` in the line, ``negation``
        (behind one in the same clause).
    networks
        Networks with shuffled weights, of which the best one is the control: the chance that a
        network without reason is above all of them is one in ``networks + 1``.
    """

    features: tuple[str, ...] = tuple(FEATURES)
    networks: int = 19

    def __post_init__(self) -> None:
        known("feature", self.features, list(FEATURES))
        at_least(self, networks=19)


def _r(sums: Array) -> Array:
    """Size of the correlation of sums of a row's positions."""
    n, x, y, xx, yy, xy = np.moveaxis(sums[..., :6], -1, 0)
    below = np.maximum(n * xx - x * x, 0.0) * np.maximum(n * yy - y * y, 0.0)
    return np.abs(divide(n * xy - x * y, np.sqrt(below)))


#: Size of the correlation of the best cell with a feature, on other texts than it was chosen on.
CELL_R: Final = Additive(
    "cell_r@1",
    "correlation of the best cell with the feature",
    _SUMS,
    lambda measures: measures,
    _r,
    scale="share",
    chance=Chance("the best cell by chance"),
)


class BestCell(NamedTuple):
    """Cell chosen for a feature on one half of the texts, and its sums of each text of the other.

    ``sums`` has them by the place of the text, ``sign`` is that of the correlation.
    """

    cell: int
    sign: float
    sums: Mapping[int, tuple[float, ...]]

    @property
    def r(self) -> float:
        """Size of its correlation; 0 for a cell that does not change."""
        return float(np.nan_to_num(_r(np.sum([*self.sums.values()], axis=0))))


class Cells(Diagnostic[CellsParams]):
    """Whether some cell of a recurrent model follows quotes, brackets, place or negation.

    On half of the texts the cell whose state correlates most with the feature is chosen among all
    cells of all layers; on the other half its correlation is measured. Two controls do the same:
    role ``control`` in the condition of the feature with the feature moved along the texts by a
    random number of places, and with ``weights=shuffled`` the best of some networks whose weights
    are shuffled. A claim asks both. Gates below .1 are shut, beyond .9 open; their shares are on
    the page.

    **Measures**: whether a single cell can be read as a detector of the feature: more than the best
    of as many cells is by chance, and than the best cell of a network that has learned nothing and
    sees the same text.

    **Misleads when**: a feature is spread over many cells, of which none shows it; training made
    all weights larger, so that shuffled ones forget less than those of a network before training.

    **References**: Karpathy, Johnson & Fei-Fei (2016), Visualizing and understanding recurrent
    networks (cells found by eye); Westfall & Young (1993), Resampling-based multiple testing;
    Adebayo et al. (2018), Sanity checks for saliency maps (weights at random).
    """

    id = "cells@1"
    needs = frozenset({"cells", "shuffled_weights"})
    wants = (RUNNING_TEXT, LABELS)
    why_only = "cells are read along running text"
    measures = tuple(Measure(name) for name in _SUMS)
    scope = "dataset"
    reads_gold = False

    def design(self, params: CellsParams, inputs: Inputs) -> Design:
        """The best cell of each feature beside both controls, and a claim."""
        specs, claims = [], []
        for name in params.features:
            own, beside = {"feature": name}, {"feature": name, **SHUFFLED}
            specs += [
                EstimateSpec(name, "cell_r@1", own),
                EstimateSpec(f"moved/{name}", "cell_r@1", own, role="control"),
                EstimateSpec(f"shuffled/{name}", "cell_r@1", beside, role="control"),
                EstimateSpec(f"beyond/{name}", "beyond(cell_r)@1", own),
                EstimateSpec(
                    f"beyond shuffled/{name}",
                    "beyond(cell_r)@1",
                    beside,
                    sides={"": Selector("measured", own)},
                ),
            ]
            claims.append(
                Claim(
                    id=name,
                    says=f"a cell follows {name}",
                    components=(
                        Component(f"beyond/{name}", 0.0, "control: the feature moved"),
                        Component(f"beyond shuffled/{name}", 0.0, "control: weights shuffled"),
                        *inputs.beyond_untrained(name, 0.0),
                    ),
                    family="cells",
                    checks=("items", "seeds", "datasets"),
                )
            )
        return Design(
            conditions=tuple(
                {"feature": name, **more} for name in params.features for more in ({}, SHUFFLED)
            ),
            estimates=tuple(specs),
            claims=tuple(claims),
            contrasts=tuple(ContrastSpec.untrained(params.features)),
            queries_per_item=1 + params.networks,
            notes=(
                "The cell was chosen on half of the texts and measured on the other half, and so "
                "was that of the feature moved along the texts, and that of the best of "
                f"{params.networks} networks with shuffled weights.",
            ),
            families={"cells": "features of the text have a cell that follows them"},
        )

    def measure(self, params: CellsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Sums of each measured text for the chosen cell; texts it was chosen on are skipped."""
        model = cast("Any", ctx.model)  # with cells, and weights that can be shuffled
        order = ctx.rng("halves", self.id, "").permutation(len(batch.examples)).tolist()
        halves = sorted(order[: len(order) // 2]), sorted(order[len(order) // 2 :])
        texts = [" ".join(example.fields.values()) for example in batch.examples]
        states, gates = [], GateCounts()
        for text in texts:
            found = model.cells(text)
            gates.add(found)
            states.append(_joined(found))
        ctx.array(GATES, packed([{**_whose(cell), **one} for one in gates.rows()]))
        places = [model.cell_pieces(text) for text in texts]
        values = {
            name: [FEATURES[name](*one) for one in zip(texts, places, strict=True)]
            for name in params.features
        }
        best = {name: best_cell(states, own, halves) for name, own in values.items()}
        beside: dict[str, list[BestCell]] = {n: [] for n, one in best.items() if one is not None}
        for draw in range(params.networks if beside else 0):
            seed = int(ctx.rng("shuffled weights", self.id, "", draw).integers(2**31))
            with model.with_shuffled_weights(1.0, seed) as network:
                other = [_joined(network.cells(text)) for text in texts]
            for name, networks in beside.items():
                networks += filter(None, [best_cell(other, values[name], halves)])
        chosen: list[dict[str, Any]] = []
        shown: list[dict[str, Any]] = []
        columns: dict[RowKind, list[tuple[float, ...] | Failure]] = {}
        for name, own in best.items():
            moved = _moved(values[name], ctx.rng("moved", self.id, name))
            by_kind = {
                RowKind.of({"feature": name}): own,
                RowKind.of({"feature": name}, "control"): own and best_cell(states, moved, halves),
                RowKind.of({"feature": name, **SHUFFLED}, "control"): max(
                    beside.get(name, ()), key=lambda one: one.r, default=None
                ),
            }
            columns |= {kind: _column(one, len(texts)) for kind, one in by_kind.items()}
            if own is not None:
                p = _p_value(states, values[name], halves[0], ctx.rng("moves", self.id, name))
                above = sum(one.r >= own.r for one in beside[name])
                chosen.append(
                    {
                        **_whose(cell),
                        "feature": name,
                        "cell": gates.name(own.cell),
                        "p": p,
                        "p_shuffled": (1 + above) / (1 + params.networks),
                    }
                )
                read = [
                    CellText(batch.examples[i].id, texts[i], places[i], states[i], values[name][i])
                    for i in own.sums
                ]
                shown += [chosen[-1] | one for one in kept_texts(read, own.cell, own.sign)]
        ctx.array(CHOSEN, packed(chosen))
        ctx.array(TEXTS, packed(shown))
        for i, example in enumerate(batch.examples):
            for kind, rows in columns.items():
                yield kind.row(example.id, rows[i])


def _joined(found: Mapping[str, CellStates]) -> Floats:
    """States ``(position, cell)`` of the cells of all layers in a row."""
    return np.concatenate([one.states for one in found.values()], axis=1)


def _whose(cell: Cell) -> dict[str, Any]:
    """Model and dataset that an array is of."""
    return {"subject": cell.subject, "replicate": cell.replicate, "dataset": cell.dataset}


def _moved(values: Sequence[Floats], rng: Rng) -> list[Floats]:
    """Feature of all texts in a row, moved by at least a tenth of its length."""
    joined = np.concatenate(values)
    least = max(1, len(joined) // 10)
    by = int(rng.integers(least, max(least + 1, len(joined) - least)))
    return np.split(np.roll(joined, by), np.cumsum([len(one) for one in values])[:-1])


def _p_value(
    states: Sequence[Floats], values: Sequence[Floats], chosen_on: Sequence[int], rng: Rng
) -> float | None:
    """Of the best cell on the texts that it was chosen on, beside moves; None for few words."""
    own, feature = (np.concatenate([of[i] for i in chosen_on]) for of in (states, values))
    if len(feature) < _FEWEST_WORDS:
        return None
    return followed_feature(own, feature, rng=rng, moves=99).p_value


def best_cell(
    states: Sequence[Floats], values: Sequence[Floats], halves: tuple[Sequence[int], Sequence[int]]
) -> BestCell | None:
    """The cell that follows a feature best on the first half; None where one has no feature."""
    if len(values) < _FEWEST:
        return None
    joined = [np.concatenate([values[i] for i in half]) for half in halves]
    if any(len(np.unique(one)) < 2 for one in joined):
        return None
    own = np.concatenate([states[i] for i in halves[0]])
    found = correlations(own, joined[0])
    best = int(np.abs(found).argmax())
    sums = {}
    for i in halves[1]:
        x, y = states[i][:, best], values[i]
        sums[i] = tuple(map(float, (len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y)))
    return BestCell(best, float(np.sign(found[best])) or 1.0, sums)


def _column(found: BestCell | None, count: int) -> list[tuple[float, ...] | Failure]:
    """Sums of each text, or why there are none."""
    if found is None:
        return [Failure("no_feature", status="undefined")] * count
    return [found.sums.get(i, Failure("for_choice", status="skipped")) for i in range(count)]
