"""Pruthi et al.: one misspelled word, the worst there is."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.characters.random_letters import InsertLetter
from scrutiny.perturb.characters.slips import DeleteLetter, NeighborKey, SwapLetters
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.search import Amount, Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.beam import Greedy


@dataclass(frozen=True, slots=True)
class Pruthi(Attack):
    """The worst single misspelling: every inner letter of every longer word is tried.

    Two inner neighbors are exchanged, an inner letter is left out, put in, or replaced by a key
    beside it; the first and the last letter stay, as do words of fewer than four letters.

    Parameters
    ----------
    words
        How many words are misspelled at most; the paper has one and two.
    shortest
        Words of fewer letters stay.
    stop_words
        Whether function words stay, as in TextAttack.

    **Measures** the worst that one slip can do: nearly nothing is left to the search.

    **Misleads when** texts differ in length: a long text offers more slips, and more texts are
    asked about.

    References
    ----------
    Pruthi, Dhingra & Lipton (2019), Combating adversarial misspellings with robust word
    recognition.

    Examples
    --------
    >>> Pruthi().search(Given()).space.amount.words
    1
    """

    id: ClassVar[str] = "pruthi@1"
    title: ClassVar[str] = "misspelling (Pruthi)"
    summary: ClassVar[str] = "the worst misspelling of one word"
    languages: ClassVar[frozenset[str]] = frozenset({"*"})
    deviations: ClassVar[tuple[str, ...]] = (
        "One random letter is put in at each place, as in TextAttack.",
    )

    words: int = 1
    shortest: int = 4
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """All misspellings; with two words, of the best of the first."""
        space = space_of(
            SwapLetters(positions="all", keep_first=True, keep_last=True),
            DeleteLetter(positions="all", keep_first=True, keep_last=True),
            InsertLetter(positions="all", keep_first=True, keep_last=True),
            NeighborKey(positions="all", keep_first=True, keep_last=True),
            may_change=Changeable(stop_words=self.stop_words, shortest=self.shortest),
            amount=Amount(words=self.words),
        )
        return Search(space, Untargeted(), Greedy())
