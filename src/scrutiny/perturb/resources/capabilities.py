"""Interfaces of resources: one small protocol each.

Which objects answer, and how they are named and loaded: `scrutiny.perturb.resources.loading`.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

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
