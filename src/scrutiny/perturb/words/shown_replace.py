"""Words replaced by what a masked language model would write there, having seen the text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document, Effect, Intensity, Site
from scrutiny.perturb.engine.sites import word_sites
from scrutiny.perturb.resources.capabilities import MaskQuery, WordGuesser
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.resources.vocabulary import script_of
from scrutiny.perturb.words.guesses import by_script, fitting, placed
from scrutiny.perturb.words.replacement import replaced

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class ShownReplace:
    """Words of as many pieces, from one pass over the text with nothing hidden.

    At every piece of the word the model names its likeliest pieces; of their combinations those of
    the least perplexity are proposed, the least first. The best combinations are found exactly
    and without trying all: a word of four pieces takes four times as long as one of one.

    Parameters
    ----------
    top
        How many pieces at each place, and how many words in the end. Pieces that cannot stand there
        (a word's beginning in its middle, marks) do not count; in the paper they do, and their
        combinations are dropped afterwards.
    no_stop_words, no_antonyms
        Leave out function words, and opposites that WordNet knows (English).

    **Measures** with a search on top, how far changes that a model finds natural bring another.

    **Misleads when** read as a change that keeps the meaning: the model sees the word and so stays
    near it, but nothing asks for that.

    References
    ----------
    Li et al. (2020). BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> ShownReplace().resources
    ('masked_lm',)
    """

    id: ClassVar[str] = "shown_replace@1"
    summary: ClassVar[str] = "a word respelled by a masked language model that sees the text"
    languages: ClassVar[frozenset[str]] = frozenset({"en", "zh"})
    resources: ClassVar[tuple[str, ...]] = ("masked_lm",)
    effect: ClassVar[Mapping[str, Effect]] = {"*": "may change"}
    intensity: ClassVar[Intensity] = Intensity(share=0.1, least=1, most=10)
    where: ClassVar[str] = "around"
    is_for_search: ClassVar[bool] = True
    is_local: ClassVar[bool] = True

    top: int = 48
    no_stop_words: bool = True
    no_antonyms: bool = False

    def sites(self, document: Document) -> Sequence[Site]:
        """Words of letters alone."""
        words = document.words
        return [site for site in word_sites(document) if words[site.token].isalpha()]

    def candidates(
        self, document: Document, site: Site, rng: "Generator"
    ) -> Iterator[tuple[Edit, ...]]:
        """Words by their perplexity, cased as the one that they replace; nothing is drawn."""
        guesser: WordGuesser = find_resource(document, "masked_lm")
        script = script_of(document.language)
        (found,) = guesser.rewrite([_query(document, site)], top=self.top, script=script)
        old = [document.text[site.start : site.end]]
        for guess in fitting(
            found, old, no_stop_words=self.no_stop_words, no_antonyms=self.no_antonyms
        ):
            yield replaced(document, site, guess.word)

    def warm(
        self,
        documents: Iterable[Document],
        resources: Mapping[str, Any],
        *,
        sites: Iterable[Sequence[Site]] | None = None,
    ) -> None:
        """Ask the model about many texts in full batches; about all of their words unless told."""
        guesser: WordGuesser = find_resource(resources, "masked_lm")
        pairs = ((d, _query(d, s)) for d, s in placed(documents, sites, self))
        for script, queries in by_script(pairs).items():
            guesser.rewrite(queries, top=self.top, script=script)


def _query(document: Document, site: Site) -> MaskQuery:
    return MaskQuery(document.text, site.start, site.end)
