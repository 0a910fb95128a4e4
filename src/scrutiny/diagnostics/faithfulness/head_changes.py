"""Accuracy before and after changes of heads, for all heads, from sums by half."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability.additive import Array, divide
from scrutiny.stats.errors import StatisticsError


class Drops(NamedTuple):
    """Mean drop ``(..., half, head)`` on each half, rows ``(..., half, 1)``, drop of controls."""

    measured: Array
    rows: Array
    control: Array


def drop(drops: Drops) -> Array:
    """Mean over heads of the drop over all rows."""
    total = np.where(drops.rows > 0, drops.measured, 0.0) * drops.rows
    return np.asarray(divide(total.sum(axis=-2), drops.rows.sum(axis=-2)).mean(axis=-1))


def selected(drops: Drops) -> Array:
    """Drop on each half of the head chosen on the other half, averaged over halves."""
    return _chosen(drops.measured, drops.measured)


def gain(drops: Drops) -> Array:
    """Gain on each half of the head chosen on the other half, averaged over halves."""
    return _chosen(-drops.measured, -drops.measured)


def over_layer(drops: Drops) -> Array:
    """Drop of the chosen head minus that of its control at the same position."""
    return _chosen(drops.measured, drops.measured - drops.control)


def _chosen(by: Array, values: Array) -> Array:
    """Mean over halves of the values of heads chosen on the other half; NaN if it is empty.

    Equally good heads are averaged.
    """
    elsewhere = by[..., ::-1, :]
    is_best = elsewhere == elsewhere.max(axis=-1, keepdims=True)  # nowhere if it is NaN
    by_half = divide((np.where(is_best, values, 0.0)).sum(axis=-1), is_best.sum(axis=-1))
    return np.asarray(by_half.mean(axis=-1))


@dataclass(frozen=True, slots=True)
class ChangedHeads(AdditiveStatistic):
    """A value computed from the drops of all heads on both halves of the texts.

    Parameters
    ----------
    combine
        Value ``(...)`` of the drops.
    is_of_one
        Whether it is of one head and refuses more.

    **Measures**: see `scrutiny.diagnostics.faithfulness.metrics`.

    **Misleads when**: units of texts span the halves.

    **References**: Kovaleva et al. (2019), Revealing the dark secrets of BERT.
    """

    combine: Callable[[Drops], Array]
    is_of_one: bool = False
    scale: str = field(default="coefficient", kw_only=True)
    no_effect: float | None = field(default=0.0, kw_only=True)

    def components(self, measures: Array) -> Array:
        """Drops and row counts by half ``(..., component)`` of measures ``(..., need)``."""
        hit, half, changed = measures[..., :1], measures[..., 1:2], measures[..., 2:]
        sides = len(self.needs) - 2
        if changed.shape[-1] % sides or not changed.shape[-1]:
            raise StatisticsError(
                f"{self.id} needs {', '.join(self.needs)}; {changed.shape[-1]} columns are not "
                f"those of {sides} sides with equally many heads."
            )
        if self.is_of_one and changed.shape[-1] != 1:
            raise StatisticsError(
                f"{self.id} is of one head and got {changed.shape[-1]}; fix the layer and the "
                "head, or take mean_changed_head(drop(accuracy))@1."
            )
        columns = np.concatenate([hit - changed, np.ones_like(hit)], axis=-1)
        return np.concatenate([columns * (1 - half), columns * half], axis=-1)

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, component)``; there is one cell."""
        one = sums[..., 0, :]
        halves = np.stack(np.split(one, 2, axis=-1), axis=-2)  # (..., half, column)
        rows = halves[..., -1:]
        means = divide(halves[..., :-1], rows)
        control = means[..., means.shape[-1] // 2 :] if len(self.needs) > 3 else means
        measured = means[..., : means.shape[-1] // 2] if len(self.needs) > 3 else means
        return self.combine(Drops(measured, rows, control))
