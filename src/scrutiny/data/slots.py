"""Slots of templates: lexicons, written, looked up or filled by a model, and how slots take words.

A masked language model fills a lexicon once, when ``scrutiny data fill FILE`` asks it; what it said
stands in the file from then on, with a mark of what it was asked, so that reading needs no model.
"""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from scrutiny.core.boundary.json_text import digest, json_line
from scrutiny.core.errors import DataError
from scrutiny.text.inflection import indefinite_article, inflect
from scrutiny.text.wordnet import antonyms, hypernyms, synonyms

#: Braces that are doubled, a slot, and a brace that is neither.
_BRACES: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SLOT: Final = re.compile(r"(?:(an?|An?) )?(\w+)(?:\.(\w+))?(?::(\w+))?")
_FORMS: Final = ("NNS", "VBZ", "VBD", "VBG", "VBN", "JJR", "JJS")
_WORDNET: Final = {"synonyms": synonyms, "antonyms": antonyms, "hypernyms": hypernyms}
_POS: Final = "nvar"
#: Words that a model is asked for, unless a lexicon says how many; of more it has no probabilities.
_LIKELIEST: Final = 30
MOST_FILLED: Final = 500
Entry = str | Mapping[str, str]
Lexicons = Mapping[str, Sequence[Entry]]


class SlotFilling:
    """Entries that the slots of one case take.

    Parameters
    ----------
    lexicons
        Entries by name.
    rng
        What draws them.
    place
        What messages call the test.
    """

    def __init__(self, lexicons: Lexicons, rng: random.Random, place: str) -> None:
        self._lexicons, self._rng, self._place = lexicons, rng, place
        self._taken: dict[str, dict[str, Entry]] = {}

    def put(self, value: Any) -> Any:
        """Texts with their slots filled, in lists and tables as well; numbers as they are."""
        if isinstance(value, str):
            return _BRACES.sub(self._put_one, value)
        if isinstance(value, list):
            return [self.put(one) for one in value]
        if isinstance(value, Mapping):
            return {name: self.put(one) for name, one in value.items()}
        return value

    def _put_one(self, found: re.Match[str]) -> str:
        """Text that replaces a slot, or a doubled brace."""
        if found[0] in ("{{", "}}"):
            return found[0][0]
        slot = _SLOT.fullmatch(found[1] or "")
        if slot is None:
            raise DataError(
                f"{self._place}: {found[0]!r} is no slot: one is {{name}}, {{a name}}, "
                "{name.field} or {name:NNS}, and a brace that is no slot is written twice."
            )
        return self._word(*slot.groups())

    def _word(self, article: str | None, given: str, field: str | None, form: str | None) -> str:
        """Word of a slot."""
        own, number = self._lexicon(given)
        entry = self._entry(own, number)
        if isinstance(entry, Mapping) != bool(field) or (field and field not in entry):
            raise DataError(
                f"{self._place}: {{{given}}} names "
                f"{f'the field {field!r}' if field else 'no field'} of {entry!r:.80}."
            )
        word = entry[field] if isinstance(entry, Mapping) and field else str(entry)
        if form:
            if form not in _FORMS:
                raise DataError(
                    f"{self._place}: {form} is no form; a form is one of {', '.join(_FORMS)}."
                )
            formed = _inflected(word, form) if word else None
            if formed is None:
                raise DataError(f"{self._place}: {word!r} has no form {form}.")
            word = formed
        if article:
            made = indefinite_article(word)
            word = f"{made.capitalize() if article[0] == 'A' else made} {word}"
        return word if given.startswith(own) else word[:1].upper() + word[1:]

    def _lexicon(self, given: str) -> tuple[str, str]:
        """Lexicon that a slot names, and its number: a name may end in digits itself."""
        for end in range(len(given), len(given.rstrip("0123456789")) - 1, -1):
            for name in (given[:end], given[:1].lower() + given[1:end]):
                if name in self._lexicons:
                    return name, given[end:]
        named = ", ".join(sorted(self._lexicons)) or "none"
        name = given.rstrip("0123456789") or given
        raise DataError(f"{self._place}: there is no lexicon {name!r}; there are {named}.")

    def _entry(self, name: str, number: str) -> Entry:
        """Entry of a slot: drawn once, and another one for each number."""
        taken = self._taken.setdefault(name, {})
        if number not in taken:
            free = [one for one in self._lexicons[name] if one not in taken.values()]
            if not free:
                raise DataError(f"{self._place}: the lexicon {name!r} has no other entry.")
            taken[number] = self._rng.choice(free)
        return taken[number]


def _inflected(phrase: str, form: str) -> str | None:
    """Phrase whose head is inflected: the last word of a noun phrase, the first one of others.

    Examples
    --------
    >>> _inflected("big box of chocolates", "NNS"), _inflected("give up", "VBD")
    ('big boxes of chocolates', 'gave up')
    """
    if form[0] == "N":
        noun, of, rest = phrase.partition(" of ")
        before, space, head = noun.rpartition(" ")
    else:
        before, space = "", ""
        head, of, rest = phrase.partition(" ")
    formed = inflect(head, form)
    return None if formed is None else f"{before}{space}{formed}{of}{rest}"


