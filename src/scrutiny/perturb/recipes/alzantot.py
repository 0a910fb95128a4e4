"""Alzantot et al.: a genetic algorithm over vector neighbors; and two successors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.perturb.constraints.fluency import Likeliest, LogprobDrop
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.recipes.similar import NO_VECTORS, synonyms
from scrutiny.perturb.search import Amount, Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.genetic import Genetic

_NEIGHBORS: Mapping[str, int] = {"as_published": 8, "faster": 8, "improved": 50}
_GENERATIONS: Mapping[str, int] = {"as_published": 20, "faster": 40, "improved": 20}


@dataclass(frozen=True, slots=True)
class Alzantot(Attack):
    """Vector neighbors, combined by a genetic algorithm.

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

    id: ClassVar[str] = "alzantot@1"
    title: ClassVar[str] = "genetic (Alzantot)"
    summary: ClassVar[str] = "similar words, combined by a genetic algorithm"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {
        "vectors": NO_VECTORS,
        "perplexity": "No language model is given, so none chooses among the candidates.",
    }
    deviations: ClassVar[tuple[str, ...]] = (
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
        space = space_of(
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
        generations = _GENERATIONS[self.variant]
        if is_improved:
            return Search(space, Untargeted(), Genetic.improved(self.population, generations))
        return Search(space, Untargeted(), Genetic(self.population, generations))

    def _fluent(self, given: Given) -> tuple[Any, ...]:
        """Constraint by a language model, if there is one."""
        if not given.has("perplexity"):
            return ()
        is_faster = self.variant == "faster"
        return (LogprobDrop(most=5.0, window=6) if is_faster else Likeliest(keep=self.likeliest),)
