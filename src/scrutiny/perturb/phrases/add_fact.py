"""Facts about well-known people, films, organizations and places, behind their names."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar, Final, Literal, NamedTuple

from scrutiny.core.answers.words import Words
from scrutiny.core.edit import Edit, Piece
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Candidates, Change, Sites
from scrutiny.perturb.phrases.known_names import KnownName, mentions_of_known
from scrutiny.text.entities import first_name_gender
from scrutiny.text.lexicon import listed, needs_the, place_region
from scrutiny.text.tokens import is_spaced


class Word(NamedTuple):
    """Word of a fact: its head, as a number from 1 among them or 0 for the name, and its labels."""

    text: str
    head: int
    relation: str
    upos: str
    xpos: str


def _words(written: str) -> tuple[Word, ...]:
    """Words of a fact from their written form, which separates them by bars."""
    rows = (row.split() for row in written.split("|"))
    return tuple(Word(text, int(head), *labels) for text, head, *labels in rows)


_BORN: Final = (
    ", 4 punct PUNCT , | {who} 4 nsubj:pass PRON {tag} | was 4 aux:pass AUX VBD"
    " | {verb} 0 acl:relcl VERB VBN | in 6 case ADP IN | {year} 4 obl NUM CD | , 4 punct PUNCT ,"
)
_OUT: Final = (
    ", 3 punct PUNCT , | which 3 nsubj PRON WDT | came 0 acl:relcl VERB VBD"
    " | out 3 compound:prt ADP RP | in 6 case ADP IN | {year} 3 obl NUM CD | , 3 punct PUNCT ,"
)
_LIES: Final = (
    ", 3 punct PUNCT , | which 3 nsubj PRON WDT | lies 0 acl:relcl VERB VBZ"
    " | in 5 case ADP IN | {where} 3 obl PROPN NNP | , 3 punct PUNCT ,"
)
_LIES_IN_THE: Final = (
    ", 3 punct PUNCT , | which 3 nsubj PRON WDT | lies 0 acl:relcl VERB VBZ | in 7 case ADP IN"
    " | the 7 det DET DT | Middle 7 amod ADJ NNP | East 3 obl PROPN NNP | , 3 punct PUNCT ,"
)
_BORN_IN_BRACKETS: Final = (
    "( 3 punct PUNCT -LRB- | {nation} 3 amod ADJ JJ | {what} 0 appos NOUN NN | , 5 punct PUNCT ,"
    " | born 3 acl VERB VBN | in 7 case ADP IN | {year} 5 obl NUM CD | ) 3 punct PUNCT -RRB-"
)
_FILM_IN_BRACKETS: Final = (
    "( 4 punct PUNCT -LRB- | a 4 det DET DT | {year} 4 nummod NUM CD | film 0 appos NOUN NN"
    " | by 6 case ADP IN | {director} | ) 4 punct PUNCT -RRB-"
)
_FOUNDED_IN_BRACKETS: Final = (
    "( 2 punct PUNCT -LRB- | founded 0 acl VERB VBN | in 4 case ADP IN | {year} 2 obl NUM CD"
    " | ) 2 punct PUNCT -RRB-"
)
_PLACE_IN_BRACKETS: Final = (
    "( 3 punct PUNCT -LRB- | in 3 case ADP IN | {where} 0 nmod PROPN NNP | ) 3 punct PUNCT -RRB-"
)
_IN_THE_BRACKETS: Final = (
    "( 5 punct PUNCT -LRB- | in 5 case ADP IN | the 5 det DET DT | Middle 5 amod ADJ NNP"
    " | East 0 nmod PROPN NNP | ) 5 punct PUNCT -RRB-"
)
#: Of what lies in a region: the clause, and the same in brackets; of other regions no fact is told.
_OF_REGION: Final = {
    **dict.fromkeys(
        "Africa Asia Europe Oceania India Japan China".split(), (_LIES, _PLACE_IN_BRACKETS)
    ),
    "Middle East": (_LIES_IN_THE, _IN_THE_BRACKETS),
}


_ABOUT: Final = ("people", "films", "organizations", "places")


@dataclass(frozen=True, slots=True)
class AddFact(Change):
    """A fact behind a well-known name, at its first mention: in brackets, or as a clause.

    "Tom Hanks (American actor, born in 1956)", "Google, which was founded in 1998,". Facts are
    public ones from tables of the package. Their words bring heads and parts of speech, so that a
    tree gets a subtree. None stands behind a possessive, within a longer name or before the noun
    of a compound ("Google searches").

    Parameters
    ----------
    about
        Which names: ``people``, ``films``, ``organizations``, ``places``. Texts without capitals
        have the first two alone.
    form
        ``brackets`` or ``clause``.

    **Measures** whether what has nothing to do with the matter distracts, or whether a parser keeps
    what stands on both sides of an inserted clause together.

    **Misleads when** somebody else bears the name. Entities within a fact ("Africa") are not added
    to the right answer, so what finds entities isn't scored.

    References
    ----------
    Gui et al. (2021). TextFlint: AddSum, and AddSubTree, which asks Wikidata.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> perturb("I met Tom Hanks.", "add_fact", seed=0).edits[0].text
    ' (American actor, born in 1956)'
    """

    id = "add_fact@1"
    title = "facts behind names"
    resources = ("entities", "tagger")
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("label", "words")
    intensity = ONE_SITE
    where = "anywhere"
    is_default = False
    allowed: ClassVar[Mapping[str, Sequence[str]]] = {"about": _ABOUT}

    about: tuple[str, ...] = _ABOUT
    form: Literal["brackets", "clause"] = "brackets"

    def sites(self, document: Document) -> Sites:
        """Ends of the first mentions of names behind which a fact can stand."""
        return list(_facts(document, self))

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The fact, without randomness."""
        words, head = _facts(document, self)[site]
        behind = document.words[site.token + 1 : site.token + 2]
        if words[-1].text == "," and (not behind or behind[0][0] in _CLOSING):
            words = words[:-1]
        text, borders = _written(words, document)
        pieces = [
            Piece(a, b, (), None if w.head else head, w.head - 1 if w.head else None, *w[2:])
            for w, (a, b) in zip(words, borders, strict=True)
        ]
        stated = tuple(pieces) if document.has_words else ()
        yield (Edit(document.field, site.end, site.end, text, pieces=stated),)


