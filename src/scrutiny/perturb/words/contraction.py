"""Contractions written out, and full forms contracted."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scrutiny.core.transformation import Document, Site
from scrutiny.perturb.engine.change import EVERY_SITE, Candidates, Change, Edit, Rng, Sites
from scrutiny.perturb.engine.new_words import with_same_words
from scrutiny.text.contractions import Rewrite, find_contractions, find_expansions
from scrutiny.text.tokens import is_spaced

# Where treebanks cut words that are written as one.
_PARTS = re.compile(r"(?<=can)not$|(?<=gon|wan)na$|(?<=gim|lem)me$", re.IGNORECASE)
_CLITIC = re.compile(r"(n['’]t|['’](?:m|re|ve|ll|s|d))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contraction(Change):
    """Expands every contraction and contracts every full form, if the context allows it.

    "She's got" becomes "She has got", "it's Bob's" becomes "it is Bob's"; where the context does
    not tell what the short form stands for, it is left alone.

    Parameters
    ----------
    direction
        ``expand`` or ``contract`` does only that.

    **Measures** whether two ways of writing the same words are read alike.

    **Misleads when** few texts contain one: look at the number of changed items, not only at all.

    Examples
    --------
    >>> from scrutiny.perturb.engine.apply import perturb
    >>> [e.text for e in perturb("He isn't. We are not.", "contraction", seed=0).edits]
    ['is not', "aren't"]
    """

    id = "contraction@1"
    title = "contractions"
    intensity = EVERY_SITE
    where = "anywhere"

    direction: Literal["both", "expand", "contract"] = "both"

    def sites(self, document: Document) -> Sites:
        """Forms that can be rewritten."""
        starts = [start for start, _ in document.tokens]
        return [
            Site(start, end, max(0, bisect_right(starts, start) - 1))
            for start, end in _rewrites(document.text, self.direction)
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The other form, without randomness."""
        place = site.start, site.end
        text = _rewrites(document.text, self.direction)[place]
        edit = Edit(document.field, *place, text)
        yield (with_same_words(document, edit, _PARTS.sub(r" \g<0>", _split(text)).split()),)


def _split(short: str) -> str:
    """A contraction with its clitic split as in the Penn treebank ("is n't", "ca n't", "it 's")."""
    return _CLITIC.sub(r" \1", short)


@lru_cache(maxsize=8)
def _rewrites(text: str, direction: str) -> Mapping[tuple[int, int], str]:
    """New text by position, from left to right; shared by sites and candidates."""
    found: list[Rewrite] = []
    if direction != "contract":
        found += find_contractions(text)
    if direction != "expand":
        short = find_expansions(text)
        found += [r._replace(text=_split(r.text)) for r in short] if is_spaced(text) else short
    return {(r.start, r.end): r.text for r in sorted(found)}
