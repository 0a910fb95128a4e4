"""Change by training: of every head, and of the average head of each layer, for each run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import quantiles
from typing import Any, Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    channel,
    guide,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.heat_maps import MapPanel, heat_map
from scrutiny.blocks.labels import metric_words, replicate_words
from scrutiny.blocks.numbers import interval
from scrutiny.blocks.run_estimates import HeadPlace, identity
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import Part, ReportPart, part_of
from scrutiny.core.expressions import name_and_arguments
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attention.parts.head_study import (
    HEADS,
    SCORES,
    HeadMap,
    HeadStudy,
    HeadValue,
    by_layer,
    condition_words,
    head_study,
    place_name,
    rank_of,
    score_of,
    score_rank,
    short_names,
)
from scrutiny.diagnostics.attention.parts.heads_maps import (
    MOST_MAPS,
    anchor_of,
    cell_text,
    matrix,
    title_of,
    top_places,
)

_MOST_PANELS: Final = 4
_SAME: Final = ("subject", "role", "dataset")
_LEAD_OF_CHANGES: Final = (
    "Each head after training minus before, averaged over runs. Families trained from one model "
    "are shown together with the control task: a change in both is not specific to the task. All "
    "datasets have one color scale, with 0 in the middle."
)


def changes_part(view: RunView) -> Part | None:
    """Changes of heads by training: one chart for each dataset and condition, of one base."""
    study = head_study(view)
    scores = {score_of(one.key) for one in study.maps}
    main = min((s for s in scores if s in SCORES), key=score_rank, default="")
    changed = (study.change(one) for one in study.maps if score_of(one.key) == main)
    changes = [change for change in changed if change is not None and change.values]
    changes.sort(key=lambda one: rank_of(one.key))
    charts = []
    for members in grouped((identity(one.key, without=_SAME), one) for one in changes).values():
        datasets = list(dict.fromkeys(one.key.dataset for one in members))
        names = short_names(datasets)
        most = max((abs(v) for one in members for v in one.values.values()), default=0.0)
        for dataset in datasets:
            here = [one for one in members if one.key.dataset == dataset]
            for at in range(0, len(here), _MOST_PANELS):
                shown = here[at : at + _MOST_PANELS]
                charts.append(_chart_of_changes(shown, study, name=names[dataset], most=most))
    return part_of(
        "heads-changes",
        "Change by fine-tuning",
        _LEAD_OF_CHANGES,
        charts,
        "maps",
        most=MOST_MAPS,
        chapter=HEADS,
    )


def _chart_of_changes(
    members: Sequence[HeadMap], study: HeadStudy, *, name: str, most: float
) -> Chart:
    key, score = members[0].key, score_of(members[0].key)
    titled = {one.key.subject + " (control)" * (one.key.role == "control"): one for one in members}
    titles = list(titled)
    panels = [MapPanel(title, {score: one.values}) for title, one in titled.items()]
    parts = ", ".join(
        f"{title} {cell_text(one.cells[best], signed=True)} at {place_name(best)}"
        for title, one in titled.items()
        if (best := one.best) is not None
    )
    base = study.base_of(members[0])
    rows = tuple(  # the heads that changed most in the first family
        (
            place_name(place),
            cell_text(base.cells.get(place) if base else None),
            *(cell_text(one.cells.get(place), signed=True) for one in members),
        )
        for place in top_places(members[0], by_size=True)
    )
    return Chart(
        anchor=anchor_of(f"change-{members[0].key.subject}", key, without=()),
        title=title_of(key, f"change of {metric_words(score)}", of=f"{key.reference} on {name}"),
        caption=f"Largest gains: {parts}. Values are means over runs \N{PLUS-MINUS SIGN} sd.",
        spec=heat_map(panels, [score], most=most or 1.0),
        table=ChartTable((f"{len(rows)} most changed heads", "before", *titles), rows),
        is_open=True,
        more=matrix(members, titles, signed=True),
        more_title="Change of every head",
    )


CHANGES: Final = ReportPart(
    "Change of every head by fine-tuning: the downstream task and the control task.", changes_part
)


_MOST: Final = 12
_FEWEST_IN_BOX: Final = 3
_SHARED: Final = ("subject", "reference", "dataset", "condition", "diagnostic")
_LEAD_OF_LAYERS: Final = (
    "The mean over the heads of each layer, one dot for each run. From three runs on, the box "
    "shows the quartiles, the tick the median, and the line the minimum and maximum. Changes are "
    "relative to the model before training; 0 is no change."
)


def layers_part(view: RunView) -> Part | None:
    """Level and change by layer, for each dataset and condition."""
    study = head_study(view)
    maps = [one for one in study.maps if score_of(one.key) == SCORES[0]]
    levels = [by_layer(one) for one in sorted(maps, key=lambda one: rank_of(one.key))]
    by_layers = replace(study, maps=tuple(levels))
    changes = [c for one in levels if (c := by_layers.change(one)) is not None]
    datasets = short_names(list(dict.fromkeys(one.key.dataset for one in maps)))
    found = [
        *_charts(changes, study, names=datasets, what="change"),
        *_charts(levels, study, names=datasets, what="level"),
    ]
    conditions = list(dict.fromkeys(condition_words(one.key) for one in maps))
    found.sort(key=lambda pair: conditions.index(pair[0]))
    return part_of(
        "heads-layers",
        "Average head of each layer",
        _LEAD_OF_LAYERS,
        [chart for _, chart in found],
        "charts",
        most=_MOST,
        chapter=HEADS,
    )


def _charts(
    maps: Sequence[HeadMap], study: HeadStudy, *, names: dict[str, str], what: str
) -> Iterator[tuple[str, Chart]]:
    """Charts of one condition, with the families on one dataset."""
    left_out_of = ("subject", "role", "reference")
    for members in grouped((identity(m.key, without=left_out_of), m) for m in maps).values():
        bases = grouped((study.bases.get(m.key.subject, m.key.subject), m) for m in members)
        for base, own in bases.items():
            key = own[0].key
            score = metric_words(score_of(key))
            said = f"change of mean head {score}" if what == "change" else f"mean head {score}"
            of_base = replace(key, subject=base, reference=None)
            chart = Chart(
                anchor=anchor_of(f"layers-{what}", of_base, without=()),
                title=title_of(key, f"{said} by layer", of=f"{base} on {names[key.dataset]}"),
                caption="",
                spec=_spec(own, title=said, has_zero=what == "change"),
                table=_table(own, study, is_change=what == "change"),
            )
            yield condition_words(key), chart


def _spec(maps: Sequence[HeadMap], *, title: str, has_zero: bool) -> Spec:
    names = [one.key.subject for one in maps]
    boxes = [box for one in maps for box in _boxes(one)]
    dots: list[dict[str, Any]] = [
        {
            "series": one.key.subject,
            "layer": layer,
            "run": replicate_words(run) if run != "{}" else "single model",
            "value": round(value, 4),
        }
        for one in maps
        for (layer,), cell in one.cells.items()
        for run, value in cell.by_replicate.items()
    ]
    scale = {"domain": sorted({dot["layer"] for dot in dots}), "paddingInner": 0.3}
    x = channel("layer", "ordinal", scale=scale, title="layer", labelAngle=0, ticks=False)
    place: Spec = {"x": x, "color": series_color(names)}
    if len(names) > 1:
        place["xOffset"] = {"field": "series", "sort": names}
    drawn: list[Spec] = [guide(0.0, dashed=False, along="y")] if has_zero else []
    if boxes:  # a line from minimum to maximum, a box of the quartiles, a median tick
        told = {"tooltip": tooltip("series", "layer", "least", "median", "most", "runs")}
        whole = {**place, "y": axis("least", title), "y2": {"field": "most"}, **told}
        half = {**place, "y": axis("lower", title), "y2": {"field": "upper"}, **told}
        middle = {**place, "y": axis("median", title), **told}
        drawn += [
            marks("rule", whole, points=boxes, strokeWidth=1.5, opacity=0.7),
            marks("bar", half, points=boxes, opacity=0.3, cornerRadiusEnd=0),
            marks("tick", middle, points=boxes, thickness=2, orient="horizontal"),
        ]
    dot = {"y": axis("value", title), "tooltip": tooltip("series", "layer", "run", "value")}
    drawn.append(marks("point", {**place, **dot}, filled=True, size=26, opacity=0.75))
    return view_of(dots, height=220, layer=drawn)


def _boxes(one: HeadMap) -> Iterator[dict[str, Any]]:
    """Quartiles over runs for each layer, if there are enough runs."""
    for (layer,), cell in one.cells.items():
        values = sorted(cell.by_replicate.values())
        if len(values) >= _FEWEST_IN_BOX:
            lower, median, upper = quantiles(values, n=4, method="inclusive")
            found = {"least": values[0], "lower": lower, "median": median, "upper": upper}
            found = {n: round(v, 4) for n, v in {**found, "most": values[-1]}.items()}
            yield {"series": one.key.subject, "layer": layer, "runs": len(values), **found}


def _table(maps: Sequence[HeadMap], study: HeadStudy, *, is_change: bool) -> ChartTable:
    """Table of layers and families: the run's own interval, or else mean and spread."""
    own = [_estimated(one, study) for one in maps]
    rows = []
    for place in sorted({place for one in maps for place in one.cells}):
        cells = []
        for one, made in zip(maps, own, strict=True):
            of_run = made.get(place)
            if of_run is None or of_run.estimate is None or of_run.value is None:
                cells.append(cell_text(one.cells.get(place), signed=is_change))
            else:
                cells.append(interval(of_run.estimate, signed=is_change))
        rows.append((str(place[0]), *cells))
    return ChartTable(("layer", *(one.key.subject for one in maps)), tuple(rows))


def _estimated(one: HeadMap, study: HeadStudy) -> Mapping[HeadPlace, HeadValue]:
    """Averages, or differences from the base, that the run estimated for each layer."""
    key = one.key
    for other in study.layers:
        mine = other.key
        is_same = all(getattr(mine, name) == getattr(key, name) for name in _SHARED)
        if is_same and name_and_arguments(mine.metric) == ("mean_head", score_of(key)):
            return other.cells
    return {}


LAYERS: Final = ReportPart(
    "The average head of each layer, for each run, and its change by training.", layers_part
)
