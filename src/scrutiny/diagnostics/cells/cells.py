"""Cells of a recurrent model that follow a feature of the text, beside the feature moved."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.parameters import known
from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import ContrastSpec, Design, EstimateSpec, Inputs
from scrutiny.core.diagnostic import Batch, Cell, Context, Diagnostic, Failure, RowKind
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.facts import LABELS, RUNNING_TEXT
from scrutiny.core.queries.states import CellStates, HasCells
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure, Row
from scrutiny.core.statistic import Chance
from scrutiny.diagnostics.cells.text_features import FEATURES
from scrutiny.reliability.row_statistics import Additive, Array, divide
from scrutiny.stats.association.moved_features import correlations, followed_feature
from scrutiny.store.stored_forms import packed

#: Arrays of a task: how often gates are shut and open, and which cell was chosen.
GATES, CHOSEN = "gates", "chosen_cells"
#: Beyond these a gate is shut or open (Karpathy et al.).
SHUT, OPEN = 0.1, 0.9
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
    """

    features: tuple[str, ...] = tuple(FEATURES)

    def __post_init__(self) -> None:
        known("feature", self.features, list(FEATURES))


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
    chance=Chance("the feature moved along the text"),
)


@dataclass(frozen=True, slots=True, eq=False)
class _ReadText:
    """A text with the states of all cells ``(position, cell)`` and its features ``(position,)``."""

    example: Example
    states: Floats
    features: dict[str, Floats]


