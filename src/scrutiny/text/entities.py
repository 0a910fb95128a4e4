"""Named entities (people, places, organizations), and the gender of names and other words.

The finder that ships with the package matches lists of names, titles before names and endings of
organizations, on capitalized words. It is precise on well-known names and blind to the rest: no
model is behind it. Words of the other gender: pronouns by part of speech, nouns and titles by
table.
"""

from functools import cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from scrutiny.text.letters import match_case
from scrutiny.text.lexicon import (
    Gender,
    first_names,
    is_stop_word,
    listed,
    places,
    table,
    word_set,
    zipf,
)
from scrutiny.text.tokens import token_spans

EntityLabel = Literal["PER", "LOC", "ORG"]
# What taggings of named entities call the three kinds that we have names for.
_LABELS: Final[dict[str, EntityLabel]] = {
    **dict.fromkeys(("PER", "PERSON"), "PER"),
    **dict.fromkeys(("LOC", "LOCATION", "GPE", "GEO-LOC"), "LOC"),
    **dict.fromkeys(("ORG", "ORGANIZATION", "CORPORATION", "COMPANY"), "ORG"),
}


class Entity(NamedTuple):
    """A name: ``text[start:end]``, without a possessive "'s"."""

    start: int
    end: int
    label: EntityLabel


@runtime_checkable
class EntityFinder(Protocol):
    """Protocol: finds named entities in a text."""

    def entities(self, text: str) -> list[Entity]:
        """Return names in order, disjoint."""


_TITLES = word_set("titles")
_ORG_ENDINGS = word_set("organization_endings")
_ORG_HEADS = frozenset("University Institute Bank Ministry Department College Museum".split())
_LOCATIVE = frozenset("in at from near to toward towards around through outside inside".split())
_GAP = 2  # characters between the words of a name
_COMMON = 4.0  # zipf above which a capital at a sentence's start is no evidence of a name


@cache
def _listed() -> dict[str, tuple[tuple[tuple[str, ...], EntityLabel], ...]]:
    """Names of several tokens by their first token, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], EntityLabel]]] = {}
    labeled: list[tuple[str, EntityLabel]] = [(name, "LOC") for name in places()]
    labeled += [(name, "ORG") for name in listed("organizations")]
    for name, label in labeled:
        parts = tuple(name[start:end] for start, end in token_spans(name))
        found.setdefault(parts[0], []).append((parts, label))
    return {head: tuple(sorted(rows, key=lambda r: -len(r[0]))) for head, rows in found.items()}


@cache
def _people() -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(first_names("female") + first_names("male")), frozenset(listed("last_names"))


class _EntityWords(NamedTuple):
    spans: list[tuple[int, int]]
    words: list[str]  # without a possessive "'s"
    is_name_like: list[bool]  # capitalized, no function word
    opens: list[bool]  # first of its sentence


def _split(text: str) -> _EntityWords:
    spans: list[tuple[int, int]] = []
    words: list[str] = []
    for start, end in token_spans(text):
        clitic = 2 if text[end - 2 : end] in ("'s", "’s") and end - start > 2 else 0
        spans.append((start, end - clitic))
        words.append(text[start : end - clitic])
    capital = [word[0].isupper() and not is_stop_word(word) for word in words]
    for i, (word, behind) in enumerate(pairwise(words)):  # "A" is an initial before a period
        if behind == "." and len(word) == 1 and word.isupper() and word != "I":
            capital[i] = True
    opens, is_open = [], True
    for word in words:
        opens.append(is_open)
        is_open = word in ".!?:;\"“‘'-–—" or (is_open and not word[0].isalnum())
    return _EntityWords(spans, words, capital, opens)


def _match_listed(words: _EntityWords, i: int) -> tuple[int, EntityLabel] | None:
    """(token after it, label) of a listed place or organization that begins here."""
    for parts, label in _listed().get(words.words[i], ()):
        end = i + len(parts)
        if tuple(words.words[i:end]) == parts:
            if end - i == 1 and words.opens[i] and zipf(parts[0]) >= _COMMON and label == "ORG":
                continue
            return end, label
    return None


def _run_end(words: _EntityWords, i: int, most: int) -> int:
    """First token after a run of capitalized words that begins at i; initials count."""
    end = i
    while end < len(words.words) and end - i < most:
        if words.words[end] == "." and end > i and len(words.words[end - 1]) == 1:
            end += 1
            continue
        if not words.is_name_like[end]:
            break
        if end > i and words.spans[end][0] - words.spans[end - 1][1] > _GAP:
            break  # a possessive between: "Priya Raman's Hamlet"
        end += 1
    while end > i and words.words[end - 1] == ".":
        end -= 1
    return end


def _match_person(words: _EntityWords, i: int) -> int | None:
    """Token after a person's name that begins here."""
    first, last = _people()
    word = words.words[i]
    end = _run_end(words, i, 6)
    if end == i:
        return None
    if words.words[i - 1 : i] == ["."] and i > 1 and words.words[i - 2] in _TITLES:
        return end
    if i > 0 and words.words[i - 1] in _TITLES:
        return end
    if word in first:
        if end > i + 1:
            return end
        return None if words.opens[i] and zipf(word) >= _COMMON + 1 else end
    if word in last and not words.opens[i] and end == i + 1 and zipf(word) < _COMMON:
        return end
    # "J. K. Rowling": initials before a family name
    if len(word) == 1 and words.words[i + 1 : i + 2] == ["."] and end > i + 2:
        return end if words.words[end - 1] in last or end > i + 3 else None
    return None


