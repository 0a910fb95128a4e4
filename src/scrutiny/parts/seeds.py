"""Results by seed: Table 1 and Figure 3 of Aribandi, Tay & Metzler (2021).

Cells are marked by their own interval over items, not by eye.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.estimate import Estimate
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.charts.vega import guide, label_axis, marks, tooltip, value_axis, view_of
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, part_of
from scrutiny.parts.run.identity import anchor, by_identity, identity
from scrutiny.parts.run.questions import Questions
from scrutiny.parts.run.references import References, replicated
from scrutiny.parts.run.view import OwnInterval, RunView
from scrutiny.parts.seed_tests import SeedTests, chart_of_tests, tests_beside, tests_row
from scrutiny.parts.titles import side_of, title_of
from scrutiny.parts.wording.labels import metric_words, replicate_words, row_labels
from scrutiny.parts.wording.numbers import (
    NO_VALUE,
    decimals_for,
    interval,
    mean_and_sd,
    number,
    out_of,
    plainly,
    value_and_bounds,
)

MOST_COLUMNS: Final = 10  # replicates with a column each; of more, the range is shown
_FEW_GROUPS: Final = 3
_MOST_TESTS: Final = 2
_FEW_ROWS: Final = 16
_FEWEST_UNITS: Final = 10  # of fewer items a resampled interval says nothing
_LEAD: Final = (
    "One dot is one replicate; it is filled (in the table \N{BLACK UP-POINTING TRIANGLE} above, "
    "\N{BLACK DOWN-POINTING TRIANGLE} below) if its own interval over items excludes the "
    "reference value: what you would have reported with this checkpoint only (from ten items on). "
    "The bar is the interval over replicates and items. Shares of marked replicates have Wilson's "
    "interval over replicates; claims are not decided by a vote over seeds."
)


def part(view: RunView) -> Part | None:
    """Table and chart of each set of estimates with claims; of all, without claims."""
    references = References(view)
    estimates = replicated(view)
    if any(references.is_claimed(e) for e in estimates):
        claimed = {_series(e) for e in estimates if references.is_claimed(e)}
        estimates = [e for e in estimates if _series(e) in claimed]
    blocks = _blocks(estimates, references, Questions(view))
    charts = [c for block in blocks for c in _charts(block, view, references)]
    once = list({c.anchor: c for c in charts}.values())  # tests stand beside several metrics
    return part_of("reliability-seeds", "Results by seed", _LEAD, once, "tables")


def _charts(block: Sequence[Estimate], view: RunView, references: References) -> list[Chart]:
    """Chart of a block, and a table of each of its tests."""
    tests = dict(list(tests_beside(block, view).items())[:_MOST_TESTS])
    tables = [
        chart_of_tests(metric, [found[p] for e in block if (p := tests_row(e)) in found], view)
        for metric, found in tests.items()
    ]
    return [_chart(block, view, references, tests), *tables]


def _series(estimate: Estimate) -> str:
    return identity(estimate.key, without=("condition", "group"))


def _blocks(
    estimates: Sequence[Estimate], references: References, questions: Questions
) -> Iterable[list[Estimate]]:
    """Estimates of one table: the groups of one condition, or the conditions of a metric.

    Quantities of their own have tables of their own. Tables with a claim's own estimate come first,
    then those with its controls and choices.
    """
    found: list[list[Estimate]] = []
    for members in questions.grouped(estimates, without=["group"]).values():
        conditions = list(by_identity(members, without=("group",)).values())
        if any(len(groups) >= _FEW_GROUPS for groups in conditions):
            found += conditions
        else:
            found.append(members)
    return sorted(found, key=references.rank)


def _chart(
    block: Sequence[Estimate],
    view: RunView,
    references: References,
    tests: Mapping[str, Mapping[str, SeedTests]],
) -> Chart:
    keys = [e.key for e in block]
    labels = row_labels(keys)
    limit = references.shared(block)
    rows: list[_Row] = []
    for label, e in zip(labels[:MOST_ROWS], block[:MOST_ROWS], strict=True):
        reference = references.of(e)
        held = limit if reference is None else reference
        own = view.records.own_intervals(e) if e.n_units >= _FEWEST_UNITS else {}
        rows.append((label, e, held, own))
    unsaid = "" if limit is None else f"The line is the reference value, {plainly(limit)}. "
    if not any(own for *_, own in rows):
        unsaid += "The run has no interval for each replicate, so no cell is marked."
    return Chart(
        anchor=anchor("seeds", keys[0]),
        title=title_of(keys, view),
        caption=unsaid,
        spec=_spec(rows, keys[0].metric, limit=limit),
        table=_table(rows, tests),
        is_open=len(rows) <= _FEW_ROWS,
        note="" if len(block) <= MOST_ROWS else f"The first {MOST_ROWS} of {len(block)} rows.",
    )


_Row = tuple[str, Estimate, float | None, Any]


def _spec(rows: Sequence[_Row], metric: str, *, limit: float | None) -> dict[str, Any]:
    dots = [
        {
            "label": label,
            "replicate": replicate_words(name),
            "value": value,
            "beyond": bool(side_of(own.get(name), reference)),
        }
        for label, e, reference, own in rows
        for name, value in e.by_replicate.items()
    ]
    bars = [
        {"label": label, "low": e.low, "high": e.high, "value": e.value, "interval": interval(e)}
        for label, e, _, _ in rows
        if e.low is not None
    ]
    y = {"y": label_axis([label for label, *_ in rows])}
    x = {**value_axis("value", metric), "scale": {"zero": False}}
    ends = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    bar = {**y, **ends, "tooltip": tooltip("label", "interval")}
    dot = {**y, "x": x, "tooltip": tooltip("label", "replicate", "value")}
    layers = [
        *([] if limit is None else [guide(limit, dashed=True)]),
        marks("rule", bar, points=bars, strokeWidth=5, opacity=0.28, strokeCap="round"),
    ]
    layers += [
        {
            "transform": [{"filter": f"datum.beyond === {str(is_beyond).lower()}"}],
            **marks("point", dot, filled=is_beyond, size=44, opacity=0.9),
        }
        for is_beyond in (True, False)
    ]
    return view_of(dots, height={"step": 20}, layer=layers)


def _table(rows: Sequence[_Row], tests: Mapping[str, Mapping[str, SeedTests]]) -> ChartTable:
    names = list(dict.fromkeys(name for _, e, _, _ in rows for name in e.by_replicate))
    one_each = len(names) <= MOST_COLUMNS
    columns = [replicate_words(n) for n in names] if one_each else ["min", "max"]
    of_all = ["mean \N{PLUS-MINUS SIGN} sd", "interval", "n/planned", "marked", "same sign"]
    of_tests = [f"{metric_words(test)}: p \N{LESS-THAN OR EQUAL TO} .01" for test in tests]
    body, marks = [], set()
    for at, (label, e, reference, own) in enumerate(rows):
        decimals = decimals_for(e.low, e.high, e.value)
        if one_each:
            sides = [side_of(own.get(name), reference) for name in names]
            cells = [
                f"{number(e.by_replicate.get(name), decimals)} {side}".rstrip()
                for name, side in zip(names, sides, strict=True)
            ]
            marks |= {(at, i) for i, side in enumerate(sides, start=1) if side}
        else:
            each = e.by_replicate.values()
            cells = [number(min(each), decimals), number(max(each), decimals)]
        at_all = [found.get(tests_row(e)) for found in tests.values()]
        cells += [
            mean_and_sd(e.by_replicate, decimals),
            value_and_bounds(e)[1] or NO_VALUE,
            out_of(e),
            _marked(e, own, reference),
            _agreeing(e, reference),
            *(NO_VALUE if test is None else test.passed for test in at_all),
        ]
        body.append((label, *cells))
    return ChartTable(("", *columns, *of_all, *of_tests), tuple(body), 1, frozenset(marks))


def _marked(e: Estimate, own: dict[str, OwnInterval], reference: float | None) -> str:
    """Replicates whose own interval excludes the reference value on the side of the mean."""
    from scrutiny.stats.intervals.scale import wilson

    if reference is None or not own or e.value is None:
        return "–"
    up = e.value > reference
    each = [o.low > reference if up else o.high < reference for o in own.values()]
    share = wilson(sum(each), len(each))
    return f"{sum(each)}/{len(each)} [{share.low:.2f}, {share.high:.2f}]"


def _agreeing(e: Estimate, reference: float | None) -> str:
    found = _same_side(e, reference)
    return "–" if found is None else f"{found[0]}/{found[1]}"


PART: Final = ReportPart(__doc__, part)


def _same_side(estimate: Estimate, reference: float | None) -> tuple[int, int] | None:
    """Number of replicates on the same side of the reference as their mean, and of all."""
    if reference is None or estimate.value is None or estimate.value == reference:
        return None
    up = estimate.value > reference
    values = estimate.by_replicate.values()
    agreeing = sum(v > reference if up else v < reference for v in values)
    return agreeing, len(estimate.by_replicate)
