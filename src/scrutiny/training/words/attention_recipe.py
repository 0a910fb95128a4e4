"""Recipe of attention classifiers: hyperparameters and learner."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from scrutiny.core.example import Example
from scrutiny.models.words.attention import AttentionParts
from scrutiny.models.words.attention_network import Architecture, encoded, sequences_of, weighted
from scrutiny.models.words.model import Vocabulary
from scrutiny.models.words.network import NetworkParts
from scrutiny.training.words.epochs import Learner
from scrutiny.training.words.network_recipe import NEEDS, NetworkRecipe
from scrutiny.training.words.word_recipe import Numbered

VERSION: Final = "attention-classifier@1"


class _Learner(Learner):
    """A network with one layer of attention, and its optimizer."""

    def __init__(self, made: AttentionParts, recipe: NetworkRecipe) -> None:
        import torch

        self.network, self._made, self._dropout = made.network, made, recipe.dropout
        attention = list(self.network["attention"].parameters())
        apart = {id(p) for p in attention}
        others = [p for p in self.network.parameters() if id(p) not in apart]
        groups = [
            {"params": others, "weight_decay": recipe.weight_decay},
            {"params": attention, "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.Adam(groups, lr=recipe.lr, amsgrad=True)

    def logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)``."""
        import torch

        network, architecture = self.network, self._made.architecture
        ids, lengths, is_word = sequences_of(texts)
        embedded = torch.nn.functional.dropout(
            network["embedding"](ids), self._dropout, training=network.training
        )
        vectors = encoded(network, architecture, embedded, lengths)
        weights = weighted(network, architecture, vectors, is_word)
        return network["output"]((weights[:, None] @ vectors)[:, 0])


@dataclass(frozen=True, slots=True)
class AttentionRecipe(NetworkRecipe):
    """Hyperparameters of a run; data and seed are not among them.

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
    needs: ClassVar[tuple[str, ...]] = ("Training an attention classifier", *NEEDS)
    parts_of: ClassVar[type[NetworkParts]] = AttentionParts
    learner: ClassVar[type[Any]] = _Learner

    architecture: Architecture = field(default_factory=Architecture)
    epochs: int = 12
    batch: int = 32
    weight_decay: float = 1e-5
    least: int = 1

    def numbered(
        self, examples: Sequence[Example], words: Vocabulary, labels: Sequence[str]
    ) -> Numbered:
        """Texts as word ids; texts without a known word are left out."""
        return Numbered.of(examples, words, labels).with_words()
