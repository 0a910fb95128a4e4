"""Invisible edits of characters: look-alikes, zero-width characters, hidden orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final, Literal

from scrutiny.core.languages import IN_LATIN
from scrutiny.perturb.characters.within_words import Letters, OneWord, Positions, exchanged
from scrutiny.text.lexicon import table


@dataclass(frozen=True, slots=True)
class Homoglyph(OneWord):
    """Replaces one Latin letter or digit by a look-alike of another script.

    Parameters
    ----------
    positions
        ``random``: one of all such changes of a word, drawn; ``all``: each at each place.
    most_alike
        How many look-alikes of a character are tried, the closest first.

    **Measures** with a search on top, what somebody who types foreign letters on purpose can do; a
    reader sees nothing.

    **Misleads when** texts are normalized before they reach the model: then it is no threat.

    References
    ----------
    Li, Ji, Du, Li, Wang (2019). TextBugger. Boucher et al. (2022). Bad characters: imperceptible
    NLP attacks. Unicode Technical Standard 39, confusables.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> f"U+{ord(perturb('o', 'homoglyph', seed=0).edits[0].text):04X}"
    'U+043E'
    """

    id = "homoglyph@1"
    title = "look-alike letters"
    languages = IN_LATIN

    positions: Positions = "all"
    most_alike: int = 1

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Look-alikes of each character."""
        return [
            (i, alike, 1)
            for i, unit in enumerate(word.units)
            for alike in homoglyphs().get(unit, "")[: self.most_alike]
        ]


_MARKS: Final[Mapping[str, str]] = {
    "space": "\u200b",  # zero width space
    "non-joiner": "\u200c",
    "joiner": "\u200d",
    "word-joiner": "\u2060",
}


@dataclass(frozen=True, slots=True)
class InvisibleCharacter(OneWord):
    r"""Inserts a zero-width character between two characters of a word.

    Parameters
    ----------
    positions
        ``random``: one gap of a word, drawn; ``all``: each, from left to right.
    mark
        Which one: zero width ``space`` (U+200B), ``non-joiner`` (U+200C), ``joiner`` (U+200D),
        ``word-joiner`` (U+2060); ``any`` tries all four at every place.

    **Measures** with a search on top, what somebody who types such characters on purpose can do; a
    reader sees nothing.

    **Misleads when** texts are normalized before they reach the model: then it is no threat. Many
    tokenizers drop these characters, and then nothing changes at all.

    References
    ----------
    Boucher, Shumailov, Anderson, Papernot (2022). Bad characters: imperceptible NLP attacks.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("no", "invisible_character", seed=0).edits[0][1:4]
    (1, 1, '\u200b')
    """

    id = "invisible_character@1"
    title = "invisible characters"
    shortest = 2

    positions: Positions = "all"
    mark: Literal["space", "non-joiner", "joiner", "word-joiner", "any"] = "space"

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Insertions of one such character each."""
        marks = tuple(_MARKS.values()) if self.mark == "any" else (_MARKS[self.mark],)
        return [(gap, mark, 0) for gap in range(1, len(word.units)) for mark in marks]


_RIGHT_TO_LEFT: Final = "\u202e"  # override: what follows is shown from right to left
_POP: Final = "\u202c"
_BACKSPACE: Final = "\b"


@dataclass(frozen=True, slots=True)
class HiddenReorder(OneWord):
    r"""Exchanges two adjacent characters and restores their displayed order by a control character.

    Parameters
    ----------
    positions
        ``random``: one place of a word, drawn; ``all``: each, from left to right.
    control
        ``reorder``: the pair stands between a right-to-left override and its end. ``delete``: an
        ``X`` and a backspace stand before a character.

    **Measures** with a search on top, what somebody who types such characters on purpose can do.

    **Misleads when** texts are normalized before they reach the model, or the medium shows
    controls: backspaces are hidden by few programs, and overrides work in text from left to right.

    References
    ----------
    Boucher, Shumailov, Anderson, Papernot (2022). Bad characters: imperceptible NLP attacks.
    Unicode Standard Annex 9, the bidirectional algorithm.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("no", "hidden_reorder", seed=0).edits[0].text
    '\u202eon\u202c'
    """

    id = "hidden_reorder@1"
    title = "letters reordered invisibly"
    shortest = 2

    positions: Positions = "all"
    control: Literal["reorder", "delete"] = "reorder"

    def changes(self, word: Letters) -> Sequence[tuple[int, str, int]]:
        """Changes of one place each."""
        units = word.units
        if self.control == "delete":
            return [(i, f"X{_BACKSPACE}", 0) for i in range(1, len(units))]
        pairs = [(i, exchanged(units, i)) for i in range(len(units) - 1)]
        return [(i, f"{_RIGHT_TO_LEFT}{new}{_POP}", 2) for i, new in pairs if new is not None]


@cache
def homoglyphs() -> Mapping[str, str]:
    """Characters of other scripts that look the same as a character, the closest first.

    Examples
    --------
    >>> [f"U+{ord(c):04X}" for c in homoglyphs()["o"]]
    ['U+043E', 'U+03BF', 'U+0585']
    """
    return MappingProxyType({char: alike for char, alike in table("homoglyphs")})
