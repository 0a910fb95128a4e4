"""Differences between families, controls or conditions, and the claims of a plan."""

from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.core.estimate import Estimate
from scrutiny.core.grouping import grouped
from scrutiny.parts.charts.findings import forest_or_table
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, left_out, shown
from scrutiny.parts.run.identity import anchor
from scrutiny.parts.run.lines import Line
from scrutiny.parts.run.references import settled
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.labels import estimate_words, row_labels
from scrutiny.parts.wording.numbers import interval, number, p_value
from scrutiny.parts.wording.verdicts import mark, scope_words

PLAN: Final = "plan"
#: Exact tests of `scrutiny.reliability.replicates.agreement.compared_runs`, by the beginnings of
#: their keys.
_TESTS: Final = {"rank_sum": "rank sum", "signed_rank": "signed rank, one side is a constant"}
_LEAD: Final = (
    "First minus second, on their common items, with the crossed interval: replicates are paired "
    "if the plan says so or if they are the same, otherwise each side has its own spread. The "
    "line is zero."
)


def part(view: RunView) -> Part | None:
    """Differences of two subjects or conditions, by metric; claims of the plan in a table."""
    made = [e for e in settled(view) if e.key.role == "contrast" and e.key.reference]
    made = [e for e in made if not e.key.is_relation]
    by_metric = grouped((f"{e.key.diagnostic} {e.key.metric}", e) for e in made)
    found = [chart for members in by_metric.values() for chart in _charts(members)]
    claims = [f for f in view.findings if f.claim.diagnostic_name == PLAN]
    kept, note = shown(found, "charts")
    claimed = [key for f in claims for key in f.evidence.values()]
    tested = sorted((e for e in made if _test(e)), key=lambda e: e.key not in claimed)
    kept = (*([_claims(claims)] if claims else []), *kept, *([_ranks(tested)] if tested else []))
    if not kept:
        return None
    return Part(
        "reliability-comparisons", ("Differences between models and conditions"), _LEAD, kept, note
    )


def _charts(members: Sequence[Estimate]) -> Iterator[Chart]:
    """Differences in one metric."""
    keys = [e.key for e in members]
    lines = [
        Line(_versus(e, label), {"difference": e})
        for e, label in zip(members, row_labels(keys), strict=True)
    ]
    name = anchor("comparisons", keys[0], without=["condition", "group", "subject", "reference"])
    title = f"{keys[0].diagnostic_name}: difference in {estimate_words(keys[0])}"
    return forest_or_table(name, title, "", lines, metric=estimate_words(keys[0]))


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


PART: Final = ReportPart(__doc__, part)
