"""Two neighboring words replaced by one that a masked language model expects there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Final

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.sites import word_sites
from scrutiny.perturb.resources.capabilities import MaskQuery
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.words.guesses import fitting, guesses_at, placed, warm_guesses
from scrutiny.perturb.words.replacement import replaced

if TYPE_CHECKING:
    from numpy.random import Generator

# What may follow a part of speech in a pair that can become one word.
_PAIRS: Final[Mapping[str, frozenset[str]]] = {
    "NOUN": frozenset({"NOUN"}),
    "ADJ": frozenset({"NOUN", "NUM", "ADJ", "ADV"}),
    "ADV": frozenset({"ADJ", "VERB"}),
    "VERB": frozenset({"ADV", "VERB", "NOUN", "ADJ"}),
    "DET": frozenset({"NOUN", "ADJ"}),
    "PRON": frozenset({"NOUN", "ADJ"}),
    "NUM": frozenset({"NUM", "NOUN"}),
}


@dataclass(frozen=True, slots=True)
class MaskedMerge:
    """The likeliest whole words in the place of two, the likeliest first, never one of the two.

    Two words can be merged where their parts of speech often make a phrase: a noun or adjective
    and a noun, a determiner and a noun, a verb and its object or adverb, and such.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.
    least_probability
        How likely a word has to be.
    no_stop_words
        Leave out function words.

    **Measures** with a search on top, how far fluent shortening brings a model.

    **Misleads when** read as a change that keeps the meaning: one of two words is always lost.

    References
    ----------
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (merge).

    Examples
    --------
    >>> MaskedMerge().resources
    ('tagger', 'masked_lm')
    """

    id: ClassVar[str] = "masked_merge@1"
    summary: ClassVar[str] = "two words replaced by one that a masked language model expects"
    languages: ClassVar[frozenset[str]] = frozenset({"en"})
    resources: ClassVar[tuple[str, ...]] = ("tagger", "masked_lm")
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True

    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Pairs of words with nothing but space between them that can be a phrase."""
        tagger = find_resource(document, "tagger")
        words = word_sites(document)
        found = []
        for one, other in pairwise(words):
            if other.token != one.token + 1 or one.end == other.start:
                continue
            follows = _PAIRS.get(tagger.tag_at(document.words, one.token).upos)
            if follows and tagger.tag_at(document.words, other.token).upos in follows:
                found.append(Site(one.start, other.end, one.token))
        return found

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Words by their probability; nothing is drawn."""
        found = guesses_at(document, _query(document, site), top=self.top)
        old = document.words[site.token : site.token + 2]
        likely = [guess for guess in found if guess.value >= self.least_probability]
        for guess in fitting(likely, old, no_stop_words=self.no_stop_words, no_antonyms=False):
            edit = replaced(document, Site(site.start, site.start + len(old[0])), guess.word)[0]
            yield (edit._replace(end=site.end),)  # cased as the first of the two

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Ask the model about many places in full batches; about all of them unless told."""
        pairs = ((d, _query(d, s)) for d, s in placed(documents, sites, self))
        warm_guesses(pairs, resources, top=self.top)


def _query(document: Document, site: Site) -> MaskQuery:
    return MaskQuery(document.text, site.start, site.end)
