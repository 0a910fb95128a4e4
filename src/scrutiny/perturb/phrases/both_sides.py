"""What a text and its references have in common, changed on both sides: numbers, words, mentions.

A translation copies a number in digits, a name and an unknown word as they are. So a change of one
in the text, and the same one in each reference, leaves a pair of which the reference is still
right: what stands once in the text stands once in every reference, letter by letter.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from string import ascii_lowercase
from typing import Any, ClassVar, Final, Literal

from scrutiny.core.answers.texts import AnyOf, Text
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.facts import WRITTEN
from scrutiny.core.randomness import Rng, pick
from scrutiny.core.transformation import Document, Effect, SetsGold, Site
from scrutiny.perturb.engine.changes import (
    EVERY_SITE,
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    sites_where,
    whole_text,
)
from scrutiny.perturb.phrases.social_media import random_handle
from scrutiny.text.edits import apply_to_text
from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.numbers import format_number, parse_number
from scrutiny.text.tokens import token_spans, token_texts

_ALTERNATIVES: Final = 4
_SHORTEST: Final = 4  # letters of a word that is the same by no chance, as English and German "in"
_VOWELS: Final = "aeiou"
_CONSONANTS: Final = "".join(sorted({*ascii_lowercase} - {*_VOWELS, *"qxyj"}))
_MONTHS: Final = 12
_DAYS: Final = 31
_ANY_MONTH: Final = 28  # days that every month has
_LATEST: Final = 2025  # a year of the past stays one
_HOURS: Final = 25
_MINUTES: Final = 2  # digits of them on a clock
_PERCENT: Final = 99
_FEW: Final = 4
_MOST: Final = 200  # numbers that are looked at
_YEARS: Final = range(1000, 2100)


class OnBothSides(Change, SetsGold):
    """Base of changes of a text that its references follow."""

    __slots__ = ()

    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "text": "sets"}
    wants = (WRITTEN,)
    is_default = False

    def gold_after(self, gold: Any, before: Example, edits: Sequence[Edit]) -> Any:
        """Reference, or each of them, with the same change; None where it has no place for it."""
        if isinstance(gold, AnyOf):
            found = [self.gold_after(one, before, edits) for one in gold]
            return None if None in found else AnyOf(found)
        for edit in edits:
            old = before.fields[edit.field][edit.start : edit.end]
            if self.is_own(old, edit.text):
                gold = self.followed(gold, before.fields[edit.field], edit)
            if gold is None:
                return None
        return gold

    def is_own(self, old: str, new: str) -> bool:
        """Whether an edit of this text to that one may be one of its own."""
        raise NotImplementedError

    def followed(self, reference: str, text: str, edit: Edit) -> Text | None:
        """Reference with the edit of a text; None unless the word stands there once."""
        old = text[edit.start : edit.end]
        places = [(a, b) for a, b in token_spans(reference) if reference[a:b] == old]
        if len(places) != 1:
            return None
        return Text(apply_to_text(reference, [Edit("", *places[0], edit.text)]))


def _shared(document: Document) -> frozenset[str]:
    """Tokens that stand once in a text and once in each of its references."""
    gold = document.example.gold
    references = gold if isinstance(gold, AnyOf) else (gold,)
    if not all(isinstance(one, Text) for one in references):
        return frozenset()
    counts = [Counter(document.words), *(Counter(token_texts(one)) for one in references)]
    return frozenset(
        word for word, n in counts[0].items() if n == 1 and all(c[word] == 1 for c in counts)
    )


@dataclass(frozen=True, slots=True)
class SameNumber(OnBothSides):
    """Numbers in digits that a text and its references share, replaced on both sides by one new.

    The new one is of the same size and kind: what may be a month or a day stays one, a year is one
    of the same decades, words behind it have the same form also in languages that tell few from
    many, and of two numbers the larger one stays the larger. A one stays.

    **Measures** whether a translator copies numbers, also those that it has not seen.

    **Misleads when** a reference writes the number of something else in the same digits.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapParallelNum.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> example = Example("1", {"text": "It costs 230 euros."}, Text("Es kostet 230 Euro."))
    >>> variant = perturb(example, "same_number", seed=0)
    >>> variant.gold == f"Es kostet {variant.edits[0].text} Euro."
    True
    """

    id = "same_number@1"
    title = "the same new number on both sides"
    intensity = EVERY_SITE

    def sites(self, document: Document) -> Sites:
        """Numbers in digits on both sides that have another one of their kind."""
        if not any(map(str.isdigit, document.text)):
            return ()
        shared = _shared(document)
        return sites_where(document, lambda word: word in shared and bool(_others(word)))

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Other numbers in the same notation, in random order."""
        word = document.text[site.start : site.end]
        numbers = filter(None, map(parse_number, document.words))
        low, high = _room(_value(word), [number.value for number in numbers])
        for other in in_random_order(_others(word), rng):
            if low < _value(other) < high:
                yield (Edit(document.field, site.start, site.end, other),)

    def is_own(self, old: str, new: str) -> bool:
        """Whether both are numbers in digits."""
        return old[:1].isdigit() and parse_number(new) is not None


def _value(word: str) -> float:
    number = parse_number(word)
    return number.value if number is not None else 0


def _room(value: float, told: Sequence[float]) -> tuple[float, float]:
    """Between which values a number of a text stays the larger and the smaller one that it was.

    Half of the way to the next ones, which may go the other half.

    Examples
    --------
    >>> _room(830, [3, 830, 846])
    (416.5, 838.0)
    """
    below = max((other for other in told if other < value), default=-inf)
    above = min((other for other in told if other > value), default=inf)
    return (value + below) / 2, (value + above) / 2


