"""Words replaced by what a masked language model expects in their place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.change import Change, Rng
from scrutiny.perturb.engine.streams import in_random_order
from scrutiny.perturb.english.agreement import replace_word
from scrutiny.perturb.english.replacements import (
    UPOS_OF,
    content_lemma,
    content_tag,
    is_same_part_of_speech,
)
from scrutiny.perturb.resources.capabilities import MaskFiller, MaskQuery
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.text.inflect import lemma
from scrutiny.text.lexicon import is_stop_word


@dataclass(frozen=True, slots=True)
class MaskedLm(Change):
    """A likely word of the same part of speech and inflection, never the word itself.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.

    **Measures** the answer to fluent changes that nobody's dictionary foresaw.

    **Misleads when** the model proposes another meaning ("good" and "bad" are both likely): that
    is why the effect is ``may change``. A model that is bad at its own task proposes noise; report
    its masked-token accuracy beside the result.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification.
    Li et al. (2020). BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> MaskedLm().resources
    ('tagger', 'wordnet', 'masked_lm')
    """

    id: ClassVar[str] = "masked_lm@1"
    summary: ClassVar[str] = "words replaced by what a masked language model expects"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet", "masked_lm")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change", "token-tagging": "keeps"}
    intensity: ClassVar[Intensity] = Intensity(share=0.2, least=1, most=10)

    top: int = 20

    def sites(self, document: Document) -> Sequence[Site]:
        """Content words."""
        words = document.words
        return [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if end - start > 2 and words[i].isalpha() and not is_stop_word(words[i])
        ]

    def candidates(self, document: Document, site: Site, rng: Rng) -> Iterator[tuple[Edit, ...]]:
        """Likely words of the same part of speech and form, in random order."""
        xpos = content_tag(document, site.token)
        word = document.words[site.token].lower()
        if content_lemma(word, xpos) is None:
            return
        filler: MaskFiller = find_resource(document, "masked_lm")
        likely = filler.fill([_query(document, site)], top=self.top)[0]
        for other in in_random_order(_fitting(word, xpos, likely), rng):
            edits = replace_word(document, site.token, other)
            if edits is not None:
                yield edits

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Ask the model about many places in full batches.

        Parameters
        ----------
        documents
            Texts; all their sites are asked unless told.
        resources
            Where the model is.
        sites
            For each document, the places that will be needed.
        """
        filler: MaskFiller = find_resource(resources, "masked_lm")
        if sites is None:
            pairs = [(d, self.sites(d)) for d in documents]
        else:
            pairs = list(zip(documents, sites, strict=True))
        filler.fill([_query(d, s) for d, places in pairs for s in places], top=self.top)


def _query(document: Document, site: Site) -> MaskQuery:
    return MaskQuery(document.text, site.start, site.end)


def _fitting(word: str, xpos: str, likely: Sequence[str]) -> list[str]:
    """Words, in lower case, that usually have this tag in this form, and another lemma."""
    upos = UPOS_OF[xpos]
    base = lemma(word, upos)
    return [
        other
        for other in dict.fromkeys(w.lower() for w in likely)
        if len(other) > 2
        and not is_stop_word(other)
        and is_same_part_of_speech(word, other, xpos)
        and lemma(other, upos) != base
    ]
