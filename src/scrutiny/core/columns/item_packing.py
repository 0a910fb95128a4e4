"""Items put together into columns while they are read, block by block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrutiny.core.columns.coded import Coded, coded
from scrutiny.core.columns.item_columns import BLOCK, ItemColumns, Items
from scrutiny.core.example import Example

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


@dataclass(slots=True)
class ItemBlock:
    """Plain items side by side, in order: what a reader hands over.

    Parameters
    ----------
    ids, sources
        ``(row,)``.
    fields
        Texts ``(row,)`` by field.
    golds, languages
        Distinct values and codes; an empty language is not told.
    attributes
        By name; None where an item lacks it.
    """

    ids: list[str]
    sources: list[str]
    fields: Mapping[str, list[str]]
    golds: Coded
    languages: Coded
    attributes: Mapping[str, Coded]

    def texts(self) -> list[str]:
        """Texts of each item in a row."""
        several = [*self.fields.values()]
        return several[0] if len(several) == 1 else [*map(" ".join, zip(*several, strict=True))]

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "ItemBlock | None":
        """Block of some items; None if one of them is not plain, or they differ in their fields."""
        fields = tuple(examples[0].fields)
        if not all(_is_plain(one) and tuple(one.fields) == fields for one in examples):
            return None
        names = dict.fromkeys(name for one in examples for name in one.attributes)
        return cls(
            [one.id for one in examples],
            [one.source for one in examples],
            {name: [one.fields[name] for one in examples] for name in fields},
            coded(one.gold for one in examples),
            coded(one.language for one in examples),
            {name: coded(one.attributes.get(name) for one in examples) for name in names},
        )


def _is_plain(one: Example) -> bool:
    """Whether an item is no more than texts, a label and attributes."""
    has_more = one.spans or one.tokens or one.protected or one.case
    return not has_more and (one.gold is None or type(one.gold) is str)


class _Growing:
    """Coded column in the making: its values so far, and the codes of each block."""

    def __init__(self, rows: int = 0) -> None:
        self._places: dict[Any, int] = {None: 0} if rows else {}
        self._blocks: list[NDArray[np.int32]] = [_absent(rows).codes] if rows else []

    def add(self, part: Coded) -> None:
        """Take the next rows; values stand in the order in which they first occur."""
        import numpy as np

        used, first = np.unique(part.codes, return_index=True)
        own = np.zeros(len(part.values), dtype=np.int32)
        for code in used[np.argsort(first)].tolist():
            own[code] = self._places.setdefault(part.values[code], len(self._places))
        self._blocks.append(own[part.codes])

    def whole(self) -> Coded:
        """All rows."""
        import numpy as np

        return Coded([*self._places], np.concatenate(self._blocks))


def _absent(rows: int) -> Coded:
    """Column without a value."""
    import numpy as np

    return Coded([None], np.zeros(rows, dtype=np.int32))


class Packing:
    """Items of a source while they are read: columns if there are many plain ones, else a list."""

    def __init__(self) -> None:
        self._examples: list[Example] | None = []
        self._size = 0
        self._ids: list[pa.Array] = []
        self._sources: list[pa.Array] = []
        self._fields: dict[str, list[pa.Array]] = {}
        self._golds, self._languages = _Growing(), _Growing()
        self._attributes: dict[str, _Growing] = {}

    def add(self, items: Sequence[Example] | ItemBlock) -> None:
        """Take the next items."""
        if isinstance(items, ItemBlock):
            self._take(items)
            return
        if self._examples is not None:
            self._examples += items
            if len(self._examples) < BLOCK:
                return
            held, self._examples = self._examples, None
            items = held
        block = ItemBlock.of(items)
        if block is None or not self._fits(block):
            self._examples = [*self._made(), *items]
        else:
            self._take(block)

    def _fits(self, block: ItemBlock) -> bool:
        return not self._fields or list(self._fields) == list(block.fields)

    def _take(self, block: ItemBlock) -> None:
        if self._examples:  # few items that came one by one
            first, self._examples = ItemBlock.of(self._examples), None
            assert first is not None  # what gives blocks gives plain items
            self._take(first)
        self._examples = None
        import pyarrow as pa

        self._ids.append(pa.array(block.ids, pa.large_string()))
        self._sources.append(pa.array(block.sources, pa.large_string()))
        for name, texts in block.fields.items():
            self._fields.setdefault(name, []).append(pa.array(texts, pa.large_string()))
        self._golds.add(block.golds)
        self._languages.add(block.languages)
        for name, part in block.attributes.items():
            if name not in self._attributes:
                self._attributes[name] = _Growing(self._size)
            self._attributes[name].add(part)
        for name in self._attributes.keys() - block.attributes.keys():
            self._attributes[name].add(_absent(len(block.ids)))
        self._size += len(block.ids)

    def _made(self) -> list[Example]:
        return [*self.items()] if self._size else []

    def items(self) -> Items:
        """All items, in order."""
        if self._examples is not None:
            return tuple(self._examples)
        import pyarrow as pa

        made = ItemColumns(
            pa.chunked_array(self._ids),
            pa.chunked_array(self._sources),
            {name: pa.chunked_array(parts) for name, parts in self._fields.items()},
            self._golds.whole(),
            self._languages.whole(),
            {name: own.whole() for name, own in self._attributes.items()},
        )
        return made if self._size >= BLOCK else tuple(made)
