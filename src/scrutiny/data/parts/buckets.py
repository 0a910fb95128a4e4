"""Buckets: an attribute with edges, so that a number falls apart by it.

Edges come from gold parts; predicted ones are placed by their own values.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, Literal, get_args

from scrutiny.core.errors import PlanError

How = Literal["fixed", "values", "interpreteval", "interpreteval_open", "mass", "discrete"]
HOW: Final[tuple[How, ...]] = get_args(How)
#: Name of the group of words beyond the most frequent ones, unless a word has it.
OTHERS: Final = "others"


@dataclass(frozen=True, slots=True)
class Buckets:
    """How the values of an attribute are divided.

    Parameters
    ----------
    how
        ``fixed``: by upper ends, each within its bucket. ``values``: each of some values, the
        lowest ones, is a bucket of its own, and the rest is divided into buckets of about equal
        size. ``interpreteval``: the same as its authors' code places predicted parts: those beyond
        the range of gold ones count nowhere, nor do those at its lower end, unless that has a
        bucket of its own. ``interpreteval_open``: the same without gold parts at the
        lower end.
        ``mass``: buckets of about equal size, as many as there can be (ExplainaBoard).
        ``discrete``: the most frequent values, and one bucket of all others.
    edges
        Upper ends; or values with a bucket of their own, which are the lowest ones and fewer than
        ``count``.
    count
        How many buckets; those of ``fixed`` follow from the edges.
    """

    how: How = "mass"
    edges: tuple[float, ...] = ()
    count: int = 4

    def __post_init__(self) -> None:
        if self.how not in HOW:
            raise PlanError(f"buckets = {self.how!r}: allowed are {', '.join(HOW)}.")
        if list(self.edges) != sorted(set(self.edges)):
            raise PlanError(f"edges = {list(self.edges)}: edges go up, each one once.")
        if self.how == "fixed" and not self.edges:
            raise PlanError("Fixed buckets need their upper ends: edges = [1, 2, 3].")
        if self.edges and self.how in ("mass", "discrete"):
            raise PlanError(
                f"buckets = {self.how!r} finds its own edges, so edges = {list(self.edges)} would "
                'change nothing. Leave edges out, or use "fixed" or "values".'
            )
        if self.edges and self.how != "fixed" and len(self.edges) >= self.count:
            raise PlanError(
                f"edges = {list(self.edges)} with count = {self.count}: each of these values has a "
                f"bucket of its own, and what is above them needs one. count = "
                f"{len(self.edges) + 1} is the least."
            )
        if not 1 <= self.count <= MOST or len(self.edges) >= MOST:
            raise PlanError(f"There are 1 to {MOST} buckets of an attribute.")


MOST: Final = 50


@dataclass(frozen=True, slots=True)
class Numbers:
    """Range of an attribute's numbers: whether they are whole, the lowest and highest possible."""

    is_whole: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Groups:
    """Named groups of values.

    Parameters
    ----------
    names
        In order.
    ends
        Upper end of each group of numbers but the last; None for words, which are their own groups.
    lowest, highest
        Range in which predicted parts count, if not everywhere.
    others
        Name of the group of all words that have none of their own.
    is_open
        Whether the lower end of that range is excluded: for those of a model, or for "all".
    """

    names: tuple[str, ...]
    ends: tuple[float, ...] | None = None
    lowest: float | None = None
    highest: float | None = None
    is_open: Literal["", "given", "all"] = ""
    others: str | None = None

    def place(self, value: float | str | None, *, is_gold: bool = True) -> str | None:
        """Group of a value; None where it is in none."""
        if value is None:
            return None
        if self.ends is None:
            word = _word(value)
            return word if word in self.names else self.others
        number = float(value)
        is_at_end = number == self.lowest and self.is_open
        is_outside = (
            self.lowest is not None
            and self.highest is not None
            and not (self.lowest <= number <= self.highest and not is_at_end)
        )
        is_dropped = is_outside and (not is_gold or self.is_open == "all")
        return None if is_dropped else self.names[bisect_left(self.ends, number)]


