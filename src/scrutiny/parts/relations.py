"""Relations of estimates over replicates: the plan's ``[[relate]]``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.text import Text

from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import channel, drawn, guide, label_axis, marks, tooltip, view_of
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, left_out, part_of
from scrutiny.parts.run.view import RunView
from scrutiny.parts.terminal.part import part_lines
from scrutiny.parts.wording.numbers import interval, number, out_of, p_value

_REASONS: Final = {
    "too_few_replicates": "too few replicates",
    "does_not_vary": "one side does not vary",
}
_BESIDE: Final = ("", "of", "with")


@dataclass(frozen=True, slots=True)
class _Kind:
    """Relations of one kind: how their chart is read, and what stands in their rows."""

    metric: str
    title: str
    caption: str
    guide: float
    axis: str
    domain: tuple[float, float] | None
    cells: Mapping[str, Callable[[Estimate], str]]


def _across(name: str, decimals: int) -> Callable[[Estimate], str]:
    return lambda e: number(e.across.get(name), decimals)


def _value(e: Estimate) -> str:
    return (
        interval(e) if e.value is not None else _REASONS.get(e.reason or "", e.reason or e.status)
    )


def _replicates(e: Estimate) -> str:
    return str(e.n_replicates if e.value is not None else e.counts.n)


def _p(name: str) -> Callable[[Estimate], str]:
    return lambda e: p_value(e.across.get(name))


_KINDS: Final = (
    _Kind(
        "correlation@1",
        "Correlation over replicates",
        "Do replicates with a high value of one estimate have a high value of the other? Each "
        "replicate is one point, so few replicates can only show strong correlations: "
        "\N{LEFT DOUBLE QUOTATION MARK}shown from\N{RIGHT DOUBLE QUOTATION MARK} is the "
        "correlation that this many would show with 80 % power. An interval that contains zero "
        "does not mean that there is no correlation. The p-value permutes replicates; the smallest "
        "possible p is given as well.",
        0.0,
        "correlation",
        (-1.0, 1.0),
        {
            "r": _value,
            "Spearman": _across("spearman", 2),
            "replicates": _replicates,
            "p": _p("p_value"),
            "smallest p": _p("smallest_p"),
            "shown from": _across("detectable", 2),
        },
    ),
    _Kind(
        "spread_ratio@1",
        "Spread over replicates, relative to another",
        "Standard deviation over replicates of one estimate divided by that of another, each in "
        "units of its own error over items, with an F interval. Above 1, the first is the less "
        "stable one; few replicates can only show large ratios "
        "(\N{LEFT DOUBLE QUOTATION MARK}shown from\N{RIGHT DOUBLE QUOTATION MARK}).",
        1.0,
        "ratio of spreads",
        None,
        {
            "ratio": _value,
            "sd": _across("sd", 4),
            "item error": _across("item_error", 4),
            "other sd": _across("other_sd", 4),
            "other item error": _across("other_item_error", 4),
            "p": _p("p_value"),
            "shown from": _across("smallest_significant", 2),
        },
    ),
    _Kind(
        "largest_difference@1",
        "Largest difference between two replicates",
        "Of all pairs of these replicates, on the same items. If the upper limit is below a "
        "margin, two one-sided tests show each pair to be equivalent within it; if the lower limit "
        "is above 0, some pair differs (Bonferroni over pairs). Nothing is said of other seeds.",
        0.0,
        "largest difference",
        None,
        {"difference": _value, "replicates": _replicates, "n/planned": out_of},
    ),
    _Kind(
        "disagreement@1",
        "Items on which replicates part",
        "Share of items that not all of these replicates answer alike, on other items. Fair coins "
        "part on 94 % of the items with five replicates, on half of them with two.",
        0.0,
        "share of items",
        None,
        {"share": _value, "replicates": _replicates, "n/planned": out_of},
    ),
)


def part(view: RunView) -> Part | None:
    """Dots with intervals and a table of every relation in the plan, by kind."""
    made = grouped((e.key.metric, e) for e in view.estimates if e.key.is_relation)
    charts = [_chart(kind, made[kind.metric]) for kind in _KINDS if kind.metric in made]
    return part_of("reliability-relations", "Compared over replicates", "", charts, "tables")


def _chart(kind: _Kind, made: Sequence[Estimate]) -> Chart:
    shown = [e for e in made[:MOST_ROWS] if e.value is not None and e.low is not None]
    rows = [(e.key.group, *map(str, e.key.condition.values())) for e in made[:MOST_ROWS]]
    cells = [[cell(e) for cell in kind.cells.values()] for e in made[:MOST_ROWS]]
    width = max(map(len, rows))
    return Chart(
        anchor=f"reliability-relations-{kind.metric.partition('@')[0]}",
        title=kind.title,
        caption=kind.caption,
        spec=_spec(kind, shown) if shown else None,
        table=ChartTable(
            (*_BESIDE[:width], *kind.cells),
            tuple((*row, *told) for row, told in zip(rows, cells, strict=True)),
            width,
        ),
        is_open=True,
        note=left_out(len(made), MOST_ROWS, "relations"),
    )


def _spec(kind: _Kind, shown: Sequence[Estimate]) -> Spec:
    values = [{"label": e.key.group, **drawn(e)} for e in shown]
    y: dict[str, Any] = {"y": label_axis([e.key.group for e in shown])}
    scale = {"domain": list(kind.domain)} if kind.domain else {"zero": True}
    x = channel("value", "quantitative", scale=scale, title=kind.axis, tickCount=5)
    told = {"tooltip": tooltip("label", "interval")}
    bar = {**y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, **told}
    layers = [
        guide(kind.guide, dashed=False),
        marks("rule", bar, strokeWidth=2, opacity=0.55),
        marks("point", {**y, "x": x, **told}, filled=True, size=56, opacity=1),
    ]
    return view_of(values, height={"step": 24}, layer=layers)


def _lines(view: RunView) -> Iterable[Text]:
    """The same for a terminal."""
    found = part(view)
    return () if found is None else part_lines(found)


PART: Final = ReportPart(__doc__, part, _lines)
