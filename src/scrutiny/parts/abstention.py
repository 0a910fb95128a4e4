"""Score with abstention: the score among answers with large margins."""

from collections.abc import Sequence
from typing import Final

from scrutiny.core.grouping import grouped
from scrutiny.core.randomness import generator
from scrutiny.core.shares import whole_percent
from scrutiny.parts.charts.tables import Chart, ChartTable, Spec
from scrutiny.parts.charts.vega import axis, channel, marks, series_color, tooltip, view_of
from scrutiny.parts.part import Part, ReportPart, left_out
from scrutiny.parts.run.identity import anchor, identity
from scrutiny.parts.run.references import own_subjects
from scrutiny.parts.run.view import Hits, RunView
from scrutiny.parts.titles import title_of
from scrutiny.parts.wording.labels import row_labels
from scrutiny.parts.wording.numbers import NO_VALUE, bracketed, decimals_for, number
from scrutiny.stats.intervals.retained import Retained, retained_scores

COVERAGES: Final = (1.0, 0.9, 0.75, 0.5, 0.25, 0.1)
_MOST_CONDITIONS: Final = 5
_MOST_CHARTS: Final = 3
_LEAD: Final = (
    "If only answers with a margin of at least t count, fewer items are left (coverage) and the "
    "score changes. A score that depends on near-ties moves to the reference value; one that "
    "depends on confident answers stays. All replicates have the same threshold."
)


def part(view: RunView) -> Part | None:
    """Curve and table for each diagnostic whose records have a margin."""
    own = own_subjects(view)
    known = [h for h in view.records.hits() if h.margin is not None and h.key.role == "measured"]
    known = [h for h in known if h.key.subject in own]
    questions = list(grouped((identity(h.key, without=["condition"]), h) for h in known).values())
    charts = [_chart(members, view) for members in questions[:_MOST_CHARTS]]
    kept = tuple(chart for chart in charts if chart is not None)
    note = left_out(len(questions), _MOST_CHARTS, "diagnostics")
    title = "Score with abstention"
    return Part("reliability-abstention", title, _LEAD, kept, note) if kept else None


def _chart(members: Sequence[Hits], view: RunView) -> Chart | None:
    chosen = members[:_MOST_CONDITIONS]
    labels = row_labels([h.key for h in chosen])
    found = [(label, _retained(h, view)) for label, h in zip(labels, chosen, strict=True)]
    found = [(label, rows) for label, rows in found if rows]
    if not found:
        return None
    return Chart(
        anchor=anchor("abstention", members[0].key, without=["condition"]),
        title=title_of([h.key for h in members], view),
        caption=(
            "Share of hits among the remaining items, with intervals over replicates and items."
        ),
        spec=_spec(found),
        table=_table(found),
        note=left_out(len(members), _MOST_CONDITIONS, "conditions"),
    )


def _retained(hits: Hits, view: RunView) -> list[Retained]:
    assert hits.margin is not None  # the caller has looked
    rng = generator(view.facts.seed, "abstention", name=hits.key.dataset, item="items")
    return retained_scores(
        hits.hit, hits.margin, coverages=COVERAGES, rng=rng, level=view.facts.level
    )


_Found = Sequence[tuple[str, list[Retained]]]


def _spec(found: _Found) -> Spec:
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


def _table(found: _Found) -> ChartTable:
    rows = []
    for label, retained in found:
        for one in retained:
            said, span = NO_VALUE, one.interval
            if span is not None:
                d = decimals_for(span.low, span.high)
                said = f"{number(span.point, d)} {bracketed(span.low, span.high, d)}"
            rows.append((label, number(one.threshold, 3), whole_percent(one.coverage), said))
    return ChartTable(("condition", "margin at least", "kept", "share of hits"), tuple(rows))


PART: Final = ReportPart(__doc__, part)
