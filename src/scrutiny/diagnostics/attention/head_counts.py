"""Scores of heads from counts, and statistics that compare heads: shared functions.

Columns of a statistic are counts of every head and, last, how many targets there were:
``tp`` (predicted and right) and ``predicted``, each ``(head,)``, then ``gold``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, NamedTuple, Self, cast, get_args

import numpy as np

from scrutiny.core.statistic import AdditiveStatistic
from scrutiny.reliability.metrics import Parametric
from scrutiny.reliability.row_statistics import Array, divide
from scrutiny.stats.arrays import StatisticsError

Kind = Literal["precision", "recall", "f1", "accuracy"]
#: Scores of heads that may predict any number of words.
KINDS: Final[tuple[Kind, ...]] = ("precision", "recall", "f1")
#: What the metrics read.
HEADS: Final = ("tp", "predicted", "gold")
BASE_AND_TUNED: Final = ("base.tp", "base.predicted", "tp", "predicted", "gold")
#: Cells of what is chosen in one half and scored in the other.
HALVES: Final = ("a_half",)


def by_score(
    name: str,
    says: str,
    needs: tuple[str, ...],
    combine: "Callable[[Sequence[HeadCounts], Kind], Array]",
    *,
    usual: Sequence[Kind] = KINDS,
    own: Callable[[Kind], Mapping[str, Any]] = lambda kind: {},
    **stated: Any,
) -> "Parametric[OfHeads]":
    """Metrics that only differ in the score of a head: ``mean_head(f1)``, ``mean_head(recall)``.

    Parameters
    ----------
    name
        Of the metric, without version and score.
    says
        What it is, with a place for the score.
    needs
        As `OfHeads` has them.
    combine
        Value of the counts of each side, and of the score.
    usual
        Scores that diagnostics compute.
    own
        What `OfHeads` is given for one score.
    stated
        What it is given for all of them.
    """

    def of(value: str, full: str) -> OfHeads:
        if value not in get_args(Kind):
            raise ValueError(value)
        kind = cast("Kind", value)
        given = {"says": says.format("F1" if kind == "f1" else kind), **stated, **own(kind)}
        return OfHeads(id=full, needs=needs, combine=lambda sides: combine(sides, kind), **given)

    return Parametric(f"{name}@1", tuple(usual), of, f"one of {', '.join(get_args(Kind))}")


class HeadCounts(NamedTuple):
    """Counts ``(..., head)`` of heads, and of targets ``(..., 1)``."""

    tp: Array
    predicted: Array
    gold: Array

    def score(self, kind: Kind) -> Array:
        """Score ``(..., head)``: 0 for a head without predictions, as in the released code.

        NaN without any target: then there is nothing to find. Accuracy is the name of F1 where
        every word is one prediction, so that ``predicted`` equals ``gold``.
        """
        denominator = {
            "precision": self.predicted,
            "recall": np.broadcast_to(self.gold, self.tp.shape),
        }.get(kind, (self.predicted + self.gold) / 2)
        found = np.where(denominator > 0, divide(self.tp, denominator), 0.0)
        return np.where(self.gold > 0, found, np.nan)

    def of_other_cells(self) -> "HeadCounts":
        """Counts of all other cells for each cell ``(..., cell, head)``."""
        return HeadCounts(*(part.sum(axis=-2, keepdims=True) - part for part in self))


@dataclass(frozen=True, slots=True)
class OfHeads(AdditiveStatistic):
    """A value computed from the counts of all heads, in one or several cells.

    Parameters
    ----------
    needs
        Pairs of ``tp`` and ``predicted`` of one or more sides, then ``gold``.
    combine
        Value ``(...)`` of the counts ``(..., cell, head)`` of each side.
    widths
        Columns of each need. Nothing: all sides have equally many heads, which the number of
        columns then gives. A statistic whose sides differ (heads and baselines) must be told, see
        `of_widths`.
    has_one_width
        Whether all sides have the same heads.
    others
        See `scrutiny.core.statistic.Statistic`.

    **Measures**: see each statistic.

    **Misleads when**: rows are words or frames and not whole sentences: resample sentences.

    **References**: Zhao & Bethard (2020), How does BERT's attention change when you fine-tune?

    Examples
    --------
    >>> best = OfHeads(
    ...     "best@1",
    ...     "best precision",
    ...     ("tp", "predicted", "gold"),
    ...     lambda sides: sides[0].score("precision")[..., 0, :].max(axis=-1),
    ... )
    >>> sums = np.array([[2.0, 1.0, 8.0, 2.0, 5.0]])  # tp of two heads, predicted of two, gold
    >>> float(best.value(sums, np.ones(1)))
    0.5
    """

    combine: Callable[[Sequence[HeadCounts]], Array]
    widths: tuple[int, ...] | None = None
    has_one_width: bool = True
    scale: str = field(default="logit", kw_only=True)

    def of_widths(self, widths: Sequence[int]) -> Self:
        """Return the same statistic for needs of these many columns each."""
        if len(widths) != len(self.needs):
            raise StatisticsError(f"{self.id} has {len(self.needs)} needs, not {len(widths)}.")
        return replace(self, widths=tuple(widths))

    def components(self, measures: Array) -> Array:
        """Components: the counts themselves ``(..., column)``."""
        self._widths(measures.shape[-1])
        return measures

    def value(self, sums: Array, weight: Array) -> Array:
        """Values ``(...)`` of sums ``(..., cell, column)``."""
        # a corpus or a half is no cell inside a resampled unit
        return self.combine(self.sides(sums))

    def sides(self, sums: Array) -> list[HeadCounts]:
        """Counts ``(..., head)`` of each side, of sums ``(..., column)``."""
        ends = np.cumsum(self._widths(sums.shape[-1]))
        *counts, gold = np.split(sums, ends[:-1], axis=-1)
        return [
            HeadCounts(tp, predicted, gold)
            for tp, predicted in zip(counts[::2], counts[1::2], strict=True)
        ]

    def _widths(self, columns: int) -> tuple[int, ...]:
        """Columns of each need, checked."""
        if self.widths is not None:
            widths = self.widths
        else:
            counts = len(self.needs) - 1
            heads = (columns - 1) // counts
            widths = (*[heads] * counts, 1)
            if not self.has_one_width and heads != 1:
                widths = ()
        if sum(widths) != columns or not columns:
            raise StatisticsError(
                f"{self.id} needs {', '.join(self.needs)}; {columns} columns do not say how many "
                "belong to which. Call of_widths with the columns of each."
            )
        return widths
