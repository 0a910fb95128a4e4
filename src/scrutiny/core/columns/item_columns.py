"""Items kept as columns: a sequence whose items are made when they are asked for.

An item as an object takes a kilobyte, as a row of columns little more than its text. Only plain
items are kept so: texts, a label, attributes. Others, and data of a few thousand, stay objects.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

from scrutiny.core.columns.coded import Coded, coded
from scrutiny.core.example import Example, new_example, originals

if TYPE_CHECKING:
    import pyarrow as pa

#: Items of a dataset, in order: objects, or columns that make them.
Items: TypeAlias = "tuple[Example, ...] | ItemColumns"
#: Items of a block: made together, and the fewest that are kept as columns.
BLOCK: Final = 4_096
_KEPT: Final = 2  # blocks that were made last, for who walks through in step


@dataclass(frozen=True, slots=True, eq=False)
class ItemColumns(Sequence[Example]):
    """Plain items as columns, in order; each is made when it is asked for.

    Two requests for one item give equal objects, not the same.

    Parameters
    ----------
    ids, sources, fields
        Columns of texts.
    golds, languages, attributes
        Coded columns; None where an item has no value.
    """

    ids: "pa.ChunkedArray"
    sources: "pa.ChunkedArray"
    fields: "Mapping[str, pa.ChunkedArray]"
    golds: Coded
    languages: Coded
    attributes: Mapping[str, Coded]
    _blocks: dict[int, list[Example]] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> tuple[Any, ...]:
        """Columns alone: what was made is made again."""
        own = self.ids, self.sources, self.fields, self.golds, self.languages
        return *own, self.attributes

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        for one, value in zip(fields(self), (*state, {}), strict=True):
            object.__setattr__(self, one.name, value)

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        """Whether other items are equal, in the same order."""
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented
        return all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Example]:
        for start in range(0, len(self), BLOCK):
            yield from self._make(start, min(start + BLOCK, len(self)))

    def texts(self) -> Iterator[tuple[str, ...]]:
        """Texts of each item, a block at a time."""
        for start in range(0, len(self), BLOCK):
            columns = (column.slice(start, BLOCK).to_pylist() for column in self.fields.values())
            yield from zip(*columns, strict=True)

    def part(self, start: int, stop: int) -> "ItemColumns":
        """Items from one to another, as columns."""
        own, n = slice(start, stop), stop - start
        return ItemColumns(
            self.ids.slice(start, n),
            self.sources.slice(start, n),
            {name: texts.slice(start, n) for name, texts in self.fields.items()},
            self.golds.at(own),
            self.languages.at(own),
            {name: one.at(own) for name, one in self.attributes.items()},
        )

    @overload
    def __getitem__(self, place: int) -> Example: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Example, ...]: ...
    def __getitem__(self, place: int | slice) -> Example | tuple[Example, ...]:
        """One item, or a tuple of several."""
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step == 1:
                return tuple(self._make(start, max(start, stop)))
            return tuple(self[i] for i in range(start, stop, step))
        at = range(len(self))[place]
        number = at // BLOCK
        if number not in self._blocks:
            while len(self._blocks) >= _KEPT:
                del self._blocks[next(iter(self._blocks))]
            first = number * BLOCK
            self._blocks[number] = self._make(first, min(first + BLOCK, len(self)))
        return self._blocks[number][at - number * BLOCK]

    def _make(self, start: int, stop: int) -> list[Example]:
        """Items of a stretch."""
        if stop <= start:
            return []
        own = slice(start, stop)
        texts = [self.fields[name].slice(start, stop - start).to_pylist() for name in self.fields]
        cells = [one.at(own).each() for one in self.attributes.values()]
        attributes = zip(*cells, strict=True) if cells else iter([()] * (stop - start))
        has_all = not any(None in one.values for one in self.attributes.values())
        with_names = partial(_named, tuple(self.attributes), has_all=has_all)
        names = tuple(self.fields)
        return [
            new_example(
                identity,
                dict(zip(names, own_texts, strict=True)),
                gold,
                (),
                None,
                (),
                source,
                with_names(values),
                language,
            )
            for identity, own_texts, gold, source, values, language in zip(
                self.ids.slice(start, stop - start).to_pylist(),
                zip(*texts, strict=True),
                self.golds.at(own).each(),
                self.sources.slice(start, stop - start).to_pylist(),
                attributes,
                self.languages.at(own).each(),
                strict=True,
            )
        ]


def _named(
    names: tuple[str, ...], values: tuple[Any, ...], *, has_all: bool
) -> dict[str, str | float]:
    """Attributes of an item; what it lacks is left out."""
    pairs = zip(names, values, strict=True)
    return dict(pairs) if has_all else {name: value for name, value in pairs if value is not None}


def attribute_names(examples: Sequence[Example]) -> list[str]:
    """Names of the attributes of items, by first appearance."""
    if isinstance(examples, ItemColumns):
        return list(examples.attributes)
    return list(dict.fromkeys(chain.from_iterable(one.attributes for one in examples)))


def attribute_column(examples: Sequence[Example], name: str) -> list[Any]:
    """Attribute of every item; None where one lacks it."""
    if isinstance(examples, ItemColumns):
        known = examples.attributes.get(name)
        return [None] * len(examples) if known is None else known.each()
    return [one.attributes.get(name) for one in examples]


def attribute_columns(examples: Sequence[Example]) -> Mapping[str, Coded]:
    """Every attribute of the items by name, as codes."""
    if isinstance(examples, ItemColumns):
        return examples.attributes
    return {
        name: coded(one.attributes.get(name) for one in examples)
        for name in attribute_names(examples)
    }


def attribute_counts(examples: Sequence[Example]) -> dict[str, Counter[Any]]:
    """Counts of the values of every attribute, by name and by value, as they appear."""
    if isinstance(examples, ItemColumns):
        return {name: one.counts() for name, one in examples.attributes.items()}
    counts: dict[str, Counter[Any]] = {}
    for example in examples:
        for name, value in example.attributes.items():
            counts.setdefault(name, Counter())[value] += 1
    return counts


def counted_golds(examples: Sequence[Example]) -> Iterator[tuple[Any, int]]:
    """Gold answers, and of how many items each is; one may come several times, none does not."""
    if isinstance(examples, ItemColumns):
        yield from examples.golds.counts().items()
    else:
        yield from ((one.gold, 1) for one in examples if one.gold is not None)


def label_counts(examples: Sequence[Example]) -> Counter[str]:
    """How many items have each gold label, by first appearance; other answers are left out."""
    counts: Counter[str] = Counter()
    for gold, n in counted_golds(examples):
        if type(gold) is str:
            counts[gold] += n
    return counts


def scored_originals(examples: Sequence[Example]) -> Sequence[Example]:
    """Items that have a gold answer; of a suite, those that its cases change."""
    if isinstance(examples, ItemColumns):
        is_whole = None not in examples.golds.values
        return examples if is_whole else [one for one in examples if one.gold is not None]
    return [one for one in originals(examples) if one.gold is not None]


def language_counts_of(examples: Sequence[Example]) -> Counter[str]:
    """How many items are in each language."""
    if isinstance(examples, ItemColumns):
        return examples.languages.counts()
    return Counter(one.language for one in examples)


def golds_of(examples: Sequence[Example]) -> list[Any]:
    """Gold answer of every item."""
    if isinstance(examples, ItemColumns):
        return examples.golds.each()
    return [one.gold for one in examples]


def coded_golds(examples: Sequence[Example]) -> Coded:
    """Gold answer of every item, by distinct ones."""
    return examples.golds if isinstance(examples, ItemColumns) else coded(golds_of(examples))


def with_golds(examples: Items, name: Callable[[Any], Any]) -> Items:
    """The same items with other gold answers; those without one are left alone."""
    if not isinstance(examples, ItemColumns):
        return tuple(
            one if one.gold is None else replace(one, gold=name(one.gold)) for one in examples
        )
    golds = examples.golds
    named = Coded([None if gold is None else name(gold) for gold in golds.values], golds.codes)
    own = examples.ids, examples.sources, examples.fields, named, examples.languages
    return ItemColumns(*own, examples.attributes)


def id_column(examples: Sequence[Example]) -> "pa.ChunkedArray":
    """Identity of every item, as a column."""
    import pyarrow as pa

    if isinstance(examples, ItemColumns):
        return examples.ids.cast(pa.string())
    return pa.chunked_array([[one.id for one in examples]], pa.string())


def fields_of(examples: Sequence[Example]) -> list[str]:
    """Names of the texts of the items, each once, by first appearance."""
    if isinstance(examples, ItemColumns):
        return list(examples.fields)
    return list(dict.fromkeys(chain.from_iterable(one.fields for one in examples)))


def with_equal_texts(examples: Sequence[Example]) -> Iterator[Example]:
    """Items whose texts another one may have as well, in order; all, where they are not columns."""
    if not isinstance(examples, ItemColumns):
        yield from examples
        return
    import numpy as np

    hashes = np.fromiter(map(hash, examples.texts()), dtype=np.int64, count=len(examples))
    _, place, count = np.unique(hashes, return_inverse=True, return_counts=True)
    yield from map(examples.__getitem__, np.flatnonzero(count[place] > 1).tolist())


def first_with(examples: Sequence[Example], gold: Any) -> Example:
    """First item with this gold answer."""
    if not isinstance(examples, ItemColumns):
        return next(one for one in examples if one.gold == gold)
    code = [*examples.golds.values].index(gold)
    return examples[int((examples.golds.codes == code).argmax())]


def are_plain(examples: Sequence[Example]) -> bool:
    """Whether items are known to be no more than texts, a label and attributes."""
    return isinstance(examples, ItemColumns)