class MaskedFill(NamedTuple):
    """Query to a masked language model that fills a lexicon.

    Parameters
    ----------
    model
        Model string, as of the resource ``masked_lm``.
    frames
        Texts with one blank each, written ``___``, and slots of lexicons that are written or looked
        up.
    k
        How many of the likeliest words are kept.
    seed
        Draws what stands in the slots of the frames.
    without
        Words that somebody read and took out.
    """

    model: str
    frames: tuple[str, ...]
    k: int
    seed: int
    without: frozenset[str]

    def mark(self, words: Sequence[str]) -> str:
        """Hash of what was asked and said; words that were taken out do not change it."""
        return digest(
            self.model, json_line([*self.frames]), f"{self.k}/{self.seed}", *words, size=4
        )


_OF_FILL: Final = ("masked_lm", "frames", "k", "seed", "without", "words", "filled")


def fill_of(given: Any, name: str, place: str) -> MaskedFill | None:
    """Query of a lexicon to a masked language model; None if none fills it.

    Raises
    ------
    DataError
        If it asks a model, and not as it has to.
    """
    if not isinstance(given, Mapping) or "masked_lm" not in given:
        return None
    k, seed, frames = given.get("k", _LIKELIEST), given.get("seed", 0), given.get("frames", [])
    without = given.get("without", [])
    fits = {
        "masked_lm": isinstance(given["masked_lm"], str) and given["masked_lm"] != "",
        "frames": _is_words(frames) and frames != [],
        "k": type(k) is int and 1 <= k <= MOST_FILLED,
        "seed": type(seed) is int and seed >= 0,
        "without": _is_words(without),
        "words": _is_words(given.get("words", [])),
        "filled": isinstance(given.get("filled", ""), str),
    }
    fits |= {key: False for key in given if key not in _OF_FILL}
    wrong = next((key for key, is_right in fits.items() if not is_right), None)
    if wrong is not None:
        raise DataError(
            f"{place}: the lexicon {name!r} has {wrong} = {given.get(wrong)!r:.60}. One that a "
            'model fills has masked_lm = "zoo:bert-4x128/seed-1", frames = ["The soup was ___."], '
            f"k (1 to {MOST_FILLED} words), a seed, without = [words]; words and filled are "
            "written by scrutiny data fill."
        )
    return MaskedFill(given["masked_lm"], tuple(frames), k, seed, frozenset(without))


def _is_words(given: object) -> bool:
    """Whether it is a list of texts."""
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def lexicons_of(written: Mapping[str, Any], place: str) -> dict[str, Sequence[Entry]]:
    """Entries of all lexicons of a file.

    Raises
    ------
    DataError
        If one is none, or is for a model to fill and was not filled, or for something else.
    """
    return {
        name: _entries(one, name, place)
        if (asked := fill_of(one, name, place)) is None
        else _filled(asked, one, name, place)
        for name, one in written.items()
    }


def written_lexicons(written: Mapping[str, Any], place: str) -> dict[str, Sequence[Entry]]:
    """Entries of the lexicons that no model fills."""
    return lexicons_of(
        {name: one for name, one in written.items() if fill_of(one, name, place) is None}, place
    )


def _filled(asked: MaskedFill, given: Mapping[str, Any], name: str, place: str) -> Sequence[Entry]:
    """Words that a model filled a lexicon with, but for those that were taken out."""
    words = given.get("words", [])
    if given.get("filled") != asked.mark(words):
        was = "was filled for something else, or by hand" if words else "is not filled yet"
        raise DataError(
            f"{place}: the lexicon {name!r} {was}: scrutiny data fill {place} asks {asked.model} "
            "for its words and writes them into the file. Words that do not fit are taken out "
            "by without = [words]."
        )
    if left := [word for word in words if word not in asked.without]:
        return left
    raise DataError(f"{place}: the lexicon {name!r} is without all of its words.")


def _entries(given: Any, name: str, place: str) -> Sequence[Entry]:
    """Entries of a lexicon, written or looked up; a number is the word as it is written.

    Raises
    ------
    DataError
        If it is none.
    """
    if isinstance(given, Mapping):
        kind, of, pos = given.get("wordnet"), given.get("of"), given.get("pos", "a")
        is_asked = isinstance(of, list) and all(isinstance(one, str) for one in of)
        if is_asked and kind in [*_WORDNET] and pos in [*_POS]:
            found = [
                {"word": word, "other": other}
                for word in of or ()
                for other in _WORDNET[kind](word, pos, senses=1)[:1]
            ]
            if found:
                return found
            words = ", ".join(of or ())
            raise DataError(f"{place}: {name}: WordNet has no {kind} of {words}.")
    if isinstance(given, list) and given:
        entries = [
            {field: _written(word) for field, word in one.items()}
            if isinstance(one, Mapping)
            else _written(one)
            for one in given
        ]
        if all(None not in (one.values() if isinstance(one, dict) else (one,)) for one in entries):
            return cast("Sequence[Entry]", entries)
    raise DataError(
        f"{place}: the lexicon {name!r} is no list of words or of tables of words, and not "
        f'{{wordnet = "{"|".join(_WORDNET)}", pos = "{"|".join(_POS)}", of = [words]}}, and no '
        "model fills it (masked_lm = MODEL, frames = [texts])."
    )


def _written(word: object) -> str | None:
    """Word of an entry; None for what is neither a text nor a number."""
    is_number = isinstance(word, int | float) and not isinstance(word, bool)
    return str(word) if is_number or isinstance(word, str) else None
