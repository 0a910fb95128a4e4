"""Cells that follow a feature, and how often the gates of all cells are shut and open."""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any, Final

from scrutiny.blocks.charts import Chart, ChartTable, axis, marks, view_of
from scrutiny.blocks.numbers import NO_VALUE, interval, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, InShort, Part, ReportPart, SentenceBlock, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.diagnostics.cells.cell_texts import cell_texts, text_lines
from scrutiny.diagnostics.cells.cells import CELL_R, CHOSEN
from scrutiny.diagnostics.cells.gate_counts import GATES
from scrutiny.store.stored_forms import packed_in

_LEAD: Final = (
    "A cell is a detector of a feature only if its correlation is beyond that of the best cell "
    "with the feature moved along the text, and beyond that of the best cell of networks with "
    "shuffled weights, which see the same text."
)


def part(view: RunView) -> Part | None:
    """Best cells of each feature, and a scatter of the gates of each model."""
    return part_of(
        "cells",
        "Recurrent cells",
        _LEAD,
        [*_followed(view), *cell_texts(view), *_gates(view)],
        "models and datasets",
        chapter=FINDINGS,
    )


_NOTHING: Final = "nothing to measure in these texts"
_MARKS: Final = (
    "In the texts [[most]] and [some] are the pieces where the cell is near the end that it takes "
    "where the feature is high."
)


def _rows(view: RunView) -> dict[tuple[str, str], list[tuple[str, ...]]]:
    """Feature, correlation, that of both controls and chosen cells, by model and dataset."""
    folder = view.records.folder
    kept = () if folder is None else packed_in(folder.path, CHOSEN)
    cells = grouped(((r["subject"], r["dataset"], r["feature"]), _cell(r)) for r in kept)
    found = grouped(
        ((e.key.subject, e.key.dataset), e) for e in view.estimates if e.key.metric == CELL_R.id
    )
    return {
        where: [
            (
                feature,
                *(
                    interval(next((e for e in own if _kind(e) == kind), None))
                    for kind in (("measured", False), ("control", False), ("control", True))
                ),
                "; ".join(dict.fromkeys(cells.get((*where, feature), ()))),
            )
            for feature, own in grouped(
                (str(e.key.condition["feature"]), e) for e in estimates
            ).items()
        ]
        for where, estimates in found.items()
    }


def _kind(estimate: Estimate) -> tuple[str, bool]:
    """Role of a number, and whether it is of shuffled weights."""
    return estimate.key.role, "weights" in estimate.key.condition


def _cell(row: Mapping[str, Any]) -> str:
    """Chosen cell, with its p-values beside moves of the feature and shuffled weights."""
    p = NO_VALUE if row["p"] is None else number(row["p"], 2)
    return f"{row['cell']} (p {p}; {number(row['p_shuffled'], 2)})"


def _followed(view: RunView) -> Iterator[Chart]:
    """Table of features of each model and dataset."""
    for where, rows in _rows(view).items():
        yield Chart(
            anchor=f"cells-{digest(*where, size=4)}",
            title=f"{view.on_data(*where)}: cells that follow a feature",
            caption="Size of the correlation on texts that the cell was not chosen on. The first p "
            "is of the texts that it was chosen on, beside the best cell under moves of the "
            "feature; the second is the rank of the network among those with shuffled weights.",
            table=ChartTable(
                ("feature", "chosen cells", "best cell", "feature moved", "weights shuffled"),
                tuple((row[0], row[4] or _NOTHING, *row[1:4]) for row in rows),
                2,
            ),
            is_open=True,
        )


def _gates(view: RunView) -> Iterator[Chart]:
    """Scatter of gates: how often shut and open, a point a cell."""
    folder = view.records.folder
    if folder is None:
        return
    for where, rows in grouped(
        ((r["subject"], r["dataset"]), r) for r in packed_in(folder.path, GATES)
    ).items():
        first = [r for r in rows if r["replicate"] == rows[0]["replicate"]]
        x, y = axis("shut", "share of positions shut"), axis("open", "share of positions open")
        encoding = {"x": x, "y": y, "shape": {"field": "gate", "type": "nominal"}}
        table = [
            (f"{layer}, {gate}", *(number(fmean(r[n] for r in own)) for n in _COLUMNS))
            for (layer, gate), own in grouped(((r["layer"], r["gate"]), r) for r in first).items()
        ]
        yield Chart(
            anchor=f"gates-{digest(*where, size=4)}",
            title=f"{view.on_data(*where)}: gates of each cell",
            caption="A gate is shut below .1 and open beyond .9. Forget gates at the top left keep "
            "what they hold; a point near the origin is a gate that does neither.",
            table=ChartTable(("gates", "shut", "between", "open"), tuple(table)),
            spec=view_of(first, height=240, layer=[marks("point", encoding)]),
            is_open=True,
        )


_COLUMNS: Final = ("shut", "between", "open")


def lines(view: RunView) -> Iterator[InShort]:
    """Chosen cells in sentences for a terminal."""
    for where, rows in _rows(view).items():
        yield SentenceBlock("")
        for feature, own, moved, shuffled, cell in rows:
            if own == NO_VALUE:
                yield SentenceBlock(f"{view.on_data(*where)}, {feature}: {_NOTHING}.")
                continue
            yield SentenceBlock(
                f"{view.on_data(*where)}, {feature}: {own}, with the feature moved {moved}, with "
                f"weights shuffled {shuffled}{f': {cell}' if cell else ''}."
            )
    texts = [*text_lines(view)]
    yield from texts
    if texts:
        yield SentenceBlock(_MARKS, "dim")


PART: Final = ReportPart(__doc__, part, lines)
