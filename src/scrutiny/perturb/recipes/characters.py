"""Attacks on characters: DeepWordBug, Pruthi et al., TextBugger, and one on Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scrutiny.core.languages import SPACED_WORDS
from scrutiny.perturb.characters.chinese import Homophone, LookAlike
from scrutiny.perturb.characters.slips import (
    DeleteLetter,
    InsertLetter,
    SplitWord,
    SubstituteLetter,
    SwapLetters,
)
from scrutiny.perturb.characters.surface import Homoglyph
from scrutiny.perturb.characters.typos import NeighborKey
from scrutiny.perturb.constraints.extent import EditDistance
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.similar_words import (
    NO_ENCODER,
    NO_VECTORS,
    OTHER_ENCODER,
    closest,
    similar,
    synonyms,
)
from scrutiny.perturb.search import Amount, Changeable, Move, Search, Space
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.methods.plain_searches import Greedy
from scrutiny.perturb.words.masked_words import MaskedReplace


@dataclass(frozen=True, slots=True)
class DeepWordBug(Attack):
    """One typo in each of the most important words.

    One of four slips in each of the most important words, the best of the four.

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

    id = "deepwordbug@1"
    title = "DeepWordBug"
    languages = SPACED_WORDS
    deviations = (
        "Words are ranked by replacing each (the paper's replace-1, and TextAttack's choice); the "
        "paper's scores of heads and tails are not there.",
    )

    most_edits: int = 30
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """Four slips, ranked by unknown words."""
        space = Space.of(
            SwapLetters(),
            SubstituteLetter(letters="ascii"),
            DeleteLetter(),
            InsertLetter(letters="ascii"),
            may_change=Changeable(stop_words=self.stop_words),
            constraints=(EditDistance(most=self.most_edits, share=None),),
        )
        return Search(space, Untargeted(), GreedyRanked(ranking="unk"))


@dataclass(frozen=True, slots=True)
class Pruthi(Attack):
    """The worst misspelling of one word.

    The worst single misspelling: every inner letter of every longer word is tried.

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

    id = "pruthi@1"
    title = "misspelling (Pruthi)"
    languages = SPACED_WORDS
    deviations = ("One random letter is put in at each place, as in TextAttack.",)

    words: int = 1
    shortest: int = 4
    stop_words: bool = True

    def search(self, given: Given) -> Search:
        """All misspellings; with two words, of the best of the first."""
        space = Space.of(
            SwapLetters(positions="all", keep_first=True, keep_last=True),
            DeleteLetter(positions="all", keep_first=True, keep_last=True),
            InsertLetter(positions="all", keep_first=True, keep_last=True),
            NeighborKey(positions="all", keep_first=True, keep_last=True),
            may_change=Changeable(stop_words=self.stop_words, shortest=self.shortest),
            amount=Amount(words=self.words),
        )
        return Search(space, Untargeted(), Greedy())


@dataclass(frozen=True, slots=True)
class TextBugger(Attack):
    """Five bugs for each of the most important words, the best of the five.

    A space in a word, a deleted letter, an exchange, a look-alike, or a similar word.

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

    id = "textbugger@1"
    title = "TextBugger"
    resources = ("tagger", "wordnet")
    lacking: ClassVar[Mapping[str, str]] = {"vectors": NO_VECTORS, "encoder": NO_ENCODER}
    deviations = (
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


@dataclass(frozen=True, slots=True)
class Chinese(Attack):
    """Chinese homophones, look-alikes, or predicted characters.

    Homophones, look-alikes and predicted characters, by saliency times gain.

    Parameters
    ----------
    homophones
        Characters of the same sound that are tried for each.
    candidates
        Likeliest characters of the masked language model that are tried for each.

    **Measures** what slips of typing by sound and by shape, chosen to hurt, do to a model.

    **Misleads when** a character of the same sound is a word of its own: then it says something
    else.

    References
    ----------
    Morris et al. (2020), TextAttack, whose Chinese recipe this follows; Su et al. (2022), RoCBert:
    robust Chinese BERT with multimodal contrastive pretraining.

    Examples
    --------
    >>> Chinese().search(Given()).method.ranking
    'saliency'
    """

    id = "chinese@1"
    title = "Chinese characters"
    languages = frozenset({"zh"})
    lacking: ClassVar[Mapping[str, str]] = {
        "masked_lm": "No masked language model is given, so none proposes characters.",
        "pinyin": "Readings of characters are not installed, so none is replaced by sound.",
    }
    deviations = (
        "Words of the same HowNet sememes are not there.",
        "Single characters are exchanged where the text does not come in words; function words "
        "are not kept apart.",
        "Words are ordered by the gain, not by the probability after the change.",
    )

    homophones: int = 10
    candidates: int = 10

    def search(self, given: Given) -> Search:
        """By weighted saliency."""
        found: list[Any] = [LookAlike()]
        if given.has("pinyin"):
            found.append(Homophone(most_alike=self.homophones))
        if given.has("masked_lm"):
            found.append(MaskedReplace(top=self.candidates))
        return Search(Space.of(*found), Untargeted(), GreedyRanked(ranking="saliency"))
