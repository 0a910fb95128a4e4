"""Numbers replaced by others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.change import EVERY_SITE, Change, Edit, Rng, Sites
from scrutiny.perturb.languages.en.counting import counting_numbers
from scrutiny.text.numbers import Number, format_number, parse_number

_ALTERNATIVES: Final = 8
_SMALL: Final = 10
_LATEST: Final = 2025  # a year of the past stays one
# Words that are numbers only now and then, and words that only scale others.
_AMBIGUOUS: Final = frozenset(
    "one first second zero hundred thousand million billion trillion".split()
)
_SCALES: Final = frozenset("hundred thousand million billion trillion".split())
_SYMBOLS: Final = frozenset(": < > # = & + / @ ) (".split())
_RATED: Final = frozenset("star stars point points thumb thumbs out /".split())


@dataclass(frozen=True, slots=True)
class NumberSwap(Change):
    """Replaces each number by another one of about the same size, in the same notation.

    Decimals keep their places, thousands their commas, ordinals and number words their kind, round
    numbers their zeros; years stay within ten years. A number has to count what follows it: names
    ("channel 5"), ranges, sums of one unit, and numbers that the text spells out ("two: one …")
    stay. So do a single one, since its noun is singular, ratings ("4 stars", "9/10"), scale words
    ("million"), words that are seldom numbers ("second"), times, telephone numbers and codes, and
    digits that stand for a word, as in short messages ("2 go", "4 u"): a 2, 4 or 8 counts only
    before a plural, and in no text that is written so elsewhere.

    Parameters
    ----------
    ratings
        Change ratings as well.

    **Measures** whether the model's answer leans on particular numbers.

    **Misleads when** the number is what the text is about: for pairs of texts and for questions
    the answer may change, and the two texts of a pair change apart from each other.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> edit = perturb("It cost $25,000.", "number_swap", seed=0).edits[0]
    >>> 12_500 <= parse_number(edit.text).value <= 50_000
    True
    """

    id = "number_swap@1"
    title = "numbers swapped"
    effect = may_change_unless("label", "spans", "words")
    intensity = EVERY_SITE

    ratings: bool = False

    def sites(self, document: Document) -> Sites:
        """Numbers that can be replaced."""
        words = document.words
        return [
            Site(*document.tokens[i], i)
            for i, number in counting_numbers(words)
            if words[i].lower() not in _AMBIGUOUS
            and (number.value != 1 or number.kind in ("ordinal", "ordinal_word"))
            and (self.ratings or not _is_rating(words, i))
            and not (words[i].isalpha() and _is_compound(words, i))
            and not _is_part(words, i)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """A few random numbers."""
        token = document.text[site.start : site.end]
        number = parse_number(token)
        if number is None:
            return
        for share in rng.random(_ALTERNATIVES).tolist():
            value = _other(number, share)
            text = format_number(value, number)
            if value != number.value and text != token:
                yield (Edit(document.field, site.start, site.end, text),)


def _is_rating(words: Sequence[str], at: int) -> bool:
    """Whether a number is a rating: "4 stars", "9 / 10", "8 out of 10"."""
    before = [word.lower() for word in words[max(0, at - 2) : at]]
    after = [word.lower() for word in words[at + 1 : at + 2]]
    return bool(after and after[0] in _RATED) or before[-1:] == ["/"] or before == ["out", "of"]


def _is_part(words: Sequence[str], at: int) -> bool:
    """Whether a number is part of something else: a time, an emoticon, a fraction, a link."""
    before = words[at - 1].lower() if at else ""
    after = words[at + 1].lower() if at + 1 < len(words) else ""
    if before in _SYMBOLS or after in _SYMBOLS or after in ("rd", "th", "st", "nd"):
        return True
    if words[at].isalpha():
        number = parse_number(words[at])
        is_ordinal = number is not None and number.kind == "ordinal_word"
        return before == "no" or (is_ordinal and (before in ("a", "an") or before.isdigit()))
    if after in ("%", "percent") and words[at] == "100":
        return True
    if after == ",":
        near = words[at + 2 : at + 3]
    else:
        near = words[max(0, at - 2) : at - 1] if before == "," else ()
    return any(word.isdigit() and "000" in (word, words[at]) for word in near)


def _is_compound(words: Sequence[str], at: int) -> bool:
    """Whether a number word is part of a longer one: "two hundred", "sixty five"."""
    near = [word.lower() for word in (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])]
    return any(word in _SCALES or parse_number(word) is not None for word in near)


def _other(number: Number, share: float) -> float:
    """Random number of about the same size, drawn uniformly."""
    value: float = number.value
    if number.decimals:
        return round(max(0.1**number.decimals, value * (0.5 + 1.5 * share)), number.decimals)
    low, high, step = _range(int(value), number)
    count = (high - low) // step + 1
    drawn = low + step * int(share * (count - 1))
    return drawn if drawn < value else drawn + step  # steps over the number itself


def _range(value: int, number: Number) -> tuple[int, int, int]:
    """Smallest and largest replacement, and the step between."""
    is_plain = number.kind == "digits" and not number.is_grouped
    if number.suffix == "s":
        return max(10, value - 20), min(value + 20, max(value, 2010)), 10
    if is_plain and 1500 <= value <= 2100 and len(number.text) == 4:
        return value - 10, max(value, min(value + 10, _LATEST)), 1
    if number.kind in ("ordinal", "ordinal_word"):
        return max(2, value - 2), value + 2, 1
    if value <= _SMALL:
        return max(2, value - 2), value + 3, 1
    if number.kind == "word":
        return value // 2, min(99, 2 * value), 1
    step = _step(value)
    return max(2, value // 2 // step * step), 2 * value, step


def _step(value: int) -> int:
    """Power of ten that keeps a round number round, and allows several choices."""
    step = 1
    while value % (10 * step) == 0 and value >= 20 * step:
        step *= 10
    return step
