"""Hashes of texts, by their letters: what a model was trained on, and what data share with it."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

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
