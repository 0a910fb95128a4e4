"""The variance budget of a score over wordings: its table, and in words what to ask more of."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from scrutiny.blocks.charts import Chart, ChartTable
from scrutiny.blocks.numbers import number
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.stats.intervals.variance_budget import (
    BY,
    FACTORS,
    REPEATS,
    VarianceBudget,
)

_HEADER: Final = (
    *("source", "asked", "sd of one answer", "share of the squared error"),
    *("range of the share (95 %)", "would halve the error"),
)


def in_points(share: float) -> str:
    """A hundred times a share of right answers, in words."""
    return f"{100 * share:.1f} points"


def budget_chart(
    anchor: str,
    where: str,
    budget: VarianceBudget,
    ranges: Mapping[str, tuple[float, float]],
    items: int,
) -> Chart:
    """Table of what each source adds to the error of the score, and what halves it."""
    rows = []
    for name, of_one in budget.of_one.items():
        low, high = ranges[name]
        levels = budget.sizes.get(name)
        more = budget.halved_by(name) if levels else None
        rows.append(
            (
                name,
                f"{levels:,}" if levels else "",
                number(np.sqrt(of_one)),
                whole_percent(budget.shares.get(name, 0.0)),
                f"{whole_percent(low)} to {whole_percent(high)}",
                ("no number" if more is None else f"{more:,}") if levels else "",
            )
        )
    return Chart(
        anchor=anchor,
        title=f"{where}: variance budget of the score",
        caption=budget_in_words(budget, items),
        table=ChartTable(_HEADER, tuple(rows)),
        is_open=True,
    )


def budget_in_words(budget: VarianceBudget, items: int) -> str:
    """Sentences on the error of the mean score over wordings, its largest source, and what to buy.

    Examples
    --------
    >>> from scrutiny.stats.intervals.variance_budget import variance_budget
    >>> hits = np.ones((1, 10, 4, 1)) * np.array([0.0, 1, 0, 1]).reshape(1, 1, 4, 1)
    >>> budget_in_words(variance_budget(hits), 10).split(". ")[1]
    'Largest share: wordings, 100 %'
    """
    sizes = f"{budget.sizes['wordings']} wordings and {items:,} items"
    start = (
        f"The mean score over {sizes} has a standard error of {in_points(budget.error)}, for other "
        "wordings and items of the same kind."
    )
    if not budget.largest:
        return f"{start} Nothing varied."
    largest = budget.largest.replace(BY, " by ")
    share = whole_percent(budget.shares[budget.largest])
    options = {
        name: more / budget.sizes[name]
        for name in (*FACTORS, REPEATS)
        if (more := budget.halved_by(name)) is not None
    }
    if options:
        best = min(options, key=lambda name: options[name])
        buy = (
            f"Halving the error costs least by more {best}: {budget.halved_by(best):,} instead of "
            f"{budget.sizes[best]:,}, {options[best]:.1f} times the requests."
        )
    else:
        varied = [name for name in (*FACTORS, REPEATS) if name in budget.of_mean]
        best = min(varied, key=lambda name: budget.error_with(name, 2))
        buy = (
            f"Halving the error takes more of several sources; twice the {best} would gain most, "
            f"and leave {in_points(budget.error_with(best, 2))}."
        )
    return f"{start} Largest share: {largest}, {share}. {buy}"
