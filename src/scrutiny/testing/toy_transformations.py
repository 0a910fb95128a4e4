"""Toy transformation with given candidates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Intensity, Site, Transformation

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True)
class WordTable(Transformation):
    """Words replaced by those of a table.

    Replacement of words by those of a table, in its order; an empty one deletes the word.

    Parameters
    ----------
    table
        Replacements of each word, which is compared as it is written.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from scrutiny.perturb.engine.document import document_of
    >>> table, document = WordTable({"good": ("fine", "")}), document_of("a good film")
    >>> (site,) = table.sites(document)
    >>> [edits[0][1:4] for edits in table.candidates(document, site, default_rng(0))]
    [(2, 6, 'fine'), (2, 7, '')]
    """

    table: Mapping[str, Sequence[str]]
    id: ClassVar[str] = "word_table@1"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    intensity: ClassVar[Intensity] = Intensity(share=1.0, least=1, most=None)

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of the table."""
        return [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if document.text[start:end] in self.table
        ]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Replacements in the order of the table; a deleted word takes the following space."""
        text = document.text
        for new in self.table[text[site.start : site.end]]:
            end = site.end
            if not new and text[end : end + 1] == " ":
                end += 1
            yield (Edit(document.field, site.start, end, new),)