_CLOSING: Final = ".,;:!?)"
#: Tags of words before which a name is a part of a phrase, or a verb ("Google the term").
_NOT_BEFORE: Final = frozenset("NN NNS NNP NNPS JJ JJR JJS CD VBN VBG POS HYPH DT PRP PRP$".split())


@lru_cache(maxsize=8)
def _facts(document: Document, change: AddFact) -> Mapping[Site, tuple[tuple[Word, ...], int]]:
    """Words of the facts that can be added, and where the word that they hang on begins."""
    is_clause = change.form == "clause"
    places = [
        (m.start, m.end, m.known.name, _about(m.known, is_clause=is_clause))
        for m in mentions_of_known(document, change.about)
    ]
    if "places" in change.about and document.text != document.text.lower():
        for start, end, label in document.entities:
            name = document.text[start:end]
            region = place_region(name) or ""
            if label == "LOC" and region in _OF_REGION and _is_sure(name, region):
                written = _OF_REGION[region][not is_clause]
                places.append((start, end, name, written.format(where=region)))
    seen, found = set[str](), dict[Site, tuple[tuple[Word, ...], int]]()
    for start, end, name, fact in sorted(places):
        head = _head(document, start, end)
        if (
            name not in seen
            and head is not None
            and _can_follow(document, end, is_clause=is_clause)
        ):
            last = bisect_left(document.tokens, (end,)) - 1
            found[Site(start, end, last)] = _words(fact), head
        seen.add(name)
    return found


def _is_sure(name: str, region: str) -> bool:
    """Whether a place is meant, and not a person or the region itself."""
    is_person = first_name_gender(name) is not None or name in listed("last_names")
    return not (is_person or region in name or needs_the(name) or name == "Georgia")


def _about(known: KnownName, *, is_clause: bool) -> str:
    """Fact about a name, in its written form."""
    *first, last = known.facts
    if known.about == "films":
        year, director = known.facts
        if is_clause:
            return _OUT.format(year=year)
        head, *rest = director.split()
        said = " | ".join([f"{head} 4 nmod PROPN NNP", *(f"{w} 6 flat PROPN NNP" for w in rest)])
        return _FILM_IN_BRACKETS.format(year=year, director=said)
    if is_clause:
        who = ("who", "WP", "born") if known.about == "people" else ("which", "WDT", "founded")
        return _BORN.format(**dict(zip(("who", "tag", "verb"), who, strict=True)), year=last)
    if known.about == "people":
        nation, what = first[0].split()
        return _BORN_IN_BRACKETS.format(nation=nation, what=what, year=last)
    return _FOUNDED_IN_BRACKETS.format(year=last)


def _head(document: Document, start: int, end: int) -> int | None:
    """Start of the word of a name that the others depend on; None if the name is no phrase."""
    gold = document.example.gold
    if not isinstance(gold, Words):
        return start
    own = [i for i, (a, b) in enumerate(gold.borders) if start <= a and b <= end]
    if not own or gold.borders[own[0]][0] != start or gold.borders[own[-1]][1] != end:
        return None
    heads = gold.heads or (None,) * len(gold.borders)
    tops = [i for i in own if heads[i] not in own]
    return gold.borders[tops[0]][0] if gold.heads is None or len(tops) == 1 else None


def _can_follow(document: Document, end: int, *, is_clause: bool) -> bool:
    """Whether a fact can stand behind a name: before a mark, a verb or a preposition."""
    text = document.text
    before = text[:end]
    is_inside = before.count("(") > before.count(")") or before.count('"') % 2
    if is_inside or before.count("``") > before.count("''"):
        return False  # of brackets or quotes
    index = bisect_left(document.tokens, (end,))
    if index and document.tokens[index - 1][1] != end:
        return False  # within a word, as before a possessive
    if index == len(document.tokens):
        return True
    word = document.words[index]
    if text[end] not in _CLOSING and not text[end].isspace():
        return False
    if not word[0].isalnum():  # behind a comma a list may go on
        return word[0] in _CLOSING and (word != "," or not is_clause)
    return document.tag(index) not in _NOT_BEFORE


def _written(words: Sequence[Word], document: Document) -> tuple[str, list[tuple[int, int]]]:
    """Text of a fact, spaced as the text around it is, and the borders of its words."""
    spaced = is_spaced(document.text) or bool(document.example.tokens and _is_joined(document))
    lower = document.text == document.text.lower()
    text, borders = "", list[tuple[int, int]]()
    for word in words:
        is_glued = not spaced and (word.text in ",)" or text.endswith("("))
        text += "" if is_glued else " "
        borders.append((len(text), len(text) + len(word.text)))
        text += word.text.lower() if lower else word.text
    return text, borders


def _is_joined(document: Document) -> bool:
    """Whether a text is its words with a space between each two."""
    return all(a[1] + 1 == b[0] for a, b in pairwise(document.tokens))
