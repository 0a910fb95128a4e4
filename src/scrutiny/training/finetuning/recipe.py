"""Fine-tuning recipes: every hyperparameter that can change a weight; data and seed are separate.

Of labeled tasks, and of labeling word pieces: an annotation, a control task, or a related task.
"""

from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.boundary.parameters import above_zero, at_least, one_of, shares
from scrutiny.core.errors import PlanError
from scrutiny.tasks.item_hashes import SHARE

#: Peak learning rate by the most parameters that a network may have: small ones move faster.
_RATES: Final = ((8_000_000, 1e-3), (60_000_000, 1e-4))
_RATE_OF_LARGE: Final = 2e-5


@dataclass(frozen=True, slots=True)
class FinetuningRecipe:
    """Hyperparameters of a run; base, data and seed are not among them.

    Parameters
    ----------
    epochs, batch
        Passes over the training part, and texts of a step.
    lr
        Peak learning rate of the encoder; default: by its size.
    head_lr_factor
        How many times faster the head moves: it is new, and the encoder is not.
    warm_up, weight_decay, clip
        Share of the steps with a rising rate (it falls linearly to 0 after that), decay of the
        matrices, and the largest norm of a gradient.
    dropout
        Dropout of hidden states and attention; default: the base's own.
    max_length
        Pieces of a text in training; longer ones are cut.
    precision
        ``auto`` is bfloat16 on an accelerator that has it, and on a processor that has it for
        networks of more than 8 M parameters; else float32.
    limit
        Rows drawn at random from the data, the same for all seeds; default: all.
    dev_share
        Share of the rows that is split off for choosing the epoch, where no dev data is named; 0
        keeps the last epoch.
    patience
        Epochs without a better dev score after which training stops; default: never.
    augment
        Recipes that change texts and keep their labels.
    augment_share
        Share of the texts that are changed, drawn anew in each epoch. The number of steps
        stays the same.
    augment_labels
        ``kept`` refuses recipes that may change the label; ``assumed`` takes them, too, and trains
        on the old label, as Hauser et al. (2021) do with the candidates of attacks.
    """

    epochs: int = 3
    batch: int = 32
    lr: float | None = None
    head_lr_factor: float = 10.0
    warm_up: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    dropout: float | None = None
    max_length: int = 128
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    limit: int | None = None
    dev_share: float = 0.1
    patience: int | None = None
    augment: tuple[str, ...] = ()
    augment_share: float = 0.5
    augment_labels: Literal["kept", "assumed"] = "kept"

    def __post_init__(self) -> None:
        at_least(self, epochs=1, batch=1, limit=1, patience=1, max_length=8)
        above_zero(self, "lr", "head_lr_factor", "clip")
        shares(self, "warm_up", "weight_decay", "dropout", "dev_share")
        shares(self, "augment_share", zero=False, one=True)
        one_of(self, augment_labels=("kept", "assumed"), precision=("auto", "float32", "bfloat16"))

    def share_at(self, step: int, *, steps: int) -> float:
        """Learning rate at a step (from 0), as a share of the peak rate."""
        return rate_at(step, steps=steps, warm_up=self.warm_up)


def rate_for(recipe: FinetuningRecipe, parameters: int) -> float:
    """Peak learning rate of a recipe for a network with this number of parameters.

    Examples
    --------
    >>> rate_for(FinetuningRecipe(), 2_000_000), rate_for(FinetuningRecipe(lr=3e-4), 2_000_000)
    (0.001, 0.0003)
    """
    if recipe.lr is not None:
        return recipe.lr
    return next((rate for most, rate in _RATES if parameters <= most), _RATE_OF_LARGE)


def rate_at(step: int, *, steps: int, warm_up: float) -> float:
    """Share of the peak rate at a step (from 0): linear warm-up, linear decay.

    Examples
    --------
    >>> [round(rate_at(s, steps=10, warm_up=0.2), 2) for s in (0, 1, 2, 9)]
    [0.5, 1.0, 1.0, 0.12]
    """
    rising = max(1, round(warm_up * steps))
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(1, steps - rising)


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
