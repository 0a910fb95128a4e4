"""Names of well-known people, films and organizations, found in texts; and swapped.

What is known of them are public facts in tables of the package: years, nationalities, directors.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import ClassVar, Final, Literal, NamedTuple

from scrutiny.core.edit import Edit
from scrutiny.core.randomness import Rng
from scrutiny.core.record import grouped
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import (
    EVERY_SITE,
    Candidates,
    Change,
    Sites,
    in_random_order,
    with_name,
)
from scrutiny.text.lexicon import is_stop_word, table, word_set

About = Literal["people", "films", "organizations"]
_SWAPPED: Final = ("people", "films")
_TRIED: Final = 5
_YEARS: Final = 15  # between those that can be swapped


class KnownName(NamedTuple):
    """Name of which facts are known.

    Parameters
    ----------
    name
        As it is written.
    about
        Kind of thing that it names.
    group
        Those it can be swapped with: people of one gender and trade, films.
    facts
        What is known: of people what they are and their year of birth, of films year and director,
        of organizations the year of their founding.
    short
        Family name, where it alone says who is meant.
    """

    name: str
    about: About
    group: str
    facts: tuple[str, ...]
    short: str = ""


class KnownMention(NamedTuple):
    """Place of a text at which a known name stands, whole or as the family name alone."""

    start: int
    end: int
    known: KnownName


@cache
def known_names(*, in_lower_case: bool) -> Mapping[str, list[tuple[re.Pattern[str], KnownName]]]:
    """People, films and organizations by the first letters of their names, the longest first.

    In texts without capitals, where a name may be any word, they are people and films alone.
    """
    found = [
        KnownName(name, "people", f"{gender} {what}", (f"{nation} {what}", year), short)
        for name, gender, nation, what, year, short in table("people")
    ]
    found += [KnownName(name, "films", "film", (*facts,)) for name, *facts in table("films")]
    if not in_lower_case:
        found += [KnownName(row[0], "organizations", "", row[1:]) for row in table("founded")]
    written = [(form, one) for one in found for form in (one.name, one.short) if form]
    written.sort(key=lambda pair: (-len(pair[0]), pair[0]))
    cased = [(form.lower() if in_lower_case else form, one) for form, one in written]
    return grouped((_WORD.findall(form)[0], (_pattern(form), one)) for form, one in cased)


_WORD: Final = re.compile(r"[^\W\d_]+")


def _pattern(name: str) -> re.Pattern[str]:
    """Pattern of a name, whose possessives and negations may be split off as in a treebank."""
    clitics = re.sub(r"(?=n't|'s\b)", " ?", re.escape(name))
    return re.compile(clitics.replace("'", "['’]") + r"(?![\w-])")


def mentions_of_known(document: Document, about: Sequence[str]) -> list[KnownMention]:
    """Mentions of known names, from left to right; none within a longer name."""
    text, found = document.text, list[KnownMention]()
    known = known_names(in_lower_case=text == text.lower())
    for word in _WORD.finditer(text):
        start = word.start()
        if (found and start < found[-1].end) or (start and text[start - 1] in "-@#'’."):
            continue
        matches = ((p.match(text, start), one) for p, one in known.get(word[0], ()))
        for match, one in matches:
            if match is not None:
                end = match.end()
                if one.about in about and not _is_part(text, start, end, one):
                    found.append(KnownMention(start, end, one))
                break
    return found


_DATED: Final = re.compile(r"['\"’” ]*\( ?\d{4}")
#: Before a name that is not the name of one thing: "a Hitchcock", "the fourth Die Hard".
_COUNTED: Final = re.compile(
    r"\b(?:an?|the|this|that|no|another|first|second|third|(?:four|fif|six|seven|eigh|nin)th) $",
    re.IGNORECASE,
)
#: Before a title that stands within a longer one or with other words: "his next Star Wars".
_IN_PHRASE: Final = re.compile(r"(?:\b(?:his|her|its|their|old|new|next|last|original|\d+)|:) $")
_BEFORE: Final = re.compile(r"([^\W\d_][\w.'’]*) $")
_PART_BEHIND: Final = re.compile(r" ?(?:[A-Z\d&/]|: |of\b|part\b|ii\b|iii\b|jr\b)|['’]s [A-Z]")
_MARK: Final = re.compile(r"[/*|>+=] ?$")
_TITLES: Final = word_set("titles")


def _is_part(text: str, start: int, end: int, known: KnownName) -> bool:
    """Whether a name is a part of a longer one ("Michael Jordan Jr.", "The Godfather of Soul")."""
    head = text[max(0, start - 30) : start]
    is_thing = known.about != "organizations" and _COUNTED.search(head)
    if is_thing or (known.about == "films" and _IN_PHRASE.search(head)) or _MARK.search(head):
        return True
    if _PART_BEHIND.match(text, end):
        return True
    before = _BEFORE.search(head)
    if before is None or not before[1][0].isupper():
        return False
    return not (is_stop_word(before[1]) or before[1].rstrip(".") in _TITLES)


@dataclass(frozen=True, slots=True)
class KnownNameSwap(Change):
    """Well-known people and films replaced by others of their kind.

    Actresses become actresses, directors directors, films films, of about the same years; every
    mention in a text the same one. A family name alone stays one. In texts without capitals, too.
    A film beside its director stays, and so does the director.

    Parameters
    ----------
    about
        Which names: ``people``, ``films``.

    **Measures** whether an opinion is read from what is said, or from whom it is said of.

    **Misleads when** the rest of the text says who is meant: a part that only one actor played, a
    film that only one director made.

    References
    ----------
    Gui et al. (2021). TextFlint: SwapSpecialEnt.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("Brad Pitt is fine.", "known_name_swap", seed=0).edits[0].text
    'Nicolas Cage'
    """

    id = "known_name_swap@1"
    title = "well-known names swapped"
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("label", "spans")
    intensity = EVERY_SITE
    where = "anywhere"
    is_default = False
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"about": _SWAPPED}

    about: tuple[str, ...] = _SWAPPED

    def sites(self, document: Document) -> Sites:
        """The first mention of each known name."""
        firsts = {m.known: m for m in reversed(mentions_of_known(document, ("people", "films")))}
        makers = {one.facts[1].split()[-1].lower() for one in firsts if one.about == "films"}
        kept = {one for one in firsts if one.name.split()[-1].lower() in makers}
        if not makers.isdisjoint(map(str.lower, _WORD.findall(document.text))):
            kept |= {one for one in firsts if one.about == "films"}
        kept |= {m.known for m in firsts.values() if _DATED.match(document.text, m.end)}
        mentions = [m for one, m in firsts.items() if one.about in self.about and one not in kept]
        return [Site(m.start, m.end, 0) for m in sorted(mentions)]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """Some others of the kind, in random order; none that the text names already."""
        found = mentions_of_known(document, self.about)
        known = next(m.known for m in found if m.start == site.start)
        places = _places(document, known, [m for m in found if m.known == known])
        named = {m.known for m in found}
        is_short = any(is_family_name for _, _, is_family_name in places)
        others = [
            one
            for one in _groups()[known.group]
            if one not in named
            and (one.short or not is_short)
            and abs(_year(one) - _year(known)) <= _YEARS
        ]
        for other in islice(in_random_order(others, rng), _TRIED):
            yield tuple(
                [
                    _renamed(document, start, end, other.short if is_family_name else other.name)
                    for start, end, is_family_name in places
                ]
            )


def _year(known: KnownName) -> int:
    """Year of birth of a person, or of a film's release."""
    return int(known.facts[0] if known.about == "films" else known.facts[1])


