"""Specification curve: all declared choices (Simonsohn, Simmons & Nelson, 2020)."""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.estimate import Estimate
from scrutiny.core.plugin import unversioned
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import channel, drawn, guide, marks, tooltip, view_of
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, left_out
from scrutiny.parts.run.identity import anchor, varying
from scrutiny.parts.run.questions import Questions
from scrutiny.parts.run.references import References, settled
from scrutiny.parts.run.view import RunView
from scrutiny.parts.titles import title_of
from scrutiny.parts.wording.labels import full_labels, row_labels
from scrutiny.parts.wording.numbers import decimals_for, interval, number, out_of, plainly

_FEWEST: Final = 3
_MOST_CURVES: Final = 4
_EXTENT: Final = 118  # pixels left of both drawings, so that their columns meet
_EXTENTS: Final[Spec] = {"minExtent": _EXTENT, "maxExtent": _EXTENT}
_LEAD: Final = (
    "The same question with every analysis choice that the run varied (variant, representation, "
    "layer, step, draw), sorted by the result. The dots below show the choices of each column. A "
    "result that only some columns show is a result about a choice."
)


def part(view: RunView) -> Part | None:
    """Summary and curve of every question with at least three conditions."""
    references = References(view)
    known = [e for e in settled(view) if e.key.role in ("measured", "contrast")]
    known = [e for e in known if e.low is not None and not e.key.is_relation]
    questions = [m for m in Questions(view).grouped(known).values() if len(m) >= _FEWEST]
    questions = [m for m in questions if varying([e.key for e in m])]
    questions = [m for m in questions if any(references.is_claimed(e) for e in m)] or questions
    if not questions:
        return None
    questions.sort(key=lambda members: -sum(references.is_claimed(e) for e in members))
    curves = [_curve(members, view, references) for members in questions[:_MOST_CURVES]]
    note = left_out(len(questions), _MOST_CURVES, "curves")
    charts = (_summary(questions, references), *curves)
    return Part("reliability-choices", "Specification curve", _LEAD, charts, note)


def _beyond(members: Sequence[Estimate], reference: float | None) -> tuple[int, int, int]:
    """Number of intervals above, below and across a reference; all across if `None`."""
    above = below = 0
    for e in members:
        if reference is not None and e.low is not None and e.high is not None:
            above += e.low > reference
            below += e.high < reference
    return above, below, len(members) - above - below


