"""Attacks that need no model but the victim: PWWS, PSO, CheckList, input reduction."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.perturb.phrases.entity_swap import EntitySwap
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import Changeable, Move, Search, Space
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.goals.output_goals import FewestWords
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.plain_searches import Beam, Greedy
from scrutiny.perturb.search.methods.populations import ParticleSwarm
from scrutiny.perturb.words.added_and_dropped import Contraction, DeleteWord
from scrutiny.perturb.words.number_swap import NumberSwap
from scrutiny.perturb.words.synonyms import WordnetAll


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
        is_ours = self.variant == "as_published"
        space = Space.of(
            WordnetAll(pos="tagged" if is_ours else "all"), may_change=Changeable(stop_words=True)
        )
        method = GreedyRanked(ranking="saliency", as_released=not is_ours, fixes_choice=is_ours)
        return Search(space, Untargeted(), method)


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


@dataclass(frozen=True, slots=True)
class CheckList(Attack):
    """Names, places, numbers and contractions, changed until the label flips.

    Changes that should not matter, combined until the answer changes.

    Contractions are written out and full forms contracted, people and places get other names,
    numbers other values.

    Parameters
    ----------
    names, numbers
        How many new names of each entity, and new values of each number, are tried.

    **Measures** whether who, where and how many carry the answer.

    **Misleads when** the texts hold few of them: look at the share of items with anything to
    change, not at the success alone.

    References
    ----------
    Ribeiro, Wu, Guestrin & Singh (2020), Beyond accuracy: behavioral testing of NLP models with
    CheckList; as an attack in Morris et al. (2020), TextAttack.

    Examples
    --------
    >>> [move.most for move in CheckList().search(Given()).space.moves]
    [None, 3, 3]
    """

    id = "checklist@1"
    title = "CheckList"
    resources = ("entities",)
    deviations = (
        "CheckList is a suite of tests; the attack is TextAttack's.",
        "An entity is renamed throughout the text, organizations among them; TextAttack changes "
        "one mention, of people and places.",
        "Entities are what the run's finder sees, a light one unless another is given; TextAttack "
        "takes Flair's of a score of .7 or more.",
        "Numbers lie within a factor of two, written as they were; single ones and ratings stay.",
    )

    names: int = 3
    numbers: int = 3

    def search(self, given: Given) -> Search:
        """Greedy over all of them."""
        moves = (
            Move(Contraction(), None),
            Move(EntitySwap(), self.names),
            Move(NumberSwap(), self.numbers),
        )
        return Search(Space(moves), Untargeted(), Greedy())


@dataclass(frozen=True, slots=True)
class InputReduction(Attack):
    """As few words as possible with the same label.

    Words left out one after the other while the model keeps saying the same.

    It fools nobody: the goal is the model's own label for as few words as possible, and the share
    of words changed is what to read.

    Parameters
    ----------
    variant
        ``as_published``: at each step the words whose absence costs least confidence, with a beam
        of texts that keep the label.
        ``textattack`` (0.3.11): words ranked once, then left out in this order whatever still
        keeps the label.
    width
        Texts that go on in the beam.

    **Measures** how little of a text decides.

    **Misleads when** the class prior alone gives the label: then one word is as good as another.

    References
    ----------
    Feng, Wallace, Grissom, Iyyer, Rodriguez & Boyd-Graber (2018), Pathologies of neural models make
    interpretations difficult.

    Examples
    --------
    >>> InputReduction().search(Given()).method.width
    5
    """

    id = "input_reduction@1"
    title = "input reduction"
    languages = frozenset({"*"})
    deviations = (
        "Importance is what the model says without a word; the paper estimates it by the gradient "
        "first.",
        "Of a pair the second text alone is reduced, to one word; TextAttack 0.3.11 takes both for "
        "one text.",
    )
    is_fooling = False
    is_risk = False
    only_labels = "its goal is the model's own label for as few words as possible"

    variant: Literal["as_published", "textattack"] = "as_published"
    width: int = 5

    def search(self, given: Given) -> Search:
        """Deletions by a beam, or in an order fixed beforehand."""
        fields = given.last_field
        space = Space.of(DeleteWord(), may_change=Changeable(fields=fields))
        goal = FewestWords(fields=fields)
        if self.variant == "textattack":
            return Search(space, goal, GreedyRanked(ranking="delete"))
        return Search(space, goal, Beam(width=self.width, steps=1000, least=0.0))
