"""Recipes of labeling word pieces: an annotation, a control task, or a related task."""

from dataclasses import dataclass
from typing import Literal

from scrutiny.core.boundary.limits import at_least, one_of, shares
from scrutiny.core.errors import PlanError
from scrutiny.tasks.held_out import SHARE
from scrutiny.training.finetuning.recipe import FinetuningRecipe, rate_at


@dataclass(frozen=True, slots=True)
class PieceRecipe(FinetuningRecipe):
    """`FinetuningRecipe` for piece labeling, with other defaults.

    Parameters
    ----------
    schedule
        ``constant`` rate behind the warm-up, or ``linear`` down to 0.
    loss_on
        ``words``: pieces of the words of the sentence. ``all``: special tokens and markers as well,
        which then have the first label, as code that passes over nothing does it.
    """

    batch: int = 8
    lr: float | None = 4e-5
    head_lr_factor: float = 1.0
    warm_up: float = 0.0
    schedule: Literal["constant", "linear"] = "constant"
    loss_on: Literal["words", "all"] = "words"

    def __post_init__(self) -> None:
        FinetuningRecipe.__post_init__(self)
        if self.augment:
            raise PlanError("augment would separate words from their markers: leave it out.")
        if self.dev_share >= 1 - SHARE:
            raise PlanError(
                f"dev_share must be below {1 - SHARE:g} ({SHARE:g} of the sentences are held out), "
                f"not {self.dev_share}."
            )
        one_of(self, schedule=("constant", "linear"), loss_on=("words", "all"))

    def share_at(self, step: int, *, steps: int) -> float:
        """Learning rate at a step (from 0), as a share of the peak rate."""
        if self.schedule == "linear":
            return rate_at(step, steps=steps, warm_up=self.warm_up)
        return min(1.0, (step + 1) / max(1, round(self.warm_up * steps)))


@dataclass(frozen=True, slots=True)
class AnchoredRecipe(PieceRecipe):
    """Hyperparameters of a run on anchored annotations.

    Parameters
    ----------
    markers
        Words that are put before and behind every contiguous run of anchor words.
    """

    markers: tuple[str, str] = ("{", "}")

    def __post_init__(self) -> None:
        PieceRecipe.__post_init__(self)
        if not all(marker.strip() for marker in self.markers):
            raise PlanError(f"markers are two words, not {self.markers}.")


@dataclass(frozen=True, slots=True)
class ControlRecipe(AnchoredRecipe):
    """Hyperparameters of a run on the control task, or on its mixture with true labels.

    Parameters
    ----------
    types
        Unit with one label everywhere: ``words`` as the tokenizer reads them, or ``pieces``.
    label_seed
        Labels are drawn anew for each run unless a seed is stated, which gives all runs the same.
    true_share
        Share of the sentences' annotations that keep their true labels.
    """

    types: Literal["words", "pieces"] = "words"
    label_seed: int | None = None
    true_share: float = 0.0

    def __post_init__(self) -> None:
        AnchoredRecipe.__post_init__(self)
        one_of(self, types=("words", "pieces"))
        shares(self, "true_share", one=True)
        at_least(self, label_seed=0)
