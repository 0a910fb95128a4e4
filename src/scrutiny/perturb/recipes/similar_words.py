"""Attacks by similar words: TextFooler, Alzantot et al., A2T; what attacks take for similar.

Published thresholds are those of the Universal Sentence Encoder, as a cosine or as an angular
similarity; the constraint names which. Under another encoder the same number means something else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

import numpy as np

from scrutiny.core.errors import PlanError
from scrutiny.perturb.constraints.fluency import Likeliest, LogprobDrop
from scrutiny.perturb.constraints.meaning import SamePos, SentenceSimilarity
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.resources.loading import find_resource
from scrutiny.perturb.search import Amount, Changeable, Search, Space
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.populations import Genetic
from scrutiny.perturb.search.state import State
from scrutiny.perturb.words.masked_words import MaskedReplace
from scrutiny.perturb.words.synonyms import VectorNeighbors, WordnetAll

#: Words around an edit that are compared, where a paper compares a window.
WINDOW: Final = 15
#: What an attack says where it is not given an encoder.
NO_ENCODER: Final = (
    "No encoder is given, so no sentence similarity is asked for, and of several texts that fool "
    "the model the one with the highest score is taken."
)
#: What every attack says that asks for a similarity.
OTHER_ENCODER: Final = (
    "The published threshold is that of the Universal Sentence Encoder; it is kept as a number "
    "whatever encoder is given."
)


def similar(given: Given, *, window: int | None = None, **least: float) -> tuple[Any, ...]:
    """Constraint on the similarity of a window around the edit, or of the text.

    ``least_cosine`` or ``least_angular`` (1 - angle / 180 degrees) says how alike they stay. Texts
    shorter than the window pass unseen; without an encoder there is no constraint.
    """
    if not given.has("encoder"):
        return ()
    return (SentenceSimilarity(**least, window=window, skip_short=window is not None),)


def closest(given: Given) -> Any:
    """Preference for the closest of several successful texts; `None` without an encoder."""
    return ByEncoder() if given.has("encoder") else None


#: What an attack says where it is not given vectors.
NO_VECTORS: Final = (
    "No vectors are given, so WordNet synonyms of the word's part of speech stand in for the "
    "nearest counter-fitted vectors, and no cosine is asked for."
)


def synonyms(given: Given, *, top: int, least_cosine: float = 0.0) -> Any:
    """Transformation that proposes similar words, the nearest first."""
    if given.has("vectors"):
        return VectorNeighbors(top=top, least_cosine=least_cosine)
    return WordnetAll(pos="tagged")


@dataclass(frozen=True, slots=True)
class ByEncoder:
    """Cosine to the base by the resource ``encoder``, over all fields joined by a space.

    Examples
    --------
    >>> ByEncoder().id
    'by_encoder@1'
    """

    id = "by_encoder@1"
    resources = ("encoder",)

    def closeness(self, states: Sequence[State]) -> Sequence[float]:
        """Cosine of each text; 0 for a zero vector."""
        origin = states[0].origin
        encoder = find_resource(origin.resources or {}, "encoder")
        texts = [" ".join(origin.texts), *(" ".join(state.texts) for state in states)]
        vectors = np.asarray(encoder.encode(texts), dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vectors[0])
        dots = vectors @ vectors[0]
        found = np.divide(dots, lengths, out=np.zeros(len(dots)), where=lengths > 0)
        return [float(value) for value in found[1:]]


@dataclass(frozen=True, slots=True)
class TextFooler(Attack):
    """Similar words of the same part of speech, most important words first.

    Counter-fitted neighbors of the most important words while the sentence stays similar.

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

    id = "textfooler@1"
    title = "TextFooler"
    resources = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations = (
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
        space = Space.of(
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


_NEIGHBORS: Mapping[str, int] = {"as_published": 8, "faster": 8, "improved": 50}
_GENERATIONS: Mapping[str, int] = {"as_published": 20, "faster": 40, "improved": 20}


@dataclass(frozen=True, slots=True)
class Alzantot(Attack):
    """Similar words, combined by a genetic algorithm.

    Vector neighbors, combined by a genetic algorithm.

    Parameters
    ----------
    variant
        ``as_published`` (Alzantot et al. 2018): 8 neighbors, 20 generations. ``faster`` (Jia et al.
        2019): 40 generations. ``improved`` (Wang et al. 2019): 50 neighbors, crossover at one
        point, a word may be replaced again.
    population
        How many texts.
    share
        Largest share of words changed.
    likeliest
        Where a language model is given, so many candidates of a word are kept, the likeliest ones;
        in ``faster`` those that cost 5 nats or less in the six words around instead.

    **Measures** what many changes do together where single ones do not help.

    **Misleads when** its cost is left out: most texts are asked about for the sake of a few.

    References
    ----------
    Alzantot, Sharma, Elgohary, Ho, Srivastava & Chang (2018), Generating natural language
    adversarial examples. Jia, Raghunathan, Göksel & Liang (2019), Certified robustness to
    adversarial word substitutions. Wang, Jin & He (2019), Natural language adversarial attacks and
    defenses in word level.

    Examples
    --------
    >>> Alzantot(variant="improved").search(Given()).method.crossover
    'one_point'
    """

    id = "alzantot@1"
    title = "genetic (Alzantot)"
    resources = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {
        "vectors": NO_VECTORS,
        "perplexity": "No language model is given, so none chooses among the candidates.",
    }
    deviations = (
        "The largest squared distance of .5 between vectors of length one is stated as a cosine of "
        ".75.",
        "In ``improved`` a word may be replaced any number of times; in TextAttack 0.3.11 five.",
        "Better texts are parents more often, as the paper says; in TextAttack 0.3.11 worse ones "
        "are.",
    )

    variant: Literal["as_published", "faster", "improved"] = "as_published"
    population: int = 60
    share: float = 0.2
    likeliest: int = 4

    def search(self, given: Given) -> Search:
        """A genetic algorithm; in a pair, only the second text changes, except in ``improved``."""
        is_improved = self.variant == "improved"
        neighbors = _NEIGHBORS[self.variant]
        space = Space.of(
            synonyms(given, top=neighbors, least_cosine=0.75),
            most=neighbors,
            may_change=Changeable(
                stop_words=True,
                is_once=not is_improved,
                fields=() if is_improved else given.last_field,
            ),
            amount=Amount(share=self.share),
            constraints=self._fluent(given) if self.variant == "faster" else (),
            step_constraints=self._fluent(given) if self.variant == "as_published" else (),
        )
        made = Genetic.improved if is_improved else Genetic
        return Search(space, Untargeted(), made(self.population, _GENERATIONS[self.variant]))

    def _fluent(self, given: Given) -> tuple[Any, ...]:
        """Constraint by a language model, if there is one."""
        if not given.has("perplexity"):
            return ()
        is_faster = self.variant == "faster"
        return (LogprobDrop(most=5.0, window=6) if is_faster else Likeliest(keep=self.likeliest),)


@dataclass(frozen=True, slots=True)
class A2t(Attack):
    """A few similar words at the places with the largest gradients of a label.

    Vector neighbors at a few places with the largest gradients; made for adversarial training.

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

    id = "a2t@1"
    title = "A2T"
    needs = frozenset({"predict", "gradients"})
    resources = ("tagger", "wordnet")
    only_labels = "it follows the gradient of a label's loss"
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations = (
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
        if self.candidates_from == "vectors":
            words: Any = synonyms(given, top=self.candidates, least_cosine=0.8)
        elif given.has("masked_lm"):
            words = MaskedReplace(top=self.candidates)
        else:
            raise PlanError('a2t(candidates_from=masked_lm) needs resources = { masked_lm = "…" }.')
        space = Space.of(
            words,
            most=self.candidates,
            may_change=Changeable(stop_words=True, fields=given.last_field),
            amount=Amount(share=self.share, least=self.floor),
            constraints=similar(given, least_cosine=self.similarity),
            step_constraints=(SamePos(),),
        )
        method = GreedyRanked(ranking="gradient", prefer=closest(given))
        return Search(space, Untargeted(), method)
