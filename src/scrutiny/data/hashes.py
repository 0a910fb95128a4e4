"""Hashes of texts by their letters, identifiers of items by content, and subsamples by names.

A model's training set is known by hashes of its texts. Identifiers are the user's own, or hashes of
the content, so that runs can be paired. A subsample is the same for every model and seed.
"""

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.columns.item_columns import ItemColumns, Items
from scrutiny.core.errors import DataError
from scrutiny.core.example import GROUP, Example
from scrutiny.text.letters import letters, letters_and_marks
from scrutiny.text.tokens import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


#: Value among training hashes that says that numbers and symbols count in all others.
WITH_MARKS: Final = int.from_bytes(blake2b(b"\0marks", digest_size=8).digest(), "little")


def letters_hash(text: str) -> int:
    """Eight-byte hash of a text by its letters alone; 0 without any: equal texts share it.

    BLAKE2b of their UTF-8, read little-endian. The value is part of file formats: it never changes.

    Examples
    --------
    >>> letters_hash("It is.") == letters_hash("it IS")
    True
    """
    kept = letters(text).encode()
    return int.from_bytes(blake2b(kept, digest_size=8).digest(), "little") if kept else 0


def content_hash(text: str) -> int:
    """Eight-byte hash of a text's letters, numbers and symbols; 0 without letters.

    That of a text without numbers and symbols is its `letters_hash`.

    Examples
    --------
    >>> [content_hash(text) == content_hash("It is 1.") for text in ("it IS 1", "It is 2.")]
    [True, False]
    """
    if not any(map(str.isalpha, text)):
        return 0
    kept = letters_and_marks(text).encode()
    return int.from_bytes(blake2b(kept, digest_size=8).digest(), "little")


def training_hashes(texts: Iterable[str]) -> "NDArray[np.uint64]":
    """Sorted distinct hashes of training texts, their lines and their sentences.

    Texts without letters are left out. One value more, `WITH_MARKS`, says that numbers and symbols
    count, as they did not in files of earlier versions.

    Examples
    --------
    >>> [h in training_hashes(["One day. Then two."]) for h in (content_hash("then TWO"), 0)]
    [True, False]
    """
    import numpy as np

    found = {WITH_MARKS}
    for text in texts:
        found.add(content_hash(text))
        for line in text.splitlines() if "\n" in text else [text]:
            found.add(content_hash(line))
            found.update(content_hash(line[a:b]) for a, b in sentences(line))
    found.discard(0)
    return np.array(sorted(found), dtype=np.uint64)


_SMALLEST = 1024


class Identifiers:
    """Identifiers assigned so far in one dataset.

    Content hashes are sixteen hexadecimal digits; the k-th repetition of one gets ``-k``. User
    identifiers must be unique.
    """

    def __init__(self) -> None:
        self._seen = _LinesByKey()
        self._repeated: dict[int, int] = {}

    def of_content(self, key: bytes, *, line: int) -> str:
        """Identifier from a content key."""
        name = key[:8].hex()
        number = int.from_bytes(key[:8], "big")
        if self._seen.add(number, line):
            count = self._repeated.get(number, 0) + 1
            self._repeated[number] = count
            return f"{name}-{count}"
        return name

    def of_user(self, name: str, *, line: int) -> str:
        """Return the user's identifier.

        Raises
        ------
        DataError
            If it was there already; both lines are named.
        """
        number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")
        first = self._seen.add(number, line)
        if first:
            raise DataError(
                f"the id {name!r} is already on line {first}; identifiers must be unique "
                "(an empty id= makes them from the content)"
            )
        return name


class _LinesByKey:
    """Map from 64-bit keys to the line that each was first seen on: 16 to 48 bytes a key.

    A dict of a million entries would take 100 MB. Open addressing, linear probing.
    """

    def __init__(self) -> None:
        self._allocate(_SMALLEST)

    def _allocate(self, slots: int) -> None:
        self._keys = array("Q", bytes(8 * slots))
        self._lines = array("Q", bytes(8 * slots))  # 0: the slot is free
        self._mask = slots - 1
        self._room = slots * 2 // 3

    def add(self, key: int, line: int) -> int:
        """Line on which the key was first seen, or 0 for a new key."""
        keys, lines, mask = self._keys, self._lines, self._mask
        slot = key & mask
        while lines[slot]:
            if keys[slot] == key:
                return lines[slot]
            slot = (slot + 1) & mask
        keys[slot] = key
        lines[slot] = line
        self._room -= 1
        if not self._room:
            pairs = zip(self._keys, self._lines, strict=True)
            self._allocate(2 * len(self._keys))
            for known, where in pairs:
                if where:
                    self.add(known, where)
        return 0


def drawn(examples: Sequence[Example], items: int | None) -> Items:
    """Subsample: the items with the smallest hashes, in their order; all if ``items`` is None.

    Smaller subsamples are part of larger ones, so that measurements of several sizes share items.
    Of a suite, groups are drawn: an item with all cases that change it.

    Examples
    --------
    >>> some = [Example(str(i), {"text": "x"}) for i in range(9)]
    >>> [e.id for e in drawn(some, 3)] == [e.id for e in drawn(some[::-1], 3)][::-1]
    True
    """
    if items is None or items >= len(examples):
        return examples if isinstance(examples, ItemColumns) else tuple(examples)
    is_suite = any(example.case is not None for example in examples)
    names = [str(e.attributes.get(GROUP, e.id)) if is_suite else e.id for e in examples]
    kept = set(_ranked(tuple(dict.fromkeys(names)))[:items])
    return tuple(e for e, name in zip(examples, names, strict=True) if name in kept)


@lru_cache(maxsize=16)
def _ranked(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of items by their hashes; a budget tries many sizes of one dataset."""
    return tuple(sorted(names, key=lambda name: digest("attack", name)))  # the word keeps the draw
