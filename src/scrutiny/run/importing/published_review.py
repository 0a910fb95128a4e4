"""What a table of published results shows: single differences, groups, and one against another."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats
from scrutiny.core.randomness import generator
from scrutiny.run.importing.published_tables import PublishedTable
from scrutiny.stats.intervals.interval import Interval
from scrutiny.stats.intervals.two_way import two_way
from scrutiny.stats.significance.combined_tests import holm
from scrutiny.stats.significance.permutation_tests import between_groups
from scrutiny.stats.significance.published_shares import flips_that_show, published_shares

#: States of a difference: shown, open to a paired test, or shown by no pairing of the items.
WORSE, BETTER, PAIRED, NEVER = "worse", "better", "pairs would tell", "too few items"
STATES: Final = (WORSE, BETTER, PAIRED, NEVER)
_DRAWS: Final = 1000
_HALF: Final = 0.5
_FEWEST: Final = 3  # groups, or units of them, that are compared


@dataclass(frozen=True, slots=True)
class Differences:
    """Single differences of the rows that can be tested; all arrays ``(row,)``.

    Parameters
    ----------
    rows
        Their numbers in the table.
    difference, low, high
        Share after less share before, each with its own 95 % limits, unpaired.
    p_value
        Holm's, over all of them.
    n_alone
        How many would be below .05 if each were the only one.
    flips
        Largest share of items that may flip for a paired test to show it, all tests counted; NaN
        where no pairing does.
    states
        One of `STATES` each.
    """

    rows: NDArray[Any]
    difference: Floats
    low: Floats
    high: Floats
    p_value: Floats
    n_alone: int
    flips: Floats
    states: NDArray[Any]

    def count(self, state: str) -> int:
        """How many are in a state."""
        return int(np.count_nonzero(self.states == state))


@dataclass(frozen=True, slots=True)
class ReviewedGroup:
    """Rows with the same values in some columns.

    Parameters
    ----------
    names
        The values.
    n_rows
        Rows that have a relative loss.
    loss
        Median relative loss, a part of one.
    share
        Share of rows that lose more than the tolerance.
    """

    names: tuple[str, ...]
    n_rows: int
    loss: Interval
    share: Interval

    @property
    def majority(self) -> str:
        """Whether most rows lose more than the tolerance: yes, no, or can't tell."""
        return (
            "yes" if self.share.low > _HALF else "no" if self.share.high < _HALF else "can't tell"
        )


@dataclass(frozen=True, slots=True)
class Dependence:
    """Whether losses of one kind of rows depend on another column.

    Parameters
    ----------
    name
        The kind (a change).
    least, most
        Median loss where it is least and where it is most, with the value of the other column.
    p_value
        Of no dependence, by exchanging units, ranked by their losses; Holm's over all kinds.
    n_units
        Units that are exchanged.
    """

    name: str
    least: tuple[str, float]
    most: tuple[str, float]
    p_value: float
    n_units: int


@dataclass(frozen=True, slots=True)
class Review:
    """What a table shows.

    Parameters
    ----------
    table
        The table.
    tolerance
        Relative loss, a part of one, beyond which a row counts as losing.
    differences
        Single differences; None if no row can be tested.
    groups
        By columns: all rows without a column, each grouping column alone, and all of them.
    dependences
        If there are two grouping columns: of each value of the first over those of the second.
    """

    table: PublishedTable
    tolerance: float
    differences: Differences | None
    groups: dict[tuple[str, ...], tuple[ReviewedGroup, ...]]
    dependences: tuple[Dependence, ...]


def review(table: PublishedTable, *, tolerance: float = 0.05) -> Review:
    """Review a table of published results.

    Parameters
    ----------
    table
        The table.
    tolerance
        Relative loss that does not matter, a part of one.

    **Measures**: which published differences are more than other items would make; how much is
    lost by kind of change, with limits for other models and datasets; and whether a change does
    the same to all tasks.

    **Misleads when**: the table was chosen for its results; rows are averages of several runs; or
    what it calls items are not independent of each other.
    """
    by = [(), *((name,) for name in table.groups)]
    by += [table.groups] if len(table.groups) > 1 else []
    groups = {columns: tuple(_groups(table, columns, tolerance)) for columns in by}
    dependences = tuple(_dependences(table)) if len(table.groups) > 1 and table.clusters else ()
    return Review(table, tolerance, _differences(table), groups, dependences)


