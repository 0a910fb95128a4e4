"""Records: raw measures, one row for each measured item or pair, and values grouped by a key."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any, Final, Literal, NamedTuple, TypeVar

from scrutiny.core.boundary.json_text import as_tuples, plain

Role = Literal["measured", "control", "null", "baseline"]
#: From best to worst: a pair counts under the worst status of its sides.
STATUSES: Final = ("ok", "undefined", "skipped", "refused", "failed")
ROLES: Final = ("measured", "control", "null", "baseline")


@dataclass(frozen=True, slots=True)
class Measure:
    """Measure declared by a diagnostic: its name and axes.

    Parameters
    ----------
    name
        Name within the diagnostic.
    axes
        ``(name, length)`` of each axis, outermost first; empty for a single number. A length of 0
        is the model's own: how many layers it has, or heads.
    unit
        Unit of the number ("items", "nats").
    says
        Label of its mean, for tables; default: the name.
    scale, higher_is, tolerance, row_range, no_effect
        Of its mean, as in `scrutiny.core.statistic.Statistic`; without a scale that of the metric.
    among
        Measures that are 1 in the rows that count, and 0 in others: its mean is over these.
    per
        Measure with the number of elements that it is summed over per row: its mean is over these.
    drawn_as
        Random stream by metric ("mean"), if it has another name.
    """

    name: str
    axes: tuple[tuple[str, int], ...] = ()
    unit: str = ""
    says: str = ""
    scale: str = ""
    higher_is: str = "neither"
    tolerance: float | None = None
    row_range: tuple[float, float] | None = None
    no_effect: float | None = None
    among: tuple[str, ...] = ()
    per: str = ""
    drawn_as: tuple[tuple[str, str], ...] = ()

    @property
    def size(self) -> int:
        """Number of values of the measure: the product of its axes."""
        return prod(length for _, length in self.axes)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Measure":
        """Measure from plain JSON."""
        known = {name: as_tuples(value) for name, value in data.items()}
        return cls(**{**known, "axes": tuple((n, int(k)) for n, k in data["axes"])})

    def to_json(self) -> dict[str, Any]:
        """Plain JSON of the measure: its name, its axes, and what differs from the defaults."""
        stated = {f.name for f in fields(self) if getattr(self, f.name) != f.default}
        return {name: v for name, v in plain(self).items() if name in {"axes", *stated}}

    def sized(self, lengths: Mapping[str, int]) -> "Measure":
        """The measure with axis lengths of the model filled in."""
        axes = tuple((name, length or lengths.get(name, 0)) for name, length in self.axes)
        return replace(self, axes=axes)

    def cells(self, at: Mapping[str, int]) -> list[int]:
        """Flat positions of the values at some indices of its axes, counted from 1."""
        found, before = [0], 1
        for name, length in reversed(self.axes):  # the innermost first
            indices = (at[name] - 1,) if name in at else range(length)
            found = [before * i + inner for i in indices for inner in found]
            before *= length
        return found


#: Axes whose length is the model's own.
LAYERS: Final = ("layer", 0)
HEADS: Final = ("head", 0)


class Row(NamedTuple):
    """Result of one measurement within a cell, as a diagnostic yields it.

    ``values`` holds the declared measures in their order, axes flattened; it is given if and only
    if ``status`` is ``ok``, and holds no NaN. ``condition`` is canonical JSON.
    """

    item: str
    variant: str | None
    role: str
    condition: str
    status: str
    reason: str | None
    values: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of rows by outcome.

    ``planned`` is always the sum of the five statuses; a missing row is never a zero.
    """

    n: int
    undefined: int = 0
    failed: int = 0
    skipped: int = 0
    refused: int = 0

    @property
    def planned(self) -> int:
        """Number of planned rows: measured, undefined, failed, skipped and refused."""
        return self.n + self.undefined + self.failed + self.skipped + self.refused

    @property
    def missing_share(self) -> float:
        """Share of applicable rows that failed or are undefined; 0 if none applied.

        Skipped and refused rows were not to be measured, so they do not water it down.
        """
        missing = self.undefined + self.failed
        return missing / (self.n + missing) if missing else 0.0


K = TypeVar("K")
T = TypeVar("T")


def grouped(values: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """Values by name, both in the order of appearance.

    Parameters
    ----------
    values
        Pairs of a name and a value; a name may come again, anywhere.

    Examples
    --------
    >>> grouped((word[0], word) for word in ["ant", "bee", "asp"])
    {'a': ['ant', 'asp'], 'b': ['bee']}
    """
    found: dict[K, list[T]] = {}
    for name, value in values:
        found.setdefault(name, []).append(value)
    return found
