"""A2T: a few vector neighbors at the places with the largest gradients."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.core.errors import PlanError
from scrutiny.perturb.constraints.each_word import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.recipes.similar import NO_ENCODER, NO_VECTORS, closest, similar, synonyms
from scrutiny.perturb.search import Amount, Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.words.masked import MaskedReplace


@dataclass(frozen=True, slots=True)
class A2t(Attack):
    """Vector neighbors at a few places with the largest gradients; made for adversarial training.

    Parameters
    ----------
    candidates_from
        ``vectors``: the nearest words of a cosine of .8 or more; ``masked_lm``: what a masked
        language model expects (the paper's A2T-MLM).
    candidates
        How many are looked at.
    share, floor
        Largest share of words changed, and how many may change in any text.
    similarity
        Smallest cosine of the sentence to the original.

    **Measures** what an attack that is cheap enough for training finds.

    **Misleads when** compared by its success: it changes fewer words than others by design.

    References
    ----------
    Yoo & Qi (2021), Towards improving adversarial training of NLP models.

    Examples
    --------
    >>> A2t().search(Given()).space.amount.limit(word_count=100)
    10
    """

    id: ClassVar[str] = "a2t@1"
    title: ClassVar[str] = "A2T"
    summary: ClassVar[str] = "a few similar words at the places with the largest gradients"
    needs: ClassVar[frozenset[str]] = frozenset({"predict", "gradients"})
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations: ClassVar[tuple[str, ...]] = (
        "The published threshold of .9 is that of a Sentence-BERT encoder; it is kept as a number "
        "whatever encoder is given.",
    )

    candidates_from: Literal["vectors", "masked_lm"] = "vectors"
    candidates: int = 20
    share: float = 0.1
    floor: int = 4
    similarity: float = 0.9

    def search(self, given: Given) -> Search:
        """Greedy, by gradients; in a pair, only the second text changes.

        Raises
        ------
        PlanError
            If a masked language model is asked for and not given.
        """
        space = space_of(
            self._candidates(given),
            most=self.candidates,
            may_change=Changeable(stop_words=True, fields=given.last_field),
            amount=Amount(share=self.share, least=self.floor),
            constraints=similar(given, least_cosine=self.similarity),
            step_constraints=(SamePos(),),
        )
        method = GreedyRanked(ranking="gradient", prefer=closest(given))
        return Search(space, Untargeted(), method)

    def _candidates(self, given: Given) -> Any:
        if self.candidates_from == "vectors":
            return synonyms(given, top=self.candidates, least_cosine=0.8)
        if not given.has("masked_lm"):
            raise PlanError('a2t(candidates_from=masked_lm) needs resources = { masked_lm = "…" }.')
        return MaskedReplace(top=self.candidates)
