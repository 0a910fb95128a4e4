"""Statistics of shared invariances, over pairs of a text and a changed text.

One row is one base item, because base items are what is resampled; its measures ``made``, ``inv1``,
``inv2``, ``d`` and ``agree`` hold one number for each pair (trial) made of it, all pairs count
alike, and a trial that found no pair has ``made`` 0 and is not read. The side "" is the searched
pairs, the side "control" the ones changed at random by as much. See ``docs/similarity.md``.

``hard_scope@1``
    **Measures**: pairs that leave the reference's answer on which the target keeps its own.
    **Misleads when**: read without `scope_lift@1`: a target that always says the same scores 1.
``soft_scope@1``
    **Measures**: the same, each pair weighed by how alike both changes of the probabilities are.
    **Misleads when**: compared at other constants (``tolerance`` and ``cutoff`` of the estimate's
    condition), or between targets of different calibration.
``kept_by(target)@1``, ``kept_by(reference)@1``
    **Measures**: pairs on which the target (the reference) keeps its answer, whatever the other
    does. **Misleads when**: of searched pairs: the reference's is what the search wanted.
``scope_lift@1``, ``kappa_inv@1``
    **Measures**: Hard-SCoPE minus the target's invariance to random changes; as a share of what
    was left to gain. **Misleads when**: the random changes are smaller or larger. ``kappa_inv@1``
    does not exist for a target that no random change moves, which is the warning.
``invariance_phi@1``, ``invariance_kappa@1``
    **Measures**: whether both models keep their labels on the same pairs; meant for the control,
    whose pairs were chosen for neither. Alone can be negative. **Misleads when**: labels hardly
    ever change: phi is then bounded far below 1.
``mean_distance@1``
    **Measures**: distance of both changes, over pairs that leave both labels. **Misleads when**:
    hardly any pair does.
``ood_agreement(kept)@1``, ``ood_agreement(all)@1``, ``share(agree_base)@1``
    **Measures**: changed texts with the same label from both, over pairs that leave the
    reference's label, and over all; base texts with the same label. **Misleads when**: taken for
    shared invariance.
``pairs_found@1``
    **Measures**: trials in which the search found a pair. **Misleads when**: few: all other numbers
    are of the texts that are easily changed.
``label_entropy@1``, ``commonest_label@1``
    **Measures**: entropy in bits of the target's labels on base texts, and the share of the
    commonest: the alarm for a target that cannot but be invariant. **Misleads when**: the data are
    lopsided themselves.

**References**: Rawal & Toneva (2024), Perturbed examples reveal invariances shared by language
models, from the formulas of its released code; lift, kappa, phi, distance and alarm are ours.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability.metrics import one_of
from scrutiny.reliability.row_statistics import Array, divide, second
from scrutiny.stats.agreement.scope import CUTOFF, TOLERANCE, decay_of, proper_constants
from scrutiny.stats.arrays import StatisticsError

_FOUND: Final = "the pairs that the search found"


def _ratio(sums: Array) -> Array:
    return divide(sums[..., 0], sums[..., 1])


@dataclass(frozen=True, slots=True)
class OverPairs(AdditiveStatistic):
    """A value computed from sums over the pairs of every base item.

    Parameters
    ----------
    needs
        Those of one side have one number for each trial of it.
    make
        Components ``(..., component)`` of the measures ``(..., trial)``, one argument a need, then
        the constants.
    combine
        Values ``(...)`` of sums ``(..., component)``; NaN where the quantity does not exist.
    constants
        Numbers by name that an estimate may set by its condition.
    widths
        Columns of each need. Nothing: all have equally many.
    others
        See `scrutiny.core.statistic.Statistic`.

    Examples
    --------
    >>> rows = np.array([[1.0, 1, 1, 0, 1, 1], [1, 0, 1, 0, 0, 0]])  # two trials: made, inv1, inv2
    >>> sums = HARD_SCOPE.components(rows).sum(axis=0)
    >>> float(HARD_SCOPE.value(sums[None], np.ones(1)))
    0.5
    """

    make: Callable[..., Array]
    combine: Callable[[Array], Array] = _ratio
    constants: tuple[tuple[str, float], ...] = ()
    widths: tuple[int, ...] | None = None
    conditional_on: str | None = field(default=_FOUND, kw_only=True)
    divisor: Callable[[Array], Array] | None = field(default=second, kw_only=True)
    scale: str = field(default="logit", kw_only=True)

    def of_widths(self, widths: Sequence[int]) -> Self:
        """Return the same statistic for needs of these many columns each."""
        by_side: dict[str, set[int]] = {}
        for need, width in zip(self.needs, widths, strict=True):
            by_side.setdefault(need.rpartition(".")[0], set()).add(width)
        if any(len(found) > 1 or 0 in found for found in by_side.values()):
            raise StatisticsError(
                f"{self.id} needs {', '.join(self.needs)} with one number for each trial; their"
                f" columns are {list(widths)}."
            )
        return replace(self, widths=tuple(widths))

    def of_condition(self, condition: Mapping[str, object]) -> Self:
        """Return the same statistic with the constants that a condition names.

        Examples
        --------
        >>> SOFT_SCOPE.of_condition({"cutoff": 2, "search": "greedy@1"}).constants
        (('tolerance', 0.05), ('cutoff', 2.0))
        """
        said = {name: condition.get(name, own) for name, own in self.constants}
        try:
            return replace(self, constants=tuple((k, float(v)) for k, v in said.items()))  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise StatisticsError(f"{self.id} takes numbers: {said}.") from error

    def components(self, measures: Array) -> Array:
        """Components ``(..., component)`` of measures ``(..., column)``."""
        columns = measures.shape[-1]
        widths = self.widths or (columns // len(self.needs),) * len(self.needs)
        if sum(widths) != columns or not columns:
            raise StatisticsError(
                f"{self.id} needs {', '.join(self.needs)}: {columns} columns do not fit. Call"
                " of_widths with the columns of each."
            )
        parts = np.split(measures, np.cumsum(widths)[:-1], axis=-1)
        return self.make(*parts, *(value for _, value in self.constants))

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, component)``; there is one cell."""
        return self.combine(sums[..., 0, :])