def _match(words: _EntityWords, i: int) -> tuple[int, EntityLabel] | None:
    # token after an organization, recognized by its last word or its "X of Y"
    end = _run_end(words, i, 6)
    if words.words[i] in _ORG_HEADS and words.words[i + 1 : i + 2] == ["of"]:
        tail = _run_end(words, i + 2, 3)
        organization = tail if tail > i + 2 else None
    else:
        organization = next(
            (k + 1 for k in range(end - 1, i, -1) if words.words[k] in _ORG_ENDINGS), None
        )
    if organization is not None:
        return organization, "ORG"
    is_inside = i > 0 and words.is_name_like[i - 1] and not words.opens[i - 1]
    if is_inside and words.words[i - 1] not in _TITLES:
        return None  # inside of a longer name that is not listed
    listed = _match_listed(words, i)
    if listed is not None and words.is_name_like[listed[0] : listed[0] + 1] == [True]:
        listed = None  # "Perth Glory"
    person = _match_person(words, i)
    if listed is None:
        return None if person is None else (person, "PER")
    if person is None or (i > 0 and words.words[i - 1].lower() in _LOCATIVE):
        return listed
    # "Paris Hilton", but "Paris" alone and "San Jose": the longer reading wins
    return (person, "PER") if person > listed[0] else listed


class GazetteerFinder:
    """Entity finder that ships with the package."""

    def entities(self, text: str) -> list[Entity]:
        """Return names in order, disjoint."""
        words = _split(text)
        found: list[Entity] = []
        i = 0
        while i < len(words.words):
            match = _match(words, i) if words.words[i][0].isupper() else None
            if match is None:
                i += 1
                continue
            end, label = match
            found.append(Entity(words.spans[i][0], words.spans[end - 1][1], label))
            i = end
        return found


@cache
def default_entity_finder() -> GazetteerFinder:
    """Return the entity finder that ships with the package.

    Examples
    --------
    >>> text = "Anna Smith flew from Nairobi to Acme Corp's office."
    >>> [(text[e.start : e.end], e.label) for e in default_entity_finder().entities(text)]
    [('Anna Smith', 'PER'), ('Nairobi', 'LOC'), ('Acme Corp', 'ORG')]
    """
    return GazetteerFinder()


def entity_label(label: str) -> EntityLabel | None:
    """``PER``, ``LOC`` or ``ORG`` for a label of any common tag set, or `None`.

    Examples
    --------
    >>> entity_label("person"), entity_label("B-GPE"), entity_label("creative-work")
    ('PER', 'LOC', None)
    """
    bare = label.upper()
    if bare[:2] in ("B-", "I-"):
        bare = bare[2:]
    return _LABELS.get(bare)


_PRONOUNS = {
    **{f"he{clitic}": f"she{clitic}" for clitic in ("", "'d", "'ll", "'s")},
    **{f"she{clitic}": f"he{clitic}" for clitic in ("", "'d", "'ll", "'s")},
    **{"him": "her", "hers": "his", "himself": "herself", "herself": "himself"},
}
# "Miss" the title and "miss" the verb differ by their capital only.
_CAPITAL_ONLY = frozenset({"Ms", "Mrs", "Mr", "Miss", "Lady", "Lord"})


@cache
def _pairs() -> dict[str, str]:
    """Pairs in both directions; if two words share a partner, the first row wins."""
    found: dict[str, str] = {}
    for female, male in table("gender_pairs"):
        found.setdefault(female, male)
        found.setdefault(male, female)
    return found


def swap_gender(word: str, xpos: str | None = None) -> str | None:
    """Return the word of the other gender in the same case; None if there is none.

    Parameters
    ----------
    word
        One token; the possessive "'s" may be attached.
    xpos
        Penn tag; ``her`` has no answer without it (``PRP$``: his, ``PRP``: him).

    Examples
    --------
    >>> swap_gender("her", "PRP"), swap_gender("Her", "PRP$"), swap_gender("her")
    ('him', 'His', None)
    >>> swap_gender("Waitress's"), swap_gender("table")
    ("Waiter's", None)
    """
    if word in _CAPITAL_ONLY:
        return _pairs()[word]
    if word[-1:] == "." and word[:-1] in _CAPITAL_ONLY:
        return _pairs()[word[:-1]] + "."
    lower = word.lower().replace("’", "'")
    stem, clitic = lower, ""
    if stem == "her":
        found = {"PRP$": "his", "PRP": "him"}.get(xpos or "")
    elif stem == "his":
        found = "her" if xpos in (None, "PRP$", "DT") else "hers"
    else:
        found = _PRONOUNS.get(stem) or _pairs().get(stem)
    if found is None and lower.endswith("'s"):
        stem, clitic = lower[:-2], word[-2:]
        found = _pairs().get(stem)
    if found is None:
        return None
    return match_case(word, found) + clitic if clitic else match_case(word, found)


@cache
def _gender_of_name() -> dict[str, Gender]:
    found: dict[str, Gender] = dict.fromkeys(first_names("female"), "female")
    found.update(dict.fromkeys(first_names("male"), "male"))
    return found


def first_name_gender(name: str) -> Gender | None:
    """Return the gender that a first name of our lists is mostly given to, or None.

    Examples
    --------
    >>> first_name_gender("Anna"), first_name_gender("George"), first_name_gender("anna")
    ('female', 'male', None)
    """
    return _gender_of_name().get(name)
