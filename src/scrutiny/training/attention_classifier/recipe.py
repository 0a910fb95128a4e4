"""What the training of an attention classifier is, but its data and its seed."""

from dataclasses import dataclass, field
from typing import ClassVar

from scrutiny.models.words.attention_network import Architecture
from scrutiny.training.attention_classifier.learner import VERSION, lesson_of
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.words.epochs import Lesson
from scrutiny.training.words.network_recipe import NetworkRecipe


@dataclass(frozen=True, slots=True)
class AttentionRecipe(NetworkRecipe):
    """Every choice of a run but its data and its seed.

    Rate, optimizer (Adam with amsgrad) and the decay that spares the attention are those of Jain
    & Wallace (2019); the dropout of words' vectors is ours, for data smaller than theirs.

    Parameters
    ----------
    architecture
        Encoder, attention and dimensions.
    epochs, batch, lr, weight_decay, clip, dropout, least, limit, dev_share
        See `scrutiny.training.words.network_recipe.NetworkRecipe`; the decay spares the attention.
    """

    version: ClassVar[str] = VERSION
    packages: ClassVar[tuple[str, ...]] = ("torch",)
    what: ClassVar[str] = "Training an attention classifier"

    architecture: Architecture = field(default_factory=Architecture)
    epochs: int = 12
    batch: int = 32
    weight_decay: float = 1e-5
    least: int = 1

    def lesson(self, parts: DataParts, *, seed: int) -> Lesson:
        """Fresh network of a seed, and the texts of both parts that have a word.

        Raises
        ------
        DataError
            If no text of the training part has a word.
        """
        return lesson_of(self, parts, seed=seed)
