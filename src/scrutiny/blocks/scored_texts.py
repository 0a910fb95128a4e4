"""Texts whose words are shaded by a score: dark ones speak for an answer, dotted ones against."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

#: Shades of words that speak for an answer, and what stands for words that speak against it.
SHADES: Final = 4
AGAINST: Final = -1
_LEAST: Final = 0.25  # share of the largest score from which on a word is marked


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word with its shade: 0 for none, up to `SHADES`, or `AGAINST`; a gap stands before it."""

    text: str
    shade: int
    gap: bool


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text that is shaded.

    Parameters
    ----------
    title
        What stands above it: whose scores they are.
    words
        In order.
    """

    title: str
    words: tuple[ScoredWord, ...]

    @property
    def named(self) -> str:
        """The darkest words, for who cannot see them."""
        dark = [word.text for word in self.words if word.shade >= SHADES - 1]
        return ", ".join(dark) or "none"


def shaded(
    title: str, words: Sequence[str], scores: Sequence[float], gaps: Sequence[bool]
) -> ScoredText:
    """Text with each word shaded by its share of the largest score.

    Examples
    --------
    >>> text = shaded("", ["so", "good", "not"], [0.1, 2.0, -1.0], [False, True, True])
    >>> [word.shade for word in text.words]
    [0, 4, -1]
    """
    most = max(map(abs, scores), default=0.0) or 1.0
    shares = [score / most for score in scores]
    return ScoredText(
        title,
        tuple(
            ScoredWord(word, _shade(share), gap)
            for word, share, gap in zip(words, shares, gaps, strict=True)
        ),
    )


def _shade(share: float) -> int:
    """Shade of a share of the largest score."""
    if share <= -_LEAST:
        return AGAINST
    return round(share * SHADES) if share >= _LEAST else 0
