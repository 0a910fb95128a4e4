"""Texts colored by the state of a cell: dark where it is as it is when the feature is high."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import NO_VALUE, number
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.scored_texts import ScoredText, shaded
from scrutiny.core.arrays import Floats
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.record import grouped
from scrutiny.diagnostics.cells.text_features import Places
from scrutiny.stats.association.moved_features import correlations
from scrutiny.store.stored_forms import packed_in

#: Array of a task with texts and the states of chosen cells in them.
TEXTS: Final = "cell_texts"
_MOST_KEPT: Final = 3
_MOST_PIECES: Final = 300
_MOST_SEEDS: Final = 3
_DIGITS: Final = 4
_LEGEND: Final = ("of the way from the cell's one end to its other", "")


@dataclass(frozen=True, slots=True)
class CellText:
    """A text with its pieces, the states ``(position, cell)`` and a feature of each piece."""

    item: str
    text: str
    places: Places
    states: Floats
    values: Floats


def kept_texts(read: Sequence[CellText], cell: int, sign: float) -> Iterator[dict[str, Any]]:
    """Beginnings of the first texts in which a feature changes, with the levels of a cell.

    Parameters
    ----------
    read
        Texts that the cell was not chosen on.
    cell
        Which one, among those of all layers.
    sign
        Of its correlation with the feature, on the texts that it was chosen on.

    Yields
    ------
        Pieces, whether a gap stands before each, the feature, and levels: 0 where the cell is
        furthest from, 1 where it is furthest towards the side of a high feature in all texts.
    """
    every = np.concatenate([sign * one.states[:, cell] for one in read])
    low, high = float(every.min()), float(every.max())
    changing = [one for one in read if len(np.unique(one.values[:_MOST_PIECES])) > 1]
    for one in changing[:_MOST_KEPT]:
        places = one.places[:_MOST_PIECES]
        levels = (sign * one.states[: len(places), cell] - low) / max(high - low, 1e-12)
        shown = [i for i, (start, end) in enumerate(places) if one.text[start:end].strip()]
        ends = [0, *(places[i][1] for i in shown)]
        yield {
            "item": one.item,
            "pieces": [one.text[slice(*places[i])] for i in shown],
            "gaps": [places[i][0] > end for i, end in zip(shown, ends, strict=False)],
            "feature_values": [float(one.values[i]) for i in shown],
            "levels": [round(float(levels[i]), _DIGITS) for i in shown],
        }


def _found(view: RunView) -> set[tuple[str, str, str]]:
    """Model, dataset and feature of each claim that is supported."""
    return {
        (f.estimate.key.subject, f.estimate.key.dataset, str(f.estimate.key.condition["feature"]))
        for f in view.findings
        if f.estimate is not None
        and f.verdict == "supported"
        and f.estimate.key.diagnostic_name == "cells"
        and "feature" in f.estimate.key.condition
    }


def _rows(view: RunView) -> Iterator[tuple[tuple[str, str], list[Mapping[str, Any]]]]:
    """Kept texts of the cells that were found, of the first replicates, by model and dataset."""
    folder, found = view.records.folder, _found(view)
    if folder is None or not view.has_texts:
        return
    for where, rows in grouped(
        ((r["subject"], r["dataset"]), r) for r in packed_in(folder.path, TEXTS)
    ).items():
        own = [r for r in rows if (*where, r["feature"]) in found]
        seeds = list(dict.fromkeys(r["replicate"] for r in own))[:_MOST_SEEDS]
        if own:
            yield where, [r for r in own if r["replicate"] in seeds]


def _scored(row: Mapping[str, Any], who: str) -> ScoredText:
    """One text, shaded by the levels of a cell."""
    return shaded(
        f"{who}{row['cell']}",
        row["pieces"],
        row["levels"],
        row["gaps"],
        of=f"{row['feature']}: {row['item']}",
        most=1.0,
    ).merged()


def _in_numbers(row: Mapping[str, Any], who: str) -> tuple[str, ...]:
    """The text in a table: its correlation, and mean levels where the feature is high and low."""
    values, levels = np.array(row["feature_values"]), np.array(row["levels"])
    is_high = values > (values.min() + values.max()) / 2
    r = float(correlations(levels[:, None], values)[0]) if np.ptp(values) > 0 else float("nan")
    ends = [
        number(float(levels[at].mean())) if at.any() else NO_VALUE for at in (is_high, ~is_high)
    ]
    return (f"{row['feature']}: {row['item']}", f"{who}{row['cell']}", number(r), *ends)


def cell_texts(view: RunView) -> Iterator[Chart]:
    """Texts of each model and dataset, colored by the cells that follow a feature."""
    for where, rows in _rows(view):
        who = _names(view, where[0], rows)
        yield Chart(
            anchor=f"cell-texts-{digest(*where, size=4)}",
            title=f"{view.on_data(*where)}: texts as the cells read them",
            caption="Texts that the cell was not chosen on, of cells that a claim above is "
            "supported of. The stronger the color, the nearer to the end that the cell takes where "
            "the feature is high.",
            table=ChartTable(
                ("text", "cell", "r in it", "level, feature high", "level, feature low"),
                tuple(_in_numbers(r, who[r["replicate"]]) for r in rows),
                2,
            ),
            is_open=True,
            scored=tuple(_scored(r, who[r["replicate"]]) for r in rows),
            legend=_LEGEND,
            has_texts=True,
        )


def text_lines(view: RunView) -> Iterator[ScoredText]:
    """The first text of each cell that was found, for a terminal."""
    for where, rows in _rows(view):
        who = _names(view, where[0], rows)
        for own in grouped(((r["replicate"], r["feature"]), r) for r in rows).values():
            yield _scored(own[0], f"{own[0]['feature']}, {who[own[0]['replicate']]}")


def _names(view: RunView, subject: str, rows: Sequence[Mapping[str, Any]]) -> dict[Any, str]:
    """Prefix of a cell's name: the seed of its replicate, where there are several."""
    replicates = view.manifest.get("models", {}).get(subject, {}).get("replicates", ())
    names = {}
    for number_ in dict.fromkeys(r["replicate"] for r in rows):
        drawn = replicates[int(number_)].get("random", {}) if len(replicates) > 1 else {}
        names[number_] = "".join(f"{k} {v}, " for k, v in drawn.items())
    return names
