"""Signs over seeds on a page: each replicate a point with its interval, rows on common axes."""

from collections.abc import Iterator
from dataclasses import dataclass

from scrutiny.parts.charts.forest_rows import Axis
from scrutiny.parts.run.view import RunView
from scrutiny.parts.seed_signs import SeedSign, SignPanel, Signs, signs_of
from scrutiny.parts.wording.labels import replicate_words
from scrutiny.parts.wording.numbers import interval

_LINE: float = 8.0  # pixels between replicates


@dataclass(frozen=True, slots=True)
class Point:
    """A replicate: its ends and value in percent of the width, its height in pixels."""

    title: str
    low: float
    value: float
    high: float
    y: float
    is_marked: bool


@dataclass(frozen=True, slots=True)
class SignRow:
    """A sign with its place on the axis."""

    sign: SeedSign
    figures: str
    low: float
    value: float
    high: float
    points: tuple[Point, ...]

    @property
    def height(self) -> float:
        """Pixels that the replicates take."""
        return _LINE * (len(self.points) + 1)


@dataclass(frozen=True, slots=True)
class PanelPage:
    """Signs on one axis."""

    panel: SignPanel
    axis: Axis
    rows: tuple[SignRow, ...]


@dataclass(frozen=True, slots=True)
class SignsPage:
    """First screen of an audit of language: signs, and their panels on axes."""

    signs: Signs
    panels: tuple[PanelPage, ...]


def signs_page(view: RunView) -> SignsPage | None:
    """Signs as the HTML page shows them; nothing where a run has none."""
    signs = signs_of(view)
    return None if signs is None else SignsPage(signs, tuple(map(_panel, signs.panels)))


def _panel(panel: SignPanel) -> PanelPage:
    ends = [panel.neither]
    for row in panel.rows:
        ends += row.whole.ends
        ends += [end for own in row.each.values() for end in (own.low, own.high)]
    axis = Axis(min(ends), max(ends))
    return PanelPage(panel, axis, tuple(_row(row, axis) for row in panel.rows))


def _row(row: SeedSign, axis: Axis) -> SignRow:
    low, value, high = (axis.place(end) for end in row.whole.ends)
    return SignRow(row, interval(row.whole), low, value, high, tuple(_points(row, axis)))


def _points(row: SeedSign, axis: Axis) -> Iterator[Point]:
    for at, (name, own) in enumerate(row.each.items(), start=1):
        yield Point(
            f"{replicate_words(name)}: {own.value:.3g} [{own.low:.3g}, {own.high:.3g}]",
            axis.place(own.low),
            axis.place(own.value),
            axis.place(own.high),
            _LINE * at,
            row.marked(name) != 0,
        )
