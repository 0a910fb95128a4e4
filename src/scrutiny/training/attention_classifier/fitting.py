"""Steps of an attention classifier, epoch by epoch; the best one on the dev part is kept."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator, stream_key
from scrutiny.models.attention_classifier import AttentionParts
from scrutiny.models.attention_network import encoded, make_network, sequences_of, weighted
from scrutiny.models.attention_vocabulary import Vocabulary
from scrutiny.training.attention_classifier.recipe import Recipe
from scrutiny.training.finetuning.batches import by_length, shuffled
from scrutiny.training.finetuning.parts import Parts

VERSION: Final = "attention-classifier@1"
_ASKED: Final = 256  # texts at a time when the dev part is scored


@dataclass(frozen=True, slots=True)
class Epoch:
    """One pass: its mean loss, and the accuracy on the dev part where there is one."""

    epoch: int
    loss: float
    dev: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A trained network, its epochs, and the number of the one that is kept."""

    parts: AttentionParts
    epochs: tuple[Epoch, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class _Texts:
    """Word ids and label of each text that has a word."""

    ids: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]

    @classmethod
    def of(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, labels: Sequence[str]
    ) -> "_Texts":
        known = vocabulary.index()
        rows = [
            (tuple(vocabulary.ids(vocabulary.cut(e.text), known)), labels.index(str(e.gold)))
            for e in examples
        ]
        kept = [row for row in rows if row[0]]
        return cls(tuple(ids for ids, _ in kept), tuple(label for _, label in kept))

    @property
    def lengths(self) -> list[int]:
        return [len(ids) for ids in self.ids]


def fit(parts: Parts, recipe: Recipe, *, seed: int) -> Fitted:
    """Network trained on the training part, as it was after its best epoch on the dev part.

    Parameters
    ----------
    parts
        Training and dev part.
    recipe
        What is done.
    seed
        Decides the first weights, the order of the texts and what is dropped.

    Raises
    ------
    DataError
        If no text of the training part has a word.
    ModelError
        If the loss is not finite.
    """
    vocabulary = Vocabulary.of_texts((e.text for e in parts.train), least=recipe.least)
    train, dev = (_Texts.of(part, vocabulary, parts.labels) for part in (parts.train, parts.dev))
    if not train.ids:
        raise DataError(f"No text of {parts.sources[0]} has a word: there is nothing to learn.")
    network = make_network(
        recipe.architecture,
        n_words=len(vocabulary.words),
        n_labels=len(parts.labels),
        seed=_seed(seed, "weights"),
    )
    trainer = _Trainer(network, recipe)
    epochs: list[Epoch] = []
    best: tuple[float, int, Any] = (-1.0, 0, None)
    for number in range(1, recipe.epochs + 1):
        loss = trainer.epoch(train, seed=seed, number=number)
        score = trainer.accuracy(dev) if dev.ids else None
        epochs.append(Epoch(number, loss, score))
        if score is None or score > best[0]:  # without a dev part the last epoch is kept
            best = (-1.0 if score is None else score, number, deepcopy(network.state_dict()))
    network.load_state_dict(best[2])
    made = AttentionParts(recipe.architecture, vocabulary, parts.labels, network)
    return Fitted(made, tuple(epochs), best[1])


def _seed(seed: int, purpose: str, draw: int = 0) -> int:
    return stream_key(seed, purpose, VERSION, "", draw) % 2**63


class _Trainer:
    """A network with its optimizer."""

    def __init__(self, network: Any, recipe: Recipe) -> None:
        import torch

        self._network, self._recipe = network, recipe
        attention = list(network["attention"].parameters())
        apart = {id(p) for p in attention}
        others = [p for p in network.parameters() if id(p) not in apart]
        groups = [
            {"params": others, "weight_decay": recipe.weight_decay},
            {"params": attention, "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.Adam(groups, lr=recipe.lr, amsgrad=True)

    def epoch(self, texts: _Texts, *, seed: int, number: int) -> float:
        """Mean loss over the texts of one pass."""
        import torch

        self._network.train()
        order = generator(_seed(seed, "order"), "order", name=VERSION, item="", draw=number)
        total = 0.0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_seed(seed, "dropout", number))
            for batch in shuffled(texts.lengths, self._recipe.batch, rng=order):
                total += self._step(texts, batch) * len(batch)
        return total / len(texts.ids)

    def _step(self, texts: _Texts, batch: Sequence[int]) -> float:
        """Loss of one step."""
        import torch

        logits = self._logits([texts.ids[i] for i in batch])
        gold = torch.tensor([texts.labels[i] for i in batch])
        loss = torch.nn.functional.cross_entropy(logits, gold)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._network.parameters(), self._recipe.clip)
        self._optimizer.step()
        value = float(loss.detach())
        if not isfinite(value):
            raise ModelError(f"The loss is {value}: the training fell apart. Give a smaller lr.")
        return value

    def _logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)``."""
        import torch

        network, architecture = self._network, self._recipe.architecture
        ids, lengths, is_word = sequences_of(texts)
        embedded = torch.nn.functional.dropout(
            network["embedding"](ids), self._recipe.dropout, training=network.training
        )
        vectors = encoded(network, architecture, embedded, lengths)
        weights = weighted(network, architecture, vectors, is_word)
        return network["output"]((weights[:, None] @ vectors)[:, 0])

    def accuracy(self, texts: _Texts) -> float:
        """Share of the texts whose label is the likeliest."""
        import torch

        self._network.eval()
        right = 0
        with torch.inference_mode():
            for batch in by_length(texts.lengths, _ASKED):
                found = self._logits([texts.ids[i] for i in batch]).argmax(-1).tolist()
                right += sum(found[k] == texts.labels[i] for k, i in enumerate(batch))
        return right / len(texts.ids)
