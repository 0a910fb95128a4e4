"""Hits of single items: in how many replicates they flip, and the score of clear answers."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    axis,
    channel,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.labels import full_labels, row_labels
from scrutiny.blocks.numbers import NO_VALUE, bracketed, decimals_for, number
from scrutiny.blocks.run_estimates import References, anchor, identity, own_subjects
from scrutiny.blocks.run_view import Hits, RunView
from scrutiny.blocks.section import MOST_ROWS, Part, ReportPart, left_out, title_of
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.plugin_base import family_name
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.stats.agreement.flips import FlipCounts, HitCounts, hit_counts
from scrutiny.stats.intervals.crossed import Retained, retained_scores

#: Hits with those of the items that all replicates have, and their margins  # (replicate, item)
_Complete = tuple[Hits, tuple[Any, Any]]
_MOST_HISTOGRAMS: Final = 3
_MOST_CLASSES: Final = 20
#: What the known baselines of flips say.
_STORIES: Final = {
    "coin flip": "Coin flip: the same number of flips, distributed at random over the items.",
    "margin": "Margin: flips that only depend on how close an item was to the decision boundary.",
}
_FLIPS_LEAD: Final = (
    "Two replicates with the same average may disagree on every item. Coin: every replicate "
    "tosses a fair coin for every item. Margin: each item keeps its own mean margin and every "
    "replicate adds noise of one size. The table tests whether the average varies more than "
    "independent flips of items explain: a ratio above 1 means that whole checkpoints shift."
)


def flips_part(view: RunView) -> Part | None:
    """Histogram of the first conditions with claims, and a table of all."""
    references, without = References(view), ["metric", "group"]
    claimed = {identity(e.key, without=without) for e in view.estimates if references.is_claimed(e)}
    several = [h for h in view.records.hits() if len(h.replicates) >= 2]
    # conditions with a claim first
    several.sort(key=lambda h: identity(h.key, without=without) not in claimed)
    found: list[_Complete] = []
    for hits in several:
        kept = np.isfinite(hits.hit).all(axis=0)  # items that every replicate has
        margin = None if hits.margin is None else hits.margin[:, kept]
        if margin is not None and not np.isfinite(margin).all():
            margin = None
        found += [(hits, (hits.hit[:, kept], margin))] if kept.any() else []
    if not found:
        return None
    chosen = grouped((identity(h.key, without=["condition", "role"]), (h, d)) for h, d in found)
    own = own_subjects(view)
    first = [m[0] for m in chosen.values() if m[0][0].key.subject in own]
    charts = [_flips_chart(hits, data, view) for hits, data in first[:_MOST_HISTOGRAMS]]
    table = _all(found, first[:_MOST_HISTOGRAMS])
    note = left_out(len(first), _MOST_HISTOGRAMS, "histograms")
    return Part(
        "reliability-flips",
        ("Agreement of replicates by item"),
        _FLIPS_LEAD,
        (*charts, table),
        note,
    )


def _flips_chart(hits: Hits, data: tuple[Any, Any], view: RunView) -> Chart:
    counts = hit_counts(data[0], margins=data[1])
    expected = {"coin": counts.coin}
    if counts.margin is not None:
        expected["margin"] = counts.margin
    shown = FlipCounts(counts.observed, expected)
    return Chart(
        anchor=anchor("flips", hits.key),
        title=title_of([hits.key], view),
        caption=(
            f"The {len(hits.replicates)} replicates disagree on "
            f"{whole_percent(counts.flips.any_share)} of {sum(counts.observed)} items. "
            "Left: hit by none; right: hit by all."
        ),
        spec=_bars(shown, "replicates with a hit", height=160, digits=2),
        table=_flips_table(shown),
    )


def flips_of(anchor: str, counts: FlipCounts) -> Chart:
    """Histogram of the items of a claim, by the number of replicates in which they flipped."""
    total = sum(counts.observed)
    never = counts.observed[0] if counts.observed else 0
    return Chart(
        anchor=anchor,
        title="Number of replicates in which an item flips",
        caption=" ".join(
            [
                f"{never} of {total} items never flipped and are not in the chart.",
                "More on the right than expected: the same items flip whatever the seed.",
                *[_STORIES[name] for name in counts.baselines if name in _STORIES],
            ]
        ),
        spec=_bars(counts, "replicates in which the answer changed", height=150, first=1),
        table=_flips_table(counts),
    )


def _bars(counts: FlipCounts, title: str, *, height: int, first: int = 0, digits: int = 3) -> Spec:
    """Bar chart of items by a number of replicates from ``first`` on, series side by side."""
    series: dict[str, Sequence[float]] = {"observed": counts.observed, **counts.baselines}
    values = [
        {"replicates": k, "series": name, "items": round(float(v), digits)}
        for name, row in series.items()
        for k, v in enumerate(row)
        if k >= first
    ]
    encoding = {
        "x": channel("replicates", "ordinal", title=title, labelAngle=0),
        "xOffset": {"field": "series", "sort": list(series)},
        "y": channel("items", "quantitative", title="items"),
        "color": series_color(list(series)),
        "tooltip": tooltip("series", "replicates", "items"),
    }
    return view_of(values, height=height, mark={"type": "bar"}, encoding=encoding)


def _flips_table(counts: FlipCounts) -> ChartTable:
    """Items by the number of replicates, observed and expected."""
    body = tuple(
        (
            str(k),
            str(observed),
            *(number(row[k], 1) if k < len(row) else "" for row in counts.baselines.values()),
        )
        for k, observed in enumerate(counts.observed)
    )
    return ChartTable(("replicates", "observed", *counts.baselines), body, 0)


def _all(found: Sequence[_Complete], drawn: Sequence[_Complete]) -> Chart:
    """Observed spread beside that from flips alone: every condition, and classes of those drawn."""
    keys = [hits.key for hits, _ in found[:MOST_ROWS]]
    rows = []
    for label, (_, data) in zip(full_labels(keys), found, strict=False):
        rows.append(_row(label, hit_counts(data[0]), data[0].shape))
    for hits, data in drawn:
        of = f"{family_name(hits.key.diagnostic)}: " if len(drawn) > 1 else ""
        rows += [(of + row[0], *row[1:]) for row in _by_class(hits, data)]
    spreads = ("sd observed", "sd from flips alone", "ratio")
    header = ("", "items", "replicates", "hits", "disagree", *spreads)
    return Chart(
        anchor="reliability-flips-table",
        title="Observed spread, and the spread of independent flips",
        caption="Standard deviations over replicates of the share of hits.",
        table=ChartTable(header, tuple(rows)),
        note=left_out(len(found), MOST_ROWS, "conditions"),
    )


def _by_class(hits: Hits, data: tuple[Any, Any]) -> list[tuple[str, ...]]:
    """Rows of the item classes in a column, if there are only a few."""
    rows = []
    kept = np.isfinite(hits.hit).all(axis=0)
    for name, column in hits.columns.items():
        values = np.array([str(v) for v, k in zip(column, kept, strict=True) if k])
        classes = list(dict.fromkeys(values.tolist()))
        if 1 < len(classes) <= _MOST_CLASSES:
            for one in classes:
                part_of = data[0][:, values == one]
                label = f"{name.removeprefix('a_')} {one}"
                rows.append(_row(label, hit_counts(part_of), part_of.shape))
    return rows


def _row(label: str, counts: HitCounts, shape: tuple[int, ...]) -> tuple[str, ...]:
    hits = sum(k * n for k, n in enumerate(counts.observed)) / (shape[0] * shape[1])
    return (
        label,
        str(shape[1]),
        str(shape[0]),
        number(hits, 3),
        whole_percent(counts.flips.any_share),
        *(number(sd, 4) for sd in (counts.flips.observed_sd, counts.flips.flip_sd)),
        NO_VALUE if counts.flips.sd_ratio is None else number(counts.flips.sd_ratio, 1),
    )


FLIPS: Final = ReportPart(
    "Agreement of replicates by item: Figure 1 of Aribandi, Tay & Metzler (2021).", flips_part
)
COVERAGES: Final = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1)
_MOST_CONDITIONS: Final = 5
_MOST_CURVES: Final = 3
_ABSTENTION_LEAD: Final = (
    "If only answers with a margin of at least t (rankings: a highest score) count, fewer items "
    "are left (coverage) and the score changes. A score that depends on near-ties moves to the "
    "reference value; one that depends on confident answers stays. All replicates have the same "
    "threshold."
)


def abstention_part(view: RunView) -> Part | None:
    """Curve and table for each diagnostic whose records have a margin."""
    own = own_subjects(view)
    known = [h for h in view.records.hits() if h.margin is not None and h.key.role == "measured"]
    known = [h for h in known if h.key.subject in own]
    questions = list(grouped((identity(h.key, without=["condition"]), h) for h in known).values())
    charts = [_abstention_chart(members, view) for members in questions[:_MOST_CURVES]]
    kept = tuple(chart for chart in charts if chart is not None)
    note = left_out(len(questions), _MOST_CURVES, "diagnostics")
    title = "Score with abstention"
    return Part("reliability-abstention", title, _ABSTENTION_LEAD, kept, note) if kept else None


def _abstention_chart(members: Sequence[Hits], view: RunView) -> Chart | None:
    chosen = members[:_MOST_CONDITIONS]
    labels = row_labels([h.key for h in chosen])
    found = []
    for label, h in zip(labels, chosen, strict=True):
        assert h.margin is not None  # the caller has looked
        rng = generator(view.facts.seed, "abstention", name=h.key.dataset, item="items")
        level = view.facts.level
        kept = retained_scores(h.hit, h.margin, coverages=COVERAGES, rng=rng, level=level)
        found += [(label, kept)] if kept else []
    if not found:
        return None
    rows = []
    for label, retained in found:
        for one in retained:
            said, span = NO_VALUE, one.interval
            if span is not None:
                d = decimals_for(span.low, span.high)
                said = f"{number(span.point, d)} {bracketed(span.low, span.high, d)}"
            rows.append((label, number(one.threshold, 3), whole_percent(one.coverage), said))
    return Chart(
        anchor=anchor("abstention", members[0].key, without=["condition"]),
        title=title_of([h.key for h in members], view),
        caption=(
            "Share of hits among the remaining items, with intervals over replicates and items."
        ),
        spec=_abstention_spec(found),
        table=ChartTable(("condition", "margin at least", "kept", "share of hits"), tuple(rows)),
        note=left_out(len(members), _MOST_CONDITIONS, "conditions"),
    )


_Found = Sequence[tuple[str, list[Retained]]]


def _abstention_spec(found: _Found) -> Spec:
    values = [
        {
            "condition": label,
            "coverage": round(one.coverage, 4),
            "score": one.interval.point,
            "low": one.interval.low,
            "high": one.interval.high,
        }
        for label, rows in found
        for one in rows
        if one.interval is not None
    ]
    kept = {"title": "share of answers kept, most confident first", "format": "%"}
    scale = {"reverse": True, "domain": [0, 1]}
    x = {"x": channel("coverage", "quantitative", scale=scale, **kept)}
    y = axis("score", "share of hits")
    color = {"color": series_color([label for label, _ in found], name="condition")}
    told = {"tooltip": tooltip("condition", "coverage", "score", "low", "high")}
    ends = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    layers = [
        marks("rule", {**x, **ends, **color}, strokeWidth=2, opacity=0.35),
        marks("line", {**x, "y": y, **color, **told}, strokeWidth=1.5, point={"size": 40}),
    ]
    return view_of(values, height=200, layer=layers)


ABSTENTION: Final = ReportPart(
    "Score with abstention: the score among answers with large margins.", abstention_part
)
