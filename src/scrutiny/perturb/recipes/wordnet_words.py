"""Attacks by WordNet's synonyms: PWWS, and a particle swarm (PSO)."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import Changeable, Search, Space
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.particle_swarm import ParticleSwarm
from scrutiny.perturb.words.wordnet import WordnetAll


@dataclass(frozen=True, slots=True)
class Pwws(Attack):
    """WordNet synonyms, by saliency times gain.

    WordNet synonyms, in the order of saliency times gain.

    Each word's best synonym is the one that lowers the probability of the gold label most. Words
    are visited by that gain times the softmax of what the model loses when the word is unknown,
    and each gets its best synonym until the label flips.

    Parameters
    ----------
    variant
        ``as_published``: synonyms of the word's part of speech, words ordered by the gain, each
        word's best synonym fixed beforehand. ``textattack`` (0.3.11): synonyms of every part of
        speech, words ordered by the probability after the change in place of the gain, all synonyms
        asked again on the way. Function words stay in both.

    **Measures** how far synonyms by the dictionary bring a model.

    **Misleads when** read without the share that is valid: a dictionary's synonyms seldom fit the
    sense that is meant.

    References
    ----------
    Ren, Deng, He & Che (2019), Generating natural language adversarial examples through probability
    weighted word saliency.

    Examples
    --------
    >>> Pwws().search(Given()).method.fixes_choice
    True
    """

    id = "pwws@1"
    title = "PWWS"
    resources = ("tagger", "wordnet")
    deviations = (
        "Named entities stay: the paper exchanges them for the most frequent entity of their type "
        "among the other classes of a training set.",
    )

    variant: Literal["as_published", "textattack"] = "as_published"

    def search(self, given: Given) -> Search:
        """Synonyms by weighted saliency."""
        rule = Changeable(stop_words=True)
        if self.variant == "textattack":
            method = GreedyRanked(ranking="saliency", as_released=True)
            return Search(Space.of(WordnetAll(), may_change=rule), Untargeted(), method)
        space = Space.of(WordnetAll(pos="tagged"), may_change=rule)
        return Search(space, Untargeted(), GreedyRanked(ranking="saliency", fixes_choice=True))


@dataclass(frozen=True, slots=True)
class Pso(Attack):
    """Words of similar meaning, combined by a particle swarm.

    Words of a like meaning, put together by a swarm.

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

    id = "pso@1"
    title = "particle swarm"
    resources = ("tagger", "wordnet")
    deviations = (
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
        space = Space.of(
            WordnetAll(pos="tagged", inflect=True),
            may_change=Changeable(stop_words=self.stop_words, fields=given.last_field),
        )
        return Search(space, Untargeted(), ParticleSwarm(self.population, self.iterations))
