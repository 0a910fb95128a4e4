"""Toy attention heads whose weights can be computed by hand.

A head says for each word which word it looks at; that word gets ``weight``, and all pieces share
the rest alike. Special tokens share their attention alike, unless the head says otherwise.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from scrutiny.core.queries.attention import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


class ToyHead(Protocol):
    """Head of a toy model.

    ``weight`` is what the word that is looked at gets, below 1; ``is_noise`` says that the head
    looks at no word in particular.
    """

    weight: float
    is_noise: bool

    def targets(self, words: Words, rng: "np.random.Generator") -> list[int | None]:
        """Word that each word attends to; None for uniform attention."""

    def target_of_specials(self, words: Words) -> int | None:
        """Word that special tokens attend to."""


@dataclass(frozen=True, slots=True)
class OffsetHead:
    """Head that attends to the word at an offset.

    Examples
    --------
    >>> OffsetHead(-1).targets(("a", "b", "c"), None)
    [None, 0, 1]
    """

    offset: int = -1
    weight: float = 0.9
    is_noise: ClassVar[bool] = False

    def targets(self, words: Words, rng: "np.random.Generator | None") -> list[int | None]:
        """Word at the offset."""
        places = range(self.offset, self.offset + len(words))
        return [i if 0 <= i < len(words) else None for i in places]

    def target_of_specials(self, words: Words) -> int | None:
        """No word."""
        return None


@dataclass(frozen=True, slots=True)
class CueHead:
    """Head with which words attend to a cue with a fidelity, else to a random other word.

    Parameters
    ----------
    cues
        Cue words in lower case; the first that a sentence has is its cue.
    fidelity
        Probability that a word that should look at the cue does so. By chance it does so anyway,
        with ``(1 - fidelity) / (words - 1)``.
    among
        For each sentence the words that should; a sentence that does not stand here has none.
        Nothing: all words of all sentences.
    weight
        What the word that is looked at gets.
    """

    cues: tuple[str, ...]
    fidelity: float = 1.0
    among: tuple[tuple[Words, tuple[int, ...]], ...] | None = None
    weight: float = 0.9
    is_noise: ClassVar[bool] = False

    def targets(self, words: Words, rng: "np.random.Generator") -> list[int | None]:
        """Cue, or a random other word."""
        cue = self.target_of_specials(words)
        should: Sequence[int] = range(len(words))
        if self.among is not None:
            should = next((places for sentence, places in self.among if sentence == words), ())
        hits = rng.random(len(words)) < self.fidelity
        found = []
        for i, other in enumerate(_others(len(words), rng)):
            is_hit = cue is not None and cue != i and i in should and bool(hits[i])
            found.append(cue if is_hit else other)
        return found

    def target_of_specials(self, words: Words) -> int | None:
        """Cue."""
        return next((i for i, word in enumerate(words) if word.lower() in self.cues), None)


@dataclass(frozen=True, slots=True)
class UniformHead:
    """Head that attends to all pieces uniformly, special tokens included."""

    weight: float = 0.0
    is_noise: ClassVar[bool] = False

    def targets(self, words: Words, rng: "np.random.Generator | None") -> list[int | None]:
        """No word in particular."""
        return [None] * len(words)

    def target_of_specials(self, words: Words) -> int | None:
        """No word."""
        return None


@dataclass(frozen=True, slots=True)
class NoiseHead(UniformHead):
    """Head with random rows, uniform over all distributions."""

    is_noise: ClassVar[bool] = True


def _others(count: int, rng: "np.random.Generator") -> list[int | None]:
    """Random other word for each word; None for a single word."""
    if count < 2:
        return [None] * count
    steps = rng.integers(1, count, count)
    return [int((i + step) % count) for i, step in enumerate(steps)]