@cache
def _groups() -> Mapping[str, list[KnownName]]:
    """People and films by what they can be swapped with."""
    every = {one.name: one for rows in known_names(in_lower_case=True).values() for _, one in rows}
    return grouped((every[name].group, every[name]) for name in sorted(every))


def _places(
    document: Document, known: KnownName, mentions: Sequence[KnownMention]
) -> list[tuple[int, int, bool]]:
    """Places that name somebody or something, and whether as a family name alone."""
    text, taken = document.text, [(m.start, m.end) for m in mentions]
    whole = len(known.name.replace(" ", ""))
    found = [(a, b, len(text[a:b].replace(" ", "")) < whole) for a, b in taken]
    if known.about == "people":  # "Hanks", behind "Tom Hanks"
        name = known.name.rpartition(" ")[2]
        if text == text.lower():
            name = name.lower()
        bare = re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
        others = [m.span() for m in bare if not any(a <= m.start() < b for a, b in taken)]
        found += [(start, end, True) for start, end in others]
    return sorted(found)


def _renamed(document: Document, start: int, end: int, name: str) -> Edit:
    """Edit of a name by another one, in small letters where the text has no others."""
    text = name.lower() if document.text == document.text.lower() else name
    return with_name(document, Edit(document.field, start, end, text), top=0)
