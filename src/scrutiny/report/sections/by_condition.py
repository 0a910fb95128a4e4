"""Estimates over conditions: all analysis choices, steps or layers, and pairs of layers."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    band_and_line,
    channel,
    drawn,
    guide,
    interval_and_point,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.heat_maps import matrix_map
from scrutiny.blocks.labels import estimate_words, full_labels, replicate_words, row_labels
from scrutiny.blocks.numbers import by_replicate, decimals_for, interval, number, out_of, plainly
from scrutiny.blocks.run_estimates import (
    Questions,
    References,
    anchor,
    by_identity,
    identity,
    main_estimates,
    settled,
    varying,
)
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_ROWS, Part, ReportPart, left_out, part_of, title_of
from scrutiny.core.boundary.json_text import value_digest
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.plugin_base import unversioned
from scrutiny.core.record import grouped

_FEWEST_CHOICES: Final = 3
_MOST_CURVES: Final = 4
_EXTENT: Final = 118  # pixels left of both drawings, so that their columns meet
_EXTENTS: Final[Spec] = {"minExtent": _EXTENT, "maxExtent": _EXTENT}
_CHOICES_LEAD: Final = (
    "The same question with every analysis choice that the run varied (variant, representation, "
    "layer, step, draw), sorted by the result. The dots below show the choices of each column. A "
    "result that only some columns show is a result about a choice."
)


def specification_part(view: RunView) -> Part | None:
    """Summary and curve of every question with at least three conditions."""
    references = References(view)
    known = [e for e in settled(view) if e.key.role in ("measured", "contrast")]
    known = [e for e in known if e.low is not None and not e.key.is_relation]
    questions = [m for m in Questions(view).grouped(known).values() if len(m) >= _FEWEST_CHOICES]
    questions = [m for m in questions if varying([e.key for e in m])]
    questions = [m for m in questions if any(references.is_claimed(e) for e in m)] or questions
    if not questions:
        return None
    questions.sort(key=lambda members: -sum(references.is_claimed(e) for e in members))
    curves = [_curve(members, view, references) for members in questions[:_MOST_CURVES]]
    note = left_out(len(questions), _MOST_CURVES, "curves")
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
    summary = Chart(
        anchor="reliability-choices-table",
        title="Number of choices with the same result",
        caption="Conditions whose interval is above, below or across the reference value.",
        table=ChartTable((*spans, "above it", "below it", "across it"), tuple(rows), 2),
        note=left_out(len(questions), MOST_ROWS, "questions"),
    )
    charts = (summary, *curves)
    return Part("reliability-choices", "Specification curve", _CHOICES_LEAD, charts, note)


def _beyond(members: Sequence[Estimate], reference: float | None) -> tuple[int, int, int]:
    """Number of intervals above, below and across a reference; all across if `None`."""
    above = below = 0
    for e in members:
        if reference is not None and e.low is not None and e.high is not None:
            above += e.low > reference
            below += e.high < reference
    return above, below, len(members) - above - below


def _curve(members: Sequence[Estimate], view: RunView, references: References) -> Chart:
    ordered = sorted(members, key=lambda e: e.value or 0.0)
    shown, count = list(ordered), len(ordered)
    if count > MOST_ROWS:  # evenly spaced, with both ends
        shown = [ordered[round(i * (count - 1) / (MOST_ROWS - 1))] for i in range(MOST_ROWS)]
    names = varying([e.key for e in ordered])
    limit = references.shared(ordered)
    above, below, across = _beyond(ordered, limit)
    said = f"{len(ordered)} conditions"
    if limit is not None:
        said += f": {above} above the reference ({plainly(limit)}), {below} below, {across} across"
    note = ""
    if len(shown) < len(ordered):
        note = f"Every {len(ordered) / len(shown):.1f}th of {len(ordered)} conditions is drawn."
    rows = [
        (*(_plain(e.key.condition.get(name)) for name in names), interval(e), out_of(e))
        for e in ordered[:MOST_ROWS]
    ]
    labels = row_labels([e.key for e in shown])
    values = [
        {"at": i, "what": label, **drawn(e)}
        for i, (label, e) in enumerate(zip(labels, shown, strict=True), start=1)
    ]
    x = {"x": {"field": "at", "type": "ordinal", "axis": None}}
    y = channel("value", "quantitative", scale={"zero": False}, title=None, tickCount=5, **_EXTENTS)
    layers: list[Spec] = [] if limit is None else [guide(limit, dashed=True, along="y")]
    layers += interval_and_point(x, y, "what", "interval", along="y", size=36)
    return Chart(
        anchor=anchor("choices", members[0].key),
        title=title_of([e.key for e in ordered], view),
        caption=f"{said}.",
        spec=view_of(values, height=170, layer=layers),
        table=ChartTable((*names, "estimate", "n/planned"), tuple(rows), len(names)),
        note=" ".join(filter(None, (note, left_out(len(ordered), MOST_ROWS, "rows")))),
        below=_matrix_spec(shown, names),
    )


def _matrix_spec(shown: Sequence[Estimate], names: Sequence[str]) -> Spec:
    said: dict[tuple[str, str], str] = {}  # label of each choice, in row order
    for name in names:
        chosen = [e.key.condition.get(name) for e in shown]
        for value in sorted(chosen, key=lambda v: (_size(v) == math.inf, _size(v), _plain(v))):
            text, is_word = _plain(value), isinstance(value, str) and _size(value) == math.inf
            is_free = is_word and text not in said.values()  # a word needs no name
            said.setdefault((name, text), text if is_free else f"{name} {text}")
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


def _size(value: object) -> float:
    """Value of a number, also of one in a text; infinity for words."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.inf


