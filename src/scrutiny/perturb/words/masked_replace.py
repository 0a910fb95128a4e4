"""Words hidden from a masked language model and replaced by what it expects there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.sites import word_sites
from scrutiny.perturb.resources.capabilities import MaskQuery
from scrutiny.perturb.words.guesses import fitting, guesses_at, placed, warm_guesses
from scrutiny.perturb.words.replacement import replaced

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class MaskedReplace:
    """The likeliest whole words in the place of one, the likeliest first, never the word itself.

    In Chinese the places and the words are single characters, unless the texts come with words.

    Parameters
    ----------
    top
        How many of the likeliest whole words are looked at.
    least_probability
        How likely a word has to be.
    no_stop_words, no_antonyms
        Leave out function words, and opposites that WordNet knows (English).

    **Measures** with a search on top, how far fluent changes bring a model.

    **Misleads when** read as a change that keeps the meaning: nothing here asks for that. A model
    that is bad at its own task proposes noise.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification (BAE-R).
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (replace).

    Examples
    --------
    >>> MaskedReplace().resources
    ('masked_lm',)
    """

    id: ClassVar[str] = "masked_replace@1"
    summary: ClassVar[str] = "a word hidden and replaced by what a masked language model expects"
    languages: ClassVar[frozenset[str]] = frozenset({"en", "zh"})
    resources: ClassVar[tuple[str, ...]] = ("masked_lm",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False
    no_antonyms: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Words."""
        return word_sites(document)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Words by their probability, cased as the one that they replace; nothing is drawn."""
        found = guesses_at(document, _query(document, site), top=self.top)
        old = [document.text[site.start : site.end]]
        likely = [guess for guess in found if guess.value >= self.least_probability]
        for guess in fitting(
            likely, old, no_stop_words=self.no_stop_words, no_antonyms=self.no_antonyms
        ):
            yield replaced(document, site, guess.word)

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
