"""What a text looks like: letter case, punctuation, look-alike, invisible and reordered letters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.core.edit import Edit
from scrutiny.core.languages import CASED, IN_LATIN
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import ChangesAtOnce, Document, Effect, Site, keeps_unless
from scrutiny.perturb.characters.chinese import has_chinese
from scrutiny.perturb.characters.within_words import Letters, OneWord, Positions, exchanged
from scrutiny.perturb.engine.changes import (
    EVERY_SITE,
    Change,
    ChangesWholeText,
    in_random_order,
    sites_where,
    with_marks,
)
from scrutiny.text.lexicon import table

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordCase(Change, ChangesAtOnce):
    """All words in upper, lower, title or random case, one edit each.

    Because every word has its own edit, spans keep their borders and a later step of a composition
    still finds words.

    Parameters
    ----------
    case
        ``title`` raises the first letter of each word and lowers the others; ``random`` draws for
        each letter and never gives the word back as it was.

    **Measures** whether the model reads words or their capitals. The translation of a text in
    capitals is in capitals, so references change as the text does.

    **Misleads when** the model's own preprocessing lower-cases: then nothing changes, and that is a
    property of the tokenizer, not robustness learned.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("so good!", "word_case", seed=0).edits[1].text
    'GOOD'
    """

    id = "word_case@1"
    title = "upper and lower case"
    languages = CASED
    effect: ClassVar[Mapping[str, Effect]] = {"*": "keeps", "text": "sets"}
    intensity = EVERY_SITE
    where = "anywhere"

    case: Literal["upper", "lower", "title", "random"] = "upper"

    def sites(self, document: Document) -> Sequence[Site]:
        """Words whose letter case would change."""
        if self.case == "random":
            return sites_where(document, lambda word: word.lower() != word.upper())
        return sites_where(document, lambda word: _cased(word, self.case) != word)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """The word in its new case."""
        word = document.text[site.start : site.end]
        if self.case == "random":
            text = _random_case(word, rng.random(len(word) + 1).tolist())
        else:
            text = _cased(word, self.case)
        yield (Edit(document.field, site.start, site.end, text),)

    def new_gold(self, gold: Any) -> Any:
        """References in the new case, as they were where it is drawn letter by letter."""
        if isinstance(gold, AnyOf):
            return AnyOf(map(self.new_gold, gold))
        if self.case == "random":
            return gold
        return Text(_WORD.sub(lambda word: _cased(word[0], self.case), gold))

    def at_once(
        self, document: Document, sites: Sequence[Site], shares: Sequence[float]
    ) -> list[Edit] | None:
        """All words in their new case, unless it is drawn letter by letter."""
        if self.case == "random":
            return None
        text, field = document.text, document.field
        return [Edit(field, a, b, _cased(text[a:b], self.case)) for a, b, _ in sites]


def _cased(word: str, case: str) -> str:
    if case == "upper":
        return word.upper()
    return word.lower() if case == "lower" else word[:1].upper() + word[1:].lower()


def _random_case(word: str, shares: Sequence[float]) -> str:
    """Word with a random case for each letter; at least one letter changes."""
    chars = [
        c.upper() if share < 0.5 else c.lower() for c, share in zip(word, shares, strict=False)
    ]
    drawn = "".join(chars)
    if drawn != word:
        return drawn
    cased = [i for i, c in enumerate(word) if c.lower() != c.upper()]
    at = cased[int(shares[-1] * len(cased))]
    chars[at] = chars[at].swapcase()
    return "".join(chars)


_ENDS: Final = ("...", ".", "")
_CHINESE_ENDS: Final = ("……", "。", "")
_ENDS_FOR: Final = {mark: (2 * mark, 3 * mark) for mark in "?!？！"}
_BRACKETS: Final = (("(", ")"), ("[", "]"), ('"', '"'), ("'", "'"))
_CHINESE_BRACKETS: Final = (("（", "）"), ("【", "】"), ("“", "”"), ("「", "」"))
_DROPPED: Final = ".,;:…。，；："
_CLOSING: Final = frozenset(")]\"'”’%*")
# A period that belongs to its word, an emoticon, and marks that end what is quoted.
_OWN_END: Final = re.compile(
    r"(?:(?<![^\W\d_])(?:[^\W\d_]\.){2,}"
    r"|\b(?:etc|Inc|Ltd|Corp|Co|Jr|Sr|No|Mr|Mrs|Dr|St|vs|al|Ave)\."
    r"|[:;=][-']?[)(DPp\]\[/|]|[?!？！]{2,}|[.!?…。！？][)\]\"'”’」』）]+)$"
)
_NONE: Final = (("", ""),)


@dataclass(frozen=True, slots=True)
class Punctuation(ChangesWholeText):
    """Replaces the final punctuation, and puts the text into brackets or quotes.

    A question stays a question and an exclamation one: their marks are doubled, not dropped.
    What belongs to the last word ("U.S.", "etc."), emoticons, and marks that are not of the
    language's plain ones stay as they are.
    Brackets and quotes that the text has already are not used again; Chinese has its own.

    Parameters
    ----------
    end
        Replace the marks at the end.
    brackets
        Put brackets or quotes around the text.

    **Measures** whether the answer hangs on marks that carry no content.

    **Misleads when** the marks do carry some: a quoted sentence may be read as somebody else's.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("So good!", "punctuation(brackets=false)", seed=0).edits[0].text
    '!!!'
    """

    id = "punctuation@1"
    languages = frozenset({"*"})
    effect = keeps_unless("text")

    end: bool = True
    brackets: bool = True

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Final punctuation and brackets in random order."""
        text = document.text
        stop = len(text.rstrip())
        start = len(text) - len(text.lstrip())
        core, ends = _end_of(text, start, stop)
        old = text[core:stop]
        marks = [mark for mark in ends if mark != old] if self.end and ends else [old]
        known = _CHINESE_BRACKETS if has_chinese(text) else _BRACKETS
        free = [pair for pair in known if not (pair[0] in text or pair[1] in text)]
        pairs = free if free and self.brackets else _NONE
        for opening, closing in in_random_order(pairs, rng):
            for mark in in_random_order(marks, rng):
                cut = core if mark else len(text[:core].rstrip())
                end = Edit(document.field, cut, stop, mark + closing)
                edits = [with_marks(document, end, kept=mark, root=-1)]
                if opening:
                    begin = Edit(document.field, start, start, opening)
                    edits.insert(0, with_marks(document, begin))
                yield tuple(edits)


def _end_of(text: str, start: int, stop: int) -> tuple[int, Sequence[str]]:
    """Where a text's final marks begin, and what may take their place; nothing if they stay."""
    if _OWN_END.search(text, start, stop):
        return stop, ()
    core = max(start, len(text[:stop].rstrip(_DROPPED)))
    if core > start and text[core - 1] in _ENDS_FOR:
        return core - 1, _ENDS_FOR[text[core - 1]]
    last = text[core - 1 : core]
    if core == stop and not (last.isalnum() or last in _CLOSING):
        return stop, ()
    return core, _CHINESE_ENDS if has_chinese(text) else _ENDS


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