def _sums(*columns: Array) -> Array:
    """Components: sums over the trials of each row."""
    return np.stack([column.sum(axis=-1) for column in columns], axis=-1)


def _mean(values: Array, counts: Array) -> Array:
    """Components of the mean of values over the pairs that count."""
    return _sums(values * counts, counts)


def _soft(*columns: Array | float) -> Array:
    """Components of Soft-SCoPE; the last two are tolerance and cutoff."""
    made, inv1, inv2, d, tolerance, cutoff = columns
    proper_constants(float(tolerance), float(cutoff))
    weight = decay_of(np.asarray(d), float(tolerance), float(cutoff))
    return _mean(np.asarray(inv2 * weight), np.asarray(made * inv1))


def _against_random(*columns: Array) -> Array:
    """Shared and all pairs of the search, invariant and all pairs of the control."""
    made, inv1, inv2, random_made, random_inv2 = columns
    return _sums(made * inv1 * inv2, made * inv1, random_made * random_inv2, random_made)


def _lift(sums: Array) -> Array:
    return _ratio(sums) - divide(sums[..., 2], sums[..., 3])


def _kappa_inv(sums: Array) -> Array:
    # the denominator from counts: exactly 0 where every random change leaves the label
    moved = divide(sums[..., 3] - sums[..., 2], sums[..., 3])
    return divide(_lift(sums), moved)


def _table(made: Array, inv1: Array, inv2: Array) -> Array:
    """Numbers of pairs that keep both labels, the first, the second; of all pairs."""
    return _sums(made * inv1 * inv2, made * inv1, made * inv2, made)


def _shares(sums: Array) -> tuple[Array, Array, Array]:
    n = sums[..., 3]
    return divide(sums[..., 0], n), divide(sums[..., 1], n), divide(sums[..., 2], n)


def _phi(sums: Array) -> Array:
    both, first, second = _shares(sums)
    spread = np.sqrt(first * (1 - first) * second * (1 - second))
    return np.clip(divide(both - first * second, spread), -1.0, 1.0)


def _kappa(sums: Array) -> Array:
    both, first, second = _shares(sums)
    off = first * (1 - second) + second * (1 - first)
    return 1 - divide(first + second - 2 * both, off)


_PAIR: Final = ("made", "inv1", "inv2")
_LIFT: Final = (*_PAIR, "control.made", "control.inv2")
HARD_SCOPE: Final = OverPairs(
    "hard_scope@1",
    "Hard-SCoPE",
    _PAIR,
    lambda made, inv1, inv2: _mean(inv2, made * inv1),
)
SOFT_SCOPE: Final = OverPairs(
    "soft_scope@1",
    "Soft-SCoPE",
    (*_PAIR, "d"),
    _soft,
    constants=(("tolerance", TOLERANCE), ("cutoff", CUTOFF)),
)
KEPT_BY: Final = one_of(
    "kept_by",
    {
        who: OverPairs(
            stream,
            f"answers kept by the {who}",
            ("made", kept),
            lambda made, kept: _mean(kept, made),
        )
        for who, kept, stream in (
            ("target", "inv2", "invariance@1"),
            ("reference", "inv1", "reference_invariance@1"),
        )
    },
)
SCOPE_LIFT, KAPPA_INV = (
    OverPairs(
        name,
        says,
        _LIFT,
        _against_random,
        combine,
        divisor=lambda sums: np.minimum(sums[..., 1], sums[..., 3]),
        scale=scale,
        no_effect=0.0,
    )
    for name, says, combine, scale in (
        ("scope_lift@1", "Hard-SCoPE beyond random changes", _lift, "coefficient"),
        ("kappa_inv@1", "lift, as a share of what random changes leave", _kappa_inv, "kappa"),
    )
)
INVARIANCE_PHI, INVARIANCE_KAPPA = (
    OverPairs(
        f"invariance_{name}@1",
        f"{name} of both models' invariance",
        _PAIR,
        _table,
        combine,
        divisor=lambda sums: sums[..., 3],
        scale="fisher_z",
        no_effect=0.0,
    )
    for name, combine in (("phi", _phi), ("kappa", _kappa))
)
MEAN_DISTANCE: Final = OverPairs(
    "mean_distance@1",
    "distance of both models' changes",
    (*_PAIR, "d"),
    lambda made, inv1, inv2, d: _mean(d, made * inv1 * inv2),
    scale="amount",
)
OOD_AGREEMENT: Final = one_of(
    "ood_agreement",
    {
        "kept": OverPairs(
            "ood_agreement@1",
            "agreement on changed texts that leave the reference's answer",
            ("made", "inv1", "agree"),
            lambda made, inv1, agree: _mean(agree, made * inv1),
        ),
        "all": OverPairs(
            "ood_agreement_all@1",
            "agreement on changed texts",
            ("made", "agree"),
            lambda made, agree: _mean(agree, made),
        ),
    },
)
PAIRS_FOUND: Final = OverPairs(
    "pairs_found@1",
    "trials that found a pair",
    ("made",),
    lambda made: _sums(made, np.ones_like(made)),
    conditional_on=None,
)
