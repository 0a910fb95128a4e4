"""A small n-gram language model for the perplexity constraint."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log
from pathlib import Path

from scrutiny.core.errors import DataError
from scrutiny.text.tokens import token_texts

_UNKNOWN = "<unk>"
_EDGE = "<s>"


class NgramModel:
    """Trigram model with Witten-Bell smoothing over lower-case words.

    Parameters
    ----------
    texts
        What it is trained on. Words seen once count as unknown, so that unknown words have mass.
    order
        Length of the longest n-gram.

    Notes
    -----
    **Measures**: how usual a text's words are after the two words before them.
    **Misleads when**: the text comes from elsewhere than the training texts; then every rare
    word is the same unknown one, and swaps among rare words cost nothing.
    **References**: Witten and Bell (1991), The zero-frequency problem.

    Examples
    --------
    >>> model = NgramModel(["the dog ran"] * 3 + ["the dog sat"] * 2)
    >>> near, far = model.perplexity(["the dog sat", "sat the dog"])
    >>> near < far
    True
    """

    def __init__(self, texts: Iterable[str], *, order: int = 3) -> None:
        self._order = order
        lines = [token_texts(text.lower()) for text in texts]
        counts = Counter(word for line in lines for word in line)
        self._vocabulary = {word for word, count in counts.items() if count > 1}
        self._grams: Counter[tuple[str, ...]] = Counter()
        self._totals: Counter[tuple[str, ...]] = Counter()
        for line in lines:
            self._count(line)
        self._kinds = Counter(gram[:-1] for gram in self._grams)
        if not self._grams:
            raise DataError("An n-gram model needs at least one text to train on.")

    @classmethod
    def from_file(cls, path: str) -> "NgramModel":
        """Model trained on a text file with one text on each line.

        Raises
        ------
        DataError
            If there is no such file, or nothing in it.
        """
        file = Path(path)
        if not file.is_file():
            raise DataError(f"There is no text file at {path!r} to train an n-gram model on.")
        return cls(file.read_text(encoding="utf-8").splitlines())

    def perplexity(self, texts: Sequence[str]) -> list[float]:
        """Perplexity of each text, including its end."""
        lines = [self._padded(token_texts(text.lower())) for text in texts]
        return [exp(-self._sum(line) / (len(line) - self._order + 1)) for line in lines]

    def log_probability(self, texts: Sequence[str]) -> list[float]:
        """Log-probability of each text, including its end, in nats."""
        return [self._sum(self._padded(token_texts(text.lower()))) for text in texts]

    def _padded(self, words: Sequence[str]) -> list[str]:
        inner = [word if word in self._vocabulary else _UNKNOWN for word in words]
        return [_EDGE] * (self._order - 1) + inner + [_EDGE]

    def _count(self, words: Sequence[str]) -> None:
        line = self._padded(words)
        for end in range(self._order - 1, len(line)):
            for start in range(end - self._order + 1, end + 1):
                gram = tuple(line[start : end + 1])
                self._grams[gram] += 1
                self._totals[gram[:-1]] += 1

    def _probability(self, gram: tuple[str, ...]) -> float:
        """Witten-Bell probability: n-gram counts, backed off to shorter contexts."""
        backed = self._probability(gram[1:]) if len(gram) > 1 else 1 / (len(self._vocabulary) + 2)
        total = self._totals[gram[:-1]]
        if total == 0:
            return backed
        kinds = self._kinds[gram[:-1]]
        return (self._grams[gram] + kinds * backed) / (total + kinds)

    def _sum(self, line: Sequence[str]) -> float:
        """Log-probability of a padded line, including its end."""
        first = self._order - 1
        grams = (tuple(line[i - first : i + 1]) for i in range(first, len(line)))
        return sum(log(self._probability(gram)) for gram in grams)