def groups_of(buckets: Buckets, values: Sequence[float | str | None], scale: Numbers) -> Groups:
    """Groups of an attribute with these values of gold parts.

    Words always have a group of others: a part of a model may have a word that no gold part has.

    Raises
    ------
    PlanError
        If words are to be divided by edges, or values that are to have buckets of their own are
        not the lowest ones.

    Examples
    --------
    >>> groups_of(Buckets("values", (1,), 3), [1, 1, 1, 2, 3, 5, 9], Numbers(True, 1)).names
    ('1', '2 to 3', '4 or more')
    """
    known = [value for value in values if value is not None]
    is_number = all(
        isinstance(value, int | float) and value.__class__ is not bool for value in known
    )
    if buckets.how == "discrete" or not is_number:
        if buckets.how != "discrete" and buckets.edges:
            raise PlanError(
                f"buckets = {buckets.how!r} needs an attribute of numbers, and this one has words "
                f"({known[0]}). Use discrete."
            )
        counts = Counter(map(_word, known))
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        shown = ordered[: buckets.count]
        others = next(name for name in _free_names() if name not in shown)
        return Groups((*shown, others), others=others)
    numbers = sorted(map(float, known))
    if buckets.how == "fixed":
        ends = buckets.edges
    elif buckets.how == "mass":
        ends = _adaptive(numbers, buckets.count)
    else:
        own = [edge for edge in buckets.edges if edge in numbers]
        if skipped := [n for n in numbers if own and n < own[-1] and n not in own]:
            raise PlanError(
                f"edges = {list(buckets.edges)} with buckets = {buckets.how!r}: values with a "
                f"bucket of their own are the lowest ones, and gold parts have {skipped[0]:g} "
                f'below {own[-1]:g}. Name it as well, or use "fixed" with upper ends.'
            )
        rest = [number for number in numbers if not own or number > own[-1]]
        ends = (*own, *_swept(rest, buckets.count - len(own)))
        ends = ends if rest else ends[:-1]
    found = Groups(_names(ends, scale), ends)
    if buckets.how.startswith("interpreteval") and numbers:
        is_single = bool(ends) and ends[0] in buckets.edges
        opens: Literal["given", "all"] = "given" if buckets.how == "interpreteval" else "all"
        is_open: Literal["", "given", "all"] = "" if is_single else opens
        return replace(found, lowest=numbers[0], highest=numbers[-1], is_open=is_open)
    return found


def _swept(numbers: Sequence[float], count: int) -> tuple[float, ...]:
    """Upper ends of all buckets but the last; one is closed when it has more than its share."""
    ends: list[float] = []
    inside = 0
    for value, n in sorted(Counter(numbers).items())[:-1]:
        inside += n
        if len(ends) < count - 1 and inside > len(numbers) / count:
            ends.append(value)
            inside = 0
    return tuple(ends)


def _adaptive(numbers: Sequence[float], count: int) -> tuple[float, ...]:
    """Upper ends where a value changes at or behind an equal share of what is left."""
    ends: list[float] = []
    n = len(numbers)
    cutoff = n / count
    for i in range(1, n):
        if numbers[i] != numbers[i - 1] and i >= cutoff and len(ends) < count - 1:
            ends.append(numbers[i - 1])
            cutoff = i + (n - i) / (count - len(ends))
    return tuple(ends)


def _names(ends: Sequence[float], scale: Numbers) -> tuple[str, ...]:
    """Names of groups of numbers by their upper ends."""
    if not ends:
        return ("all",)
    shown = _shown(ends)
    names = []
    for place, (end, name) in enumerate(zip(ends, shown, strict=True)):
        if place == 0:
            is_single = scale.least is not None and end <= scale.least
            names.append(name if is_single else f"up to {name}")
        elif scale.is_whole:
            first = int(ends[place - 1]) + 1
            names.append(name if first >= end else f"{first} to {name}")
        else:
            names.append(f"over {shown[place - 1]} to {name}")
    if scale.is_whole:
        return (*names, f"{int(ends[-1]) + 1} or more")
    return (*names, f"over {shown[-1]}")


def _shown(ends: Sequence[float]) -> list[str]:
    """Ends with as few digits as keep them apart."""
    for digits in range(3, 17):
        found = [f"{end:.{digits}g}" for end in ends]
        if len(set(found)) == len(found):
            return found
    return [repr(end) for end in ends]


def _free_names() -> Iterator[str]:
    """Names for the group of others, in the order in which they are tried."""
    yield OTHERS
    yield from (f"{OTHERS} ({n})" for n in count(2))


def _word(value: float | str) -> str:
    """Value as the name of a group."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
