"""Five replicates of a small English sentiment network, in exact integer arithmetic.

The demo and the tests need a model that is at hand, quick, free of torch, and whose answers do not
depend on batch, order or processor. So the network is shipped as int8 arrays (made by
``tools/train_sentiment.py``, which is where the recipe and its reasons stand), and everything from
the features to the logits is a sum of integers. Only the last step leaves the integers: it looks a
probability up in a table.

The features of a text are its words, its pairs of neighboring words, and its words within five
words after a negation, lower-cased. Each is a 32-bit number: CRC-32 of the word's UTF-8 bytes,
mixed by multiplication for the two other kinds. Those that stand in the vocabulary have an
embedding, the others (most typing errors among them) are not seen at all.
"""

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.errors import ModelError

__all__ = ["FEATURES_VERSION", "REPLICATES", "BuiltinSentiment", "feature_hashes"]

Hashes: TypeAlias = NDArray[np.uint32]
Rows: TypeAlias = NDArray[np.int32]

REPLICATES = (1, 2, 3, 4, 5)
FEATURES_VERSION = "sentiment-features@1"  # enters the fingerprint; change it with anything below

_FOLDER = Path(__file__).parent / "data" / "sentiment"
_ARRAYS = ("embedding", "embedding_bias", "hidden", "hidden_bias", "output", "output_bias")

_WORD = re.compile(r"n't|'[a-z]{1,2}\b|[^\W\d_]+|[!?\n]")  # and the ends of texts
_NEGATIONS = (
    "n't not no never without hardly nothing nobody neither nor cannot barely lack lacks".split()
)
_NEGATION_SCOPE = 5  # words
_NEGATION_HASHES = np.array(sorted(crc32(w.encode()) for w in _NEGATIONS), dtype=np.uint32)
_MIX_FIRST, _MIX_SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B)  # odd: no bit is lost
_PAIR, _NEGATED = np.uint32(1), np.uint32(77)  # keep the kinds of features apart

_TEXTS_AT_ONCE = 1024  # bounds the memory; the answers do not depend on it
_WORDS_KEPT = 200_000  # distinct words whose hashes are kept: about 20 MB
_READ_KEPT = 64  # times `_TEXTS_AT_ONCE` texts whose known features are kept: about 10 MB
_LENGTHS = 4096  # a text of more known features is scaled like one of 4,096
_SCALE_BITS, _SCALE_SHIFT, _HIDDEN_SHIFT, _LOGIT_SHIFT = 14, 6, 12, 16

# A step of the table is 1/256 of a natural-log odds; the ends are odds of e^13, 2^-20 apart from
# certainty. Multiples of 2^-20 are exact in float32 as well, and their pairs add up to 1 in both.
_STEPS, _END = 256, 256 * 13
_PROBABILITY_BITS = 20


