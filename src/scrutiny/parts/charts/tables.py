"""Charts, and tables with the same numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.parts.charts.sentences import Drawing
from scrutiny.parts.run.lines import Line
from scrutiny.parts.terminal.layout import cropped
from scrutiny.parts.wording.labels import one_line
from scrutiny.parts.wording.numbers import (
    NO_VALUE,
    interval,
    out_of,
)

Spec = dict[str, Any]
_AXIS_AND_LEGEND = 78  # pixels below and above the plot
_BETWEEN = 12  # pixels between two drawings that share an axis
_LONGEST_ANSWER: Final = 160


@dataclass(frozen=True, slots=True)
class ChartTable:
    """The numbers of a chart: header and rows of texts; from ``numeric`` on right-aligned.

    ``marks`` are cells (row, column) that stand out; their text says so, too.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: int = 1
    marks: frozenset[tuple[int, int]] = frozenset()

    def told(self) -> "ChartTable":
        """Table without empty columns; the first one stays.

        Examples
        --------
        >>> ChartTable(("of", "a", "b"), (("x", "\N{EN DASH}", "1"),)).told()
        ChartTable(header=('of', 'b'), rows=(('x', '1'),), numeric=1, marks=frozenset())
        """
        kept = [
            i
            for i in range(len(self.header))
            if not i or any(row[i] not in (NO_VALUE, "") for row in self.rows)
        ]
        if len(kept) == len(self.header) or not self.rows:
            return self
        moved = {old: new for new, old in enumerate(kept)}
        return ChartTable(
            tuple(self.header[i] for i in kept),
            tuple(tuple(row[i] for i in kept) for row in self.rows),
            sum(i < self.numeric for i in kept),
            frozenset((row, moved[i]) for row, i in self.marks if i in moved),
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its caption and its table.

    Parameters
    ----------
    anchor
        Stable name within the page.
    title, caption
        What it shows, and how to read it.
    table
        The same numbers in words.
    spec
        Vega-Lite specification; nothing for a table alone.
    note
        What is left out, if anything is.
    below
        A second specification that shares its axis, drawn under the first.
    is_open
        Whether the table stands open beside its chart.
    more, more_title
        A further table, folded, and what its fold is called.
    has_choice
        Whether the chart has a switch, which stands beside it.
    sentences
        Sentences that are drawn above the table.
    has_texts
        Whether it shows texts of the data, which some pages must not hold.
    """

    anchor: str
    title: str
    caption: str
    table: ChartTable
    spec: Spec | None = None
    note: str = ""
    below: Spec | None = None
    is_open: bool = False
    more: ChartTable | None = None
    more_title: str = ""
    has_choice: bool = False
    sentences: tuple[Drawing, ...] = ()
    has_texts: bool = False

    @property
    def drawings(self) -> tuple[tuple[str, Spec, int], ...]:
        """Anchor and specification of each drawing, and the height to reserve."""
        found = ((self.anchor, self.spec), (f"{self.anchor}-below", self.below))
        drawn = [(name, spec, _height(spec)) for name, spec in found if spec is not None]
        if len(drawn) > 1:  # the axis stands under the second
            name, spec, height = drawn[0]
            drawn[0] = (name, spec, height - _AXIS_AND_LEGEND + _BETWEEN)
        return tuple(drawn)


def _height(spec: Spec) -> int:
    """Pixels of a drawing with its axis and legend."""
    plot = spec["height"]
    if isinstance(plot, dict):
        plot = plot["step"] * len({v["label"] for v in spec["data"]["values"]})
    return int(plot) + _AXIS_AND_LEGEND


def forest_table(lines: Sequence[Line]) -> ChartTable:
    """Label, one column for each series, and the denominator of the first."""
    names = list(dict.fromkeys(name for line in lines for name in line.series))
    rows = (
        (
            line.label,
            *(interval(line.series.get(name)) for name in names),
            out_of(next(iter(line.series.values()), None)),
        )
        for line in lines
    )
    return ChartTable(("", *names, "n/planned"), tuple(rows))


def answer_cell(text: str) -> str:
    """Cell of a table for an answer: on one line, and shortened."""
    return cropped(one_line(text), _LONGEST_ANSWER)
