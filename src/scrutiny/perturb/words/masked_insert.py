"""Words put next to another one, as a masked language model expects them there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.sites import word_sites
from scrutiny.perturb.resources.capabilities import MaskQuery
from scrutiny.perturb.resources.vocabulary import script_of
from scrutiny.perturb.words.guesses import fitting, guesses_at, placed, warm_guesses

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class MaskedInsert:
    """The likeliest whole words between a word and its neighbor, the likeliest first.

    The place is the word next to which they are put, so that a search can choose between replacing
    a word and adding to it.

    Parameters
    ----------
    side
        Before the word, behind it, or first the ones and then the others.
    top
        How many of the likeliest whole words are looked at on each side.
    least_probability
        How likely a word has to be.
    no_stop_words
        Leave out function words (English).

    **Measures** with a search on top, how far fluent additions bring a model.

    **Misleads when** read as a change that keeps the meaning: "not" is likely in many places.

    References
    ----------
    Garg, Ramakrishnan (2020). BAE: BERT-based adversarial examples for text classification (BAE-I).
    Li et al. (2021). Contextualized perturbation for textual adversarial attack (insert).

    Examples
    --------
    >>> MaskedInsert(side="right").resources
    ('masked_lm',)
    """

    id: ClassVar[str] = "masked_insert@1"
    summary: ClassVar[str] = "a word put in as a masked language model expects it"
    languages: ClassVar[frozenset[str]] = frozenset({"en", "zh"})
    resources: ClassVar[tuple[str, ...]] = ("masked_lm",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    side: Literal["left", "right", "both"] = "both"
    top: int = 50
    least_probability: float = 0.0
    no_stop_words: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Words."""
        return word_sites(document)

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Insertions by their probability; nothing is drawn."""
        space = "" if script_of(document.language) == "han" else " "
        for side in self._sides():
            found = guesses_at(document, _query(document, site, side), top=self.top)
            likely = [guess for guess in found if guess.value >= self.least_probability]
            for guess in fitting(likely, (), no_stop_words=self.no_stop_words, no_antonyms=False):
                if side == "left":
                    new, at = guess.word + space, site.start
                else:
                    new, at = space + guess.word, site.end
                yield (Edit(document.field, at, at, new),)

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Ask the model about many places in full batches; about all of them unless told."""
        pairs = (
            (d, _query(d, s, side))
            for d, s in placed(documents, sites, self)
            for side in self._sides()
        )
        warm_guesses(pairs, resources, top=self.top)

    def _sides(self) -> tuple[str, ...]:
        return ("left", "right") if self.side == "both" else (self.side,)


def _query(document: Document, site: Site, side: str) -> MaskQuery:
    """The gap beside a word: from where the word before it ends, so that both sides ask alike."""
    at = site.end
    if side == "left":
        at = len(document.text[: site.start].rstrip())
    return MaskQuery(document.text, at, at)