def _others(word: str) -> Sequence[str]:
    """Other numbers of the size and kind of one in digits; none of small ones and of words.

    Examples
    --------
    >>> _others("2"), _others("21"), _others("80"), _others("two")
    (['3', '4'], [], ['40', '50', '60', '70', '90'], [])
    """
    number = parse_number(word) if word[:1].isdigit() else None
    if number is None or number.suffix or number.kind != "digits" or number.width:
        return []
    value, rest = int(number.value), number.value - int(number.value)
    if number.decimals == _MINUTES and value < _HOURS:
        return []  # "at 23.45"
    if value <= _DAYS and not number.decimals:
        low, high = (2, _MONTHS) if value <= _MONTHS else (_MONTHS + 1, _ANY_MONTH)
    elif value in _YEARS and len(word) == 4:
        low, high = value - 20, min(value + 20, _LATEST)
    elif number.decimals:
        low, high = max(2, value // 2), 2 * value + 3
    else:
        low, high = max(_DAYS + 1, value // 2), 2 * value + 10
        high = min(high, _PERCENT) if value < _PERCENT else high
    step = 1
    while value % (10 * step) == 0 and value >= 20 * step:
        step *= 10  # as many zeros at the end
    span = range(
        low + (value - low) % step, high + 1, step * max(1, (high - low) // (step * _MOST))
    )
    return [
        format_number(other + rest, number)
        for other in span
        if other != value and value > 1 and _form(other) == _form(value)
    ]


def _form(value: int) -> int:
    """Which form a noun has behind a number, in languages that have three: one, few, many."""
    last = value % 10
    if last == 0 or last > _FEW or 10 < value % 100 < 15:
        return 2
    return int(last > 1)


@dataclass(frozen=True, slots=True)
class SameWord(OnBothSides):
    """A word that a text and its references share, replaced on both sides by one that nobody knows.

    Words of four letters and more, with a capital where the text has any: names, mostly, and in
    texts in small letters also words that came from one language to the other ("ball", "jeans").
    The new one is made of syllables, as long and in the same case.

    **Measures** whether a translator copies a word that it does not know.

    **Misleads when** the references inflect the word, or it would be translated: then it does not
    stand in them as it is, or by chance.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapParallelSameWord.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> example = Example("1", {"text": "Maria sleeps."}, Text("Maria schläft."))
    >>> variant = perturb(example, "same_word", seed=0)
    >>> variant.gold == f"{variant.edits[0].text} schläft.", variant.edits[0].text.istitle()
    (True, True)
    """

    id = "same_word@1"
    title = "the same unknown word on both sides"
    intensity = ONE_SITE

    def sites(self, document: Document) -> Sites:
        """Words on both sides that are no function words."""
        is_small = document.text.islower()
        shared = {
            word
            for word in _shared(document)
            if len(word) >= _SHORTEST
            and word.isascii()
            and word.isalpha()
            and (is_small or word.istitle() or word.isupper())
            and not is_stop_word(word)
        }
        return sites_where(document, shared.__contains__)

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A few made-up words."""
        word = document.text[site.start : site.end]
        for _ in range(_ALTERNATIVES):
            letters = [
                pick(_VOWELS if at % 2 else _CONSONANTS, share)
                for at, share in enumerate(rng.random(max(_SHORTEST, len(word))).tolist())
            ]
            new = match_case(word, "".join(letters))
            yield (Edit(document.field, site.start, site.end, new),)

    def is_own(self, old: str, new: str) -> bool:
        """Whether both are words."""
        return old.isalpha() and new.isalpha()


@dataclass(frozen=True, slots=True)
class SameMention(OnBothSides):
    """The same mention or link before or behind a text and its references.

    Parameters
    ----------
    handle
        What is added: a mention (``at``), a link (``url``), or one of both.

    **Measures** whether a translator leaves alone what is no word, and the rest as it was.

    **Misleads when** the texts are of a sort in which nobody is mentioned.

    References
    ----------
    Gui et al. (2021). TextFlint: ParallelTwitterType.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> example = Example("1", {"text": "Good day"}, Text("Guten Tag"))
    >>> variant = perturb(example, "same_mention(handle=at)", seed=0)
    >>> variant.edits[0].text.strip() in variant.gold
    True
    """

    id = "same_mention@1"
    title = "the same mention on both sides"
    intensity = ONE_SITE
    where = "anywhere"

    handle: Literal["random", "at", "url"] = "random"

    def sites(self, document: Document) -> Sites:
        """The text as a whole, where it has references."""
        gold = document.example.gold
        references = gold if isinstance(gold, AnyOf) else (gold,)
        return whole_text(document) if all(isinstance(one, Text) for one in references) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """A mention or a link at the beginning or at the end."""
        for _ in range(_ALTERNATIVES):
            shares = rng.random(16).tolist()
            is_link = shares[0] < 0.5 if self.handle == "random" else self.handle == "url"
            name, end = random_handle(shares[2:], is_link=is_link), len(document.text)
            before = Edit(document.field, 0, 0, f"{name} ")
            yield (before if shares[1] < 0.5 else Edit(document.field, end, end, f" {name}"),)

    def is_own(self, old: str, new: str) -> bool:
        """Whether a mention or a link was added."""
        return not old and new.strip().startswith(("@", "https://"))

    def followed(self, reference: str, text: str, edit: Edit) -> Text:
        """Reference with the same at the same end."""
        return Text(edit.text + reference if edit.start == 0 else reference + edit.text)
