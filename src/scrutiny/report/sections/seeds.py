"""Results by seed: Table 1 and Figure 3 of Aribandi, Tay & Metzler (2021).

Cells are marked by their own interval over items, not by eye.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scrutiny.blocks.charts import (
    Chart,
    ChartTable,
    guide,
    label_axis,
    marks,
    tooltip,
    value_axis,
    view_of,
)
from scrutiny.blocks.labels import capitalized, metric_words, replicate_words, row_labels
from scrutiny.blocks.numbers import (
    NO_VALUE,
    decimals_for,
    interval,
    mean_and_sd,
    number,
    out_of,
    p_value,
    plainly,
    value_and_bounds,
)
from scrutiny.blocks.run_estimates import (
    Questions,
    References,
    anchor,
    by_identity,
    identity,
    replicated,
)
from scrutiny.blocks.run_view import OwnInterval, RunView
from scrutiny.blocks.section import (
    MOST_ROWS,
    ColumnsBlock,
    InShort,
    Part,
    ReportPart,
    SentenceBlock,
    part_of,
    side_of,
    title_of,
)
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.record import grouped
from scrutiny.reliability.replicates import is_test

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
    # the groups of one condition, or the conditions of a metric; quantities of their own apart
    found: list[list[Estimate]] = []
    for members in Questions(view).grouped(estimates, without=["group"]).values():
        conditions = list(by_identity(members, without=("group",)).values())
        if any(len(groups) >= _FEW_GROUPS for groups in conditions):
            found += conditions
        else:
            found.append(members)
    blocks = sorted(found, key=references.rank)  # those with a claim's own estimate first
    charts = []
    for block in blocks:
        tests = dict(list(tests_beside(block, view).items())[:_MOST_TESTS])
        charts.append(_chart(block, view, references, tests))
        for metric, of_rows in tests.items():
            own = [of_rows[p] for e in block if (p := tests_row(e)) in of_rows]
            charts.append(chart_of_tests(metric, own, view))
    once = list({c.anchor: c for c in charts}.values())  # tests stand beside several metrics
    return part_of("reliability-seeds", "Results by seed", _LEAD, once, "tables")


def _series(estimate: Estimate) -> str:
    return identity(estimate.key, without=("condition", "group"))


@dataclass(frozen=True, slots=True)
class SeedTests:
    """One test of one estimate for every replicate; rows are estimates whose value is p."""

    rows: tuple[Estimate, ...]

    @property
    def metric(self) -> str:
        """Name of the test."""
        return self.rows[0].key.metric

    @property
    def smallest(self) -> float:
        """Smallest p that any replicate could have."""
        return min(e.across["smallest_p"] for e in self.rows)

    @property
    def passed(self) -> str:
        """Number of replicates with p of at most `ALPHA`, and of all, as "3/5"."""
        return f"{sum((e.value or 0.0) <= ALPHA for e in self.rows)}/{len(self.rows)}"

    @property
    def passed_holm(self) -> str:
        """The same after Holm's correction; an en dash if there is only one test."""
        each = [e.across["holm"] for e in self.rows if "holm" in e.across]
        return f"{sum(p <= ALPHA for p in each)}/{len(each)}" if each else NO_VALUE


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
            *_shares_on_its_side(e, own, reference),
            *(NO_VALUE if test is None else test.passed for test in at_all),
        ]
        body.append((label, *cells))
    return ChartTable(("", *columns, *of_all, *of_tests), tuple(body), 1, frozenset(marks))


def _shares_on_its_side(
    e: Estimate, own: Mapping[str, OwnInterval], reference: float | None
) -> tuple[str, str]:
    """Replicates on the side of their mean, as "4/5": by their own interval, and by their value."""
    from scrutiny.stats.intervals.interval import wilson

    if reference is None or e.value is None:
        return NO_VALUE, NO_VALUE
    marked, same, up = NO_VALUE, NO_VALUE, e.value > reference
    if own:
        each = [o.low > reference if up else o.high < reference for o in own.values()]
        share = wilson(sum(each), len(each))
        marked = f"{sum(each)}/{len(each)} [{share.low:.2f}, {share.high:.2f}]"
    if e.value != reference:
        values = e.by_replicate.values()
        same = f"{sum(v > reference if up else v < reference for v in values)}/{len(values)}"
    return marked, same


