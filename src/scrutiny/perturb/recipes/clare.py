"""CLARE: replacements, insertions and merges predicted by a masked language model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.recipes.attack import Attack, Given, space_of
from scrutiny.perturb.recipes.similar import NO_ENCODER, OTHER_ENCODER, WINDOW, closest, similar
from scrutiny.perturb.search import Changeable, Search
from scrutiny.perturb.search.goals.labels import Untargeted
from scrutiny.perturb.search.methods.beam import Greedy
from scrutiny.perturb.words.masked import MaskedInsert, MaskedMerge, MaskedReplace


@dataclass(frozen=True, slots=True)
class Clare(Attack):
    """In each step, the best of all replacements, insertions and merges of the text.

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

    id: ClassVar[str] = "clare@1"
    title: ClassVar[str] = "CLARE"
    summary: ClassVar[str] = (
        "words replaced, inserted and merged as a masked language model predicts"
    )
    resources: ClassVar[tuple[str, ...]] = ("masked_lm", "tagger")
    lacking: ClassVar[Mapping[str, str]] = {"encoder": NO_ENCODER}
    deviations: ClassVar[tuple[str, ...]] = (
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
        space = space_of(
            MaskedReplace(top=self.candidates, least_probability=self.replaces_from),
            MaskedInsert(top=self.candidates),
            MaskedMerge(top=self.candidates, least_probability=self.merges_from),
            may_change=Changeable(stop_words=True),
            constraints=similar(given, least_cosine=self.similarity, window=WINDOW),
        )
        return Search(space, Untargeted(), Greedy(prefer=closest(given)))
