"""Same score, different diagnosis: seed spread in units of item error, against downstream scores.

Table 2 of Aribandi, Tay & Metzler (2021), with the F test that it lacks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    channel,
    guide,
    label_axis,
    marks,
    series_color,
    tooltip,
    view_of,
)
from scrutiny.blocks.labels import full_labels
from scrutiny.blocks.numbers import NO_VALUE, bracketed, interval, mean_and_sd, number, p_value
from scrutiny.blocks.run_estimates import References, replicated
from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.section import MOST_ROWS, Part, ReportPart, left_out
from scrutiny.core.estimate import Estimate
from scrutiny.reliability.replicates import Ratio, compare_spreads
from scrutiny.stats.intervals.seed_error import Spread

#: Diagnostic and metrics that say how good a model is at its task.
DOWNSTREAM: Final = ("performance", frozenset({"accuracy@1", "entity_f1@1"}))
_FEWEST: Final = 3
_MOST_DOWNSTREAM: Final = 3
_LEAD: Final = (
    "How far a number moves from seed to seed, in units of how far it would move had other items "
    "been drawn. Around 1 the seed adds little to the noise of a sample; well above it the "
    "number is about the seed. The F test asks whether a diagnostic moves more than a downstream "
    "score above majority does."
)


@dataclass(frozen=True, slots=True)
class _Measured:
    """An estimate with its spread."""

    label: str
    estimate: Estimate
    spread: Spread

    @property
    def is_downstream(self) -> bool:
        """Whether it is a score of the task."""
        return _is_downstream(self.estimate)


def part(view: RunView) -> Part | None:
    """Part beside performance: seed spread of what claims rest on, tested against that of scores.

    Of all estimates, without claims.
    """
    references = References(view)
    known = replicated(view, least=_FEWEST)
    downstream = [e for e in known if _is_downstream(e)]
    rest = [e for e in known if not _is_downstream(e) and e.key.role in ("measured", "contrast")]
    claimed = [e for e in rest if references.is_claimed(e)]
    chosen = [*downstream, *(claimed or rest)]
    rows = _measured(chosen[:MOST_ROWS], view)
    if not rows:
        return None
    scores = []
    for one in rows:  # a claim puts the score above a limit, which its interval clears
        claims = references.claims_on(one.estimate) if one.is_downstream else ()
        limits, low = [c.limit for _, c in claims if c.operator == ">"], one.estimate.low
        if limits and low is not None and low > max(limits):
            scores.append(one)
    chart = _chart(rows, scores[:_MOST_DOWNSTREAM])
    note = left_out(len(chosen), MOST_ROWS, "estimates")
    unknown = len(chosen[:MOST_ROWS]) - len(rows)
    if unknown:
        note += f" Of {unknown} more the item error cannot be computed from the records."
    return Part("reliability-spread", "Seed against sample", _LEAD, (chart,), note.strip())


def _is_downstream(estimate: Estimate) -> bool:
    name, metrics = DOWNSTREAM
    key = estimate.key
    is_score = key.diagnostic_name == name and key.metric in metrics
    return is_score and key.role == "measured"


def _measured(estimates: Sequence[Estimate], view: RunView) -> list[_Measured]:
    """Estimates whose replicates' own error over items is known."""
    labels = full_labels([e.key for e in estimates]) if estimates else []
    found = []
    for label, e in zip(labels, estimates, strict=True):
        own = view.records.own_intervals(e)
        error = sum(one.se**2 for one in own.values()) / len(own) if own else 0.0
        if error > 0:
            spread = Spread.of(list(e.by_replicate.values()), item_se=error**0.5)
            found.append(_Measured(label, e, spread))
    return found


def _chart(rows: Sequence[_Measured], scores: Sequence[_Measured]) -> Chart:
    tested = [m for m in rows if not m.is_downstream]
    ratios = [compare_spreads([m.spread for m in tested], s.spread) for s in scores]
    by_row = {id(m): [column[i] for column in ratios] for i, m in enumerate(tested)}
    names = ["diagnostic", "downstream"]
    values = [
        {
            "label": m.label,
            "ratio": round(m.spread.ratio, 4),
            "series": names[m.is_downstream],
        }
        for m in rows
    ]
    encoding: dict[str, Any] = {
        "y": label_axis([m.label for m in rows]),
        "x": channel("ratio", "quantitative", title="seed sd / item error", tickCount=6),
        "color": series_color([n for n in names if any(v["series"] == n for v in values)]),
        "tooltip": tooltip("label", "ratio", "series"),
    }
    dots = marks("point", encoding, filled=True, size=56)
    spec = view_of(values, height={"step": 20}, layer=[guide(1.0, dashed=True), dots])
    return Chart(
        anchor="reliability-spread-all",
        title="Seed spread beside item error",
        caption=_caption(scores, ratios),
        spec=spec,
        table=_table(rows, scores, by_row),
    )


def _caption(scores: Sequence[_Measured], ratios: Sequence[Sequence[Ratio]]) -> str:
    if not scores:
        return (
            "No downstream score above majority in this run, so nothing to test against: models "
            "that have learned nothing agree, too."
        )
    found = [r.found for column in ratios for r in column if r.found is not None]
    if not found:
        return "The downstream score does not vary over replicates, or nothing is beside it."
    least = found[0].smallest_significant
    replicates = found[0].df[0] + 1
    few = "Five seeds" if replicates == 5 else f"{replicates} seeds"
    return (
        f"{few} a side need a ratio of the ratios above {number(least, 1)} before p is under "
        ".05; p is one-sided, with Holm's correction over the rows."
    )


def _table(
    rows: Sequence[_Measured], scores: Sequence[_Measured], by_row: dict[int, list[Ratio]]
) -> ChartTable:
    header = ["", "mean \N{PLUS-MINUS SIGN} sd", "interval", "seed sd", "item error", "ratio"]
    header += [f"against {s.estimate.key.dataset}" for s in scores]
    body = []
    for m in rows:
        e = m.estimate
        cells = [mean_and_sd(e.by_replicate, 3), interval(e)]
        cells += [number(v, 4) for v in (m.spread.sd, m.spread.item_se)]
        cells.append(number(m.spread.ratio, 2))
        ratios = by_row.get(id(m), [])
        cells += [] if ratios else [NO_VALUE] * len(scores)
        for found, p_holm in ((ratio.found, ratio.p_holm) for ratio in ratios):
            if found is None:
                cells.append(NO_VALUE)
                continue
            bounds, p = bracketed(found.low, found.high, 2), p_value(p_holm)
            is_below = p.startswith("<")
            cells.append(f"{number(found.ratio, 2)} {bounds}, p {p if is_below else f'= {p}'}")
        body.append((m.label, *cells))
    return ChartTable(tuple(header), tuple(body))


PART: Final = ReportPart(__doc__, part)