def _scale_table() -> Integers:
    """Multipliers 4 / sqrt(n) for n = 0 ... 4,096 features, times 2^12, integers."""
    # isqrt is exact, so that no square root of a math library decides on a rounding.
    return np.array(
        [math.isqrt((1 << (2 * _SCALE_BITS)) // max(1, n)) for n in range(_LENGTHS + 1)],
        dtype=np.int64,
    )


def _probability_table() -> Floats:
    """Probability of ``positive`` by table step; ``table[_END + i] + table[_END - i] == 1``."""
    unit = 1 << _PROBABILITY_BITS
    upper = [
        min(unit - 1, round(unit / (1.0 + math.exp(-i / _STEPS)))) / unit for i in range(_END + 1)
    ]
    return np.array([1.0 - p for p in upper[:0:-1]] + upper, dtype=np.float64)


_SCALES = _scale_table()
_PROBABILITIES = _probability_table()


def _mixed(first: Hashes, second: Hashes, kind: np.uint32) -> Hashes:
    return first * _MIX_FIRST + second * _MIX_SECOND + kind  # modulo 2^32


class _KnownHashes(dict[str, int]):
    """Hash of each word that was met: replicates read the same texts, and texts the same words."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        found = _NO_WORD if word == _END_OF_TEXT else crc32(word.encode("utf-8", "surrogatepass"))
        self[word] = found
        return found


_WORD_HASHES: Final = _KnownHashes()
_END_OF_TEXT: Final = "\n"
_NO_WORD: Final = -1


def _word_hashes(texts: Sequence[str]) -> tuple[Hashes, Integers]:
    """Hashes of all words of all texts, and for each the number of its text.

    Words are lower-cased; "isn't" and "is n't" give the same two. All texts are read as one, whose
    lines they are.
    """
    whole = _END_OF_TEXT.join(texts)
    if whole.count(_END_OF_TEXT) >= len(texts):
        whole = _END_OF_TEXT.join([text.replace(_END_OF_TEXT, " ") for text in texts])
    words = _WORD.findall(whole.lower().replace("\u2019", "'").replace("n't", " n't "))
    found = np.fromiter(map(_WORD_HASHES.__getitem__, words), dtype=np.int64, count=len(words))
    is_word = found != _NO_WORD
    owner = np.cumsum(~is_word)
    return found[is_word].astype(np.uint32), owner[is_word]


def feature_hashes(texts: Sequence[str]) -> list[tuple[Hashes, Integers]]:
    """Features of texts: for each kind their hashes, and the number of the text of each.

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


@cache
def _vocabulary() -> Hashes:
    """Sorted hashes of the features that have an embedding, the same for all replicates."""
    vocabulary: Hashes = np.load(_FOLDER / "vocabulary.npy", allow_pickle=False)
    vocabulary.flags.writeable = False
    return vocabulary


def _known_rows(texts: Sequence[str], vocabulary: Hashes) -> list[tuple[Rows, Rows]]:
    """Features that stand in a vocabulary: for each kind their rows, and the numbers of the texts.

    Features of a kind stand in the order of the texts.
    """
    found = []
    for hashes, owner in feature_hashes(texts):
        row = np.searchsorted(vocabulary, hashes)
        row[row == len(vocabulary)] = 0
        known = vocabulary[row] == hashes if len(vocabulary) else np.zeros(len(row), dtype=np.bool_)
        found.append((row[known].astype(np.int32), owner[known].astype(np.int32)))
    return found


class _Read:
    """What was read last, by a digest of the texts: the replicates read the same."""

    def __init__(self) -> None:
        self._kept: dict[bytes, list[tuple[Rows, Rows]]] = {}

    def of(self, texts: Sequence[str]) -> list[tuple[Rows, Rows]]:
        """Known features of some texts in the shipped vocabulary."""
        asked = blake2b(np.fromiter(map(len, texts), dtype=np.int64).tobytes(), digest_size=16)
        asked.update("".join(texts).encode("utf-8", "surrogatepass"))
        key = asked.digest()
        found = self._kept.get(key)
        if found is None:
            found = _known_rows(texts, _vocabulary())
            while len(self._kept) >= _READ_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[key] = found
        return found


_READ: Final = _Read()


class BuiltinSentiment:
    """One of five networks that tell negative from positive English reviews.

    They were trained by the same recipe on the same texts and differ in the seed only: the first
    weights, the order of the examples and the features left out at each step.

    Parameters
    ----------
    replicate
        1, 2, 3, 4 or 5.

    Raises
    ------
    ModelError
        There is no such replicate.

    Notes
    -----
    **Misleads when** it is taken for a good sentiment model. It was trained on 1,798 film
    reviews and 1,540 sentences about four products, knows 20,000 features, and sees neither word
    order beyond neighbors nor letter case. By replicate, .76 to .79 of SST-2 dev are right, and .62
    to .63 of the sample reviews, which are about hotels, gadgets and concerts as well and say
    little outright; too many of them are taken for negative. ``training()`` has the rest.

    Examples
    --------
    >>> model = BuiltinSentiment(1)
    >>> p = model.predict_proba(["A wonderful, moving film.", "Dull and a waste of time."])
    >>> [model.labels[i] for i in p.argmax(axis=1)]
    ['positive', 'negative']
    """

    labels = ("negative", "positive")
    is_batch_invariant = True

    def __init__(self, replicate: int) -> None:
        if isinstance(replicate, bool) or replicate not in REPLICATES:
            raise ModelError(
                f"builtin:sentiment has no replicate {replicate!r}. "
                f"There are {len(REPLICATES)}, numbered from {REPLICATES[0]} to {REPLICATES[-1]}."
            )
        self.replicate = int(replicate)
        with np.load(_FOLDER / f"replicate-{self.replicate}.npz", allow_pickle=False) as stored:
            self._install(_vocabulary(), {name: stored[name] for name in _ARRAYS})

    @classmethod
    def from_arrays(
        cls, vocabulary: Hashes, arrays: dict[str, NDArray[np.generic]], *, replicate: int = 1
    ) -> "BuiltinSentiment":
        """A network with these integer arrays instead of the shipped ones.

        Parameters
        ----------
        vocabulary
            Sorted feature hashes, uint32, (feature).
        arrays
            ``embedding`` (feature, dimension) int8, ``embedding_bias`` (dimension),
            ``hidden`` (unit, dimension), ``hidden_bias`` (unit), ``output`` (class, unit) and
            ``output_bias`` (class), integers.
        replicate
            The number that the network goes by.
        """
        model = cls.__new__(cls)
        model.replicate = replicate
        model._install(vocabulary, {name: np.asarray(arrays[name]) for name in _ARRAYS})
        return model

    def _install(self, vocabulary: Hashes, arrays: dict[str, NDArray[np.generic]]) -> None:
        self._vocabulary = vocabulary
        self._stored = arrays
        self._embedding = np.asarray(arrays["embedding"], dtype=np.int64)
        self._embedding_bias, self._hidden, self._hidden_bias, self._output, self._output_bias = (
            np.asarray(arrays[name], dtype=np.int64) for name in _ARRAYS[1:]
        )

    def fingerprint(self) -> str:
        """Digest of all arrays and of the version of the features: 32 hexadecimal digits."""
        digest = blake2b(FEATURES_VERSION.encode(), digest_size=16)
        for name, array in {"vocabulary": self._vocabulary, **self._stored}.items():
            digest.update(f"{name} {array.dtype.str} {array.shape};".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def predict_proba(self, texts: Sequence[str]) -> Floats:
        """Probabilities of the two labels, (text, class).

        Multiples of 2^-20 that add up to exactly 1, in float32 as well. A text without a known
        feature, the empty one included, gets what the biases say.

        Parameters
        ----------
        texts
            Any strings. A single string is refused, since it would be read letter by letter.

        Raises
        ------
        ModelError
            A single string instead of a sequence of them.
        """
        logits = self.logits(texts)
        step = (logits[:, 1] - logits[:, 0]) >> _LOGIT_SHIFT
        step = np.clip(step, -_END, _END)
        return np.stack([_PROBABILITIES[_END - step], _PROBABILITIES[_END + step]], axis=1)

    def logits(self, texts: Sequence[str]) -> Integers:
        """Logits, (text, class), in units of 2^-24, integers."""
        if isinstance(texts, str):
            raise ModelError("predict_proba takes a sequence of texts; write [text] for one text.")
        parts = [
            self._logits(texts[start : start + _TEXTS_AT_ONCE])
            for start in range(0, len(texts), _TEXTS_AT_ONCE)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)

    def _logits(self, texts: Sequence[str]) -> Integers:
        total, known = self._sums(texts)  # (text, dimension), (text)
        scale = _SCALES[np.minimum(known, _LENGTHS)]
        x = (total * scale[:, None] >> _SCALE_SHIFT) + self._embedding_bias
        h = np.maximum(x, 0) @ self._hidden.T + self._hidden_bias  # (text, unit)
        h = np.maximum(h, 0) >> _HIDDEN_SHIFT
        return np.asarray(h @ self._output.T + self._output_bias)  # (text, class)

    def _sums(self, texts: Sequence[str]) -> tuple[Integers, Integers]:
        """Sum of the embeddings of each text's known features, and their number."""
        total = np.zeros((len(texts), self._embedding.shape[1]), dtype=np.int64)
        count = np.zeros(len(texts), dtype=np.int64)
        is_shipped = self._vocabulary is _vocabulary()
        found = _READ.of(texts) if is_shipped else _known_rows(texts, self._vocabulary)
        for row, owner in found:
            running = np.zeros((len(row) + 1, total.shape[1]), dtype=np.int64)
            np.cumsum(self._embedding[row], axis=0, out=running[1:])
            ends = np.searchsorted(owner, np.arange(len(texts) + 1, dtype=np.int32))
            total += running[ends[1:]] - running[ends[:-1]]
            count += np.diff(ends)
        return total, count

    @staticmethod
    def training_hashes() -> NDArray[np.uint64]:
        """Sorted hashes of the letters of what it was trained on: reviews and their sentences.

        They are those of `scrutiny.data.letters.training_hashes`. Evaluation texts whose hash
        stands here were in the training data.
        """
        return np.asarray(np.load(_FOLDER / "training_hashes.npy", allow_pickle=False))

    @staticmethod
    def training() -> dict[str, object]:
        """The recipe, the digests of the training data and the measured accuracies."""
        record: dict[str, object] = json.loads(
            (_FOLDER / "training.json").read_text(encoding="utf-8")
        )
        return record
