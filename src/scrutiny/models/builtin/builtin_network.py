"""Small English text classifiers in exact integer arithmetic.

The demo and the tests need models that are at hand, quick, free of torch, and whose answers do not
depend on batch, order or processor. So the networks are shipped as int8 arrays (made by
``tools/train_sentiment.py`` and ``tools/train_spam.py``, which is where recipes and reasons stand),
and everything from the features to the logits is a sum of integers. Only the last step leaves the
integers: it looks a probability up in a table.

Features that stand in the vocabulary have an embedding, the others (most typing errors among them)
are not seen at all.
"""

import json
import math
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.errors import ModelError
from scrutiny.models.builtin.builtin_families import FAMILIES, BuiltinFamily
from scrutiny.models.builtin.builtin_features import READ, Features, Hashes

__all__ = ["BuiltinNetwork"]
Rows: TypeAlias = NDArray[np.int32]
_ARRAYS = ("embedding", "embedding_bias", "hidden", "hidden_bias", "output", "output_bias")
_TEXTS_AT_ONCE = 1024  # bounds the memory; the answers do not depend on it
_READ_KEPT = 128  # times `_TEXTS_AT_ONCE` texts whose known features are kept: about 20 MB
_LENGTHS = 4096  # a text of more known features is scaled like one of 4,096
_SCALE_BITS, _SCALE_SHIFT, _HIDDEN_SHIFT, _LOGIT_SHIFT = 14, 6, 12, 16
# A step of the table is 1/256 of a natural-log odds; the ends are odds of e^13, 2^-20 apart from
# certainty. Multiples of 2^-20 are exact in float32 as well, and their pairs add up to 1 in both.
_STEPS, _END = 256, 256 * 13
_PROBABILITY_BITS = 20


def _probability_table() -> Floats:
    """Probability of the second label by table step; ``table[_END + i] + table[_END - i] == 1``."""
    unit = 1 << _PROBABILITY_BITS
    upper = [
        min(unit - 1, round(unit / (1.0 + math.exp(-i / _STEPS)))) / unit for i in range(_END + 1)
    ]
    return np.array([1.0 - p for p in upper[:0:-1]] + upper, dtype=np.float64)


