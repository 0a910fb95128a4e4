"""Subtrees of a sentence that its commas set apart, taken out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final, NamedTuple

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.edit import Edit
from scrutiny.core.facts import ARCS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import Document, Effect, Site, may_change_unless
from scrutiny.perturb.engine.changes import ONE_SITE, Candidates, Change, Sites
from scrutiny.text.tokens import is_lexical

#: Relations of what a sentence can do without: modifiers, additions and calls.
_LOOSE: Final = frozenset("acl advcl advmod appos discourse nmod obl parataxis vocative".split())
#: Said behind the rest: before a comma one of a list, before a question mark what is asked.
_ADDED: Final = "parataxis"
_ENDS: Final = frozenset(". ! ? ; :".split())
_PAIRED: Final = frozenset("( ) [ ] \" ' `` '' “ ” ‘ ’ -LRB- -RRB-".split())
_LEAST_LEFT: Final = 3  # words


class Stretch(NamedTuple):
    """Words ``first`` to ``last`` of a tree, counted from 0, which go together."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class DeleteSubtree(Change):
    """One subtree between commas, or before the last mark, taken out with its commas.

    It is a modifier, an apposition, a clause or an address, nothing outside depends on it, and its
    quotes and brackets are whole. The tree is that of the data: texts without one stay. What
    opened the sentence with a capital hands it to the next word.

    **Measures** whether a parser says the same of a sentence without what is not needed in it.

    **Misleads when** read as a change that keeps what is said, or for sentences whose commas are
    missing or mean something else: nothing is taken out there.

    References
    ----------
    Gui et al. (2021). TextFlint: DeleteSubTree.
    """

    id = "delete_subtree@1"
    title = "subtrees deleted"
    effect: ClassVar[Mapping[str, Effect]] = may_change_unless("words")
    wants = (ARCS,)
    intensity = ONE_SITE
    where = "anywhere"
    is_default = False

    def sites(self, document: Document) -> Sites:
        """Subtrees with their commas."""
        found = _stretches(document)
        tokens = document.example.gold.borders if found else ()
        return [Site(tokens[a][0], tokens[b][1], a) for a, b in found]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The deletion, with the space before it, and the capital of the next word."""
        name, text = document.field, document.text
        if text[: site.start].strip():
            start = len(text[: site.start].rstrip())
            yield (Edit(name, start, site.end, ""),)
            return
        start = len(text) - len(text[site.end :].lstrip())
        deletion = Edit(name, site.start, start, "")
        letter = text[start]
        if text[site.start].isupper() and letter.islower():
            yield deletion, Edit(name, start, start + 1, letter.upper())
        else:
            yield (deletion,)


@lru_cache(maxsize=8)
def _stretches(document: Document) -> list[Stretch]:
    """Subtrees of a tree of the data that can go, in the order of the text."""
    gold = document.example.gold
    if not isinstance(gold, Words) or gold.heads is None or gold.relations is None:
        return []
    words = [document.text[a:b] for a, b in gold.borders]
    if "," not in words or gold.field != document.field:
        return []
    below: list[list[int]] = [[] for _ in words]
    for word, head in enumerate(gold.heads):
        if head is not None and head != ROOT:
            below[head].append(word)
    found = set[Stretch]()
    for top, relation in enumerate(gold.relations):
        if relation.partition(":")[0] in _LOOSE:
            own = _with_all(top, below)
            if own[-1] - own[0] == len(own) - 1:
                stretch = _with_commas(words, own[0], own[-1])
                behind = words[stretch.last :][:2] if stretch else []
                is_listed = relation == _ADDED and ("," in behind[:1] or "?" in behind)
                found.update((stretch,) if stretch and not is_listed else ())
    return sorted(found)


def _with_all(top: int, below: Sequence[Sequence[int]]) -> list[int]:
    """Words of a subtree in order."""
    found = [top]
    for word in found:
        found += below[word]
    return sorted(found)


def _with_commas(words: Sequence[str], first: int, last: int) -> Stretch | None:
    """Words of a subtree with the commas around it; None where marks don't set it apart."""
    if first and words[first] != "," and words[first - 1] == ",":
        first -= 1
    if words[last] != "," and words[last + 1 : last + 2] == [","]:
        last += 1
    opens, closes = words[first] == ",", words[last] == ","
    is_last = last + 1 == len(words) or words[last + 1] in _ENDS
    is_apart = (opens and (closes or is_last)) or (closes and first == 0)
    inner = words[first : last + 1]
    left = [word for word in (*words[:first], *words[last + 1 :]) if is_lexical(word)]
    is_whole = _PAIRED.isdisjoint(inner) and any(map(is_lexical, inner))
    if words[last][-1] in ".!?" or words[last + 1 : last + 2] == ["then"]:
        return None  # a mark that is glued to a word; "if it rains, then it pours"
    return Stretch(first, last) if is_apart and is_whole and len(left) >= _LEAST_LEFT else None
