"""Mentions of English texts: which words name people and places, and what their words tell of them.

Found are personal pronouns (except *it*, which is seldom anybody), names, and noun phrases up to
their noun whose noun is of a person or one of a few places: what LitBank annotates.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple

from scrutiny.text import wordnet
from scrutiny.text.gender import first_name_gender
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import Gender, table
from scrutiny.text.tagger import default_tagger

Kind = Literal["pronoun", "name", "noun"]
Number = Literal["one", "many"]


class Mention(NamedTuple):
    """Words that refer to somebody or something.

    Parameters
    ----------
    first, last
        Its words.
    kind
        Pronoun, name, or noun phrase.
    head
        Its main word in lower case; of pronouns all forms of a person have one.
    gender, number
        What its words tell, if they do.
    is_thing
        Whether it is no person, if its words tell.
    is_new
        Whether it introduces what it names: *a man*, not *the man*.
    """

    first: int
    last: int
    kind: Kind
    head: str
    gender: Gender | None = None
    number: Number | None = None
    is_thing: bool | None = None
    is_new: bool = False


_FORMS: Final[tuple[tuple[str, Gender | None, Number | None, bool | None], ...]] = (
    ("i me my mine myself", None, "one", False),
    ("you your yours yourself yourselves thou thee thy thine thyself ye", None, None, False),
    ("we us our ours ourselves", None, "many", False),
    ("he him his himself", "male", "one", False),
    ("she her hers herself", "female", "one", False),
    ("it its itself", None, "one", True),
    ("they them their theirs themselves", None, "many", None),
)
_PRONOUNS: Final = {
    form: Mention(0, 0, "pronoun", forms.split()[0], gender, number, is_thing)
    for forms, gender, number, is_thing in _FORMS
    for form in forms.split()
}
_TITLES: Final[dict[str, Gender | None]] = {
    **dict.fromkeys("dr rev st capt col".split()),
    **dict.fromkeys("mr sir lord master king prince duke count uncle".split(), "male"),
    **dict.fromkeys("mrs miss ms madam madame lady queen princess aunt".split(), "female"),
}
_PLACES: Final = frozenset(
    "house room garden world town city village street road river sea church school hall court home "
    "country county chamber drawing-room bedroom kitchen parlour cottage castle palace hotel inn "
    "shop farm park square island earth neighbourhood churchyard office bungalow carriage ship "
    "boat".split()
)
_NOUNS: Final = frozenset({"NN", "NNS", "NNP", "NNPS"})
_NAMES: Final = frozenset({"NNP", "NNPS"})
_INSIDE: Final = _NOUNS | {"JJ", "JJR", "JJS", "CD", "VBN"}
_STARTS: Final = frozenset({"DT", "PDT", "PRP$"})
_NEW: Final = frozenset("a an another some any no every each".split())


def find(words: Sequence[str]) -> list[Mention]:
    """Mentions in a text, in order of place; of two that begin together the longer one first."""
    tags = [tag.xpos for tag in default_tagger().tag(words)]
    pronouns = (
        described(words, tags, i, i)
        for i, word in enumerate(words)
        if word.lower() in _PRONOUNS and not _PRONOUNS[word.lower()].is_thing
    )
    return sorted(chain(pronouns, _phrases(words, tags)), key=lambda m: (m.first, -m.last))


def _phrases(words: Sequence[str], tags: Sequence[str]) -> Iterator[Mention]:
    """Names, and noun phrases whose noun is of a person or a place."""
    start = 0
    while start < len(words):
        end = start + (tags[start] in _STARTS and words[start].lower() not in ("this", "that"))
        while end < len(words) and (tags[end] in _INSIDE or _ends_title(words, end)):
            end += 1
        while end > start and tags[end - 1] not in _NOUNS:
            end -= 1
        if end > start:
            found = described(words, tags, start, end - 1)
            is_told = found.is_thing is False or found.head in _PLACES
            if found.kind == "name" or (found.kind == "noun" and is_told):
                yield found
        start = max(end, start + 1)


def _ends_title(words: Sequence[str], place: int) -> bool:
    """Whether a word is the period of a title in front of it."""
    return words[place] == "." and place > 0 and words[place - 1].lower() in _TITLES


def described(words: Sequence[str], tags: Sequence[str], first: int, last: int) -> Mention:
    """Mention of the words from the first to the last, as they tell of it."""
    pronoun = _PRONOUNS.get(words[first].lower()) if first == last else None
    if pronoun is not None:
        return pronoun._replace(first=first, last=last)
    main = _main(tags, first, last)
    word, tag = words[main], tags[main]
    number: Number = "many" if tag in ("NNS", "NNPS") else "one"
    before = [w.lower().rstrip(".") for w in words[first:main]]
    if tag in _NAMES:
        titled = next((_TITLES[w] for w in before if _TITLES.get(w)), None)
        named = (first_name_gender(w) for w in words[first : main + 1])
        gender = titled or next(filter(None, named), None)
        return Mention(first, last, "name", word.lower(), gender, number)
    noun = lemma(word.lower(), "NOUN")
    gender = _genders().get(word.lower())
    is_thing = gender is None and not _is_person(noun)
    return Mention(
        first, last, "noun", noun, gender, number, is_thing, is_new=not _NEW.isdisjoint(before)
    )


def _main(tags: Sequence[str], first: int, last: int) -> int:
    """Main word of a phrase: the last noun of its first row of nouns, or its last word."""
    found = None
    for i in range(first, last + 1):
        if tags[i] in _NOUNS:
            found = i
        elif found is not None and tags[i] not in ("POS", "."):
            break
    return last if found is None else found


@lru_cache
def _genders() -> dict[str, Gender]:
    """Gender of nouns for people."""
    found: dict[str, Gender] = {}
    for female, male in table("gender_pairs"):
        found.setdefault(female.lower(), "female")
        found.setdefault(male.lower(), "male")
    return found


@lru_cache(maxsize=1 << 14)
def _is_person(noun: str) -> bool:
    """Whether the usual sense of a noun is a person, or people."""
    senses = wordnet.synsets(noun, "n")
    return noun == "people" or bool(senses and wordnet.lexname(senses[0]) == "noun.person")
