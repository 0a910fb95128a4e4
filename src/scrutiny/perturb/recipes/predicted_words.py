"""Attacks by words that a masked language model predicts: BERT-Attack and CLARE."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.recipes.similar import NO_ENCODER, OTHER_ENCODER, WINDOW, closest, similar
from scrutiny.perturb.search import Amount, Changeable, Search, Space
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.beam import Greedy
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.words.masked import MaskedReplace, ShownReplace
from scrutiny.perturb.words.masked_lengths import MaskedInsert, MaskedMerge


@dataclass(frozen=True, slots=True)
class BertAttack(Attack):
    """Words replaced by predictions of a masked language model for the unmasked text.

    Most likely tokens at each place of the unmasked text, combined to words.

    Words are ranked by what the model loses when an unknown word stands there.

    Parameters
    ----------
    variant
        ``as_published``: 48 candidates, words ranked by putting ``[MASK]`` there. ``textattack``
        (since 0.3.11): 8, for the sake of speed, and ``[UNK]``.
    share
        Largest share of words changed.
    similarity
        Smallest cosine of the sentence to the original: .2 as in TextAttack; the authors take .4 to
        .7 for long reviews and 0 to .2 for inference.
    no_antonyms
        Leave out opposites, as the paper does for sentiment.

    **Measures** how far changes bring a model that another finds natural where it sees the word.

    **Misleads when** read without the share that is valid.

    References
    ----------
    Li, Ma, Guo, Xue & Qiu (2020), BERT-ATTACK: adversarial attack against BERT using BERT.

    Examples
    --------
    >>> BertAttack().search(Given()).method.unknown
    '[MASK]'
    """

    id = "bert_attack@1"
    title = "BERT-Attack"
    languages = frozenset({"en", "zh"})
    resources = ("masked_lm",)
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Of words of several pieces the combinations of the least perplexity are found exactly; "
        "TextAttack 0.3.11 computes the perplexities and does not use them.",
        "Candidates are read off the text as it is after the steps before; the paper reads all of "
        "them off the original.",
        OTHER_ENCODER,
    )

    variant: Literal["as_published", "textattack"] = "as_published"
    share: float = 0.4
    similarity: float = 0.2
    no_antonyms: bool = False

    def search(self, given: Given) -> Search:
        """Greedy, by importance."""
        top, unknown = (48, "[MASK]") if self.variant == "as_published" else (8, "[UNK]")
        space = Space.of(
            ShownReplace(top=top, no_antonyms=self.no_antonyms),
            may_change=Changeable(stop_words=True),
            amount=Amount(share=self.share),
            constraints=similar(given, least_cosine=self.similarity),
        )
        method = GreedyRanked(ranking="unk", unknown=unknown, prefer=closest(given))
        return Search(space, Untargeted(), method)


@dataclass(frozen=True, slots=True)
class Clare(Attack):
    """Words replaced, inserted and merged as a masked language model predicts.

    In each step, the best of all replacements, insertions and merges of the text.

    Parameters
    ----------
    candidates
        Likeliest words that are looked at for each.
    similarity
        Smallest cosine of the sentence to the original.
    replaces_from, merges_from
        How likely a word has to be to replace one, or two.

    **Measures** how far fluent changes of any of three kinds bring a model.

    **Misleads when** the budget is small: a step asks about every candidate of every place. Read
    without the share that is valid.

    References
    ----------
    Li, Zhang, Peng, Chen, Brockett, Sun & Dolan (2021), Contextualized perturbation for textual
    adversarial attack.

    Examples
    --------
    >>> len(Clare().search(Given()).space.moves)
    3
    """

    id = "clare@1"
    title = "CLARE"
    resources = ("masked_lm", "tagger")
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations = (
        "Thresholds are those of TextAttack 0.3.11, whose masked language model is a distilled "
        "RoBERTa.",
        "All candidates of a step are asked; the paper asks those that a masked language model "
        "and a similarity have ranked first.",
        OTHER_ENCODER,
    )

    candidates: int = 50
    similarity: float = 0.7
    replaces_from: float = 5e-4
    merges_from: float = 5e-3

    def search(self, given: Given) -> Search:
        """Greedy over all places."""
        space = Space.of(
            MaskedReplace(top=self.candidates, least_probability=self.replaces_from),
            MaskedInsert(top=self.candidates),
            MaskedMerge(top=self.candidates, least_probability=self.merges_from),
            may_change=Changeable(stop_words=True),
            constraints=similar(given, least_cosine=self.similarity, window=WINDOW),
        )
        return Search(space, Untargeted(), Greedy(prefer=closest(given)))
