"""Columns of which many values are equal: distinct values, and a code for each row."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """Column of which many values are equal: distinct ones, and ``(row,)`` the code of each row."""

    values: Sequence[Any]
    codes: "NDArray[np.int32]"

    def each(self) -> list[Any]:
        """Value of every row."""
        return [*map(self.values.__getitem__, self.codes.tolist())]

    def at(self, rows: "slice | NDArray[np.int64]") -> "Coded":
        """Some of the rows."""
        return Coded(self.values, self.codes[rows])

    def counts(self) -> Counter[Any]:
        """How often each value but None occurs, in the order of the values.

        Examples
        --------
        >>> coded(["a", None, "b", "a"]).counts()
        Counter({'a': 2, 'b': 1})
        """
        import numpy as np

        counts = np.bincount(self.codes, minlength=len(self.values)).tolist()
        pairs = zip(self.values, counts, strict=True)
        found: Counter[Any] = Counter()
        for value, n in pairs:
            if n and value is not None:
                found[value] += n
        return found

    def renamed(self, names: Mapping[Any, Any]) -> "Coded":
        """The same rows under other names; values without one keep theirs."""
        return Coded([names.get(value, value) for value in self.values], self.codes)


def coded(values: Iterable[Any]) -> Coded:
    """Distinct values by first appearance, and the code of each.

    Examples
    --------
    >>> column = coded(["b", "a", "b"])
    >>> column.values, column.codes.tolist()
    (['b', 'a'], [0, 1, 0])
    """
    import numpy as np

    places: dict[Any, int] = {}
    codes = [places.setdefault(value, len(places)) for value in values]
    return Coded([*places], np.array(codes, dtype=np.int32))


def together(columns: Iterable[Coded]) -> tuple[list[tuple[Any, ...]], "NDArray[np.int32]"]:
    """Distinct combinations of the values of columns that occur, and the code of each row's.

    Examples
    --------
    >>> rows, codes = together([coded(["a", "b", "a"]), coded([1, 1, 2])])
    >>> rows, codes.tolist()
    ([('a', 1), ('a', 2), ('b', 1)], [0, 2, 1])
    """
    import numpy as np

    every = list(columns)
    shape = [max(1, len(one.values)) for one in every]
    places = np.ravel_multi_index([one.codes for one in every], shape)
    found, codes = np.unique(places, return_inverse=True)
    at = zip(*(part.tolist() for part in np.unravel_index(found, shape)), strict=True)
    rows = [tuple(one.values[i] for one, i in zip(every, row, strict=True)) for row in at]
    return rows, codes.reshape(-1).astype(np.int32)
