"""How numbers come from records: what a statistic declares, and its three kinds.

A statistic subclasses one of the kinds. Everything that it may declare is a field of `Statistic`
with a default, so that nothing is looked for by its name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from scrutiny.core.errors import ConformanceError
from scrutiny.core.plugin import Told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = "NDArray[Any]"


@dataclass(frozen=True, slots=True)
class ReplicateTest:
    """A test of one replicate's rows.

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
        What else it says; "smallest_p" is the smallest p that it could have given.
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
    """What stands for chance beside a metric, and is subtracted in ``beyond(m)``.

    Parameters
    ----------
    says
        What it is, in words: "random change".
    measure
        Measure of the same rows that holds it, where m is a mean; nothing where it is m of the
        control.
    stream
        Random numbers of the difference, where they are not those of ``m_excess``.
    """

    says: str
    measure: str = ""
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Statistic(Told, ABC):
    """What every statistic declares; its kind says how it is computed.

    Parameters
    ----------
    id
        Versioned name.
    says
        What it is, in a few words for tables.
    needs
        Measures ("hit"), or measures of sides ("before.hit").
    scale
        Where its interval is symmetric: a name of `scrutiny.stats.intervals.scale.SCALES`.
    higher_is
        "better", "worse" or "neither".
    tolerance
        How much for the worse nobody minds, in its own units: what the margins of an audit are
        unless told; nothing where no metric of its kind has one.
    cells
        Columns of the items that are kept apart inside one value.
    conditional_on
        What resampling holds fixed; it is printed with the interval.
    row_range
        Least and largest value of one row, where the value is a plain mean over rows: what a
        missing row could have been at worst. Nothing for F1, where one row can hold any share.
    no_effect
        Value that says "no difference" (0 for drops); nothing for levels. Replicates are said to
        agree on the side of it.
    divisor
        What the value is divided by ``(...)`` of sums over rows ``(..., component)`` (of measures
        ``(..., need)`` where the kind has no components), where that is not every row: attacked
        items, decided pairs. Nothing where every row counts.
    flips_over
        Over how many things one flip is spread ``(...)`` of sums ``(..., component)``, where the
        value is a share of things that are right or wrong and no mean over rows: half of the
        predicted and true entities of an F1. Nothing for any other.
    stream
        Name of its random numbers, where it has been renamed.
    is_mean
        Whether the value is the first component's sum over the number of rows, the last component.
    tests, cell_tests, pair_tests
        Tests of one replicate at a time: of its rows, between its cells, and between two of it on
        the same rows; or nothing.
    chance
        What it is beside by chance, or nothing.
    headline
        What the first screen of a report calls it, beside the score ("macro-F1"); empty for a
        number that does not stand there.
    """

    id: str
    says: str
    needs: tuple[str, ...]
    _: KW_ONLY
    scale: str = "identity"
    higher_is: str = "neither"
    tolerance: float | None = None
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
        """Name of its random numbers: the declared ``stream``, or its own name."""
        return self.stream or self.id

    def of_condition(self, condition: Mapping[str, object]) -> "Self":
        """Return the statistic with what it takes from the condition of an estimate."""
        del condition
        return self

    def of_widths(self, widths: Sequence[int]) -> "Self":
        """Return the statistic for needs of these many columns each."""
        del widths
        return self


class AdditiveStatistic(Statistic):
    """A value that is a function of sums over rows."""

    __slots__ = ()

    @abstractmethod
    def components(self, measures: "Array") -> "Array":
        """Components ``(..., component)``, additive over rows, of measures ``(..., need)``."""

    @abstractmethod
    def value(self, sums: "Array", weight: "Array") -> "Array":
        """Values ``(...)`` of sums ``(..., cell, component)`` and weights ``(..., cell)``.

        NaN where the quantity does not exist.
        """


class WeightedStatistic(Statistic):
    """A value of weighted rows: median, AUC, Spearman."""

    __slots__ = ()

    @abstractmethod
    def weighted(self, measures: "Array", weights: "Array") -> "Array":
        """Values ``(draw,)`` of measures ``(row, need)`` under weights ``(draw, row)``."""


class RefitStatistic(Statistic):
    """A value that is fitted anew on each resample: slower, same result type."""

    __slots__ = ()

    @abstractmethod
    def refit(self, measures: "Array") -> float:
        """Value of measures ``(row, need)``."""


def must_be_statistic(thing: object, name: str) -> Statistic:
    """The thing, which is a statistic.

    Raises
    ------
    ConformanceError
        If it subclasses none of the three kinds.
    """
    if isinstance(thing, AdditiveStatistic | WeightedStatistic | RefitStatistic):
        return thing
    raise ConformanceError(
        f"{name}: a thing of type {type(thing).__name__} is no statistic. A statistic is made of a "
        "subclass of AdditiveStatistic, WeightedStatistic or RefitStatistic, which stand in "
        "scrutiny.core.statistic."
    )
