"""Containment: short texts that occur inside longer ones, compared by letters and numbers.

Every window of 32 letters of the long texts is hashed; where one equals the first 32 letters of a
short text, the rest is compared.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from scrutiny.text.letters import letters_and_marks

#: Letters a text needs to count as contained: six or seven words, so that no set phrase does.
SHORTEST: Final = 32
_BLOCK = 2_000_000  # letters hashed at once
_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2 ** 64

_Array = np.ndarray[Any, Any]


def find_contained(short: Sequence[str], long: Sequence[str]) -> dict[int, int]:
    """Index of the first long text that contains each short one, for those contained.

    Parameters
    ----------
    short
        Letters and marks of the texts to look for; under 32 letters they are not looked for.
    long
        Texts to look in, as they are.
    """
    by_anchor: dict[int, list[int]] = {}
    candidates = [i for i, text in enumerate(short) if len(text) >= SHORTEST]
    if not candidates:
        return {}
    heads = window_hashes("".join(short[i][:SHORTEST] for i in candidates))[::SHORTEST]
    for i, head in zip(candidates, heads.tolist(), strict=True):
        by_anchor.setdefault(head, []).append(i)
    is_anchor = _Filter(np.array(sorted(by_anchor), dtype=np.uint64))
    found: dict[int, int] = {}
    for first, texts in _blocks(long):
        joined = "".join(texts)
        ends = np.cumsum([len(text) for text in texts])
        hashes = window_hashes(joined)
        hits = is_anchor.places(hashes)
        owners = np.searchsorted(ends, hits, side="right")
        for hit, owner in zip(hits.tolist(), owners.tolist(), strict=True):
            stop = int(ends[owner])
            for i in by_anchor[int(hashes[hit])]:
                if i not in found and joined.startswith(short[i], hit, stop):
                    found[i] = first + owner
    return found


class _Filter:
    """Sorted hashes with a bit table in front, which settles most look-ups at once."""

    def __init__(self, anchors: _Array) -> None:
        self._anchors = anchors
        self._mask = np.uint64((1 << 22) - 1)
        self._may_be = np.zeros(1 << 22, dtype=np.bool_)
        self._may_be[anchors & self._mask] = True

    def places(self, hashes: _Array) -> _Array:
        """Indices of the hashes that are anchors."""
        likely = np.flatnonzero(self._may_be[hashes & self._mask])
        some = hashes[likely]
        place = np.minimum(np.searchsorted(self._anchors, some), len(self._anchors) - 1)
        return np.asarray(likely[self._anchors[place] == some])


def window_hashes(kept: str) -> _Array:
    """Hashes ``(letter - 31,)`` of all windows of 32 letters: polynomials modulo 2 ** 64."""
    codes = np.frombuffer(kept.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    hashes = codes + np.uint64(1)
    factor, width = np.uint64(_BASE), 1
    while width < SHORTEST:  # a window of 2 w letters is two of w letters
        if len(hashes) <= width:
            return hashes[:0]
        hashes = hashes[:-width] * factor + hashes[width:]
        with np.errstate(over="ignore"):
            factor = factor * factor
        width *= 2
    return hashes


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Letters of successive texts, two million at a time, with the index of the first text."""
    first, size = 0, 0
    block: list[str] = []
    for i, text in enumerate(texts):
        kept = letters_and_marks(text)
        block.append(kept)
        size += len(kept)
        if size >= _BLOCK:
            yield first, block
            first, size, block = i + 1, 0, []
    if block:
        yield first, block