class Cells(Diagnostic[CellsParams]):
    """Whether some cell of a recurrent model follows quotes, brackets, place or negation.

    On half of the texts the cell whose state correlates most with the feature is chosen among all
    cells of all layers; on the other half its correlation is measured. The control does the same
    with the feature moved along the texts by a random number of places, so that it has as many
    cells to choose from. Gates below .1 are shut, beyond .9 open; their shares are on the page.

    **Measures**: whether a single cell can be read as a detector of the feature, more than the best
    of as many cells is by chance.

    **Misleads when**: the feature is told by the piece that is being read (an opening quote), which
    cells of an untrained network see, too: measure one beside it (``#untrained=1`` with the role
    ``null``); a feature is spread over many cells, of which none shows it.

    **References**: Karpathy, Johnson & Fei-Fei (2016), Visualizing and understanding recurrent
    networks (cells found by eye); Westfall & Young (1993), Resampling-based multiple testing.
    """

    id = "cells@1"
    needs = frozenset({"cells"})
    wants = (RUNNING_TEXT, LABELS)
    why_only = "cells are read along running text"
    measures = tuple(Measure(name) for name in _SUMS)
    scope = "dataset"
    reads_gold = False

    def design(self, params: CellsParams, inputs: Inputs) -> Design:
        """The best cell of each feature beside that of the moved feature, and a claim."""
        specs, claims = [], []
        for name in params.features:
            condition = {"feature": name}
            specs += [
                EstimateSpec(name, "cell_r@1", condition),
                EstimateSpec(f"moved/{name}", "cell_r@1", condition, role="control"),
                EstimateSpec(f"beyond/{name}", "beyond(cell_r)@1", condition),
            ]
            claims.append(
                Claim(
                    id=name,
                    says=f"a cell follows {name}",
                    components=(
                        Component(f"beyond/{name}", 0.0, "control: the feature moved"),
                        *inputs.beyond_untrained(name, 0.0),
                    ),
                    family="cells",
                    checks=("items", "seeds", "datasets"),
                )
            )
        return Design(
            conditions=tuple({"feature": name} for name in params.features),
            estimates=tuple(specs),
            claims=tuple(claims),
            contrasts=tuple(ContrastSpec.untrained(params.features)),
            notes=(
                "The cell was chosen on half of the texts and measured on the other half, and so "
                "was that of the feature moved along the texts.",
            ),
            families={"cells": "single cells follow features of the text"},
        )

    def measure(self, params: CellsParams, cell: Cell, batch: Batch, ctx: Context) -> Iterable[Row]:
        """Sums of each measured text for the chosen cell; texts it was chosen on are skipped."""
        model = ctx.model
        if not isinstance(model, HasCells):
            raise PlanError("cells@1 needs a model with recurrent cells, such as recurrent:FOLDER.")
        order = ctx.rng("halves", self.id, "").permutation(len(batch.examples))
        for_choice = set(order[: len(order) // 2].tolist())
        read, gates = [], _Gates()
        for example in batch.examples:
            text = " ".join(example.fields.values())
            found = model.cells(text)
            gates.add(found)
            states = np.concatenate([one.states for one in found.values()], axis=1)
            places = model.cell_pieces(text)
            read.append(
                _ReadText(example, states, {n: FEATURES[n](text, places) for n in FEATURES})
            )
        ctx.array(GATES, packed([{**_whose(cell), **one} for one in gates.rows()]))
        chosen, columns = [], {}
        for name in params.features:
            condition = {"feature": name}
            for role in ("measured", "control"):
                values = [one.features[name] for one in read]
                if role == "control":
                    values = _moved(values, ctx.rng("moved", self.id, name))
                best, rows = _sums(read, values, for_choice)
                columns[RowKind.of(condition, role)] = rows
                if role == "measured" and best is not None:
                    where = {"feature": name, "cell": gates.name(best)}
                    p = _p_value(read, values, for_choice, ctx.rng("moves", self.id, name))
                    chosen.append({**_whose(cell), **where, "p": p})
        ctx.array(CHOSEN, packed(chosen))
        for i, one in enumerate(read):
            for kind, rows in columns.items():
                yield kind.row(one.example.id, rows[i])


def _whose(cell: Cell) -> dict[str, Any]:
    """Model and dataset that an array is of."""
    return {"subject": cell.subject, "replicate": cell.replicate, "dataset": cell.dataset}


def _moved(values: Sequence[Floats], rng: Rng) -> list[Floats]:
    """Feature of all texts in a row, moved by at least a tenth of its length."""
    joined = np.concatenate(values) if values else np.zeros(0)
    least = max(1, len(joined) // 10)
    by = int(rng.integers(least, max(least + 1, len(joined) - least)))
    return np.split(np.roll(joined, by), np.cumsum([len(one) for one in values])[:-1])


def _p_value(
    read: Sequence[_ReadText], values: Sequence[Floats], chosen_on: set[int], rng: Rng
) -> float | None:
    """Of the best cell on the texts that it was chosen on, beside moves; None for few words."""
    own = sorted(chosen_on)
    states = np.concatenate([read[i].states for i in own])
    if len(states) < _FEWEST_WORDS:
        return None
    feature = np.concatenate([values[i] for i in own])
    return followed_feature(states, feature, rng=rng, moves=99).p_value


def _sums(
    read: Sequence[_ReadText], values: Sequence[Floats], for_choice: set[int]
) -> tuple[int | None, list[tuple[float, ...] | Failure]]:
    """Chosen cell, and the sums of each text that it is measured on."""
    halves = [[i for i in range(len(read)) if (i in for_choice) is own] for own in (True, False)]
    joined = [np.concatenate([values[i] for i in half]) if half else np.zeros(0) for half in halves]
    if len(read) < _FEWEST or any(len(np.unique(one)) < 2 for one in joined):
        return None, [Failure("no_feature", status="undefined")] * len(read)
    states = np.concatenate([read[i].states for i in halves[0]])
    best = int(np.abs(correlations(states, joined[0])).argmax())
    found: list[tuple[float, ...] | Failure] = []
    for i, (one, y) in enumerate(zip(read, values, strict=True)):
        if i in for_choice:
            found.append(Failure("for_choice", status="skipped"))
            continue
        x = one.states[:, best]
        sums = (len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y)
        found.append(tuple(map(float, sums)))
    return best, found


class _Gates:
    """How often each gate of each cell is shut and open over texts."""

    def __init__(self) -> None:
        self._count = 0
        self._shut: dict[tuple[str, str], Floats] = {}
        self._open: dict[tuple[str, str], Floats] = {}
        self._names: list[str] = []

    def add(self, found: dict[str, CellStates]) -> None:
        """Count a text."""
        if not self._names:
            self._names = [
                f"{layer}, cell {i + 1}"
                for layer, one in found.items()
                for i in range(one.states.shape[1])
            ]
        self._count += len(next(iter(found.values())).states)
        for layer, one in found.items():
            for gate, values in one.gates.items():
                key = layer, gate
                self._shut[key] = self._shut.get(key, 0) + (values < SHUT).sum(axis=0)
                self._open[key] = self._open.get(key, 0) + (values > OPEN).sum(axis=0)

    def name(self, cell: int) -> str:
        """Name of a cell of all layers in a row."""
        return self._names[cell]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Shares of each gate of each cell."""
        for (layer, gate), shut in self._shut.items():
            opened = self._open[layer, gate]
            for i, (low, high) in enumerate(zip(shut.tolist(), opened.tolist(), strict=True)):
                count = max(1, self._count)
                yield {
                    "layer": layer,
                    "gate": gate,
                    "cell": i + 1,
                    "shut": low / count,
                    "between": 1 - (low + high) / count,
                    "open": high / count,
                }
