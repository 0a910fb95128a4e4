"""Phrases of a dependency tree: base phrases (chunks), and whole constituents by their type.

Trees of Universal Dependencies have no phrases; these follow from heads and relations by the rules
below. A base phrase is a head with the words that belong to it and touch it: an article, an
adjective before a noun, an auxiliary before a verb. A constituent is a word with all that hangs on
it, if these are neighbors.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from scrutiny.core.answers.words import Words

#: Relations that keep a word in the base phrase of its head.
_OF_NOUNS: Final = frozenset("det amod nummod compound flat fixed goeswith clf nmod:poss".split())
_OF_VERBS: Final = frozenset("aux compound flat fixed goeswith".split())
_OF_OTHERS: Final = frozenset("advmod flat fixed goeswith compound".split())
#: Type of a phrase by the part of speech of its head, and the relations that it keeps.
_TYPES: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    **dict.fromkeys(("NOUN", "PROPN", "PRON", "NUM"), ("NP", _OF_NOUNS)),
    **dict.fromkeys(("VERB", "AUX"), ("VP", _OF_VERBS)),
    "ADJ": ("ADJP", _OF_OTHERS),
    "ADV": ("ADVP", _OF_OTHERS),
    "ADP": ("PP", frozenset({"fixed"})),
    "SCONJ": ("SBAR", frozenset({"fixed"})),
    "DET": ("NP", _OF_OTHERS),
}
_CLAUSES: Final = frozenset("acl advcl ccomp csubj parataxis xcomp".split())


class Phrase(NamedTuple):
    """Words of a phrase, the end excluded, and its type."""

    start: int
    end: int
    type: str


def base_phrases(words: Words) -> list[Phrase]:
    """Base phrases of a tree in order; punctuation, conjunctions and particles are in none.

    Empty without heads, relations and universal parts of speech.

    Examples
    --------
    >>> tree = Words("text", ((0, 3), (4, 9), (10, 13)), (1, 2, -1), ("det", "nsubj", "root"),
    ...              ("DET", "NOUN", "VERB"))
    >>> base_phrases(tree)
    [Phrase(start=0, end=2, type='NP'), Phrase(start=2, end=3, type='VP')]
    """
    if words.heads is None or words.relations is None or words.upos is None:
        return []
    tops = [_top(i, words.heads, words.relations, words.upos) for i in range(len(words.heads))]
    found: list[Phrase] = []
    start = 0
    for end in range(1, len(tops) + 1):
        if end < len(tops) and tops[end] == tops[start]:
            continue
        inside = tops[start] if start <= tops[start] < end else start
        if named := _TYPES.get(words.upos[inside]):
            found.append(Phrase(start, end, named[0]))
        start = end
    return found


def _top(
    word: int, heads: Sequence[int | None], relations: Sequence[str], upos: Sequence[str]
) -> int:
    """Head of the base phrase that a word would belong to."""
    for _ in heads:  # no circle is longer
        head = heads[word]
        if head is None or head < 0:
            break
        kept = _TYPES.get(upos[head], ("", frozenset()))[1]
        if not {relations[word], relations[word].partition(":")[0]} & kept:
            break
        if relations[word].startswith("compound:prt"):  # a particle stands behind its verb
            break
        word = head
    return word


def chunk_tags(words: Words) -> list[str]:
    """Tag of each word: B and I with the type of its base phrase, or O.

    Examples
    --------
    >>> tree = Words("text", ((0, 3), (4, 9), (10, 13)), (1, 2, -1), ("det", "nsubj", "root"),
    ...              ("DET", "NOUN", "VERB"))
    >>> chunk_tags(tree)
    ['B-NP', 'I-NP', 'B-VP']
    """
    tags = ["O"] * len(words.borders)
    for phrase in base_phrases(words):
        for place in range(phrase.start, phrase.end):
            tags[place] = f"{'B' if place == phrase.start else 'I'}-{phrase.type}"
    return tags


def constituents(words: Words, *, shortest: int, longest: int) -> list[Phrase]:
    """Words with all that hangs on them, where these are neighbors: NP, PP, clause, ADJP, ADVP.

    Punctuation at the edge of one is left out. A noun with a preposition is a PP; a verb with a
    relation of a subordinate clause, a clause.

    Parameters
    ----------
    words
        A tree.
    shortest, longest
        Fewest and most words.
    """
    heads, relations, upos = words.heads, words.relations, words.upos
    if heads is None or relations is None or upos is None:
        return []
    below = _below(heads)
    found = []
    for word, own in enumerate(below):
        places = [i for i in sorted(own) if upos[i] != "PUNCT"]
        if not places:
            continue
        start, end = places[0], places[-1] + 1
        children = {relations[i].partition(":")[0] for i in own if heads[i] == word}
        named = _constituent(upos[word], relations[word], children)
        if named and shortest <= end - start <= longest and own >= {*range(start, end)}:
            found.append(Phrase(start, end, named))
    return found


def _constituent(upos: str, relation: str, children: set[str]) -> str:
    """Type of a word with all that hangs on it; empty for none."""
    if relation.partition(":")[0] in _CLAUSES and upos in ("VERB", "AUX"):
        return "clause"
    named = "" if upos == "DET" else _TYPES.get(upos, ("",))[0]
    if named == "NP":
        return "PP" if "case" in children else "NP"
    return named if named in ("ADJP", "ADVP") else ""


def _below(heads: Sequence[int | None]) -> list[set[int]]:
    """Each word with all words below it."""
    below = [{i} for i in range(len(heads))]
    for i in range(len(heads)):
        for above in _above(i, heads):
            below[above].add(i)
    return below


def _above(word: int, heads: Sequence[int | None]) -> Iterator[int]:
    """Words above a word, the nearest first."""
    head = heads[word]
    seen = {word}
    while head is not None and head >= 0 and head not in seen:
        yield head
        seen.add(head)
        head = heads[head]
