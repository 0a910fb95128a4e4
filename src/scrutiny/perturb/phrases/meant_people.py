"""Changes of those whom a pronoun may mean: other names, the other gender, something said of one.

They stand in the text and are the options, so that both change alike: what comes is drawn by the
item, not by the field. Abdou et al. (2020) made such versions of WSC273 by hand; these are rules
for any text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from scrutiny.core.answers.choices import options_in
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.facts import Facts
from scrutiny.core.randomness import Rng, generator
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import EVERY_SITE, ONE_SITE, Change, Sites, whole_text
from scrutiny.text.entities import first_name_gender, swap_gender
from scrutiny.text.inflection import inflect, lemma
from scrutiny.text.lexicon import Gender, first_names, table
from scrutiny.text.tokens import token_spans

#: Options that fill a gap of the text: whom a pronoun means.
MEANT: Final = (Facts("option", "marked"),)
_KEEPS: Final[Mapping[str, Effect]] = may_change_unless("option", "marked")
_OTHER: Final[Mapping[Gender, Gender]] = {"female": "male", "male": "female"}
_CLAUSES: Final = (
    "who had come by train",
    "who was wearing a gray coat",
    "who lived in the next street",
    "who had slept badly",
)
_PRONOUNS: Final[Mapping[str, Gender]] = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
}


def _named(example: Example) -> list[tuple[str, Gender]]:
    """First names among the options, with their genders.

    None unless all options are such, and stand in the text in no other case.
    """
    words = {word for _, _, word in _words(example.text)}
    found = [(name, first_name_gender(name)) for name in options_in(example.fields)]
    known = [(name, gender) for name, gender in found if gender is not None]
    names = {name for name, _ in known}
    others = {word.casefold() for word in words - names}
    is_as_said = names <= words and others.isdisjoint(map(str.casefold, names))
    return known if len(known) == len(found) and is_as_said else []


def _bare(word: str) -> str:
    """A word without its possessive ending."""
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Places of the words of a text without possessive endings."""
    for start, end in token_spans(text):
        word = _bare(text[start:end])
        yield start, start + len(word), word


def _renaming(example: Example, *, turned: bool) -> dict[str, str]:
    """A new name for each option, the same in all fields of the item; none that it has."""
    rng = generator(0, "names", name="meant_people@1", item=example.id)
    present = {word for text in example.fields.values() for _, _, word in _words(text)}
    new: dict[str, str] = {}
    for name, gender in _named(example):
        wanted = _OTHER[gender] if turned else gender
        free = [n for n in first_names(wanted) if n not in present and n not in new.values()]
        new[name] = free[int(rng.integers(len(free)))]
    return new


@dataclass(frozen=True, slots=True)
class OtherNames(Change):
    """Other first names of the same gender for those whom a pronoun may mean, text and options.

    **Measures** whether who is meant depends on what somebody is called.

    **Misleads when** a name is that of somebody of whom something is known.

    References
    ----------
    Abdou et al. (2020). The sensitivity of language models and humans to Winograd schema
    perturbations: NA.
    Gui et al. (2021). TextFlint: SwapNames.
    """

    id = "other_names@1"
    effect = _KEEPS
    intensity = EVERY_SITE
    where = "anywhere"
    wants = MEANT
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Each text, where all options are first names."""
        return whole_text(document) if _named(document.example) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """All of these names replaced."""
        new = _renaming(document.example, turned=False)
        places = _words(document.text)
        yield tuple(Edit(document.field, a, b, new[w]) for a, b, w in places if w in new)


@dataclass(frozen=True, slots=True)
class OtherGender(Change):
    """First names of the other gender for those whom a pronoun may mean, and pronouns with them.

    All of them have one gender before and the other one afterwards. A text in which another word
    has a gender, or with the word *her*, which may be *him* or *his*, stays.

    **Measures** whether who is meant depends on gender.

    **Misleads when** a stereotype says who is likelier to do what the text tells: that is then what
    it measures.

    References
    ----------
    Abdou et al. (2020). The sensitivity of language models and humans to Winograd schema
    perturbations: GEN.
    Gui et al. (2021). TextFlint: SwapGender.
    """

    id = "other_gender@1"
    effect = _KEEPS
    intensity = EVERY_SITE
    where = "anywhere"
    wants = MEANT
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Each text, where all options are first names of one gender and no other word has one."""
        genders = {gender for _, gender in _named(document.example)}
        is_free = len(genders) == 1 and not _has_others(document.example, next(iter(genders)))
        return whole_text(document) if is_free else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """All of these names and pronouns replaced."""
        new = _renaming(document.example, turned=True)
        edits = []
        for start, end, word in _words(document.text):
            low = word.lower()
            other = swap_gender(word, "PRP$") if low in _PRONOUNS else new.get(word)
            if other:
                edits.append(Edit(document.field, start, end, other))
        yield tuple(edits)


def _has_others(example: Example, gender: Gender) -> bool:
    """Whether a text has a word of the other gender, or one that cannot be turned."""
    options = {*options_in(example.fields)}
    nouns = {cell.lower() for row in table("gender_pairs") for cell in row[:2]}
    for _, _, word in _words(example.text):
        low = word.lower()
        is_other_name = word not in options and first_name_gender(word) is not None
        is_wrong_pronoun = low == "her" or _PRONOUNS.get(low, gender) != gender
        if is_other_name or is_wrong_pronoun or low in nouns:
            return True
    return False


@dataclass(frozen=True, slots=True)
class RelativeClause(Change):
    """A relative clause behind the first of those whom a pronoun may mean: "Ida, who had …, left".

    It says nothing that decides. Only first names get one, where neither a comma nor a possessive
    ending nor a preposition stands behind them, and no verb in present or future, with which the
    clause does not go.

    **Measures** whether who is meant is still found where both stand farther apart.

    **Misleads when** the clause happens to be a reason for what follows.

    References
    ----------
    Abdou et al. (2020). The sensitivity of language models and humans to Winograd schema
    perturbations: RC.
    Gui et al. (2021). TextFlint: InsertRelativeClause.
    """

    id = "relative_clause@1"
    effect = _KEEPS
    intensity = ONE_SITE
    where = "anywhere"
    wants = MEANT
    is_default = False

    def sites(self, document: Document) -> Sites:
        """The first mention of one of them in the text."""
        names = {name for name, _ in _named(document.example)}
        if document.field != "text" or not names:
            return ()
        text = document.text
        for number, (start, end) in enumerate(document.tokens):
            if _bare(text[start:end]) in names:
                is_free = text[start:end] in names and _goes_on(text[end:])
                return (Site(start, end, number),) if is_free else ()
        return ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """One of the clauses; a few are drawn."""
        first = int(rng.integers(len(_CLAUSES)))
        for clause in _CLAUSES[first:] + _CLAUSES[:first]:
            yield (Edit(document.field, site.end, site.end, f", {clause},"),)


def _goes_on(behind: str) -> bool:
    """Whether a verb of the past may follow: *Ida thanked*, not *Ida and*, *Ida can't*."""
    first = behind.split()[0] if behind.split() else ""
    if behind[:1] != " " or not first.islower() or first in _NO_VERBS:
        return False
    stem = re.split("n?['’]", first)[0]
    return stem not in _PRESENT and inflect(lemma(stem, "VERB"), "VBZ") != stem


_NO_VERBS: Final = frozenset("and or but nor in on at of from with by for to into behind".split())
_PRESENT: Final = frozenset("can ca will wo may must shall should is has does are do have".split())
