"""Numbers that count something, replaced by others: not in names, dates, ranges or sums."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Site, may_change_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, Change, Sites
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word, word_set
from scrutiny.text.numbers import Number, format_number, parse_number

_ALTERNATIVES: Final = 8
_SMALL: Final = 10
_LATEST: Final = 2025  # a year of the past stays one
# Words that are numbers only now and then, and words that only scale others.
_VAGUE: Final = frozenset("one first second zero hundred thousand million billion trillion".split())
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
            if words[i].lower() not in _VAGUE
            and (number.value != 1 or number.kind in ("ordinal", "ordinal_word"))
            and not _is_part(words, i, ratings=self.ratings)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """A few random numbers."""
        token = document.text[site.start : site.end]
        number = parse_number(token)
        if number is None:
            return
        low, high, step = _range(number)
        for share in rng.random(_ALTERNATIVES).tolist():  # each number is as likely
            if number.decimals:
                least = 0.1**number.decimals
                value = round(max(least, number.value * (0.5 + 1.5 * share)), number.decimals)
            else:
                value = low + step * int(share * ((high - low) // step))
                value += step * (value >= number.value)  # steps over the number itself
            text = format_number(value, number)
            if value != number.value and text != token:
                yield (Edit(document.field, site.start, site.end, text),)


def _is_part(words: Sequence[str], at: int, *, ratings: bool) -> bool:
    """Whether a number is part of something else: of a longer one, a time, a fraction, a link.

    Unless ``ratings`` are changed, also of one of these: "4 stars", "9 / 10", "8 out of 10".
    """
    before = words[at - 1].lower() if at else ""
    after = words[at + 1].lower() if at + 1 < len(words) else ""
    is_of = before == "of" and at > 1 and words[at - 2].lower() == "out"
    if not ratings and (after in _RATED or before == "/" or is_of):
        return True
    if before in _SYMBOLS or after in _SYMBOLS or after in ("rd", "th", "st", "nd"):
        return True
    if words[at].isalpha():
        near = [word for word in (before, after) if word]
        if any(word in _SCALES or parse_number(word) is not None for word in near):
            return True  # "two hundred", "sixty five"
        number = parse_number(words[at])
        is_ordinal = number is not None and number.kind == "ordinal_word"
        return before == "no" or (is_ordinal and (before in ("a", "an") or before.isdigit()))
    if after in ("%", "percent") and words[at] == "100":
        return True
    if after == ",":
        beyond = words[at + 2 : at + 3]
    else:
        beyond = words[max(0, at - 2) : at - 1] if before == "," else ()
    return any(word.isdigit() and "000" in (word, words[at]) for word in beyond)


def _range(number: Number) -> tuple[int, int, int]:
    """Smallest and largest replacement of about the same size, and the step between."""
    value = int(number.value)
    if number.suffix == "s":
        return max(10, value - 20), min(value + 20, max(value, 2010)), 10
    if _looks_like_year(number):
        return value - 10, max(value, min(value + 10, _LATEST)), 1
    if number.kind in ("ordinal", "ordinal_word"):
        return max(2, value - 2), value + 2, 1
    if value <= _SMALL:
        return max(2, value - 2), value + 3, 1
    if number.kind == "word":
        return value // 2, min(99, 2 * value), 1
    step = 1  # the power of ten that keeps a round number round, and allows several choices
    while value % (10 * step) == 0 and value >= 20 * step:
        step *= 10
    return max(2, value // 2 // step * step), 2 * value, step


# What a number behind them names, instead of counting anything.
_LABELS: Final = word_set("labels_of_numbers")
_MONEY: Final = frozenset({"$", "£", "€"})
_BEFORE_YEAR: Final = word_set("before_years")
_KNOWN: Final = frozenset(
    "the these those both all between either other".split()
)  # spoken of already
_ENUMERATES: Final = frozenset({":", "--", "-", "(", "–", "—"})
_PAIRS: Final = frozenset("one other both second either between each former latter".split())
_BEFORE_ORDINAL: Final = word_set("before_ordinals")
_BEFORE_DECADE: Final = frozenset("the early late mid in his her their my our ' -".split())
_FIXED_ORDINAL: Final = word_set("fixed_ordinals")
# Counted only in names and idioms: "four weddings", "turn 180 degrees".
_IDIOMS: Final = word_set("idioms_with_numbers")
_DECIMAL_UNITS: Final = word_set("decimal_units")
_PLURALS: Final = word_set("plurals_of_units")
_SOUNDS: Final = frozenset("2 4 8".split())  # "2" is to, two or too in short messages
# Before these words it is to or for, and hardly ever a number: "say hi 2 friends", "ready 4 exams".
_BEFORE_SOUND: Final = word_set("before_sounds")
# How short messages are written; in one that is, nobody can tell which "2" is a number.
_SHORT: Final = re.compile(
    r"u|ur|r|n|y|c|k|b|d|ya|e|ü|txt|pls|plz|thx|thanx|da|dat|dis|den|wat|wan|lor|lar|luv|cos|cuz|wiv"
    r"|gud|gd|msg|tmr|abt|2day|2nite|[a-z]+[248][a-z]*|[248](?!(?:nd|th|s|x)$)[a-z]{3,}"
)
_CAMEL: Final = re.compile(r"\w*[a-z][A-Z]")
_DECADE: Final = range(1500, 2100)
_JOINTS: Final = frozenset({"to", "or", "and", "-", "–"})
_BASICS: Final = 101  # a class in the basics of something
_NEAR: Final = 5
_NAMED: Final = 12  # tokens in which two are named: "two leads, Lathan and Diggs"
_FAR: Final = 25
_FEW: Final = 10
_CODE: Final = 5  # digits of a code, where no plural follows


def counting_numbers(words: Sequence[str]) -> list[tuple[int, Number]]:
    """Index and value of the tokens that count something and can be changed.

    Examples
    --------
    >>> [i for i, _ in counting_numbers("all two or none of formula 51 cost 20 dollars".split())]
    [8]
    """
    found = [
        (i, number)
        for i, word in enumerate(words)
        if (word[:1].isdigit() or word[:1] == "." or word.isalpha())
        and (number := parse_number(word)) is not None
    ]
    units = Counter(_unit(words, i) for i, _ in found)
    return [(i, n) for i, n in found if units[_unit(words, i)] == 1 and _counts(words, i, n)]


def _unit(words: Sequence[str], at: int) -> str:
    """Unit of a number: two numbers with one unit are often a range or a sum."""
    if at and words[at - 1] in _MONEY:
        return "$"
    return _after(words, at) or f"#{at}"


def _after(words: Sequence[str], at: int) -> str:
    return words[at + 1].lower() if at + 1 < len(words) else ""


def _counts(words: Sequence[str], at: int, number: Number) -> bool:
    before = words[at - 1].lower() if at else ""
    if before == "." and at > 1:
        before = words[at - 2].lower()  # "Aug. 20"
    if number.kind in ("ordinal", "ordinal_word"):
        if _is_capital(words, at + 1):
            return False  # "Fifth Avenue"
        is_day = number.kind == "ordinal" and _after(words, at) == "of"
        is_free = before not in _BEFORE_ORDINAL or is_stop_word(_after(words, at))
        if number.kind == "ordinal" and not is_day and is_free:
            return False  # "ask her 1st and go"
        return is_day or not (_after(words, at) in _FIXED_ORDINAL or before in _LABELS)
    if number.suffix == "s":  # a decade, no "3s" and no "1000s of people"
        is_short = _FEW < number.value < _BASICS and before in _BEFORE_DECADE
        return (number.value in _DECADE or is_short) and number.value % 10 == 0
    if _looks_like_year(number):
        return before in _BEFORE_YEAR and not _is_capital(words, at + 1)
    is_range_end = at > 1 and words[at - 1] in _JOINTS and parse_number(words[at - 2]) is not None
    has_zeros = words[at][0] == "0" and len(words[at]) > 1 and not number.decimals  # "agent 007"
    if number.value == _BASICS or is_range_end or has_zeros:
        return False
    if before in _LABELS or (before in _KNOWN and number.value <= _FEW):
        return False
    return (before in _MONEY or _has_noun(words, at, number)) and not _is_told(words, at, number)


def _looks_like_year(number: Number) -> bool:
    is_plain = number.kind == "digits" and not number.is_grouped and not number.decimals
    return is_plain and 1500 <= number.value <= 2100 and len(number.text) == 4


def _is_capital(words: Sequence[str], at: int) -> bool:
    return at < len(words) and words[at][:1].isupper() and not all(map(str.isupper, words))


def _has_noun(words: Sequence[str], at: int, number: Number) -> bool:
    """Whether a countable noun follows a number that is not part of a name."""
    following = _after(words, at)
    if number.decimals:
        return following in _DECIMAL_UNITS
    if not following.isalpha() or is_stop_word(following) or following in _IDIOMS:
        return False
    if number.is_grouped:
        return True
    if number.kind == "digits" and not _is_counted(words, at):
        return False
    is_named = at > 0 and _CAMEL.match(words[at - 1]) is not None  # "iPhone 8 cases"
    is_named |= at > 1 and _is_capital(words, at - 1)
    return not _is_capital(words, at + 1) and not is_named


def _is_counted(words: Sequence[str], at: int) -> bool:
    """Whether a number in digits has a plural behind it: no code, time or "2" that means to.

    Bare 2, 4 and 8 stand for words in short messages ("4 kids": for kids), so they count only in
    texts that are not written so. Larger ones may have a word between ("300 new jobs").
    """
    if words[at] in _SOUNDS:
        if at and words[at - 1].lower() in _BEFORE_SOUND:
            return False
        is_short = any(_SHORT.fullmatch(word.lower()) for word in words) or not _SOUNDS.isdisjoint(
            {word for i, word in enumerate(words[:-1]) if not _is_plural(words[i + 1])}
        )
        return _is_plural(words[at + 1]) and not is_short
    near = {*words[max(0, at - 1) : at], *words[at + 1 : at + 2]}
    if any(word.isdigit() for word in near):
        return False  # a telephone number
    behind = words[at + 1 : at + 3]
    return _is_plural(behind[0]) or (
        len(words[at]) < _CODE and len(behind) > 1 and behind[0].isalpha() and _is_plural(behind[1])
    )


def _is_plural(word: str) -> bool:
    low = word.lower()
    if low in _PLURALS:
        return True
    is_inflected = low.endswith("s") and low.isalpha() and not is_stop_word(low)
    return is_inflected and lemma(low, "NOUN") != low


def _is_told(words: Sequence[str], at: int, number: Number) -> bool:
    """Whether the text later lists or compares what was counted."""
    if "between" in [word.lower() for word in words[max(0, at - 3) : at]]:
        return True
    if number.value > _FEW:
        return False
    if not _ENUMERATES.isdisjoint(words[at + 1 : at + 1 + _NEAR]):
        return True
    if number.value != 2:
        return False
    later = [word.lower() for word in words[at + 1 : at + 1 + _FAR]]
    return "and" in later[:_NAMED] or not _PAIRS.isdisjoint(later)
