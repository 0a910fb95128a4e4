"""Hashes of texts, by their letters: what a model was trained on, and what data share with it."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

from scrutiny.text.letters import letters
from scrutiny.text.tokens import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


def training_hashes(texts: Iterable[str]) -> "NDArray[np.uint64]":
    """Sorted distinct hashes of training texts, their lines and their sentences.

    Texts without letters are left out.

    Examples
    --------
    >>> [h in training_hashes(["One day. Then two."]) for h in (letters_hash("then TWO"), 0)]
    [True, False]
    """
    import numpy as np

    found: set[int] = set()
    for text in texts:
        found.add(letters_hash(text))
        for line in text.splitlines() if "\n" in text else [text]:
            found.add(letters_hash(line))
            found.update(letters_hash(line[a:b]) for a, b in sentences(line))
    found.discard(0)
    return np.array(sorted(found), dtype=np.uint64)
