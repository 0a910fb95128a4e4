"""Attack on Chinese: homophones, look-alikes, or predictions of a masked language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.perturb.chinese.characters import Homophone, LookAlike
from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.greedy_ranked import GreedyRanked
from scrutiny.perturb.search.setting import Search
from scrutiny.perturb.words.masked import MaskedReplace


@dataclass(frozen=True, slots=True)
class Chinese(Attack):
    """Homophones, look-alikes and predicted characters, by saliency times gain.

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

    id: ClassVar[str] = "chinese@1"
    title: ClassVar[str] = "Chinese characters"
    summary: ClassVar[str] = "Chinese homophones, look-alikes, or predicted characters"
    languages: ClassVar[frozenset[str]] = frozenset({"zh"})
    lacking: ClassVar[Mapping[str, str]] = {
        "masked_lm": "No masked language model is given, so none proposes characters.",
        "pinyin": "Readings of characters are not installed, so none is replaced by sound.",
    }
    deviations: ClassVar[tuple[str, ...]] = (
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
        return Search(space_of(*found), Untargeted(), GreedyRanked(ranking="saliency"))
