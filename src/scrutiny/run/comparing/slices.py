"""Which inputs changed between two runs: overall and slice by slice, all tested together.

A slice is said to have changed where three tests agree, with a correction for all slices (Holm):
its own level changed, by exchanging the sides of its items (exact, of these models) and by a t that
speaks for new items and new replicates; and it changed otherwise than the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.randomness import generator
from scrutiny.data.slices import Slice
from scrutiny.run.comparing.paired_tests import Values, beside_rest, change_of, exact_p
from scrutiny.run.comparing.sides import Sides, part_of
from scrutiny.stats.resampling.weights import Units
from scrutiny.stats.significance.multiplicity import holm

ALPHA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Change:
    """How the level of some items changed from the first run to the second.

    Parameters
    ----------
    name, says
        Of the slice ("negation", "with a negation"); "all" for all items.
    n, n_moved
        Items, and those of which some replicate's level differs.
    before, after
        Mean level of either run.
    low, high
        Interval of the change at the level that all slices together need (Bonferroni).
    elsewhere
        Change of the other items.
    p, p_holm
        Largest p of the tests, and corrected for all slices.
    p_beyond
        One-sided p of a loss beyond the margin, corrected likewise; nothing without a margin.
    """

    name: str
    says: str
    n: int
    n_moved: int
    before: float
    after: float
    low: float
    high: float
    elsewhere: float | None
    p: float
    p_holm: float = 1.0
    p_beyond: float | None = None

    @property
    def value(self) -> float:
        """Change: second minus first."""
        return self.after - self.before

    @property
    def is_shown(self) -> bool:
        """Whether the change is shown with the correction for all slices."""
        return self.p_holm < ALPHA


def changes(
    sides: Sides,
    slices: Sequence[tuple[Slice, tuple[bool, ...]]],
    *,
    margin: float | None = None,
    family: int = 0,
) -> list[Change]:
    """Change of all items, then of every slice, with one correction over all.

    Parameters
    ----------
    sides
        The two runs.
    slices
        Slices with the items that belong to each.
    margin
        Largest loss that does not matter, or nothing.
    family
        How many tests there are elsewhere beside these (other datasets).

    Returns
    -------
    list
        In the order given, all items first.
    """
    n = len(sides.examples)
    everything = Slice("all", "of all")
    parts = [(everything, np.ones(n, dtype=np.bool_))]
    parts += [(one, np.array(members, dtype=np.bool_)) for one, members in slices]
    count = len(parts) + family
    found, beyond = [], []
    for one, inside in parts:
        change, p_beyond = _tested(sides, one, inside, margin=margin, family=count)
        found.append(change)
        beyond.append(p_beyond)
    adjusted = _holm([change.p for change in found], count)
    losses = _holm(beyond, count)
    return [
        replace(change, p_holm=p, p_beyond=None if margin is None else loss)
        for change, p, loss in zip(found, adjusted, losses, strict=True)
    ]


def _holm(p_values: Sequence[float], count: int) -> list[float]:
    """Holm's p-values in a family that has others of p = 1 as well."""
    return [float(p) for p in holm([*p_values, *[1.0] * (count - len(p_values))])][: len(p_values)]


def _tested(
    sides: Sides, one: Slice, inside: NDArray[np.bool_], *, margin: float | None, family: int
) -> tuple[Change, float]:
    """Change of some items, and the p of a loss beyond the margin."""
    rows = np.flatnonzero(inside)
    values = values_of(sides)
    moved, outside = sides.change[rows], sides.change[~inside]
    rng = generator(sides.seed, "compare", name="signs", item=one.name)
    units = part_of(sides.meeting, rows).units or Units.of(rows.size)
    most = 1.0 if sides.is_hit or sides.is_share else float("inf")
    gap = replace(change_of(values, inside), most=most)
    p = gap.p_value()
    if outside.size:
        p = max(p, beside_rest(values, inside).p_value())
    near = gap.p_value() < ALPHA  # what no correction can make significant is not tested further
    exact = exact_p(moved, units, rng=rng) if near else 1.0
    p = max(p, exact)
    low, high = gap.limits(1.0 - ALPHA / family)
    change = Change(
        name=one.name,
        says=one.says,
        n=rows.size,
        n_moved=int((np.abs(moved) > 1e-12).sum()),
        before=float(sides.first[:, rows].mean()),
        after=float(sides.second[:, rows].mean()),
        low=low,
        high=high,
        elsewhere=float(outside.mean()) if outside.size else None,
        p=min(1.0, p),
    )
    gain = replace(gap, value=sides.sign * gap.value)
    is_loss = margin is not None and gain.value < -margin
    return change, max(gain.p_below(-(margin or 0.0)), exact / 2.0) if is_loss else 1.0


def values_of(sides: Sides) -> Values:
    """The two sides for the tests."""
    units = sides.meeting.units
    code = np.arange(len(sides.examples)) if units is None else units.code
    return Values(sides.first, sides.second, code, sides.is_paired)


def shown(found: Sequence[Change]) -> list[Change]:
    """Slices whose change is shown, the clearest first: by p, then by the items that moved."""
    return sorted(
        (one for one in found if one.is_shown and one.name != "all"),
        key=lambda one: (one.p_holm, -one.n_moved),
    )


def independent(
    sides: Sides,
    slices: Sequence[tuple[Slice, tuple[bool, ...]]],
    ranked: Sequence[Change],
) -> Iterator[tuple[Change, str]]:
    """Slices whose change is shown, each with the clearer one that it goes back to, or "".

    A slice goes back to another where nothing is shown of it on the items that the other leaves.
    """
    members = {one.name: np.array(inside, dtype=np.bool_) for one, inside in slices}
    leading: list[Change] = []
    for change in ranked:
        cause = next((one.name for one in leading if _goes_back(sides, members, change, one)), "")
        if not cause:
            leading.append(change)
        yield change, cause


def _goes_back(
    sides: Sides, members: dict[str, NDArray[np.bool_]], change: Change, clearer: Change
) -> bool:
    """Whether a slice shows nothing of its own on the items outside of a clearer one."""
    left = ~members[clearer.name]
    own = members[change.name] & left
    if not own.any() or not (left & ~own).any():
        return True
    rows = np.flatnonzero(left)
    values = values_of(sides)
    rest = replace(
        values,
        first=values.first[:, rows],
        second=values.second[:, rows],
        units=values.units[rows],
    )
    gaps = change_of(rest, own[rows]), beside_rest(rest, own[rows])
    return not all(g.p_value() < ALPHA and g.value * change.value > 0 for g in gaps)
