"""TextBugger: five bugs for each of the most important words, the best of the five."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.perturb.characters.slips import DeleteLetter, SplitWord, SwapLetters
from scrutiny.perturb.characters.unseen import Homoglyph
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.similar import (
    NO_ENCODER,
    NO_VECTORS,
    OTHER_ENCODER,
    closest,
    similar,
    synonyms,
)
from scrutiny.perturb.search import Changeable, Move, Search, Space
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked


@dataclass(frozen=True, slots=True)
class TextBugger(Attack):
    """A space in a word, a deleted letter, an exchange, a look-alike, or a similar word.

    Words are ranked by what the model loses without them; in each the bug that helps most stays.

    Parameters
    ----------
    variant
        ``as_published``: a space is put into words of fewer than six letters only. ``textattack``
        (0.3.11): into words of any length.
    neighbors
        Near words that are tried.
    similarity
        Smallest angular similarity of the sentence to the original.
    stop_words
        Whether function words stay, as in TextAttack.

    **Measures** how far a mixture of slips and near words brings a model.

    **Misleads when** texts are normalized before they reach the model: look-alikes are gone then.

    References
    ----------
    Li, Ji, Du, Li & Wang (2019), TextBugger: generating adversarial text against real-world
    applications.

    Examples
    --------
    >>> [move.most for move in TextBugger().search(Given()).space.moves]
    [None, None, None, None, 5]
    """

    id: ClassVar[str] = "textbugger@1"
    title: ClassVar[str] = "TextBugger"
    summary: ClassVar[str] = "five bugs for each of the most important words, the best of the five"
    resources: ClassVar[tuple[str, ...]] = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations: ClassVar[tuple[str, ...]] = (
        "Words are ranked over the whole text; the paper ranks sentences first, by what the model "
        "says of each alone.",
        "Every letter of a word is tried as a look-alike of another script, as in TextAttack; the "
        "paper takes look-alikes and neighboring keys.",
        OTHER_ENCODER,
    )

    variant: Literal["as_published", "textattack"] = "as_published"
    neighbors: int = 5
    similarity: float = 0.8
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """Greedy, by importance."""
        rule = Changeable(stop_words=self.stop_words)
        longest = 5 if self.variant == "as_published" else None
        bugs: tuple[object, ...] = (
            SplitWord(longest=longest),
            DeleteLetter(keep_first=True, keep_last=True),
            SwapLetters(keep_first=True, keep_last=True),
            Homoglyph(positions="all"),
        )
        moves = [Move(bug, None, rule) for bug in bugs]  # type: ignore[arg-type]
        moves.append(Move(synonyms(given, top=self.neighbors), self.neighbors, rule))
        space = Space(tuple(moves), constraints=similar(given, least_angular=self.similarity))
        return Search(space, Untargeted(), GreedyRanked(ranking="delete", prefer=closest(given)))
