"""Results by slice: each main number inside the requested slices, and for all items."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from rich.text import Text

from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.findings import forest
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import Part, ReportPart, shown
from scrutiny.parts.run.identity import anchor, identity
from scrutiny.parts.run.in_slices import gap_key
from scrutiny.parts.run.lines import Line
from scrutiny.parts.run.view import RunView
from scrutiny.parts.titles import title_of
from scrutiny.parts.wording.labels import estimate_words
from scrutiny.parts.wording.numbers import NO_VALUE, interval

_ALL: Final = "all items"
#: What is said of a slice, by the verdict on "worse than elsewhere".
_STATES: Final = {"supported": "worse", "not supported": "better"}
_OPEN: Final = "not told apart"
_SMALL: Final = "fewer than 20 count"
_HEADER: Final = (
    "slice",
    "against other items",
    "items",
    "inside",
    "inside \N{MINUS SIGN} elsewhere",
)
_MOST_PRINTED: Final = 3
_NAME: Final = 24
_LEAD: Final = (
    "Each number inside the requested slices. A slice is called worse or better if the difference "
    "from all other items is shown with limits for all slices of the number at once. The bars are "
    "intervals of single slices; they do not show whether two slices differ. A slice with fewer "
    "than 20 items has no number. A slice shows where the difference is, not why."
)


def part(view: RunView) -> Part | None:
    """A chart for each main number; `None` without slices."""
    kept, note = shown(list(_charts(view)), "numbers")
    return Part("slices", "Results by slice", _LEAD, kept, note) if kept else None


def _charts(view: RunView) -> Iterator[Chart]:
    """Charts of the main numbers that have slices."""
    if not view.slices.estimates:
        return
    numbers = grouped(
        (identity(one.key, without=["group"]), one)
        for one in view.slices.estimates
        if one.key.role != "contrast" and one.key.replicate is None
    )
    found = {identity(f.estimate.key): f.verdict for f in view.slices.findings if f.estimate}
    gaps = {
        (name := identity(e.key)): _Gap(e, _STATES.get(found.get(name, ""), _OPEN))
        for e in view.slices.estimates
        if e.key.role == "contrast"
    }
    for whole in view.estimates:
        if whole.key.group == "all" and whole.key.replicate is None:
            inside = numbers.pop(identity(whole.key, without=["group"]), [])
            if inside:
                yield _chart(view, whole, {one.key.group: one for one in inside}, gaps)


class _Gap(NamedTuple):
    """Difference between inside a slice and elsewhere, and its verdict."""

    estimate: Estimate
    state: str


def _chart(
    view: RunView, whole: Estimate, inside: Mapping[str, Estimate], gaps: Mapping[str, _Gap]
) -> Chart:
    """Forest of one number and its table."""
    rows = [(_ALL, "", f"{whole.counts.planned:,}", interval(whole), NO_VALUE)]
    series = [Line(_ALL, {_ALL: whole})]
    for size in view.slices.sizes:
        if size["dataset"] != whole.key.dataset:
            continue
        one, count = inside.get(size["where"]), f"{size['inside']:,}"
        gap, state = None, _SMALL
        if one is not None and one.value is not None:
            known = gaps.get(identity(replace(one.key, **gap_key(one.key))))
            gap, state = known or (None, _OPEN)
            series.append(Line(f"{size['where']} ({count})", {state: one}))
        rows.append((size["where"], state, count, interval(one), interval(gap, signed=True)))
    place, title = anchor("slices", whole.key), title_of([whole.key], view)
    table = ChartTable(_HEADER, tuple(rows), 2)
    made = forest(place, series, metric=estimate_words(whole.key), limit=None)
    if made is None:
        return Chart(place, title, "No slice is large enough.", table)
    return replace(made, title=title, table=table, is_open=True)


def _lines(view: RunView) -> Iterator[Text]:
    """The first numbers with their slices, 80 cells wide."""
    charts = list(_charts(view))
    if charts:
        yield from (Text(), Text("Results by slice", style="bold"))
        yield Text(_columns(("slice", "", "items", "inside", _HEADER[-1])), style="dim")
    for chart in charts[:_MOST_PRINTED]:
        yield Text(chart.title)
        yield from (Text(_columns(row)) for row in chart.table.rows)
    if len(charts) > _MOST_PRINTED:
        yield Text(f"\N{HORIZONTAL ELLIPSIS} and {len(charts) - _MOST_PRINTED} more numbers.")


def _columns(row: Sequence[str]) -> str:
    """A table row in 80 cells; a slice without a number shows its verdict there."""
    name, state, items, inside, gap = row
    short = name if len(name) <= _NAME else f"{name[: _NAME - 1]}\N{HORIZONTAL ELLIPSIS}"
    said = state if inside == NO_VALUE else inside
    return f"  {short:<{_NAME}} {items:>6} {said:<22} {gap}".rstrip()


PART: Final = ReportPart(__doc__, part, _lines)
