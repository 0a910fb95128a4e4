"""Word lists that ship with the package, each loaded on first use and cached.

Sources and licenses: ``data/NOTICE.md``. All lists are in a fixed order, so an index drawn at
random names the same entry everywhere.
"""

import lzma
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

from scrutiny.core.errors import UnknownNameError

Gender = Literal["female", "male"]


def read_bytes(name: str) -> bytes:
    """Return the content of a data file, decompressed if its name ends in ``.xz``."""
    data = files("scrutiny.text").joinpath("data", name).read_bytes()
    return lzma.decompress(data) if name.endswith(".xz") else data


def _read_lines(name: str) -> list[str]:
    lines = read_bytes(name).decode("utf-8").split("\n")
    return [line for line in lines if line and not line.startswith("# ")]


@cache
def listed(name: str) -> tuple[str, ...]:
    """Return the lines of ``data/NAME.txt``."""
    return tuple(_read_lines(f"{name}.txt"))


@cache
def table(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the rows of ``data/NAME.tsv``, without its comment lines."""
    return tuple(tuple(line.split("\t")) for line in _read_lines(f"{name}.tsv"))


def word_set(name: str) -> frozenset[str]:
    """Set of words of ``data/word_sets.tsv``."""
    return next(frozenset(words.split(" ")) for known, words in table("word_sets") if known == name)


def word_pairs(name: str) -> dict[str, str]:
    """Other words by word, of one list of ``data/word_pairs.tsv``."""
    return {word: other for known, word, other in table("word_pairs") if known == name}


REGIONS = tuple(sorted({region for _, _, region in table("places")}))
STOP_WORDS = word_set("stop_words")


def is_stop_word(word: str) -> bool:
    """Whether a token is a function word, in any casing and with either apostrophe.

    Examples
    --------
    >>> is_stop_word("The"), is_stop_word("Don’t"), is_stop_word("film")
    (True, True, False)
    """
    return word in STOP_WORDS or word.lower().replace("’", "'") in STOP_WORDS


@cache
def frequencies() -> Mapping[str, float]:
    """Return all words that `zipf` knows with their values, the most frequent first."""
    found: dict[str, float] = {}
    # Lines "value word word ...": words that share a value, given in hundredths.
    for line in _read_lines("zipf.txt.xz"):
        value, *entries = line.split(" ")
        found.update(dict.fromkeys(entries, int(value) / 100))
    return MappingProxyType(found)


def zipf(word: str) -> float:
    """Return the Zipf frequency of a word: log10 of its count per billion words; 0.0 if unknown.

    Case is ignored. About 40,000 words are known, down to 3.0 or so (once in a million).

    References
    ----------
    Robyn Speer (2022), wordfreq 3.0.

    Examples
    --------
    >>> zipf("the") > zipf("film") > zipf("abseil") == zipf("qqqq") == 0.0
    True
    """
    found = frequencies()
    return found.get(word) or found.get(word.lower(), 0.0)


@cache
def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Return attested misspellings by lower-case word, none of them a word itself.

    Examples
    --------
    >>> "difinately" in misspellings()["definitely"], "qqqq" in misspellings()
    (True, False)
    """
    rows = (line.split(" ") for line in _read_lines("misspellings.txt.xz"))
    # who misspells a word hits its first letter; the rest are slips of the keyboard
    kept = ((word, tuple(w for w in wrong if w[0] == word[0])) for word, *wrong in rows)
    return {word: wrong for word, wrong in kept if wrong}  # every word is looked up: no proxy


@cache
def fitting_synonyms() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the WordNet synonyms that an annotator found to fit nearly everywhere.

    By lemma and part of speech (``n``, ``v``, ``a``, ``r``).

    Examples
    --------
    >>> fitting_synonyms()["movie", "n"]
    ('film',)
    """
    rows = (line.split(" ") for line in _read_lines("synonyms.txt"))
    return MappingProxyType({(row[1], row[0]): tuple(row[2:]) for row in rows})


@cache
def fitting_antonyms() -> Mapping[str, str]:
    """Return adjectives with the antonym that an annotator found to fit nearly everywhere.

    Examples
    --------
    >>> fitting_antonyms()["good"]
    'bad'
    """
    rows = (line.split(" ") for line in _read_lines("antonyms.txt"))
    return MappingProxyType({row[0]: row[1] for row in rows})


@cache
def social_abbreviations() -> Mapping[str, str]:
    """Return abbreviations of social media by the lower-case phrase that they stand for.

    Examples
    --------
    >>> social_abbreviations()["be right back"]
    'brb'
    """
    return MappingProxyType({row[0]: row[1] for row in table("social_abbreviations")})


def first_names(gender: Gender) -> tuple[str, ...]:
    """Return first names mostly given to one gender in English-speaking countries."""
    return listed(f"first_names_{gender}")


@cache
def _places(kind: str, region: str | None) -> tuple[str, ...]:
    if region is not None and region not in REGIONS:
        raise UnknownNameError("region", region, REGIONS)
    rows = table("places")
    return tuple(r[0] for r in rows if r[1].startswith(kind) and region in (None, r[2]))


def countries(region: str | None = None) -> tuple[str, ...]:
    """Return countries, states, provinces and continents, of one of `REGIONS` or of all."""
    return _places("country", region)


def cities(region: str | None = None) -> tuple[str, ...]:
    """Return cities of one of `REGIONS` or of all."""
    return _places("city", region)


def places(region: str | None = None) -> tuple[str, ...]:
    """Return countries and cities of one of `REGIONS` or of all."""
    return _places("c", region)


@cache
def _region_of_place() -> dict[str, str]:
    return {name: region for name, _, region in table("places")}


def place_region(name: str) -> str | None:
    """Return the region of a place, or None where the name is not in our list.

    Examples
    --------
    >>> place_region("Nairobi"), place_region("Narnia")
    ('Africa', None)
    """
    return _region_of_place().get(name)


_WITH_THE = frozenset({"Netherlands", "Philippines", "Gambia", "Bahamas", "Maldives", "Congo"})


def needs_the(name: str) -> bool:
    """Whether a place name needs the definite article in running text.

    Examples
    --------
    >>> needs_the("United States"), needs_the("Ireland")
    (True, False)
    """
    first, _, rest = name.partition(" ")
    is_of_states = bool(rest) and first in ("United", "Czech", "Dominican", "Central")
    return is_of_states or name in _WITH_THE or name.isupper()
