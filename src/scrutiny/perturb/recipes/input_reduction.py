"""Input reduction: ever fewer words with the same answer."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import Changeable, Search, Space
from scrutiny.perturb.search.goals.keeping import FewestWords
from scrutiny.perturb.search.methods.beam import Beam
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.words.delete_word import DeleteWord


@dataclass(frozen=True, slots=True)
class InputReduction(Attack):
    """As few words as possible with the same answer.

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
