"""Other items of the data: what a change appends or borrows names from.

A run gives its own items, all of them, whichever of them it is about to change, so that what comes
out depends neither on the order in which items are changed nor on the number of processes.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.example import Example
from scrutiny.core.record import grouped

#: Specification of the items of the run's own data.
OWN: Final = "own"


class OtherItems:
    """Items of a data set, in its order.

    Parameters
    ----------
    examples
        All of them.

    Examples
    --------
    >>> items = OtherItems([Example(name, {"text": name}) for name in "abc"])
    >>> [one.id for one in items.following("c", 2)]
    ['a', 'b']
    """

    def __init__(self, examples: Sequence[Example] = ()) -> None:
        self._examples = examples

    def __iter__(self) -> Iterator[Example]:
        return iter(self._examples)

    @classmethod
    def load(cls, spec: str) -> "OtherItems":
        """Items of a data string; none for ``own``, which a run replaces by its own."""
        from scrutiny.data.dataset import load_dataset

        return cls(() if spec == OWN else load_dataset(spec).examples)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {example.id: place for place, example in enumerate(self._examples)}

    def following(self, item: str, count: int, *, start: float = 0.0) -> list[Example]:
        """Items behind an item, at most so many; behind the last comes the first.

        Parameters
        ----------
        item
            Identity of the item, which is never among them.
        count
            How many.
        start
            Where to begin for an item of other data, as a share of all items.
        """
        n = len(self._examples)
        place = self._places.get(item, int(start * n) - 1)
        behind = [self._examples[(place + k) % n] for k in range(1, min(count, n) + 1)]
        return [example for example in behind if example.id != item]

    @cached_property
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Stretches of the texts that are labeled, by label: what gold spans hold, sorted.

        A name that has two labels in the data is none of either.
        """
        found = grouped(
            (example.fields[span.field][span.start : span.end], span.label)
            for example in self._examples
            if example.gold is not None and type_of(example.gold) is SPANS
            for span in example.gold
        )
        certain = sorted((labels[0], name) for name, labels in found.items() if len({*labels}) == 1)
        return {label: tuple(names) for label, names in grouped(certain).items()}


def with_items(resources: Mapping[str, Any], examples: Sequence[Example]) -> Mapping[str, Any]:
    """Resources of a run, with the items of its own data unless it names others."""
    if resources.get("items", OWN) != OWN:
        return resources
    return {**resources, "items": OtherItems(examples)}
