"""Trend of an estimate over steps or layers: Figure 2 of Aribandi et al. (2021)."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scrutiny.core.estimate import Estimate
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import (
    axis,
    band_and_line,
    drawn,
    guide,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, part_of
from scrutiny.parts.run.identity import anchor, by_identity
from scrutiny.parts.run.references import References, settled
from scrutiny.parts.run.view import RunView
from scrutiny.parts.titles import title_of
from scrutiny.parts.wording.labels import estimate_words, replicate_words
from scrutiny.parts.wording.numbers import by_replicate, interval, out_of, plainly

_FEWEST: Final = 3
_MOST_COLORS: Final = 8  # replicates with a color each
#: Numbers whose order means nothing.
_UNORDERED: Final = frozenset({"draw", "seed", "run", "start", "fold", "repeat"})
_LEAD: Final = (
    "A thin line is one replicate, the thick line their mean, the band its interval. Checkpoints "
    "of one run are not replicates, so nothing is averaged along a line."
)


def part(view: RunView) -> Part | None:
    """Line charts of estimates with at least three values of a numeric condition."""
    references = References(view)
    found = list(_courses(settled(view)))
    found.sort(key=lambda pair: -sum(references.is_claimed(e) for e in pair[1]))
    charts = [_chart(name, members, view, references) for name, members in found[:MOST_ROWS]]
    return part_of("reliability-course", "Trend over steps or layers", _LEAD, charts, "courses")


def _courses(estimates: Sequence[Estimate]) -> Iterator[tuple[str, list[Estimate]]]:
    """Estimates that differ in only one numeric condition, in its order."""
    known = [e for e in estimates if e.key.role == "measured" and e.key.replicate is None]
    for name in sorted({name for e in known for name in e.key.condition} - _UNORDERED):
        having = [e for e in known if _at(e, name) is not None]
        for members in by_identity(having, without=[f"condition.{name}"]).values():
            ordered = sorted(members, key=lambda e: _at(e, name) or 0.0)
            if len({_at(e, name) for e in ordered}) >= _FEWEST:
                yield name, ordered


def _at(estimate: Estimate, name: str) -> float | None:
    """Value of a numeric condition; nothing for words."""
    value = estimate.key.condition.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _chart(name: str, members: Sequence[Estimate], view: RunView, references: References) -> Chart:
    limit = references.shared(members)
    said = "" if limit is None else f"The dashed line is the reference value, {plainly(limit)}."
    return Chart(
        anchor=anchor("course", members[0].key, without=[f"condition.{name}"]),
        title=f"{title_of([e.key for e in members], view)}, over {name}",
        caption=said,
        spec=_spec(name, members, limit),
        table=_table(name, members[:MOST_ROWS]),
    )


def _spec(name: str, members: Sequence[Estimate], limit: float | None) -> dict[str, Any]:
    x = axis("at", name, ticks=6)
    y = axis("value", estimate_words(members[0].key))
    each = [
        {"at": _at(e, name), "replicate": replicate_words(r), "value": v}
        for e in members
        for r, v in e.by_replicate.items()
    ]
    mean = [{"at": _at(e, name), **drawn(e)} for e in members]
    limits = [] if limit is None else [guide(limit, dashed=True, along="y")]
    band, line = band_and_line(x, y, "at", "interval", points=mean)
    told = {"detail": {"field": "replicate"}, "tooltip": tooltip("replicate", "at", "value")}
    names = list(dict.fromkeys(replicate_words(r) for e in members for r in e.by_replicate))
    if len(names) <= _MOST_COLORS:
        told["color"] = series_color(names, name="replicate")
    thin: Spec = {"strokeWidth": 1.5, "opacity": 0.9, "point": {"size": 24}}
    single = marks("line", {"x": x, "y": y, **told}, **thin)
    return view_of(each, height=210, layer=[*limits, band, single, line])


def _table(name: str, members: Sequence[Estimate]) -> ChartTable:
    names = list(dict.fromkeys(r for e in members for r in e.by_replicate))[:10]
    rows = [(f"{_at(e, name):g}", interval(e), out_of(e), *by_replicate(e, names)) for e in members]
    header = (name, "estimate", "n/planned", *(replicate_words(r) for r in names))
    return ChartTable(header, tuple(rows), 0)


PART: Final = ReportPart(__doc__, part)
