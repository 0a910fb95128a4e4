"""PSO: a swarm of texts with words exchanged."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.search import Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.particle_swarm import ParticleSwarm
from scrutiny.perturb.words.like_words import WordnetAll


@dataclass(frozen=True, slots=True)
class Pso(Attack):
    """Words of a like meaning, put together by a swarm.

    Parameters
    ----------
    population, iterations
        How many texts, and how often they move.
    stop_words
        Whether function words stay, as in TextAttack.

    **Measures** what combinations of synonyms do where single ones do not help.

    **Misleads when** its cost is left out: it asks about every candidate of a text again and again.

    References
    ----------
    Zang, Qi, Yang, Liu, Zhang, Liu & Sun (2020), Word-level textual adversarial attacking as
    combinatorial optimization.

    Examples
    --------
    >>> Pso(population=20).search(Given()).method.population
    20
    """

    id: ClassVar[str] = "pso@1"
    title: ClassVar[str] = "particle swarm"
    summary: ClassVar[str] = "words of similar meaning, combined by a particle swarm"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    deviations: ClassVar[tuple[str, ...]] = (
        "WordNet synonyms of the word's part of speech, in its inflection, stand in for words of "
        "the same HowNet sememes.",
        "A mutation takes the best candidate of a place drawn in proportion to what it gains; "
        "where none gains, the text stays as it is.",
    )

    population: int = 60
    iterations: int = 20
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """Synonyms by particle swarm; in a pair, only the second text changes."""
        space = space_of(
            WordnetAll(pos="tagged", inflect=True),
            may_change=Changeable(stop_words=self.stop_words, fields=given.last_field),
        )
        return Search(space, Untargeted(), ParticleSwarm(self.population, self.iterations))
