"""PWWS: synonyms by probability weighted word saliency."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.search import Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.words.like_words import WordnetAll


@dataclass(frozen=True, slots=True)
class Pwws(Attack):
    """WordNet synonyms, in the order of saliency times gain.

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

    id: ClassVar[str] = "pwws@1"
    title: ClassVar[str] = "PWWS"
    summary: ClassVar[str] = "WordNet synonyms, by saliency times gain"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    deviations: ClassVar[tuple[str, ...]] = (
        "Named entities stay: the paper exchanges them for the most frequent entity of their type "
        "among the other classes of a training set.",
    )

    variant: Literal["as_published", "textattack"] = "as_published"

    def search(self, given: Given) -> Search:
        """Synonyms by weighted saliency."""
        rule = Changeable(stop_words=True)
        if self.variant == "textattack":
            method = GreedyRanked(ranking="saliency", as_released=True)
            return Search(space_of(WordnetAll(), may_change=rule), Untargeted(), method)
        space = space_of(WordnetAll(pos="tagged"), may_change=rule)
        return Search(space, Untargeted(), GreedyRanked(ranking="saliency", fixes_choice=True))
