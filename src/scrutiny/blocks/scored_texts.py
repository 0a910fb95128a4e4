"""Texts whose words are shaded by a score: dark ones speak for an answer, dotted ones against."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

#: Shades of words that speak for an answer, and what stands for words that speak against it.
SHADES: Final = 4
AGAINST: Final = -1
#: What stands for the words of which something is explained: a tag, for instance.
EXPLAINED: Final = -2
_LEAST: Final = 0.25  # share of the largest score from which on a word is marked


_MARKS: Final = {
    EXPLAINED: ("<", ">"),
    AGAINST: ("{", "}"),
    0: ("", ""),
    1: ("[", "]"),
    2: ("[", "]"),
    3: ("[[", "]]"),
    4: ("[[", "]]"),
}


@dataclass(frozen=True, slots=True)
class ScoredWord:
    """A word with its shade: 0 for none, up to `SHADES`, `AGAINST` or `EXPLAINED`.

    A gap stands before it; ``score`` is its own.
    """

    text: str
    shade: int
    gap: bool
    score: float = 0.0

    @property
    def css(self) -> str:
        """Shade as a style sheet names it."""
        return {AGAINST: "against", EXPLAINED: "explained"}.get(self.shade, str(self.shade))

    @property
    def marked(self) -> str:
        """The word with marks that need no color: [[most]], [some], {against}, <explained>."""
        start, end = _MARKS[self.shade]
        return f"{start}{self.text}{end}"


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text that is shaded.

    Parameters
    ----------
    title
        What stands above it: whose scores they are.
    words
        In order.
    of
        What the text is of: those of one thing stand side by side.
    """

    title: str
    words: tuple[ScoredWord, ...]
    of: str = ""

    def top(self, most: int) -> list[ScoredWord]:
        """The words with the largest scores, in either direction."""
        found = [word for word in self.words if word.shade not in (0, EXPLAINED)]
        return sorted(found, key=lambda word: -abs(word.score))[:most]

    def merged(self) -> "ScoredText":
        """The same with neighbors of one shade as one word, where no gap is between them.

        So a text of characters has words again, or parts of them; a score is that of the first.

        Examples
        --------
        >>> text = shaded("", ["h", "i", "!", "a"], [1.0, 0.9, 0.0, 1.0], [False] * 3 + [True])
        >>> " ".join(word.marked for word in text.merged().words)
        '[[hi]] ! [[a]]'
        """
        found: list[ScoredWord] = []
        for word in self.words:
            if found and not word.gap and word.shade == found[-1].shade:
                found[-1] = replace(found[-1], text=found[-1].text + word.text)
            else:
                found.append(word)
        return replace(self, words=tuple(found))

    @property
    def named(self) -> str:
        """The darkest words, for who cannot see them."""
        dark = [word.text for word in self.words if word.shade >= SHADES - 1]
        return ", ".join(dark) or "none"


def shaded(
    title: str,
    words: Sequence[str],
    scores: Sequence[float],
    gaps: Sequence[bool],
    *,
    fixed: Collection[int] = (),
    of: str = "",
    most: float = 0.0,
) -> ScoredText:
    """Text with each word shaded by its share of the largest score; ``fixed`` ones are explained.

    ``most`` is the largest score of texts whose shades can be compared; by default that of it.

    Examples
    --------
    >>> text = shaded("", ["so", "good", "not"], [0.1, 2.0, -1.0], [False, True, True])
    >>> [word.shade for word in text.words], " ".join(word.marked for word in text.words)
    ([0, 4, -1], 'so [[good]] {not}')
    """
    most = most or max(map(abs, scores), default=0.0) or 1.0
    shades = [EXPLAINED if i in fixed else _shade(s / most) for i, s in enumerate(scores)]
    whole = zip(words, shades, gaps, scores, strict=True)
    return ScoredText(title, tuple(ScoredWord(*one) for one in whole), of)


def gaps_before(words: Sequence[str], fields: Sequence[str]) -> list[bool]:
    """Whether a space stands before each word: not before punctuation, nor between Chinese ones.

    Examples
    --------
    >>> gaps_before(["so", "good", ".", "\u6211", "\u7231"], ["text"] * 5)
    [False, True, False, False, False]
    """
    found = []
    for i, word in enumerate(words):
        is_dense = word >= "\u3000" or (i > 0 and words[i - 1] >= "\u3000")
        found.append(i > 0 and any(map(str.isalnum, word)) and not is_dense)
        if i and fields[i] != fields[i - 1]:
            found[-1] = True
    return found


def _shade(share: float) -> int:
    """Shade of a share of the largest score."""
    if share <= -_LEAST:
        return AGAINST
    return round(share * SHADES) if share >= _LEAST else 0
