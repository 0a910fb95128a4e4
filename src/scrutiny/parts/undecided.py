"""Data needed to decide: about how many items or replicates for each undecided claim."""

from math import ceil
from typing import Final

from scrutiny.core.claim import Finding
from scrutiny.parts.charts.tables import Chart, ChartTable
from scrutiny.parts.part import MOST_ROWS, Part, ReportPart, left_out
from scrutiny.parts.run.rows import audit_rows
from scrutiny.parts.run.view import RunView
from scrutiny.parts.wording.numbers import interval, number

_MOST_TIMES: Final = 100  # as many: beyond that the truth may as well lie at the limit
_NEVER: Final = "no number suffices"
_LEAD: Final = (
    "If the true value equals the estimate, this number of items, or of replicates, would show it "
    "with 80 % power. More items do not reduce the spread between replicates, and more replicates "
    "do not reduce that between items. This is a rough guide for planning the next run, which "
    "must use other items."
)


def part(view: RunView) -> Part | None:
    """Table of the claims that more data would decide."""
    found = [(row.claim, _cells(row.finding)) for row in audit_rows(view)]
    rows = [(claim, *cells) for claim, cells in found if cells]
    if not rows:
        return None
    header = ("claim", "estimate", "limit", "items", "items needed", "replicates", "needed")
    chart = Chart(
        anchor="reliability-undecided-table",
        title="Claims that more data could decide",
        caption="This is for the comparison with the limit; controls may need more.",
        table=ChartTable(header, tuple(rows[:MOST_ROWS])),
        is_open=True,
        note=left_out(len(rows), MOST_ROWS, "claims"),
    )
    return Part("reliability-undecided", "What would decide it", _LEAD, (chart,))


def _cells(finding: Finding) -> tuple[str, ...]:
    """Cells of one claim; `None` if it is decided, or more data would not help."""
    e, shown_from = finding.estimate, finding.minimum_detectable_effect
    components = finding.claim.components
    if finding.verdict != "undecided" or e is None or e.value is None or not components:
        return ()
    off = abs(e.value - components[0].limit)
    if not shown_from or not 0 < off < shown_from or not e.variance:
        return ()
    wanted = sum(e.variance.values()) * (off / shown_from) ** 2
    items, seeds = (e.variance.get(name, 0.0) for name in ("items", "seeds"))
    both = e.variance.get("both", 0.0)
    return (
        interval(e),
        number(components[0].limit),
        f"{e.n_units:,}",
        _needed(items + both, seeds, wanted, e.n_units),
        str(e.n_replicates),
        _needed(seeds + both, items, wanted, e.n_replicates),
    )


def _needed(shrinks: float, stays: float, wanted: float, now: int) -> str:
    """Number that reduces a variance to the required value, instead of ``now``.

    Parameters
    ----------
    shrinks, stays
        Parts of the variance that shrink with their number, and that do not.
    wanted
        Variance at which the difference would be shown.
    now
        How many there are.
    """
    if wanted <= stays:
        return _NEVER
    times = shrinks / (wanted - stays)
    if times > _MOST_TIMES:
        return f"over {_MOST_TIMES * now:,}"
    return f"{max(now, ceil(now * times)):,}"


PART: Final = ReportPart(__doc__, part)
