"""Curves beside random ones: words removed by their scores, and words alone that are left."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    band_and_line,
    channel,
    drawn,
    series_color,
    view_of,
)
from scrutiny.blocks.numbers import NO_VALUE, interval, percent_of
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import FINDINGS, InShort, Part, ReportPart, SentenceBlock, part_of
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.diagnostics.attribution.erasing import BINS

_RANDOM: Final = "random"
_MOST_CURVES: Final = 3
_KEPT: Final = "kept"
_NAMED: Final = "words named most often"
_DRAWN: Final = "random words"
_LEAD: Final = (
    "Texts are read with a few of their words alone: the K words that explanations of other texts "
    "name most often, or K random ones. A curve that is high from a few words on belongs to a "
    "model that has not read the rest."
)


def deletion_curves(
    methods: Sequence[str], own: Sequence[Estimate], where: str, name: str
) -> Chart:
    """Loss by the share of the words that is removed, of the best methods and at random.

    Parameters
    ----------
    methods
        The best first.
    own
        Numbers of one model on one dataset.
    where, name
        Both in words, and for the anchor.
    """
    names = [*methods[:_MOST_CURVES], _RANDOM]
    points = []
    for e in own:
        method, at = e.key.condition.get("method"), e.key.condition.get("bin")
        if e.key.metric == "mean(curve)@1" and method in names and e.value is not None:
            share = 100 * BINS[int(str(at)) - 1]
            points.append({"series": method, "removed": share, **drawn(e)})
    x = channel(
        "removed",
        "quantitative",
        scale={"type": "log"},
        title="% of words removed, highest first",
        values=[100 * one for one in BINS],
    )
    by_name = grouped((str(p["series"]), p) for p in points)
    table = tuple(
        (method, *(str(p["interval"]) for p in by_name.get(method, ()))) for method in names
    )
    header = ("method", *(f"{100 * share:g} %" for share in BINS))
    return Chart(
        anchor=f"attribution-curves-{name}",
        title=f"Deletion curves of {where}",
        caption="The methods with the largest loss, and random attributions (dashed), with 95 % "
        "intervals. At least one word is removed, and never all.",
        spec=_curves(points, names, x, axis("value", "loss of the answer's probability")),
        table=ChartTable(header, table),
    )


def _curves(points: list[dict[str, Any]], names: Sequence[str], x: Spec, y: Spec) -> Spec:
    """Lines with bands, the last of them dashed."""
    color = series_color(names)
    color["legend"] |= {"columns": 2, "symbolOpacity": 1}  # the band's own is faint
    dashes = {"domain": names, "range": [[1, 0]] * (len(names) - 1) + [[5, 4]]}
    dash: Spec = {"field": "series", "type": "nominal", "scale": dashes, "legend": None}
    band, line = band_and_line(x, y, "series", str(x["field"]), "interval", color=color)
    line["encoding"]["strokeDash"] = dash
    return view_of(points, height=240, layer=[band, line])


def _kept_curves(view: RunView) -> Iterator[Chart]:
    """Right answers by how many words are left, of each model on each dataset."""
    numbers = [e for e in view.estimates if _KEPT in e.key.condition]
    for (subject, dataset), own in grouped(
        ((e.key.subject, e.key.dataset), e) for e in numbers
    ).items():
        found = {
            (e.key.metric, e.key.role, int(str(e.key.condition[_KEPT]))): e
            for e in own
            if str(e.key.condition[_KEPT]).isdecimal()
        }
        sizes = sorted({size for _, _, size in found})
        has_gold = any(
            metric == "mean(hit)@1" and e.value is not None for (metric, *_), e in found.items()
        )
        what = "mean(hit)@1" if has_gold else "mean(same)@1"
        points = [
            {"series": series, "words": str(size), **drawn(e)}
            for series, role in ((_NAMED, "measured"), (_DRAWN, "control"))
            for size in sizes
            if (e := found.get((what, role, size))) is not None and e.value is not None
        ]
        x = channel(
            "words",
            "ordinal",
            sort=[*map(str, sizes)],
            title="words that are left (K)",
            labelAngle=0,
        )
        says = "right answers" if has_gold else "answers that stay"
        where, name = view.on_data(subject, dataset), digest(subject, dataset, size=4)
        columns = [("mean(hit)@1", "measured"), ("mean(hit)@1", "control")] * has_gold
        columns += [("mean(same)@1", "measured"), ("mean(same)@1", "control")]
        header = ["right", "right, random words"] * has_gold + ["stay", "stay, random words"]
        rows = tuple(
            (
                str(size),
                *(
                    NO_VALUE if (e := found.get((metric, role, size))) is None else interval(e)
                    for metric, role in columns
                ),
            )
            for size in sizes
        )
        if points:
            yield Chart(
                anchor=f"overstability-{name}",
                title=f"Few words of {where}",
                caption=f"Share of {says}, with 95 % intervals; random words are drawn as often as "
                "they stand in the texts (dashed). K = 0 is an empty text.",
                spec=_curves(points, [_NAMED, _DRAWN], x, axis("value", f"share of {says}")),
                table=ChartTable(("words left", *header), rows),
            )


def _part(view: RunView) -> Part | None:
    """Over-stability of each model on each dataset."""
    charts = [*_kept_curves(view)]
    title = "How few words do these answers need?"
    return part_of("overstability", title, _LEAD, charts, "charts", chapter=FINDINGS)


def _lines(view: RunView) -> Iterator[InShort]:
    """Smallest number of words with most of the answers, in a terminal."""
    for (subject, dataset), own in grouped(
        ((e.key.subject, e.key.dataset), e)
        for e in view.estimates
        if e.key.metric == "mean(same)@1" and str(e.key.condition.get(_KEPT)).isdecimal()
    ).items():
        levels = sorted((int(str(e.key.condition[_KEPT])), e.key.role, e) for e in own)
        enough = next(
            ((size, e) for size, role, e in levels if role == "measured" and _is_most(e)), None
        )
        where = view.on_data(subject, dataset)
        if enough is None:
            size = levels[-1][0]
            yield SentenceBlock(
                f"With {size:,} words left, fewer than nine in ten answers of {where} stay."
            )
            continue
        size, number = enough
        random = next(e for k, role, e in levels if (k, role) == (size, "control"))
        yield SentenceBlock(
            f"With {size:,} words left of all texts, {percent_of(number)} of the answers of "
            f"{where} stay; with as many random words, {percent_of(random)}."
        )


def _is_most(estimate: Estimate) -> bool:
    """Whether nine in ten answers stay."""
    return estimate.value is not None and estimate.value >= 0.9


OVERSTABILITY: Final = ReportPart(__doc__, _part, lines=_lines)
