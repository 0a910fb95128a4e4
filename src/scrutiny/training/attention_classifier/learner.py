"""An attention classifier that learns: its network, its optimizer, and how it reads."""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.models.words.attention import AttentionParts
from scrutiny.models.words.attention_network import encoded, sequences_of, weighted
from scrutiny.models.words.network import fresh_parts
from scrutiny.models.words.vocabulary import Vocabulary
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.words.epochs import Lesson, stream_seed
from scrutiny.training.words.network_recipe import NetworkRecipe
from scrutiny.training.words.numbered import Numbered

VERSION: Final = "attention-classifier@1"


def lesson_of(recipe: NetworkRecipe, parts: DataParts, *, seed: int) -> Lesson:
    """Fresh network of a seed, and the texts of both parts that have a word.

    Raises
    ------
    DataError
        If no text of the training part has a word.
    """
    words = Vocabulary.of_texts((e.text for e in parts.train), least=recipe.least)
    train, dev = (
        Numbered.of(part, words, parts.labels).with_words() for part in (parts.train, parts.dev)
    )
    if not train.ids:
        raise DataError(f"No text of {parts.sources[0]} has a word: there is nothing to learn.")
    first = stream_seed(seed, "weights", version=VERSION)
    made = fresh_parts(AttentionParts, recipe.architecture, words, labels=parts.labels, seed=first)
    return Lesson(_Learner(made, recipe), train, dev, made)


class _Learner:
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
