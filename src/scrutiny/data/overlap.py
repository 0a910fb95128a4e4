"""Overlap: texts that occur in another set of texts, exactly, inside a longer one, or nearly.

Evaluation texts that a model was trained on make its scores mean something else. Whether short
texts occur inside longer ones is told by letters and numbers: every window of 32 letters of the
long texts is hashed; where one equals the first 32 letters of a short text, the rest is
compared.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.errors import DataError
from scrutiny.data.hashes import WITH_MARKS, content_hash, letters_hash
from scrutiny.data.near_duplicates import find_near
from scrutiny.text.letters import letters, letters_and_marks
from scrutiny.text.tokens import sentences

Hashes = NDArray[np.uint64]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Kind = Literal["exact", "contained", "near"]
KINDS: Final[tuple[Kind, ...]] = ("exact", "contained", "near")


class OverlapPair(NamedTuple):
    """Text of the first set, and its place in the second.

    ``a`` and ``b`` are indices from 0; ``b`` is -1 where only hashes of the second set are known.
    ``similarity`` is 1 but for near pairs, where it is the Jaccard index.
    """

    a: int
    b: int
    kind: Kind
    similarity: float


@dataclass(frozen=True, slots=True)
class OverlapReport:
    """Numbers of texts of one set found in another, by strongest kind of match.

    Parameters
    ----------
    n_a, n_b
        Sizes of the sets (of hashes, where only these are known).
    exact
        Texts with the same letters, numbers and symbols as a whole text.
    contained
        Texts of at least 32 letters whose letters occur inside a longer text.
    near
        Texts that share most of their word pairs with one text, and all of its numbers and
        negations; None if not searched.
    pairs
        The strongest match of each text that has one, in the order of the first set.
    """

    n_a: int
    n_b: int
    exact: int
    contained: int
    near: int | None
    pairs: tuple[OverlapPair, ...]

    @property
    def n_overlapping(self) -> int:
        """Number of texts of the first set found in the second in any way."""
        return len(self.pairs)

    @property
    def share(self) -> float:
        """Share of the first set that overlaps; 0 for an empty one."""
        return self.n_overlapping / self.n_a if self.n_a else 0.0


def overlap(
    a_texts: Sequence[str], b_texts: Sequence[str], *, near: float | None = 0.8
) -> OverlapReport:
    """Find texts of the first set in the second.

    Parameters
    ----------
    a_texts
        Texts to look for (the evaluation set).
    b_texts
        Texts to look in (what the model was trained on); documents may be long.
    near
        Smallest Jaccard index of word pairs of a near duplicate, above 0; None skips them.

    Raises
    ------
    DataError
        If ``near`` is not in (0, 1].

    Notes
    -----
    **Measures**: the overlap of two sets of texts, by letters (Unicode letters, case-folded) and
    numbers; symbols such as emoji count as well. Exact
    matches compare a hash of 64 bits, all others are verified; near duplicates are found by prefix
    filtering, which misses none.

    **Misleads when** texts are short: "very bad ." occurs in many corpora without having been
    copied, which is why containment needs 32 letters. A paraphrase is not found, nor is a long
    evaluation text that quotes a short training text.

    **References**: Broder (1997), On the resemblance and containment of documents; Bayardo, Ma and
    Srikant (2007), Scaling up all pairs similarity search.

    Examples
    --------
    >>> report = overlap(["A fine film!", "Not this one."], ["a fine film", "Another."])
    >>> report.exact, report.pairs[0].b
    (1, 0)
    """
    if near is not None and not 0 < near <= 1:
        raise DataError(f"near is {near}; a Jaccard index lies above 0 and at or under 1.")
    # first text of b with the same letters, for each text of a that has one
    one, other = _hashes(a_texts, content_hash), _hashes(b_texts, content_hash)
    order = np.argsort(other, kind="stable")
    hits = np.flatnonzero(_is_member(one, other[order]))
    places = order[np.searchsorted(other[order], one[hits])]
    found = {
        int(i): OverlapPair(int(i), int(j), "exact", 1.0) for i, j in zip(hits, places, strict=True)
    }
    rest = [a for a in range(len(a_texts)) if a not in found]
    inside = find_contained([letters_and_marks(a_texts[a]) for a in rest], b_texts)
    found |= {rest[i]: OverlapPair(rest[i], b, "contained", 1.0) for i, b in inside.items()}
    if near is not None:
        rest = [a for a in rest if a not in found]
        similar = find_near([a_texts[a] for a in rest], b_texts, least=near)
        found |= {rest[i]: OverlapPair(rest[i], b, "near", j) for i, (b, j) in similar.items()}
    pairs = tuple(found[a] for a in sorted(found))
    return _report(pairs, (len(a_texts), len(b_texts)), looked_for_near=near is not None)


def overlap_with_hashes(texts: Sequence[str], hashes: Hashes) -> OverlapReport:
    """Find texts among hashes of training texts.

    Exact: the letters of the whole text are there. Contained: the text has several sentences, and
    all that have at least 32 letters are there. Near duplicates cannot be told from hashes. Numbers
    and symbols count, but for hashes of earlier versions, which are of letters alone.

    Parameters
    ----------
    texts
        Texts to look for.
    hashes
        Sorted ``uint64`` hashes, as `training_hashes` makes them.

    Raises
    ------
    DataError
        If the hashes are not sorted, or of another type.
    """
    known = np.asarray(hashes)
    if known.dtype != np.uint64 or known.ndim != 1 or bool(np.any(known[1:] < known[:-1])):
        raise DataError(
            "Training hashes must be a sorted array of uint64, as training_hashes makes."
        )
    has_marks = bool(np.any(known == WITH_MARKS))
    hashed = content_hash if has_marks else letters_hash
    is_exact = _is_member(_hashes(texts, hashed), known)
    pairs = []
    for a, text in enumerate(texts):
        if is_exact[a]:
            pairs.append(OverlapPair(a, -1, "exact", 1.0))
            continue
        pieces = [text[start:end] for start, end in sentences(text)]
        long = [piece for piece in pieces if len(letters(piece)) >= SHORTEST]
        if len(pieces) > 1 and long and _is_member(_hashes(long, hashed), known).all():
            pairs.append(OverlapPair(a, -1, "contained", 1.0))
    return _report(tuple(pairs), (len(texts), len(known) - has_marks), looked_for_near=False)


def _is_member(values: Hashes, known: Hashes) -> Mask:
    """Whether each hash ``(value,)`` is in a sorted array; 0 (no letters) never is."""
    if not len(known):
        return np.zeros(len(values), dtype=np.bool_)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.asarray((known[place] == values) & (values != 0))


def _hashes(texts: Sequence[str], hashed: Callable[[str], int]) -> Hashes:
    return np.fromiter(map(hashed, texts), dtype=np.uint64)


def _report(
    pairs: tuple[OverlapPair, ...], sizes: tuple[int, int], *, looked_for_near: bool
) -> OverlapReport:
    counts = {kind: sum(pair.kind == kind for pair in pairs) for kind in KINDS}
    return OverlapReport(
        n_a=sizes[0],
        n_b=sizes[1],
        exact=counts["exact"],
        contained=counts["contained"],
        near=counts["near"] if looked_for_near else None,
        pairs=pairs,
    )


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