#: Multipliers 4 / sqrt(n) for n = 0 ... 4,096 features, times 2^12: isqrt is exact, so that no
#: square root of a math library decides on a rounding.
_SCALES = np.array(
    [math.isqrt((1 << (2 * _SCALE_BITS)) // max(1, n)) for n in range(_LENGTHS + 1)], np.int64
)
_PROBABILITIES = _probability_table()


@cache
def _vocabulary(family: str) -> Hashes:
    """Sorted hashes of the features that have an embedding, the same for all replicates."""
    path = FAMILIES[family].folder / "vocabulary.npy"
    vocabulary: Hashes = np.load(path, allow_pickle=False)
    vocabulary.flags.writeable = False
    return vocabulary


def _known_rows(features: Features, vocabulary: Hashes) -> list[tuple[Rows, Rows]]:
    """Features in the vocabulary: their rows for each kind, and the indices of the texts.

    Features of a kind stand in the order of the texts.
    """
    found = []
    for hashes, owner in features:
        row = np.searchsorted(vocabulary, hashes)
        row[row == len(vocabulary)] = 0
        known = vocabulary[row] == hashes if len(vocabulary) else np.zeros(len(row), dtype=np.bool_)
        found.append((row[known].astype(np.int32), owner[known].astype(np.int32)))
    return found


class _Read:
    """Cache of the features of the latest texts, shared by the replicates of a family."""

    def __init__(self) -> None:
        self._kept: dict[bytes, list[tuple[Rows, Rows]]] = {}

    def of(self, texts: Sequence[str], family: BuiltinFamily) -> list[tuple[Rows, Rows]]:
        """Known features of some texts in the shipped vocabulary of a family."""
        asked = blake2b(np.fromiter(map(len, texts), dtype=np.int64).tobytes(), digest_size=16)
        asked.update(f"{family.name}\n".encode())
        asked.update("".join(texts).encode("utf-8", "surrogatepass"))
        key = asked.digest()
        found = self._kept.pop(key, None)
        if found is None:
            found = _known_rows(READ[family.features](texts), _vocabulary(family.name))
            while len(self._kept) >= _READ_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
        self._kept[key] = found  # behind those that were asked about longer ago
        return found


_READ: Final = _Read()


class BuiltinNetwork:
    """One network of a family; it distinguishes two labels of English texts.

    The networks of a family were trained by the same recipe on the same texts and differ in the
    seed only: the first weights, the order of the examples and the features left out at each step.

    Parameters
    ----------
    family
        ``sentiment``, ``spam`` or ``spam-v2``.
    replicate
        Number of the seed, from 1.

    Raises
    ------
    ModelError
        There is no such replicate.

    Notes
    -----
    **Misleads when** the sentiment family is taken for a good model. It was trained on 1,798 film
    reviews and 1,540 sentences about four products, knows 20,000 features, and sees neither word
    order beyond neighbors nor letter case. By replicate, .76 to .79 of SST-2 dev are right, and .62
    to .63 of the sample reviews, which are about hotels, gadgets and concerts as well and say
    little outright; too many of them are taken for negative. The spam families know British and
    Singaporean text messages of about 2005. ``training()`` has the rest.

    Examples
    --------
    >>> model = BuiltinNetwork("sentiment", 1)
    >>> p = model.predict_proba(["A wonderful, moving film.", "Dull and a waste of time."])
    >>> [model.labels[i] for i in p.argmax(axis=1)]
    ['positive', 'negative']
    """

    def __init__(self, family: str, replicate: int) -> None:
        self.family = FAMILIES[family]
        self.family.must_have(replicate)
        self.replicate = int(replicate)
        path = self.family.folder / f"replicate-{self.replicate}.npz"
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in _ARRAYS}
        self._install(_vocabulary(family), arrays, is_shipped=True)

    @property
    def labels(self) -> tuple[str, str]:
        """Labels in the order of the probabilities."""
        return self.family.labels

    @classmethod
    def from_arrays(
        cls,
        family: str,
        vocabulary: Hashes,
        arrays: dict[str, NDArray[np.generic]],
        *,
        replicate: int = 1,
    ) -> "BuiltinNetwork":
        """A network with these integer arrays instead of the shipped ones.

        Parameters
        ----------
        family
            How it reads texts, and its labels.
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
        model.family = FAMILIES[family]
        model.replicate = replicate
        own = {name: np.asarray(arrays[name]) for name in _ARRAYS}
        model._install(vocabulary, own, is_shipped=False)
        return model

    def _install(
        self, vocabulary: Hashes, arrays: dict[str, NDArray[np.generic]], *, is_shipped: bool
    ) -> None:
        self._is_shipped = is_shipped
        self._vocabulary = vocabulary
        self._stored = arrays
        self._embedding = np.asarray(arrays["embedding"], dtype=np.int64)
        self._embedding_bias, self._hidden, self._hidden_bias, self._output, self._output_bias = (
            np.asarray(arrays[name], dtype=np.int64) for name in _ARRAYS[1:]
        )

    def fingerprint(self) -> str:
        """Digest of all arrays and of the version of the features: 32 hexadecimal digits."""
        digest = blake2b(self.family.features.encode(), digest_size=16)
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
        if self._is_shipped:
            known = _READ.of(texts, self.family)  # the latest are cached
        else:
            known = _known_rows(READ[self.family.features](texts), self._vocabulary)
        for row, owner in known:
            running = np.zeros((len(row) + 1, total.shape[1]), dtype=np.int64)
            np.cumsum(self._embedding[row], axis=0, out=running[1:])
            ends = np.searchsorted(owner, np.arange(len(texts) + 1, dtype=np.int32))
            total += running[ends[1:]] - running[ends[:-1]]
            count += np.diff(ends)
        return total, count

    def training_hashes(self) -> NDArray[np.uint64]:
        """Sorted hashes of the letters of what it was trained on: texts and their sentences.

        They are those of `scrutiny.data.hashes.training_hashes`. Evaluation texts whose hash
        stands here were in the training data.
        """
        return np.asarray(np.load(self.family.folder / "training_hashes.npy", allow_pickle=False))

    def training(self) -> dict[str, object]:
        """The recipe, the digests of the training data and the measured accuracies."""
        record: dict[str, object] = json.loads(
            (self.family.folder / "training.json").read_text(encoding="utf-8")
        )
        return record
