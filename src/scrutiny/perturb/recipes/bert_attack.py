"""BERT-Attack: words replaced by predictions of a masked language model for the unmasked text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.recipes.similar import NO_ENCODER, OTHER_ENCODER, closest, similar
from scrutiny.perturb.search import Amount, Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.words.masked import ShownReplace


@dataclass(frozen=True, slots=True)
class BertAttack(Attack):
    """Most likely tokens at each place of the unmasked text, combined to words.

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

    id: ClassVar[str] = "bert_attack@1"
    title: ClassVar[str] = "BERT-Attack"
    summary: ClassVar[str] = (
        "words replaced by predictions of a masked language model for the unmasked text"
    )
    languages: ClassVar[frozenset[str]] = frozenset({"en", "zh"})
    resources: ClassVar[tuple[str, ...]] = ("masked_lm",)
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations: ClassVar[tuple[str, ...]] = (
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
        space = space_of(
            ShownReplace(top=top, no_antonyms=self.no_antonyms),
            may_change=Changeable(stop_words=True),
            amount=Amount(share=self.share),
            constraints=similar(given, least_cosine=self.similarity),
        )
        method = GreedyRanked(ranking="unk", unknown=unknown, prefer=closest(given))
        return Search(space, Untargeted(), method)
