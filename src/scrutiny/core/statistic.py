"""Statistics: numbers computed from records; the base class and its three kinds.

A statistic subclasses one of the kinds. Everything that it may declare is a field of `Statistic`
with a default, so that nothing is looked for by its name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from scrutiny.core.errors import ConformanceError
from scrutiny.core.plugin_base import Told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = "NDArray[Any]"


@dataclass(frozen=True, slots=True)
class ReplicateTest:
    """Significance test on one replicate's rows.

    Parameters
    ----------
    metric
        Versioned name of its row among the estimates ("mcnemar@1").
    method
        How it was done ("mcnemar mid-p").
    p_value
        Of the null hypothesis of no effect.
    n_units
        How many exchangeable things it rests on.
    numbers
        Additional results; "smallest_p" is the smallest p that it could have given.
    """

    metric: str
    method: str
    p_value: float
    n_units: int
    numbers: Mapping[str, float] = field(default_factory=dict)


#: Tests of measures ``(row, need)``, units ``(row,)`` or nothing, and a source of randomness.
ReplicateTests: TypeAlias = Callable[
    ["NDArray[np.float64]", "NDArray[np.int64] | None", "np.random.Generator"],
    Sequence[ReplicateTest],
]

#: Tests of measures ``(row, need)`` between cells ``(row,)``: datasets beside one another.
CellTests: TypeAlias = Callable[
    ["NDArray[np.float64]", "NDArray[np.int64]"], Sequence[ReplicateTest]
]


class Chance(NamedTuple):
    """Chance level of a metric, subtracted in ``beyond(m)``.

    Parameters
    ----------
    says
        Label: "random change".
    measure
        Measure of the same rows that holds it, where m is a mean; empty where it is m of the
        control.
    stream
        Random stream of the difference, if it is not that of ``m_excess``.
    """

    says: str
    measure: str = ""
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Statistic(Told, ABC):
    """Base class of statistics; the subclass determines how it is computed.

    Parameters
    ----------
    id
        Versioned name.
    says
        Label for tables.
    needs
        Measures ("hit"), or measures of sides ("before.hit").
    scale
        Where its interval is symmetric: a name of `scrutiny.stats.intervals.interval.SCALES`.
    higher_is
        "better", "worse" or "neither".
    tolerance
        Tolerable change for the worse, in its own units: the default margin of an audit; None if
        metrics of its kind have none.
    axis
        Name of the condition that tells its values apart ("label"); ``recall(spam)`` is recall
        where its axis is spam. Empty for none.
    cells
        Columns of the items that are kept apart inside one value.
    conditional_on
        Quantities that resampling holds fixed; printed with the interval.
    row_range
        Least and largest value of one row, where the value is a plain mean over rows: what a
        missing row could have been at worst. None for F1, where one row can hold any share.
    no_effect
        Value that means "no difference" (0 for drops); None for levels. Replicates are said to
        agree on the side of it.
    divisor
        What the value is divided by ``(...)`` of sums over rows ``(..., component)`` (of measures
        ``(..., need)`` where the kind has no components), where that is not every row: attacked
        items, decided pairs. None if every row counts.
    flips_over
        Over how many things one flip is spread ``(...)`` of sums ``(..., component)``, where the
        value is a share of things that are right or wrong and no mean over rows: half of the
        predicted and true entities of an F1. None for any other.
    stream
        Name of its random numbers, where it has been renamed.
    is_mean
        Whether the value is the first component's sum over the number of rows, the last component.
    tests, cell_tests, pair_tests
        Tests of one replicate at a time: of its rows, between its cells, and between two of it on
        the same rows; empty for none.
    chance
        Chance level to compare with, or None.
    headline
        What the first screen of a report calls it, beside the score ("macro-F1") or in its table
        of classes ("recall"); empty for a number that does not stand there.
    """

    id: str
    says: str
    needs: tuple[str, ...]
    _: KW_ONLY
    scale: str = "identity"
    higher_is: str = "neither"
    tolerance: float | None = None
    axis: str = ""
    cells: tuple[str, ...] = ()
    conditional_on: str | None = None
    row_range: tuple[float, float] | None = None
    no_effect: float | None = None
    divisor: Callable[["Array"], "Array"] | None = None
    flips_over: Callable[["Array"], "Array"] | None = None
    stream: str = ""
    is_mean: bool = False
    tests: ReplicateTests | None = None
    cell_tests: CellTests | None = None
    pair_tests: ReplicateTests | None = None
    chance: Chance | None = None
    headline: str = ""

    @property
    def drawn_as(self) -> str:
        """Name of its random stream: the declared ``stream``, or its own name."""
        return self.stream or self.id

    @property
    def slot(self) -> tuple[str, ...]:
        """Measures that each of two selections gives: ``hit`` of needs ``hit_a`` and ``hit_b``.

        Empty for a metric that is not of two selections.
        """
        half = len(self.needs) // 2
        one, other = (
            tuple(need.removesuffix(end) for need in needs if need.endswith(end))
            for end, needs in (("_a", self.needs[:half]), ("_b", self.needs[half:]))
        )
        return one if one == other and len(one) == half else ()

    def of_condition(self, condition: Mapping[str, object]) -> "Self":
        """Return the statistic with parameters from the condition of an estimate."""
        return self

    def of_widths(self, widths: Sequence[int]) -> "Self":
        """Return the statistic for needs with these numbers of columns."""
        return self


class AdditiveStatistic(Statistic):
    """Statistic that is a function of sums over rows."""

    __slots__ = ()

    @abstractmethod
    def components(self, measures: "Array") -> "Array":
        """Components ``(..., component)``, additive over rows, of measures ``(..., need)``."""

    @abstractmethod
    def value(self, sums: "Array", weight: "Array") -> "Array":
        """Values ``(...)`` from sums ``(..., cell, component)`` and weights ``(..., cell)``.

        NaN where the quantity does not exist.
        """


class WeightedStatistic(Statistic):
    """Statistic of weighted rows: median, AUC, Spearman."""

    __slots__ = ()

    @abstractmethod
    def weighted(self, measures: "Array", weights: "Array") -> "Array":
        """Values ``(draw,)`` from measures ``(row, need)`` under weights ``(draw, row)``."""


class RefitStatistic(Statistic):
    """Statistic that is refitted on each resample: slower, same result type."""

    __slots__ = ()

    @abstractmethod
    def refit(self, measures: "Array") -> float:
        """Value from measures ``(row, need)``."""


def must_be_statistic(thing: object, name: str) -> Statistic:
    """The object, checked to be a statistic.

    Raises
    ------
    ConformanceError
        If it subclasses none of the three kinds.
    """
    if isinstance(thing, AdditiveStatistic | WeightedStatistic | RefitStatistic):
        return thing
    raise ConformanceError(
        f"{name}: an object of type {type(thing).__name__} is no statistic. A statistic is of a "
        "subclass of AdditiveStatistic, WeightedStatistic or RefitStatistic, which are in "
        "scrutiny.core.statistic."
    )
