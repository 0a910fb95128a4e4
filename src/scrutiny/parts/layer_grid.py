"""Similarity of every layer of one model with every layer of another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from scrutiny.core.boundary.canonical import value_digest
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.matrices import matrix_map
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import Part, ReportPart, part_of
from scrutiny.parts.run.estimates import main_estimates
from scrutiny.parts.run.identity import identity
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import estimate_words
from scrutiny.parts.wording.numbers import interval

#: Conditions that name a layer of the model, and of the one that it stands beside.
OWN, OTHER = "layer", "reference_layer"
_FEWEST: Final = 2  # layers of each
_LEAD: Final = (
    "Rows are layers of the reference, columns those of the other model; 0 are the embeddings. "
    "High values along the diagonal mean that layers at the same depth correspond; a block means "
    "that several layers hardly differ. Colors range from the smallest to the largest number "
    "shown."
)
Grid = Mapping[tuple[int, int], Estimate]


def part(view: RunView) -> Part | None:
    """A map for each pair of models and each number that a run has for all their layers."""
    placed = [e for e in main_estimates(view) if _place(e.key) is not None]
    without = (f"condition.{OWN}", f"condition.{OTHER}")
    charts = [
        chart
        for members in grouped((identity(e.key, without=without), e) for e in placed).values()
        if (chart := _chart({p: e for e in members if (p := _place(e.key)) is not None}))
    ]
    return part_of("reliability-layer-grid", "Similarity of layers", _LEAD, charts, "maps")


def _place(key: EstimateKey) -> tuple[int, int] | None:
    """Layers of the reference and of the model; `None` for other estimates."""
    own, other = key.condition.get(OWN), key.condition.get(OTHER)
    if key.reference and isinstance(own, int) and isinstance(other, int):
        return other, own
    return None


def _chart(grid: Grid) -> Chart | None:
    """Map of a complete grid; `None` for some pairs of layers only."""
    rows, columns = (sorted({place[side] for place in grid}) for side in (0, 1))
    if min(len(rows), len(columns)) < _FEWEST or len(grid) < len(rows) * len(columns):
        return None
    key = next(iter(grid.values())).key
    more = {n: v for n, v in key.condition.items() if n not in (OWN, OTHER)}
    where = ", ".join([key.dataset, *(f"{n} {v}" for n, v in more.items())])
    values = {(str(a), str(b)): e.value for (a, b), e in grid.items() if e.value is not None}
    names = [str(n) for n in rows], [str(n) for n in columns]
    titles = f"layer of {key.reference}", f"layer of {key.subject}"
    table = tuple((str(a), *(interval(grid[a, b]) for b in columns)) for a in rows)
    bare = replace(key, condition=more)
    return Chart(
        anchor=f"reliability-layer-grid-{value_digest(identity(bare), size=4)}",
        title=(f"{key.diagnostic_name}: {estimate_words(key)}, {key.subject} and {key.reference}"),
        caption=f"On {where}.",
        spec=matrix_map([("", values)], rows=names[0], columns=names[1], titles=titles),
        table=ChartTable((titles[0], *names[1]), table, 1),
    )


PART: Final = ReportPart(__doc__, part)
