"""Features of the built-in models: words, pairs of words, and character sequences.

Each feature is a 32-bit number. A word has the CRC-32 of its UTF-8 bytes; two words in a row, a
word after a negation and four characters in a row have numbers mixed from theirs. No feature
reaches over the border of its text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Integers

Hashes: TypeAlias = NDArray[np.uint32]
#: Features of some texts: for each kind their hashes, and the number of the text of each.
Features: TypeAlias = list[tuple[Hashes, Integers]]
_WORD = re.compile(r"n't|'[a-z]{1,2}\b|[^\W\d_]+|[!?\n]")  # and the ends of texts
_NEGATIONS = (
    "n't not no never without hardly nothing nobody neither nor cannot barely lack lacks".split()
)
_NEGATION_SCOPE = 5  # words
_NEGATION_HASHES = np.array(sorted(crc32(w.encode()) for w in _NEGATIONS), dtype=np.uint32)
_MIX_FIRST, _MIX_SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B)  # odd: no bit is lost
_PAIR, _NEGATED, _PIECE = np.uint32(1), np.uint32(77), np.uint32(1009)  # keep the kinds apart
_DIGIT = re.compile(r"\d")
_WORDS_KEPT = 200_000  # distinct words whose hashes are kept: about 20 MB


def _mixed(first: Hashes, second: Hashes, kind: np.uint32) -> Hashes:
    return first * _MIX_FIRST + second * _MIX_SECOND + kind  # modulo 2^32


class _KnownHashes(dict[str, int]):
    """Cache of the hashes of words, because replicates and texts share words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        found = _NO_WORD if word == _END_OF_TEXT else crc32(word.encode("utf-8", "surrogatepass"))
        self[word] = found
        return found


_END_OF_TEXT: Final = "\n"
_NO_WORD: Final = -1
_WORD_HASHES: Final = _KnownHashes()


def _word_hashes(texts: Sequence[str]) -> tuple[Hashes, Integers]:
    """Hashes of all words of all texts, and the index of the text of each.

    Words are lower-cased; "isn't" and "is n't" give the same two. All texts are read as one, whose
    lines they are.
    """
    whole = _END_OF_TEXT.join(texts)
    if whole.count(_END_OF_TEXT) >= len(texts):
        whole = _END_OF_TEXT.join([text.replace(_END_OF_TEXT, " ") for text in texts])
    words = _WORD.findall(whole.lower().replace("\u2019", "'").replace("n't", " n't "))
    found = np.fromiter(map(_WORD_HASHES.__getitem__, words), dtype=np.int64, count=len(words))
    is_word = found != _NO_WORD
    return found[is_word].astype(np.uint32), np.cumsum(~is_word)[is_word]


def of_words(texts: Sequence[str]) -> Features:
    """Features of texts: hashes for each kind, and the index of the text of each.

    The three kinds are words, pairs of neighbors, and words after a negation. Within a kind the
    features stand in the order of the texts. No feature reaches over the border of its text.
    """
    words, owner = _word_hashes(texts)
    same = owner[:-1] == owner[1:]
    pairs = _mixed(words[:-1], words[1:], _PAIR)[same]
    negation = np.isin(words, _NEGATION_HASHES)
    negated = np.zeros(len(words), dtype=np.bool_)
    for back in range(1, _NEGATION_SCOPE + 1):
        negated[back:] |= negation[:-back] & (owner[:-back] == owner[back:])
    after = words[negated]
    return [
        (words, owner),
        (pairs, owner[1:][same]),
        (_mixed(after, after, _NEGATED), owner[negated]),
    ]


def of_pieces(texts: Sequence[str]) -> Features:
    """Words, pairs of words, and all sequences of four characters, robust to misspellings.

    Characters are lower-cased, and every digit is 0. Kinds and order are as in `of_words`.
    """
    lines = [_DIGIT.sub("0", f"\n{text.lower()}\n") for text in texts]
    written = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes, owner = written.astype(np.uint32), np.repeat(np.arange(len(lines)), [*map(len, lines)])
    piece = codes[:-3]
    for ahead in (1, 2, 3):
        piece = _mixed(piece, codes[ahead : len(codes) - 3 + ahead], _PIECE)
    inside = owner[:-3] == owner[3:]
    return [*of_words(texts)[:2], (piece[inside], owner[3:][inside])]


#: What networks see, by the name that enters their fingerprints: change it with anything above.
READ: Final[Mapping[str, Callable[[Sequence[str]], Features]]] = {
    "sentiment-features@1": of_words,
    "pieces@1": of_pieces,
}