def _plain(value: object) -> str:
    return unversioned(value) if isinstance(value, str) else "–" if value is None else str(value)


SPECIFICATION: Final = ReportPart(
    "Specification curve: all declared choices (Simonsohn, Simmons & Nelson, 2020).",
    specification_part,
)
_FEWEST_STEPS: Final = 3
_MOST_COLORS: Final = 8  # replicates with a color each
#: Numbers whose order means nothing.
_UNORDERED: Final = frozenset({"draw", "seed", "run", "start", "fold", "repeat"})
_TREND: Final = (
    "A thin line is one replicate, the thick line their mean, the band its interval. Checkpoints "
    "of one run are not replicates, so nothing is averaged along a line."
)


def steps_part(view: RunView) -> Part | None:
    """Line charts of estimates with at least three values of a numeric condition."""
    references = References(view)
    known = [e for e in settled(view) if e.key.role == "measured" and e.key.replicate is None]
    found = []  # estimates that differ in only one numeric condition, in its order
    for name in sorted({name for e in known for name in e.key.condition} - _UNORDERED):
        having = [e for e in known if _at(e, name) is not None]
        for members in by_identity(having, without=[f"condition.{name}"]).values():
            ordered = sorted(members, key=lambda e: _at(e, name) or 0.0)
            if len({_at(e, name) for e in ordered}) >= _FEWEST_STEPS:
                found.append((name, ordered))
    found.sort(key=lambda pair: -sum(references.is_claimed(e) for e in pair[1]))
    charts = [_chart(name, members, view, references) for name, members in found[:MOST_ROWS]]
    return part_of("reliability-course", "Trend over steps or layers", _TREND, charts, "courses")


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
    shown = members[:MOST_ROWS]
    names = list(dict.fromkeys(r for e in shown for r in e.by_replicate))[:10]
    rows = tuple(
        (f"{_at(e, name):g}", interval(e), out_of(e), *by_replicate(e, names)) for e in shown
    )
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
    series = list(dict.fromkeys(replicate_words(r) for e in members for r in e.by_replicate))
    if len(series) <= _MOST_COLORS:
        told["color"] = series_color(series, name="replicate")
    thin: Spec = {"strokeWidth": 1.5, "opacity": 0.9, "point": {"size": 24}}
    single = marks("line", {"x": x, "y": y, **told}, **thin)
    return Chart(
        anchor=anchor("course", members[0].key, without=[f"condition.{name}"]),
        title=f"{title_of([e.key for e in members], view)}, over {name}",
        caption=said,
        spec=view_of(each, height=210, layer=[*limits, band, single, line]),
        table=ChartTable((name, "estimate", "n/planned", *map(replicate_words, names)), rows, 0),
    )


OVER_STEPS: Final = ReportPart(
    "Trend of an estimate over steps or layers: Figure 2 of Aribandi et al. (2021).", steps_part
)
#: Conditions that name a layer of the model, and of the one that it stands beside.
OWN_LAYER, OTHER_LAYER = "layer", "reference_layer"
_FEWEST_LAYERS: Final = 2  # layers of each
_GRID_LEAD: Final = (
    "Rows are layers of the reference, columns those of the other model; 0 are the embeddings. "
    "High values along the diagonal mean that layers at the same depth correspond; a block means "
    "that several layers hardly differ. Colors range from the smallest to the largest number "
    "shown."
)


def grid_part(view: RunView) -> Part | None:
    """A map for each pair of models and each number that a run has for all their layers."""
    placed = [e for e in main_estimates(view) if _layers_of(e.key) is not None]
    without = (f"condition.{OWN_LAYER}", f"condition.{OTHER_LAYER}")
    charts = []
    for members in grouped((identity(e.key, without=without), e) for e in placed).values():
        grid = {p: e for e in members if (p := _layers_of(e.key)) is not None}
        rows, columns = (sorted({place[side] for place in grid}) for side in (0, 1))
        if min(len(rows), len(columns)) < _FEWEST_LAYERS or len(grid) < len(rows) * len(columns):
            continue  # some pairs of layers only
        key = members[0].key
        more = {n: v for n, v in key.condition.items() if n not in (OWN_LAYER, OTHER_LAYER)}
        where = ", ".join([key.dataset, *(f"{n} {v}" for n, v in more.items())])
        values = {(str(a), str(b)): e.value for (a, b), e in grid.items() if e.value is not None}
        names = [str(n) for n in rows], [str(n) for n in columns]
        titles = f"layer of {key.reference}", f"layer of {key.subject}"
        table = tuple((str(a), *(interval(grid[a, b]) for b in columns)) for a in rows)
        subjects = f"{key.subject} and {key.reference}"
        digest = value_digest(identity(replace(key, condition=more)), size=4)
        chart = Chart(
            anchor=f"reliability-layer-grid-{digest}",
            title=f"{key.diagnostic_name}: {estimate_words(key)}, {subjects}",
            caption=f"On {where}.",
            spec=matrix_map([("", values)], rows=names[0], columns=names[1], titles=titles),
            table=ChartTable((titles[0], *names[1]), table, 1),
        )
        charts.append(chart)
    return part_of("reliability-layer-grid", "Similarity of layers", _GRID_LEAD, charts, "maps")


def _layers_of(key: EstimateKey) -> tuple[int, int] | None:
    """Layers of the reference and of the model; `None` for other estimates."""
    own, other = key.condition.get(OWN_LAYER), key.condition.get(OTHER_LAYER)
    if key.reference and isinstance(own, int) and isinstance(other, int):
        return other, own
    return None


LAYER_GRID: Final = ReportPart(
    "Similarity of every layer of one model with every layer of another.", grid_part
)
