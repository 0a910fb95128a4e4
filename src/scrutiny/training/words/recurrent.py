"""Training of recurrent classifiers: the choices, the network, and how it reads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from scrutiny.core.errors import DataError
from scrutiny.models.words.attention_network import sequences_of
from scrutiny.models.words.network import fresh_parts
from scrutiny.models.words.recurrent import RecurrentParts
from scrutiny.models.words.recurrent_network import RecurrentArchitecture, pooled
from scrutiny.models.words.vocabulary import Vocabulary
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.words.epochs import Lesson, stream_seed
from scrutiny.training.words.network_recipe import NetworkRecipe
from scrutiny.training.words.numbered import Numbered

VERSION: Final = "recurrent-classifier@1"


@dataclass(frozen=True, slots=True)
class RecurrentRecipe(NetworkRecipe):
    """Every choice of a run but its data and its seed; the optimizer is AdamW.

    Parameters
    ----------
    architecture
        Cell, pooling and dimensions.
    epochs, batch
        Passes over the training part, and texts of a step.
    lr, weight_decay, clip
        Rate and decay of AdamW, and the largest norm of a gradient.
    dropout
        Share of the numbers of words' vectors, and of the text's, left out of a step.
    least
        How often a word must stand in the training part to be known.
    limit, dev_share
        As in fine-tuning.
    """

    version: ClassVar[str] = VERSION
    packages: ClassVar[tuple[str, ...]] = ("numpy", "torch")
    what: ClassVar[str] = "Training a recurrent classifier"

    architecture: RecurrentArchitecture = field(default_factory=RecurrentArchitecture)

    def lesson(self, parts: DataParts, *, seed: int) -> Lesson:
        """Fresh network of a seed, and both parts in the words that it knows.

        Raises
        ------
        DataError
            If no word stands often enough.
        """
        words = Vocabulary.of_texts((e.text for e in parts.train), least=self.least)
        if not words.words:
            raise DataError(
                f"No word stands {self.least} times in {parts.sources[0]}: there is nothing to "
                "learn."
            )
        train, dev = (Numbered.of(part, words, parts.labels) for part in (parts.train, parts.dev))
        first = stream_seed(seed, "weights", version=VERSION)
        made = fresh_parts(
            RecurrentParts, self.architecture, words, labels=parts.labels, seed=first
        )
        return Lesson(_Learner(made, self), train, dev, made)


class _Learner:
    """A recurrent network with its optimizer."""

    def __init__(self, made: RecurrentParts, recipe: RecurrentRecipe) -> None:
        import torch

        self.network, self._recipe = made.network, recipe
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay
        )

    def logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)``."""
        import torch

        network, recipe = self.network, self._recipe
        ids, lengths, _ = sequences_of(texts)

        def dropped(vectors: Any) -> Any:
            return torch.nn.functional.dropout(vectors, recipe.dropout, training=network.training)

        vectors = pooled(network, recipe.architecture, dropped(network["embedding"](ids)), lengths)
        return network["output"](dropped(vectors))
