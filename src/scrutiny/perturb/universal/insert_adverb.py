"""Adverbs put before main verbs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.draws import in_random_order
from scrutiny.perturb.verbs import ADVERBS, auxiliary_kind, is_main_verb, plain
from scrutiny.text.lexicon import adverbs

if TYPE_CHECKING:
    from numpy.random import Generator

# After these a participle is an attribute or a noun ("the running water", "his singing").
_BEFORE_NOUNS: Final = frozenset({"DT", "PRP$", "JJ", "JJR", "JJS", "CD", "POS"})
_TRIED: Final = 5
_BINDING: Final = frozenset({"to", "not", "never"})
_SOBER: Final = ("actually", "generally", "normally", "often", "simply", "typically", "usually")


@dataclass(frozen=True, slots=True)
class InsertAdverb:
    """A neutral adverb in front of a main verb.

    Auxiliaries and copulas are passed over, and so are participles that stand for an adjective or
    a noun, and a capital at the head of a sentence.

    **Measures** whether a word that says little about the matter sways the answer.

    **Misleads when** the adverb's place sounds unusual for the verb: what is seen then may be
    the oddness of the sentence.

    References
    ----------
    Wang et al. (2021). TextFlint: unified multilingual robustness evaluation toolkit for natural
    language processing.

    Examples
    --------
    >>> from scrutiny.perturb.document import document_of
    >>> document = document_of("She has seen it.")
    >>> [document.text[s.start : s.end] for s in InsertAdverb().sites(document)]
    ['seen']
    """

    id: ClassVar[str] = "insert_adverb@1"
    summary: ClassVar[str] = "neutral adverbs put before main verbs"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ("tagger",)
    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "keeps",
        "text-pair-classification": "may change",
    }
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"

    def sites(self, document: Document) -> Sequence[Site]:
        """Main verbs that an adverb can stand before."""
        return [
            Site(start, end, i)
            for i, (start, end) in enumerate(document.tokens)
            if is_main_verb(document, i) and _has_room(document, i)
        ]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Adverbs in random order, a few of them, none that the text has there already."""
        near = {plain(w) for w in document.words[max(0, site.token - 2) : site.token]}
        is_upper = document.words[site.token].isupper()
        fitting = _SOBER if _is_bound(document, site.token) else adverbs()
        for tried, adverb in enumerate(in_random_order(fitting, rng)):
            if tried == _TRIED:
                return
            if adverb not in near:
                text = f"{adverb.upper() if is_upper else adverb} "
                yield (Edit(document.field, site.start, site.start, text),)


def _is_bound(document: Document, index: int) -> bool:
    """Whether a negation or "to" stands before a verb: no "don't obviously", no "to evidently"."""
    before = plain(document.words[index - 1]) if index else ""
    return before in _BINDING or before.endswith("n't") or document.tag(index) in ("VBG", "VBN")


def _has_room(document: Document, index: int) -> bool:
    """Whether an adverb before this verb leaves the sentence grammatical."""
    if index == 0:
        return document.words[0].islower() and document.tag(0) not in ("VBG", "VBN")
    if document.text[document.tokens[index - 1][1] : document.tokens[index][0]].strip(" "):
        return False
    if document.tokens[index - 1][1] == document.tokens[index][0]:
        return False  # glued, as in a hyphenated compound
    if document.words[index][:1].isupper() and not document.words[index].isupper():
        return False
    tag = document.tag(index)
    if tag not in ("VBG", "VBN"):
        return True
    before = document.tag(index - 1)
    if before in ADVERBS:
        return index > 1 and auxiliary_kind(document, index - 2) is not None
    return before not in _BEFORE_NOUNS
