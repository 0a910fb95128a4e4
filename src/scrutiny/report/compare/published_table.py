"""A review of published results as lines of a terminal, as Markdown and as JSON objects."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from rich.text import Text

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import NO_VALUE
from scrutiny.blocks.section import Part
from scrutiny.blocks.terminal_and_markdown import escape, part_lines, table, wrapped
from scrutiny.core.boundary.printable import hundred, with_dots
from scrutiny.run.importing.published_review import (
    BETTER,
    NEVER,
    PAIRED,
    WORSE,
    Review,
    ReviewedGroup,
)
from scrutiny.stats.intervals.interval import Interval

_MOST_ROWS: Final = 12
_MOST_COLUMNS: Final = 6
_SHOWN: Final = 0.05


def review_lines(found: Review, *, most: int = _MOST_ROWS) -> Iterator[Text]:
    """Lines of a review in a terminal: the decision, then tables of at most ``most`` rows."""
    first, *others = _sentences(found)
    yield from wrapped(first, style="bold")
    for sentence in others:
        yield from wrapped(sentence, hanging=2)
    states = _states(found)
    if states:
        yield from part_lines(Part("states", "Single differences", "", (), facts=states))
    for title, lead, own in _tables(found):
        if len(own.header) > _MOST_COLUMNS:  # a matrix
            yield Text()
            yield from wrapped(f"{title}: --output FILE.md has it.", style="bold")
            continue
        cut = ChartTable(own.header, own.rows[:most], own.numeric)
        left = len(own.rows) - len(cut.rows)
        chart = Chart("table", title, "", cut)
        yield from part_lines(Part("table", title, lead, (chart,)))
        if left > 0:
            yield Text(f"  … and {left} more: --output FILE.md has all")


def review_markdown(found: Review) -> str:
    """The same as Markdown, whole."""
    blocks = [*map(escape, _sentences(found))]
    blocks += ["\n".join(f"- **{name}**: {escape(said)}" for name, said in _states(found))]
    for title, lead, own in _tables(found):
        right = tuple(range(own.numeric, len(own.header)))
        blocks.append(f"## {escape(title)}")
        blocks += [escape(lead)] if lead else []
        cells = [[escape(cell) for cell in row] for row in own.rows]
        blocks.append(table([escape(name) or " " for name in own.header], cells, right=right))
    return "\n\n".join(filter(None, blocks)) + "\n"


def review_objects(found: Review) -> Iterator[dict[str, Any]]:
    """One object for the table, then one for each group, change and difference."""
    single = found.differences
    own = {"place": found.table.place, "rows": len(found.table), "tolerance": found.tolerance}
    if single is not None:
        own |= {state: single.count(state) for state in (WORSE, BETTER, PAIRED, NEVER)}
    yield {"part": "table", **own}
    for columns, groups in found.groups.items():
        for group in groups:
            yield {
                "part": "group",
                "cells": dict(zip(columns, group.names, strict=True)),
                "n": group.n_rows,
                "loss": _limits(group.loss),
                "share": _limits(group.share),
                "majority": group.majority,
            }
    for one in found.dependences:
        yield {"part": "dependence", "of": one.name, "least": one.least, "most": one.most} | {
            "p": one.p_value,
            "units": one.n_units,
        }
    if single is not None:
        for place, row in enumerate(single.rows):
            names = {name: str(cells[row]) for name, cells in found.table.cells.items()}
            yield {
                "part": "difference",
                "cells": names,
                "difference": float(single.difference[place]),
                "low": float(single.low[place]),
                "high": float(single.high[place]),
                "p": float(single.p_value[place]),
                "flips": _number(single.flips[place]),
                "state": str(single.states[place]),
            }


def _sentences(found: Review) -> Iterator[str]:
    """The decision, what was read, what could be tested, and what of it is shown."""
    yield _headline(found)
    own = found.table
    yield own.read_as
    if own.left_out[0]:
        many = f"row{'s' * (own.left_out[0] > 1)}"
        yield f"Left out: {own.left_out[0]:,} {many} that cannot be read; {own.left_out[1]}."
    single = found.differences
    n_others = len(own) - (0 if single is None else single.rows.size)
    if n_others:
        yield (
            f"Not tested: {n_others:,} of {len(own):,} rows, whose score is no share of a known "
            "number of items (F1, BLEU, no count of items). Their losses count below."
        )
    if single is not None:
        n = single.rows.size
        yield (
            f"Tested: {n:,} single differences, as if of different items, because a table has no "
            f"answers of single items. {single.n_alone:,} are below .05 alone, where "
            f"{0.05 * n:,.0f} would be by chance; the states below allow any false one in 5 of "
            "100 such tables (Holm)."
        )


def _states(found: Review) -> tuple[tuple[str, str], ...]:
    """How many single differences are in each state, and what it means."""
    single = found.differences
    if single is None:
        return ()
    flips = single.flips[single.states == PAIRED]
    half = ""
    if flips.size:
        half = f"; half of them if at most {hundred(float(np.median(flips)))} % do"
    says = {
        WORSE: "the score falls",
        BETTER: "the score rises",
        PAIRED: f"a paired test could tell, if few enough items flip{half}",
        NEVER: "no test of so many items could tell, whichever of them flip",
    }
    n = single.rows.size
    counts = {state: single.count(state) for state in says}
    return tuple((s, f"{k:,} ({hundred(k / n)} %): {says[s]}") for s, k in counts.items())


def _headline(found: Review) -> str:
    """On how many groups a majority loses, or how much all rows lose."""
    beyond = f"lose more than {_plainly(found.tolerance)} %"
    columns = next((one for one in reversed(found.groups) if len(one) == 1), ())
    groups = found.groups[columns]
    if not columns:
        if not groups:
            return "No result has a score above nothing before the change: none can lose a share."
        one = groups[0]
        return f"{_share(one.share, unit=' %')} of {one.n_rows:,} results {beyond} of their score."
    said = [sum(group.majority == word for group in groups) for word in ("yes", "no")]
    names = [group.names[0] for group in groups if group.majority == "yes"]
    return (
        f"Most results {beyond} of their score in {said[0]} of {len(groups)} values of "
        f"{columns[0]}{f' ({with_dots(names, 6)})' if names else ''}; in {said[1]} most do not; "
        f"{len(groups) - sum(said)} can't be told."
    )


def _tables(found: Review) -> Iterator[tuple[str, str, ChartTable]]:
    """Title, how to read it, and table: of groups, of both together, and of dependences."""
    tolerance = _plainly(found.tolerance)
    drawn = " and ".join(found.table.clusters)
    lead = f"Limits are of other values of {drawn}, at 95 % each." if drawn else ""
    for columns, groups in found.groups.items():
        if len(columns) != 1:
            continue
        ranked = sorted(groups, key=lambda one: -one.share.point)
        rows = tuple(
            (one.names[0], f"{one.n_rows:,}", _share(one.loss), _share(one.share, 0), one.majority)
            for one in ranked
        )
        header = (columns[0], "n", "median loss", f"lose > {tolerance} %", "most?")
        yield f"Loss by {columns[0]}, in percent", lead, ChartTable(header, rows)
    both = next((one for one in found.groups if len(one) > 1), None)
    if both is not None:
        title = f"Median relative loss in percent, {both[0]} by {' and '.join(both[1:])}"
        lead = "Sorted by the median of a row and of a column; rows with one value are left out."
        matrix = _matrix(found.groups[both])
        if matrix.rows:
            yield title, lead, matrix
    if found.dependences:
        kind, other = found.table.groups[:2]
        rows = tuple(
            (
                one.name,
                f"{hundred(one.least[1])} ({one.least[0]})",
                f"{hundred(one.most[1])} ({one.most[0]})",
                f"{one.n_units}",
                "yes" if one.p_value <= _SHOWN else "can't tell",
            )
            for one in sorted(found.dependences, key=lambda one: one.least[1] - one.most[1])
        )
        header = (kind, "least", "most", "units", "differs?")
        how = (
            f"Least and most of the medians. Differs: values of {found.table.clusters[-1]} are "
            f"exchanged among values of {other}, by ranks; corrected for all rows."
        )
        yield (
            f"Does the loss of one {kind} depend on {other}? In percent",
            how,
            ChartTable(header, rows),
        )


def _matrix(groups: Sequence[ReviewedGroup]) -> ChartTable:
    """Medians of each pair of values, rows and columns sorted by their medians."""
    values = {(one.names[0], "/".join(one.names[1:])): one.loss.point for one in groups}

    def sorted_by(side: int) -> list[str]:
        names = {key[side] for key in values}
        of = {n: float(np.median([v for k, v in values.items() if k[side] == n])) for n in names}
        return sorted(names, key=lambda name: (-of[name], name))

    across = sorted_by(1)
    rows = tuple(
        (name, *(hundred(values[name, to]) if (name, to) in values else NO_VALUE for to in across))
        for name in sorted_by(0)
        if sum((name, to) in values for to in across) > 1
    )
    return ChartTable(("", *across), rows)


def _share(found: Interval, decimals: int = 1, *, unit: str = "") -> str:
    """Share in percent with its limits, if it has them."""
    point, *ends = (hundred(x, decimals) for x in (found.point, found.low, found.high))
    limits = ", ".join(ends) if np.isfinite(found.low) else "too few"
    return f"{point}{unit} [{limits}]"


def _plainly(share: float) -> str:
    """Stated share in percent, with the digits that it was stated with."""
    return f"{100 * share:g}"


def _limits(found: Interval) -> list[float | None]:
    return [_number(value) for value in (found.point, found.low, found.high)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
