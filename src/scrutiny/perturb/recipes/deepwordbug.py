"""DeepWordBug: one typo in each of the most important words."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.characters.random_letters import InsertLetter, SubstituteLetter
from scrutiny.perturb.characters.slips import DeleteLetter, SwapLetters
from scrutiny.perturb.constraints.how_much import EditDistance
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.search import Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked


@dataclass(frozen=True, slots=True)
class DeepWordBug(Attack):
    """One of four slips in each of the most important words, the best of the four.

    Words are ranked by what the model loses when an unknown word stands there. In each, two
    neighbors are exchanged, or one character is replaced by a random letter, left out, or put in,
    each at one random place; the slip that helps most stays.

    Parameters
    ----------
    most_edits
        Largest edit distance of the whole text, in code points.
    stop_words
        Whether function words stay, as in TextAttack.

    **Measures** how few slips of the keyboard it takes if somebody chooses them.

    **Misleads when** the model's tokenizer, and not the model, is what breaks; look at random slips
    of the same number, which stand beside it.

    References
    ----------
    Gao, Lanchantin, Soffa & Qi (2018), Black-box generation of adversarial text sequences to evade
    deep learning classifiers.

    Examples
    --------
    >>> DeepWordBug().search(Given()).method.ranking
    'unk'
    """

    id: ClassVar[str] = "deepwordbug@1"
    title: ClassVar[str] = "DeepWordBug"
    summary: ClassVar[str] = "one typo in each of the most important words"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    deviations: ClassVar[tuple[str, ...]] = (
        "Words are ranked by replacing each (the paper's replace-1, and TextAttack's choice); the "
        "paper's scores of heads and tails are not there.",
    )

    most_edits: int = 30
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """Four slips, ranked by unknown words."""
        space = space_of(
            SwapLetters(),
            SubstituteLetter(letters="ascii"),
            DeleteLetter(),
            InsertLetter(letters="ascii"),
            may_change=Changeable(stop_words=self.stop_words),
            constraints=(EditDistance(most=self.most_edits, share=None),),
        )
        return Search(space, Untargeted(), GreedyRanked(ranking="unk"))
