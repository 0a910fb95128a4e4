"""Conformance of transformations, and a toy transformation with given candidates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from scrutiny.core.answers.words import WORDS
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.facts import GROUNDS
from scrutiny.core.plugin_base import must_be_of_kind
from scrutiny.core.transformation import ChangesAtOnce, Document, Intensity, Site, Transformation
from scrutiny.perturb.engine.document import TextDocument
from scrutiny.testing.checking import (
    SAMPLE_TEXTS,
    Promises,
    promise,
    promises,
    require_docstring,
    require_members,
    require_versioned,
)
from scrutiny.text.edits import apply_to_text

if TYPE_CHECKING:
    from numpy.random import Generator


_EFFECTS: Final = {"keeps", "flips", "sets", "may change"}
_MOST_CANDIDATES: Final = 20
_MOST_SITES: Final = 8


def check_transformation(
    transformation: Transformation, documents: Sequence[Document] | None = None
) -> None:
    """Raise unless a transformation fulfills its contract.

    Checked: members and their types; a docstring that says what it measures and when it misleads;
    sites in order, inside the text, the same when asked twice; candidates that are disjoint edits
    inside the text, that change it, and that are the same for the same random stream.

    Parameters
    ----------
    transformation
        For example with default parameters.
    documents
        Documents to change; default: thirteen unusual texts. Give your own where it needs
        resources.

    Raises
    ------
    ConformanceError
        With a sentence about the first promise that is broken.
    """
    must_be_of_kind(transformation, "transformation", type(transformation).__name__)
    require_members(transformation, ("id", "languages"), what="transformation")
    require_versioned(transformation)
    require_docstring(transformation, sections=("Measures", "Misleads when"))
    # raise unless the members are of the right types
    languages, effects = transformation.languages, dict(transformation.effect)
    known = {*GROUNDS, *WORDS.layers}
    unknown = ", ".join(sorted({*effects} - known - {"*"}))
    kept = {
        "languages must be a frozenset of codes, or of '*' for any.": (
            isinstance(languages, frozenset) and bool(languages)
        ),
        "intensity must be an Intensity.": isinstance(transformation.intensity, Intensity),
        f"effect must map kinds of answers, or '*', to one of {', '.join(sorted(_EFFECTS))}.": (
            bool(effects) and set(effects.values()) <= _EFFECTS
        ),
        f"effect names {unknown}; kinds of answers are {', '.join(sorted(known))}.": not unknown,
    }
    promises(transformation.id, kept.items())
    samples = (Example(f"sample-{i}", {"text": t}) for i, t in enumerate(SAMPLE_TEXTS))
    tried = documents if documents is not None else [TextDocument(one) for one in samples]
    changed = [_check_document(transformation, document) for document in tried]
    promise(
        transformation.id,
        "it changed none of the texts; give documents that it has a place in.",
        any(changed),
    )


def _check_document(transformation: Transformation, document: Document) -> bool:
    """Whether the transformation can change a text; raise if a site or candidate is invalid."""
    sites = list(transformation.sites(document))
    where = f"on {document.text[:40]!r}"
    promise(
        transformation.id,
        f"sites differ when asked twice, {where}; they must not be drawn at random.",
        list(transformation.sites(document)) == sites,
    )
    for site in sites:
        promise(
            transformation.id,
            f"the site {site.start}:{site.end} lies outside of the text, {where}.",
            0 <= site.start <= site.end <= len(document.text),
        )
    promise(
        transformation.id,
        f"sites are not in the order of the text, {where}.",
        all(a.start <= b.start for a, b in pairwise(sites)),
    )
    found = [_check_site(transformation, document, site) for site in sites[:_MOST_SITES]]
    return any(found)


def _check_site(transformation: Transformation, document: Document, site: Site) -> bool:
    """Whether there are candidates at a site; raise if one is invalid."""
    first = _candidates(transformation, document, site)
    promise(
        transformation.id,
        f"candidates at {site.start}:{site.end} differ for the same random stream.",
        _candidates(transformation, document, site) == first,
    )
    for edits in first:
        # raise unless a candidate is an applicable set of edits that changes the text
        name, where = transformation.id, f"on {document.text[:40]!r}: {edits}"
        promise(name, f"a candidate without edits, {where}.", edits)
        promise(
            name,
            f"a candidate must be a tuple of Edit, {where}.",
            isinstance(edits, tuple) and all(isinstance(e, Edit) for e in edits),
        )
        promise(
            name,
            f"an edit of another field than {document.field!r}, {where}.",
            all(edit.field == document.field for edit in edits),
        )
        try:
            text = apply_to_text(document.text, edits)
        except EditRefusedError as error:
            raise ConformanceError(
                f"{name}: edits cannot be applied ({error}), {where}."
            ) from error
        promise(name, f"a candidate changes nothing, {where}.", text != document.text)
    if isinstance(transformation, ChangesAtOnce):
        promises(transformation.id, _check_at_once(transformation, document, site, first))
    return bool(first)


def _candidates(
    transformation: Transformation, document: Document, site: Site
) -> list[tuple[Edit, ...]]:
    """First candidates at a site, under a fixed random stream."""
    found = transformation.candidates(document, site, _stream(site))
    return list(islice(found, _MOST_CANDIDATES))


def _stream(site: Site) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[site.start, site.end]))


def _check_at_once(
    transformation: ChangesAtOnce,
    document: Document,
    site: Site,
    first: Sequence[tuple[Edit, ...]],
) -> Promises:
    """Raise unless ``at_once`` gives the first candidates, within their sites."""
    found = transformation.at_once(document, [site], [float(_stream(site).random())])
    if found is None:
        return
    within = all(site.start <= e.start and e.end <= site.end for e in found)
    yield (
        f"at_once gives other edits than the first candidate: {found}, not {first[:1]}.",
        bool(first) and len(found) == 1 and tuple(found) == first[0] and within,
    )


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
