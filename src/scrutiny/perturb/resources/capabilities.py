"""Interfaces of resources, one small protocol each, and the small resources that answer them.

These are an n-gram model, the grammar checker Harper and readings of Chinese characters; how
resources are named and loaded: `scrutiny.perturb.resources.loading`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from math import exp, log
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from scrutiny.core.errors import DataError
from scrutiny.text.tokens import token_texts

if TYPE_CHECKING:
    import numpy as np

    from scrutiny.text.spacy_pipeline import Annotation


class MaskQuery(NamedTuple):
    """A text with the code points ``start`` to ``end`` masked."""

    text: str
    start: int
    end: int


class Guess(NamedTuple):
    """A word that a model proposes, and its probability.

    ``value`` is a probability where a place was hidden, and a perplexity, at least 1, where the
    text was shown as it is.
    """

    word: str
    value: float


@runtime_checkable
class WordGuesser(Protocol):
    """A masked language model that proposes words for a place, with their probabilities."""

    def guess(
        self, queries: Sequence[MaskQuery], *, top: int, script: Literal["latin", "han"] = "latin"
    ) -> list[tuple[Guess, ...]]:
        """Whole words for each masked place with their probabilities, most likely first.

        They may be fewer than ``top``.
        """

    def rewrite(
        self, queries: Sequence[MaskQuery], *, top: int, script: Literal["latin", "han"] = "latin"
    ) -> list[tuple[Guess, ...]]:
        """Words with as many tokens and their perplexities, from the unmasked text, best first."""


@runtime_checkable
class Vectors(Protocol):
    """Words and their neighbors in a vector space."""

    def neighbors(self, word: str, *, most: int) -> tuple[tuple[str, float], ...]:
        """Nearest other words with their cosine, nearest first; empty if the word is unknown."""

    def warm(self, words: Iterable[str], *, most: int) -> None:
        """Compute the neighbors of many words in one matrix product."""

    def vector(self, word: str) -> "np.ndarray[Any, Any] | None":
        """Array of shape (dimension,), or `None` for an unknown word."""


@runtime_checkable
class Translator(Protocol):
    """A machine-translation system."""

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """Translations, one for each text."""


@runtime_checkable
class Encoder(Protocol):
    """A sentence encoder."""

    def encode(self, texts: Sequence[str]) -> "np.ndarray[Any, Any]":
        """Array of shape (text, dimension)."""


@runtime_checkable
class PerplexityScorer(Protocol):
    """A language model that gives the perplexity of texts."""

    def perplexity(self, texts: Sequence[str]) -> Sequence[float]:
        """Perplexity of each text, at least 1."""


@runtime_checkable
class TextScorer(PerplexityScorer, Protocol):
    """A language model that also gives the log-probability of whole texts."""

    def log_probability(self, texts: Sequence[str]) -> Sequence[float]:
        """Natural logarithm of the probability of each text."""


@runtime_checkable
class EntailmentJudge(Protocol):
    """A model that decides whether one text entails another."""

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        """Probability that the first text of each pair entails the second."""


@runtime_checkable
class Parser(Protocol):
    """A tagger that finds the dependencies of words as well."""

    def annotate(self, texts: Iterable[str]) -> "list[Annotation]":
        """Parse of each text, over our tokens."""


@runtime_checkable
class PinyinReader(Protocol):
    """A reader that gives the pinyin of Chinese characters."""

    def readings(self, char: str) -> tuple[str, ...]:
        """Syllables with the number of their tone ("hao3"), most usual first; empty if unknown."""


@runtime_checkable
class GrammarChecker(Protocol):
    """A checker that names grammar errors in a text."""

    def lints(self, text: str) -> Sequence[tuple[str, str]]:
        """(kind, text of the problem) for each grammar error."""


class FoundStretch(NamedTuple):
    """A stretch of a text, in code points, and how sure a reader is of it: higher is surer."""

    start: int
    end: int
    score: float


class AskedPassage(NamedTuple):
    """A question about a text, and its right option where a writer is told it."""

    text: str
    question: str
    right: str = ""


@runtime_checkable
class StretchReader(Protocol):
    """A reader that finds stretches of a text which could answer a question."""

    def stretches(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[FoundStretch]]:
        """At most so many stretches of each text, the best first."""


@runtime_checkable
class OptionWriter(Protocol):
    """A writer of wrong options for a question."""

    def options(self, queries: Sequence[AskedPassage], *, most: int) -> list[list[str]]:
        """At most so many wrong options for each question, the best first."""


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
        for padded in map(self._padded, lines):
            for end in range(order, len(padded) + 1):
                grams = [tuple(padded[start:end]) for start in range(end - order, end)]
                self._grams.update(grams)
                self._totals.update(gram[:-1] for gram in grams)
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


class HarperChecker:
    """Grammar errors by the Harper checker; each text is checked once."""

    def __init__(self) -> None:
        import harper

        self._linter: Any = harper.Linter()
        self._plain: Any = harper.Language.PLAINTEXT
        self._known = lru_cache(maxsize=4096)(self._ask)

    def lints(self, text: str) -> tuple[tuple[str, str], ...]:
        """(kind, text of the problem) for each grammar error.

        Examples
        --------
        >>> [kind for kind, _ in HarperChecker().lints("They does not play.")]
        ['Agreement']
        """
        return self._known(text)

    def _ask(self, text: str) -> tuple[tuple[str, str], ...]:
        found = self._linter.lint(text, language=self._plain)
        return tuple((str(lint.lint_kind), str(lint.problem_text)) for lint in found)


class PypinyinReader:
    """Readings of characters by the package ``pypinyin``."""

    def __init__(self) -> None:
        module: Any = import_module("pypinyin")
        self._pinyin = module.pinyin
        self._style = module.Style.TONE3

    def readings(self, char: str) -> tuple[str, ...]:
        """Syllables with the number of their tone, most usual first; empty if unknown."""
        found: list[list[str]] = self._pinyin(
            char, style=self._style, heteronym=True, errors="ignore", neutral_tone_with_five=True
        )
        return tuple(dict.fromkeys(found[0])) if found else ()
