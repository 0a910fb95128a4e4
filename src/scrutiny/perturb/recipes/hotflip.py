"""HotFlip: words or characters exchanged as the gradient calls for."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.perturb.characters.slips import DeleteLetter, InsertLetter, SubstituteLetter
from scrutiny.perturb.constraints.each_word import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.character_flips import CharacterFlips
from scrutiny.perturb.search import Amount, Changeable, Search, Space
from scrutiny.perturb.search.any_word import AnyWord
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.first_order import FirstOrder


@dataclass(frozen=True, slots=True)
class HotFlip(Attack):
    """Words or characters replaced as the gradient suggests.

    The flips that the gradient of the loss calls for, by a beam.

    One backward pass estimates, for every place and every entry of the vocabulary, what putting it
    there would do to the loss; the best estimates are asked about.

    Parameters
    ----------
    level
        ``word``: words that are one piece of the model's vocabulary. ``character``: for models that
        read characters; letters are also put in and left out, as sequences of flips.
    width
        Texts that go on in the beam.
    flips
        Texts asked about for each of them.
    words
        Words changed at most.
    least_cosine
        How near a new word has to be to the old one; for words alone.

    **Measures** what somebody who has the weights can do with few queries.

    **Misleads when** estimates are taken for effects: they choose what is asked about. Words that
    a model splits into pieces are never exchanged, so the success is a lower bound.

    References
    ----------
    Ebrahimi, Rao, Lowd & Dou (2018), HotFlip: white-box adversarial examples for text
    classification.

    Examples
    --------
    >>> HotFlip().search(Given()).method.steps
    2
    """

    id = "hotflip@1"
    title = "HotFlip"
    needs = frozenset({"predict", "gradients"})
    resources = ("tagger",)
    deviations = (
        "The cosine between words is that of the victim's own input vectors.",
        "The flips with the best estimates are asked about and the answers decide; the paper "
        "goes on by estimates alone.",
    )

    level: Literal["word", "character"] = "word"
    width: int = 10
    flips: int = 10
    words: int = 2
    least_cosine: float = 0.8

    def search(self, given: Given) -> Search:
        """A beam over flips."""
        rule = Changeable(stop_words=True)
        if self.level == "character":
            again = Changeable(stop_words=True, is_once=False)
            space = Space.of(AnyWord(), may_change=again, amount=Amount(words=self.words))
            method = CharacterFlips(width=self.width, flips=self.flips, steps=2 * self.words)
            return Search(space, Untargeted(), method)
        space = Space.of(
            AnyWord(),
            may_change=rule,
            amount=Amount(words=self.words),
            step_constraints=(SamePos(),),
        )
        by_gradient = FirstOrder(
            width=self.width, flips=self.flips, steps=self.words, least_cosine=self.least_cosine
        )
        return Search(space, Untargeted(), by_gradient)

    def control_space(self, search: Search) -> Space:
        """Where random change goes: slips of one letter for characters; else the victim's words."""
        if self.level == "word":
            return search.space
        return Space.of(
            SubstituteLetter(positions="all"),
            InsertLetter(positions="all"),
            DeleteLetter(positions="all"),
            may_change=Changeable(stop_words=True),
            amount=Amount(words=self.words),
        )