ALPHA: Final = 0.01
_CAPTION: Final = (
    "p of every replicate; the shares count replicates with p \N{LESS-THAN OR EQUAL TO} .01, alone "
    "and with Holm's correction over the rows of the same test. If the smallest possible p of a "
    "test is above .01, no model can pass it."
)


def tests_beside(
    estimates: Iterable[Estimate], view: RunView
) -> dict[str, Mapping[str, SeedTests]]:
    """Tests stored with these estimates: by metric, and the index of the estimate."""
    wanted = {tests_row(e) for e in estimates}
    having = [e for e in view.estimates if is_test(e) and e.value is not None]
    of_these = [e for e in having if tests_row(e) in wanted]
    return {
        metric: {
            place: SeedTests(tuple(rows))
            for place, rows in grouped((tests_row(e), e) for e in members).items()
        }
        for metric, members in grouped((e.key.metric, e) for e in of_these).items()
    }


def tests_row(estimate: Estimate) -> str:
    """Row that an estimate has in tables by seed, shared with the tests of its replicates."""
    return identity(estimate.key, without=["metric", "replicate"])


def chart_of_tests(metric: str, tests: Sequence[SeedTests], view: RunView) -> Chart:
    """Table of one test: p of every replicate, shares that pass, smallest possible p."""
    shown = tests[:MOST_ROWS]
    keys = [t.rows[0].key for t in shown]
    names = list(dict.fromkeys(e.key.replicate or "" for t in shown for e in t.rows))
    one_each = len(names) <= MOST_COLUMNS
    columns = [replicate_words(n) for n in names] if one_each else ["min p", "max p"]
    header = ("", *columns, "p \N{LESS-THAN OR EQUAL TO} .01", "after Holm", "smallest p")
    rows = []
    for label, test in zip(row_labels(_of_any_replicate(keys)), shown, strict=True):
        found = {e.key.replicate: e.value for e in test.rows}
        each = [found.get(n) for n in names] if one_each else _ends(test)
        cells = [p_value(p) for p in each]
        rows.append((label, *cells, test.passed, test.passed_holm, p_value(test.smallest)))
    return Chart(
        anchor=anchor(f"tests-{metric.partition('@')[0]}", keys[0]),
        title=title_of(_of_any_replicate(keys), view),
        caption=_CAPTION,
        table=ChartTable(header, tuple(rows)),
    )


def _of_any_replicate(keys: Sequence[EstimateKey]) -> list[EstimateKey]:
    return [replace(key, replicate=None) for key in keys]


def _ends(test: SeedTests) -> list[float | None]:
    values = [e.value for e in test.rows if e.value is not None]
    return [min(values), max(values)]


PART: Final = ReportPart(__doc__, part)
_MOST_PRINTED: Final = 8  # estimates of a test in a terminal


def tests_in_short(view: RunView) -> Iterator[InShort]:
    """P-values over replicates, with the smallest possible one, for each test.

    Of those that stand beside the claims' own estimates, where there are any.
    """
    claimed = [f.estimate for f in view.findings if f.estimate is not None]
    beside = tests_beside(claimed, view) or tests_beside(view.estimates, view)
    for metric, found in beside.items():
        tests = list(found.values())
        labels = row_labels(_of_any_replicate([test.rows[0].key for test in tests]))
        rows = []
        for label, test in list(zip(labels, tests, strict=True))[:_MOST_PRINTED]:
            span = " … ".join(map(p_value, _ends(test)[: len(test.rows)]))
            rows.append((label, span, test.passed, test.passed_holm, p_value(test.smallest)))
        title = capitalized(f"{metric_words(metric)}, one replicate at a time")
        yield from (SentenceBlock(""), SentenceBlock(title, "bold"))
        header = ("test", "p, min\N{EN DASH}max", "p ≤ .01", "Holm", "smallest p")
        yield ColumnsBlock(header, (33, 17, 8, 7, 12), tuple(rows))
        if len(tests) > _MOST_PRINTED:
            yield SentenceBlock(f"… and {len(tests) - _MOST_PRINTED} more; `--format md` has them.")
