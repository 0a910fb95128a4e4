"""Letters of a text: a normal form that ignores spacing, case and punctuation."""

import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

from scrutiny.text.tokens import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Script of a language: words of A-Z and a-z, or single Chinese characters.
Script = Literal["latin", "han"]


def letters(text: str) -> str:
    """Letters of a text, case-folded; all other characters are dropped.

    Letters are the Unicode categories L; composed and decomposed accents come out equal.

    Examples
    --------
    >>> letters("It's -- a 2nd TRY.")
    'itsandtry'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return "".join(filter(str.isalpha, text.casefold()))


def letters_hash(text: str) -> int:
    """Eight-byte hash of the letters of a text; 0 for a text without any.

    BLAKE2b of their UTF-8, read little-endian. The value is part of file formats: it never changes.

    Examples
    --------
    >>> letters_hash("It is.") == letters_hash("it IS")
    True
    """
    return _hash(letters(text))


def _hash(kept: str) -> int:
    if not kept:
        return 0
    return int.from_bytes(blake2b(kept.encode(), digest_size=8).digest(), "little")


def letters_hashes(texts: Iterable[str]) -> "NDArray[np.uint64]":
    """Hashes ``(text,)`` of the letters of each text, in order."""
    import numpy as np

    return np.fromiter((letters_hash(text) for text in texts), dtype=np.uint64)


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


def script_of(language: str) -> Script:
    """Script that a language is written in.

    Examples
    --------
    >>> script_of("zh-Hans"), script_of("en")
    ('han', 'latin')
    """
    return "han" if language.partition("-")[0] == "zh" else "latin"
