"""What the training of an attention classifier is, but its data and its seed."""

from dataclasses import dataclass, field
from typing import Any

from scrutiny.core.errors import PlanError
from scrutiny.models.attention_network import Architecture
from scrutiny.training.finetuning.recipe import Recipe as Rows


@dataclass(frozen=True, slots=True)
class Recipe:
    """Every choice of a run but its data and its seed.

    Rate, optimizer (Adam with amsgrad) and the decay that spares the attention are those of Jain
    & Wallace (2019); the dropout of words' vectors is ours, for data smaller than theirs.

    Parameters
    ----------
    architecture
        Encoder, attention and dimensions.
    epochs, batch
        Passes over the training part, and texts of a step.
    lr, weight_decay, clip
        Rate, decay of all but the attention, and the largest norm of a gradient.
    dropout
        Share of the numbers of words' vectors that is left out of a step.
    least
        How often a word must stand in the training part to be known.
    limit
        Rows drawn at random from the data, the same for all seeds; all unless given.
    dev_share
        Share of the rows that is split off for choosing the epoch, where no dev data is named; 0
        keeps the last epoch.
    """

    architecture: Architecture = field(default_factory=Architecture)
    epochs: int = 12
    batch: int = 32
    lr: float = 1e-3
    weight_decay: float = 1e-5
    clip: float = 1.0
    dropout: float = 0.3
    least: int = 1
    limit: int | None = None
    dev_share: float = 0.1

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "least"):
            if getattr(self, name) < 1:
                raise PlanError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 < self.lr < float("inf") or not 0 < self.clip < float("inf"):
            raise PlanError(f"lr and clip must be above 0, not {self.lr} and {self.clip}.")
        for name in ("weight_decay", "dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise PlanError(f"{name} must lie between 0 and 1, not {getattr(self, name)}.")
        self.rows()  # checks the rest

    def rows(self) -> Rows:
        """Which rows are taken, in the words of fine-tuning."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def plain(self) -> dict[str, Any]:
        """Plain JSON of the recipe."""
        names = ("epochs", "batch", "lr", "weight_decay", "clip", "dropout", "least")
        stated = {name: getattr(self, name) for name in (*names, "limit", "dev_share")}
        return {"architecture": self.architecture.plain(), **stated}
