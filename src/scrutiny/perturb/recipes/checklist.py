"""CheckList: names, places, numbers and contractions changed until the label flips."""

from dataclasses import dataclass

from scrutiny.perturb.phrases.entity_swap import EntitySwap
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import Move, Search, Space
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.beam import Greedy
from scrutiny.perturb.words.contraction import Contraction
from scrutiny.perturb.words.number_swap import NumberSwap


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