def _differences(table: PublishedTable) -> Differences | None:
    """Tests of all rows that can be tested, as one family."""
    rows = np.flatnonzero(table.is_testable)
    if not rows.size:
        return None
    n = table.items[rows]
    found = published_shares(table.before[rows], table.after[rows], n)
    adjusted = holm(found.p_value)
    alone = 0.05 / rows.size  # what a paired test of one row would have to pass
    flips = flips_that_show(found.fewest_flips, found.most_flips, alpha=alone)
    is_shown = (adjusted <= 0.05) | ((flips == found.most_flips) & (found.fewest_flips > 0))
    states = np.select(
        [is_shown & (found.difference < 0), is_shown, flips >= 0], [WORSE, BETTER, PAIRED], NEVER
    )
    return Differences(
        rows,
        found.difference,
        found.low,
        found.high,
        adjusted,
        int(np.count_nonzero(found.p_value <= 0.05)),
        np.where(flips >= 0, flips / n, np.nan),
        states,
    )


def _members(
    table: PublishedTable, columns: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Values of columns, and the rows that have them and a relative loss; in order of values."""
    rows = np.flatnonzero(np.isfinite(table.loss))
    if not rows.size:
        return
    if not columns:
        yield (), rows
        return
    codes = np.zeros(rows.size, dtype=np.int64)
    for name in columns:
        values, own = np.unique(table.cells[name][rows], return_inverse=True)
        codes = codes * values.size + own.ravel()
    order = np.argsort(codes, kind="stable")
    for part in np.split(rows[order], np.flatnonzero(np.diff(codes[order])) + 1):
        yield tuple(str(table.cells[name][part[0]]) for name in columns), part


def _groups(
    table: PublishedTable, columns: tuple[str, ...], tolerance: float
) -> Iterator[ReviewedGroup]:
    """Loss and share of each group, with limits for other models and datasets."""
    for names, rows in _members(table, columns):
        drawn = [table.cells[name][rows] for name in table.clusters]
        rng = generator(0, "review", name="/".join(columns), item="/".join(names))
        loss = table.loss[rows]
        median = two_way(loss, drawn, rng=rng, draws=_DRAWS)
        loses = (loss > tolerance).astype(np.float64)
        share = two_way(loses, drawn, rng=rng, statistic="share", draws=_DRAWS)
        yield ReviewedGroup(names, int(rows.size), median, share)


def _dependences(table: PublishedTable) -> Iterator[Dependence]:
    """Each value of the first column over those of the second, if there are enough of these.

    Units are the values of the last column that is drawn anew (datasets), each of one group: all
    models of a dataset go together.
    """
    kind, other = table.groups[:2]
    found = []
    for (name,), rows in _members(table, (kind,)):
        where = table.cells[other][rows]
        units = np.char.add(np.char.add(where, "\n"), table.cells[table.clusters[-1]][rows])
        loss = table.loss[rows]
        _, first, codes = np.unique(units, return_index=True, return_inverse=True)
        means = np.bincount(codes.ravel(), loss) / np.bincount(codes.ravel())
        groups = where[first]
        if np.unique(groups).size < _FEWEST or np.unique(groups).size == groups.size:
            continue
        medians = {str(g): float(np.median(loss[where == g])) for g in np.unique(where)}
        ends = [pick(medians.items(), key=lambda one: one[1]) for pick in (min, max)]
        rng = generator(0, "review", name=kind, item=name, draw=1)
        p = between_groups(scipy.stats.rankdata(means), groups, rng=rng).p_value
        found.append((Dependence(name, ends[0], ends[1], p, int(groups.size)), p))
    adjusted = holm([p for _, p in found]) if found else ()
    for (one, _), p in zip(found, adjusted, strict=True):
        yield Dependence(one.name, one.least, one.most, float(p), one.n_units)
