"""Differences inside slices and elsewhere, and between families, controls or conditions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.forest import Line, forest, forest_or_table
from scrutiny.blocks.labels import estimate_words, row_labels
from scrutiny.blocks.numbers import NO_VALUE, interval, number, p_value
from scrutiny.blocks.run_estimates import anchor, identity, settled
from scrutiny.blocks.run_view import RunView, gap_key
from scrutiny.blocks.section import (
    MOST_ROWS,
    ColumnsBlock,
    InShort,
    Part,
    ReportPart,
    SentenceBlock,
    left_out,
    part_of,
    shown,
    title_of,
)
from scrutiny.blocks.terminal_and_markdown import cropped
from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.record import grouped
from scrutiny.report.wording import mark, scope_words

_ALL: Final = "all items"
#: What is said of a slice, by the verdict on "worse than elsewhere".
_STATES: Final = {"supported": "worse", "not supported": "better"}
_OPEN: Final = "not told apart"
_SMALL: Final = "fewer than 20 count"
_HEADER: Final = (
    "slice",
    "against other items",
    "items",
    "inside",
    "inside \N{MINUS SIGN} elsewhere",
)
_MOST_PRINTED: Final = 3
_PRINTED: Final = (26, 6, 22, 23)  # cells of slice, items, inside and difference
_SLICES_LEAD: Final = (
    "Each number inside the requested slices. A slice is called worse or better if the difference "
    "from all other items is shown with limits for all slices of the number at once. The bars are "
    "intervals of single slices; they do not show whether two slices differ. A slice with fewer "
    "than 20 items has no number. A slice shows where the difference is, not why."
)


def slices_part(view: RunView) -> Part | None:
    """A chart for each main number; `None` without slices."""
    charts = list(_slice_charts(view))
    return part_of("slices", "Results by slice", _SLICES_LEAD, charts, "numbers")


def _slice_charts(view: RunView) -> Iterator[Chart]:
    """Charts of the main numbers that have slices."""
    if not view.slices.estimates:
        return
    numbers = grouped(
        (identity(one.key, without=["group"]), one)
        for one in view.slices.estimates
        if one.key.role != "contrast" and one.key.replicate is None
    )
    found = {identity(f.estimate.key): f.verdict for f in view.slices.findings if f.estimate}
    gaps = {  # differences between inside a slice and elsewhere, and their verdicts
        (name := identity(e.key)): (e, _STATES.get(found.get(name, ""), _OPEN))
        for e in view.slices.estimates
        if e.key.role == "contrast"
    }
    for whole in view.estimates:
        if whole.key.group != "all" or whole.key.replicate is not None:
            continue
        inside = numbers.pop(identity(whole.key, without=["group"]), [])
        if not inside:
            continue
        of_number = {one.key.group: one for one in inside}
        rows = [(_ALL, "", f"{whole.counts.planned:,}", interval(whole), NO_VALUE)]
        series = [Line(_ALL, {_ALL: whole})]
        for size in view.slices.sizes:
            if size["dataset"] != whole.key.dataset:
                continue
            one, count = of_number.get(size["where"]), f"{size['inside']:,}"
            gap, state = None, _SMALL
            if one is not None and one.value is not None:
                known = gaps.get(identity(replace(one.key, **gap_key(one.key))))
                gap, state = known or (None, _OPEN)
                series.append(Line(f"{size['where']} ({count})", {state: one}))
            rows.append((size["where"], state, count, interval(one), interval(gap, signed=True)))
        place, title = anchor("slices", whole.key), title_of([whole.key], view)
        table = ChartTable(_HEADER, tuple(rows), 2)
        made = forest(place, series, metric=estimate_words(whole.key), limit=None)
        if made is None:
            yield Chart(place, title, "No slice is large enough.", table)
        else:
            yield replace(made, title=title, table=table, is_open=True)


def slices_lines(view: RunView) -> Iterator[InShort]:
    """The first numbers with their slices."""
    charts = list(_slice_charts(view))
    label, number, *_ = _PRINTED
    if charts:
        header = ("  slice", "items".rjust(number), "inside", _HEADER[-1])
        yield from (SentenceBlock(""), SentenceBlock("Results by slice", "bold"))
        yield ColumnsBlock(header, _PRINTED, ())
    for chart in charts[:_MOST_PRINTED]:
        yield SentenceBlock(chart.title)
        rows = []
        for name, state, items, inside, gap in chart.table.rows:
            said = state if inside == NO_VALUE else inside  # the verdict, without a number
            rows.append((cropped(name, label - 2), items.rjust(number), said, gap))
        yield ColumnsBlock((), _PRINTED, tuple(rows), indent=2)
    if len(charts) > _MOST_PRINTED:
        said = f"\N{HORIZONTAL ELLIPSIS} and {len(charts) - _MOST_PRINTED} more numbers."
        yield SentenceBlock(said)


SLICES: Final = ReportPart(
    "Results by slice: each main number inside the requested slices, and for all items.",
    slices_part,
    slices_lines,
)
PLAN: Final = "plan"
#: Exact tests of `scrutiny.reliability.replicates.compared_runs`, by the beginnings of
#: their keys.
_TESTS: Final = {"rank_sum": "rank sum", "signed_rank": "signed rank, one side is a constant"}
_COMPARISONS_LEAD: Final = (
    "First minus second, on their common items, with the crossed interval: replicates are paired "
    "if the plan says so or if they are the same, otherwise each side has its own spread. The "
    "line is zero."
)


def comparisons_part(view: RunView) -> Part | None:
    """Differences of two subjects or conditions, by metric; claims of the plan in a table."""
    made = [e for e in settled(view) if e.key.role == "contrast" and e.key.reference]
    made = [e for e in made if not e.key.is_relation]
    by_metric = grouped((f"{e.key.diagnostic} {e.key.metric}", e) for e in made)
    found: list[Chart] = []
    for members in by_metric.values():
        keys = [e.key for e in members]
        labels = [_versus(e, label) for e, label in zip(members, row_labels(keys), strict=True)]
        lines = [Line(label, {"difference": e}) for label, e in zip(labels, members, strict=True)]
        of_sides = ["condition", "group", "subject", "reference"]
        name, metric = anchor("comparisons", keys[0], without=of_sides), estimate_words(keys[0])
        title = f"{keys[0].diagnostic_name}: difference in {metric}"
        found += forest_or_table(name, title, "", lines, metric=metric)
    claims = [f for f in view.findings if f.claim.diagnostic_name == PLAN]
    kept, note = shown(found, "charts")
    claimed = [key for f in claims for key in f.evidence.values()]
    tested = sorted((e for e in made if _test(e)), key=lambda e: e.key not in claimed)
    kept = (*([_claims(claims)] if claims else []), *kept, *([_ranks(tested)] if tested else []))
    if not kept:
        return None
    return Part(
        "reliability-comparisons",
        ("Differences between models and conditions"),
        _COMPARISONS_LEAD,
        kept,
        note,
    )


def _versus(e: Estimate, label: str) -> str:
    """The two sides of a difference: two families, or two conditions of one."""
    key = e.key
    sides = (
        [] if key.subject == key.reference else [f"{key.subject} \N{MINUS SIGN} {key.reference}"]
    )
    apart = [v for v in key.condition.values() if isinstance(v, str) and " - " in v]
    sides += [v.replace(" - ", " \N{MINUS SIGN} ") for v in apart]
    is_new = label not in (key.subject, "all", *apart) and label not in " ".join(sides)
    return " \N{MIDDLE DOT} ".join([*sides, label] if is_new or not sides else sides)


def _test(e: Estimate) -> str:
    """Name of the exact test of two groups of runs for a difference, if any."""
    return next((name for name in _TESTS if f"{name}_p" in e.across), "")


def _ranks(tested: Sequence[Estimate]) -> Chart:
    """Exact rank tests of runs that are not paired, in addition to the intervals."""
    rows = tuple(
        (
            f"{estimate_words(e.key)}: {_versus(e, label)}",
            _TESTS[_test(e)],
            p_value(e.across[f"{_test(e)}_p"]),
            p_value(e.across[f"{_test(e)}_smallest_p"]),
            number(e.across["superiority"], 2),
        )
        for e, label in zip(tested[:MOST_ROWS], row_labels([e.key for e in tested]), strict=False)
    )
    header = ("difference", "test", "p, two-sided", "smallest p", "first above second")
    return Chart(
        anchor="reliability-comparisons-ranks",
        title="Rank tests between runs",
        caption=(
            "Exact tests of whether the runs of one side are above those of the other, on exactly "
            "these items: they say nothing about other items. The smallest p is the smallest that "
            "so few runs can give; the last column is the share of pairs of runs in which the "
            "first side is higher."
        ),
        table=ChartTable(header, rows, 2),
        note=left_out(len(tested), MOST_ROWS, "tests"),
    )


def _claims(claims: Sequence[Finding]) -> Chart:
    """Verdicts of the claims of the plan."""
    rows = tuple(
        (
            f.claim.says,
            interval(f.estimate),
            "; ".join(f"{c.operator} {c.limit:g} ({c.against})" for c in f.claim.components),
            f"{mark(f.verdict)} {f.verdict}: {scope_words(f.scope)}",
            f.reason,
        )
        for f in claims[:MOST_ROWS]
    )
    return Chart(
        anchor="reliability-comparisons-claims",
        title="Claims of the plan",
        caption="Claims of the plan, in addition to those of its diagnostics.",
        table=ChartTable(("claim", "estimate", "must be", "verdict", "why"), rows, 5),
        note=left_out(len(claims), MOST_ROWS, "claims"),
    )


COMPARISONS: Final = ReportPart(
    "Differences between families, controls or conditions, and the claims of a plan.",
    comparisons_part,
)
