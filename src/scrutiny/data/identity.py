"""Identifiers of items: the user's own, or hashes of their content, so that runs can be paired."""

from array import array
from hashlib import blake2b

from scrutiny.core.errors import DataError

_SMALLEST = 1024


class Identifiers:
    """Identifiers assigned so far in one dataset.

    Content hashes are sixteen hexadecimal digits; the k-th repetition of one gets ``-k``. User
    identifiers must be unique.
    """

    def __init__(self) -> None:
        self._seen = _Lines()
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


class _Lines:
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
            self._grow()
        return 0

    def _grow(self) -> None:
        pairs = zip(self._keys, self._lines, strict=True)
        self._allocate(2 * len(self._keys))
        for key, line in pairs:
            if line:
                self.add(key, line)
