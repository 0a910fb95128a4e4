"""TextFooler: similar words of the same part of speech, most important words first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.perturb.constraints.each_word import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.recipes.similar import (
    NO_ENCODER,
    NO_VECTORS,
    OTHER_ENCODER,
    WINDOW,
    closest,
    similar,
    synonyms,
)
from scrutiny.perturb.search import Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked


@dataclass(frozen=True, slots=True)
class TextFooler(Attack):
    """Counter-fitted neighbors of the most important words while the sentence stays similar.

    Words are ranked by what the model loses without them, and each is replaced by the candidate
    that lowers the gold label's probability most; among candidates that flip the label the one
    closest to the original is taken.

    Parameters
    ----------
    variant
        ``as_published``: cosine of words at least .7, words left out for the ranking, and a flip of
        the label adds to the importance. ``as_released`` (the authors' code): cosine .5, words
        replaced by ``<oov>`` for the ranking. ``textattack`` (0.3.11): cosine .5, a flip adds
        nothing.
    candidates
        Nearest words that are looked at.
    similarity
        Smallest angular similarity of the fifteen words around a step, before and after it; texts
        of fewer words are not looked at.

    **Measures** how far near words bring a model.

    **Misleads when** read without the share that is valid; when the vectors were not counter-fitted
    (GloVe has opposites near one another); when the encoder is not the one of the threshold.

    References
    ----------
    Jin, Jin, Zhou & Szolovits (2020), Is BERT really robust? A strong baseline for natural language
    attack on text classification and entailment.

    Examples
    --------
    >>> TextFooler(variant="as_released").search(Given()).method.unknown
    '<oov>'
    """

    id: ClassVar[str] = "textfooler@1"
    title: ClassVar[str] = "TextFooler"
    summary: ClassVar[str] = "similar words of the same part of speech, most important words first"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations: ClassVar[tuple[str, ...]] = (
        "The package's list of function words stands in for the authors' 266.",
        "A step is taken where it is better than the text before it; the authors' code compares "
        "with the original's probability.",
        OTHER_ENCODER,
    )

    variant: Literal["as_published", "as_released", "textattack"] = "as_published"
    candidates: int = 50
    similarity: float = 0.840845

    def search(self, given: Given) -> Search:
        """Greedy, by importance; in a pair, only the second text changes."""
        least = 0.7 if self.variant == "as_published" else 0.5
        space = space_of(
            synonyms(given, top=self.candidates, least_cosine=least),
            most=self.candidates,
            may_change=Changeable(stop_words=True, fields=given.last_field),
            step_constraints=(
                SamePos(noun_verb=True),
                *similar(given, least_angular=self.similarity, window=WINDOW),
            ),
        )
        is_released = self.variant == "as_released"
        method = GreedyRanked(
            ranking="unk" if is_released else "delete",
            unknown="<oov>" if is_released else "[UNK]",
            adds_flip=self.variant != "textattack",
            prefer=closest(given),
        )
        return Search(space, Untargeted(), method)