def _summary(questions: Sequence[Sequence[Estimate]], references: References) -> Chart:
    shown = questions[:MOST_ROWS]
    labels = full_labels([members[0].key for members in shown])
    rows: list[tuple[str, ...]] = []
    for label, members in zip(labels, shown, strict=True):
        values = sorted(e.value for e in members if e.value is not None)
        decimals = decimals_for(members[0].low, members[0].high, members[0].value)
        reference = references.shared(members)
        span = [number(v, decimals) for v in (values[0], values[len(values) // 2], values[-1])]
        sides = [str(n) for n in _beyond(members, reference)]
        cells = [plainly(reference), *(sides if reference is not None else ["–"] * 3)]
        choices = ", ".join(varying([e.key for e in members]))
        rows.append((label, choices, str(len(members)), *span, *cells))
    spans = ("", "choices", "conditions", "min", "median", "max", "reference")
    return Chart(
        anchor="reliability-choices-table",
        title="Number of choices with the same result",
        caption="Conditions whose interval is above, below or across the reference value.",
        table=ChartTable((*spans, "above it", "below it", "across it"), tuple(rows), 2),
        note=left_out(len(questions), MOST_ROWS, "questions"),
    )


def _curve(members: Sequence[Estimate], view: RunView, references: References) -> Chart:
    ordered = sorted(members, key=lambda e: e.value or 0.0)
    shown = _thinned(ordered)
    names = varying([e.key for e in ordered])
    limit = references.shared(ordered)
    above, below, across = _beyond(ordered, limit)
    said = f"{len(ordered)} conditions"
    if limit is not None:
        said += f": {above} above the reference ({plainly(limit)}), {below} below, {across} across"
    note = ""
    if len(shown) < len(ordered):
        note = f"Every {len(ordered) / len(shown):.1f}th of {len(ordered)} conditions is drawn."
    return Chart(
        anchor=anchor("choices", members[0].key),
        title=title_of([e.key for e in ordered], view),
        caption=f"{said}.",
        spec=_values_spec(shown, limit),
        table=_table(ordered, names),
        note=" ".join(filter(None, (note, left_out(len(ordered), MOST_ROWS, "rows")))),
        below=_matrix_spec(shown, names),
    )


def _thinned(ordered: Sequence[Estimate]) -> list[Estimate]:
    """At most this number of them, evenly spaced, including both ends."""
    count = len(ordered)
    if count <= MOST_ROWS:
        return list(ordered)
    return [ordered[round(i * (count - 1) / (MOST_ROWS - 1))] for i in range(MOST_ROWS)]


def _values_spec(shown: Sequence[Estimate], limit: float | None) -> Spec:
    labels = row_labels([e.key for e in shown])
    values = [
        {"at": i, "what": label, **drawn(e)}
        for i, (label, e) in enumerate(zip(labels, shown, strict=True), start=1)
    ]
    x = {"x": {"field": "at", "type": "ordinal", "axis": None}}
    y = channel("value", "quantitative", scale={"zero": False}, title=None, tickCount=5, **_EXTENTS)
    told = {"tooltip": tooltip("what", "interval")}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers: list[Spec] = [] if limit is None else [guide(limit, dashed=True, along="y")]
    layers += [
        marks("rule", {**x, **ends, **told}, strokeWidth=2, opacity=0.55),
        marks("point", {**x, "y": y, **told}, filled=True, size=36, opacity=1),
    ]
    return view_of(values, height=170, layer=layers)


def _matrix_spec(shown: Sequence[Estimate], names: Sequence[str]) -> Spec:
    said = _choice_labels(shown, names)
    values = [
        {"at": i, "label": said[name, _plain(e.key.condition.get(name))]}
        for i, e in enumerate(shown, start=1)
        for name in names
    ]
    columns: Spec = {"title": "conditions, sorted by value", "labels": False, "ticks": False}
    scale = {"domain": list(range(1, len(shown) + 1))}
    lines: Spec = {"ticks": False, "domain": False, "grid": True, "labelLimit": _EXTENT - 8}
    encoding = {
        "x": channel("at", "ordinal", scale=scale, **columns),
        "y": channel("label", "nominal", sort=said.values(), title=None, **lines, **_EXTENTS),
        "tooltip": tooltip("label"),
    }
    mark = {"type": "point", "filled": True, "size": 26, "opacity": 1}
    return view_of(values, height={"step": 15}, mark=mark, encoding=encoding)


def _choice_labels(shown: Sequence[Estimate], names: Sequence[str]) -> dict[tuple[str, str], str]:
    """Label of each choice, in row order; a word needs no name."""
    found: dict[tuple[str, str], str] = {}
    for name in names:
        values = [e.key.condition.get(name) for e in shown]
        for value in sorted(values, key=lambda v: (not _is_number(v), _size(v), _plain(v))):
            text = _plain(value)
            taken = text in found.values() or not isinstance(value, str) or _is_number(value)
            found.setdefault((name, text), f"{name} {text}" if taken else text)
    return found


def _is_number(value: object) -> bool:
    return _size(value) != float("inf")


def _size(value: object) -> float:
    """Value of a number, also of one in a text; infinity for words."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("inf")


def _plain(value: object) -> str:
    return unversioned(value) if isinstance(value, str) else "–" if value is None else str(value)


def _table(ordered: Sequence[Estimate], names: Sequence[str]) -> ChartTable:
    rows = [
        (*(_plain(e.key.condition.get(name)) for name in names), interval(e), out_of(e))
        for e in ordered[:MOST_ROWS]
    ]
    return ChartTable((*names, "estimate", "n/planned"), tuple(rows), len(names))


PART: Final = ReportPart(__doc__, part)
