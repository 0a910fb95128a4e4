"""Agreement between conditions (variants, representations), over groups and items."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    Spec,
    channel,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.labels import row_labels
from scrutiny.blocks.numbers import NO_VALUE, number
from scrutiny.blocks.run_estimates import (
    Questions,
    References,
    anchor,
    by_identity,
    identity,
    own_subjects,
    settled,
    varying,
)
from scrutiny.blocks.run_view import Hits, RunView
from scrutiny.blocks.section import MOST_CHARTS, MOST_ROWS, Part, ReportPart, left_out, title_of
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped

_MOST_CONDITIONS: Final = 12
_FEWEST_GROUPS: Final = 4
_SIDES: Final = ("agree", "opposed")
_LEAD: Final = (
    "Two variants of one measurement should rank the groups alike and give the same result for "
    "each item. Rank correlations are over groups (n is their number; few groups prove little), "
    "kappa over items: for each replicate, then averaged."
)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Agreement of two conditions, by the labels they have in the chart."""

    a: str
    b: str
    spearman: float | None
    kendall: float | None
    n_groups: int
    kappa: float | None
    n_items: int

    @property
    def drawn(self) -> float | None:
        """Charted measure: kappa if items are shared, otherwise the rank correlation."""
        return self.kappa if self.n_items else self.spearman


def part(view: RunView) -> Part | None:
    """Matrix and list of pairs for each question with several conditions."""
    references = References(view)
    hits = {identity(h.key, without=["metric", "group"]): h for h in view.records.hits()}
    own = own_subjects(view)
    known = [e for e in settled(view) if e.key.replicate is None and e.key.subject in own]
    known = [e for e in known if e.key.role == "measured"]
    questions = list(Questions(view).grouped(known, without=["group"]).values())
    questions.sort(key=lambda members: -any(references.is_claimed(e) for e in members))
    asked = [m for m in questions if len(by_identity(m, without=["group"])) > 1]
    # kappa is the same for every metric: one question of each diagnostic, model and dataset
    places = grouped(
        (identity(m[0].key, without=["condition", "group", "metric"]), m) for m in asked
    )
    chosen = [members[0] for members in places.values()]
    charts = [_chart(members, hits, view) for members in chosen[:MOST_CHARTS]]
    kept = tuple(chart for chart in charts if chart is not None)
    note = left_out(len(chosen), MOST_CHARTS, "matrices")
    title = "Agreement between conditions"
    return Part("reliability-agreement", title, _LEAD, kept, note) if kept else None


def _chart(members: Sequence[Estimate], hits: dict[str, Hits], view: RunView) -> Chart | None:
    conditions = list(by_identity(members, without=["group"]).values())
    if len(conditions) < 2 or not varying([e.key for e in members]):
        return None
    chosen = conditions[:_MOST_CONDITIONS]
    # by an estimate of a common group, so that labels name conditions
    shared = set.intersection(*({e.key.group for e in groups} for groups in chosen))
    firsts = (next(e for e in own if not shared or e.key.group in shared) for own in chosen)
    labels = row_labels([e.key for e in firsts])
    pairs = [
        _pair((labels[i], labels[j]), (chosen[i], chosen[j]), hits)
        for i, j in combinations(range(len(chosen)), 2)
    ]
    pairs = [p for p in pairs if p.drawn is not None]
    if not pairs:
        return None
    by_items = any(p.n_items for p in pairs)
    rows = [
        (
            f"{p.a} \N{MIDDLE DOT}\N{MIDDLE DOT} {p.b}",
            number(p.spearman, 2),
            number(p.kendall, 2),
            str(p.n_groups) if p.spearman is not None else NO_VALUE,
            number(p.kappa, 2),
            str(p.n_items) if p.n_items else NO_VALUE,
        )
        for p in pairs[:MOST_ROWS]
    ]
    header = ("conditions", "Spearman", "Kendall", "groups", "kappa", "items")
    return Chart(
        anchor=anchor("agreement", members[0].key),
        title=title_of([e.key for e in members], view),
        caption="Cohen's kappa of single items." if by_items else "Spearman's rank correlation.",
        spec=_spec(pairs, labels),
        table=ChartTable(header, tuple(rows)),
        note=left_out(len(conditions), _MOST_CONDITIONS, "conditions"),
    )


def _pair(
    labels: tuple[str, str],
    sides: tuple[Sequence[Estimate], Sequence[Estimate]],
    hits: dict[str, Hits],
) -> _Pair:
    from scrutiny.stats.agreement.kappa import mean_kappa
    from scrutiny.stats.association.correlation import rank_agreement

    one, other = ({e.key.group: e.value for e in groups if e.value is not None} for groups in sides)
    groups = [g for g in one if g in other and g != "all"]
    spearman = kendall = None
    if len(groups) >= _FEWEST_GROUPS:
        ranks = rank_agreement([one[g] for g in groups], [other[g] for g in groups])
        spearman, kendall = ranks.spearman, ranks.kendall
    a, b = (hits.get(identity(s[0].key, without=["metric", "group"])) for s in sides)
    kappa, n_items = None, 0
    if a is not None and b is not None and a.items == b.items:  # on one panel
        names = [name for name in a.replicates if name in b.replicates]
        if names:
            of_common = [h.hit[[h.replicates.index(name) for name in names]] for h in (a, b)]
            kappa, n_items = mean_kappa(*of_common)
    return _Pair(*labels, spearman, kendall, len(groups), kappa, n_items)


def _spec(pairs: Sequence[_Pair], labels: Sequence[str]) -> Spec:
    values = [
        {
            "label": p.b,
            "other": p.a,
            "size": abs(p.drawn or 0.0),
            "series": _SIDES[(p.drawn or 0.0) < 0],
            "said": number(p.drawn, 2),
        }
        for p in pairs
    ]
    turned: Spec = {"labelAngle": -40, "labelLimit": 150, "labelOverlap": False}
    place = {
        "x": channel("other", "nominal", sort=labels, title=None, **turned),
        "y": channel("label", "nominal", sort=labels, title=None),
    }
    told = {"tooltip": tooltip("label", "other", "said")}
    names = [name for name in _SIDES if any(v["series"] == name for v in values)]
    size = {
        "field": "size",
        "type": "quantitative",
        "scale": {"domain": [0, 1], "range": [0, 460], "clamp": True},
        "legend": None,
    }
    drawn = {"size": size, "color": series_color(names)}
    layers = [
        marks("circle", {**place, **drawn, **told}, opacity=0.35),
        marks("text", {**place, "text": {"field": "said"}, **told}, fontSize=11),
    ]
    return view_of(values, height={"step": 26}, layer=layers)


PART: Final = ReportPart(
    "Agreement between conditions (variants, representations), over groups and items.", part
)
