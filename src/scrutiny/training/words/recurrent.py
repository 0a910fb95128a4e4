"""Steps of a recurrent classifier, epoch by epoch; the best one on the dev part is kept."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import Any, Final

from scrutiny.core.errors import DataError, MissingExtraError, ModelError, PlanError
from scrutiny.core.randomness import generator, stream_key
from scrutiny.models.attention_network import sequences_of
from scrutiny.models.attention_vocabulary import Vocabulary
from scrutiny.models.recurrent_classifier import RecurrentParts, write_recurrent
from scrutiny.models.recurrent_network import RecurrentArchitecture, make_recurrent, pooled
from scrutiny.training.finetuning.batches import by_length, shuffled
from scrutiny.training.finetuning.parts import Parts
from scrutiny.training.finetuning.recipe import Recipe as Rows
from scrutiny.training.words.family import Trained

VERSION: Final = "recurrent-classifier@1"
_ASKED: Final = 256  # texts at a time when the dev part is scored


@dataclass(frozen=True, slots=True)
class RecurrentRecipe:
    """Every choice of a run but its data and its seed.

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

    architecture: RecurrentArchitecture = field(default_factory=RecurrentArchitecture)
    epochs: int = 6
    batch: int = 64
    lr: float = 1e-3
    weight_decay: float = 1e-4
    clip: float = 1.0
    dropout: float = 0.3
    least: int = 2
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

    @property
    def version(self) -> str:
        """Name of the procedure."""
        return VERSION

    @property
    def packages(self) -> tuple[str, ...]:
        """What weights depend on."""
        return ("numpy", "torch")

    def plain(self) -> dict[str, Any]:
        """Plain JSON of all choices."""
        names = ("epochs", "batch", "lr", "weight_decay", "clip", "dropout", "least")
        stated = {name: getattr(self, name) for name in (*names, "limit", "dev_share")}
        return {"architecture": self.architecture.plain(), **stated}

    def rows(self) -> Rows:
        """Which rows are taken."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def fit(self, parts: Parts, *, seed: int) -> Trained:
        """Network as it was after its best epoch on the dev part.

        The seed decides the first weights, the order of the texts and what is dropped.

        Raises
        ------
        DataError
            If no word stands often enough.
        ModelError
            If the loss is not finite.
        MissingExtraError
            If torch or safetensors are not installed.
        """
        try:
            import safetensors.torch
            import torch  # noqa: F401 - asked for before anything is done
        except ImportError as error:
            raise MissingExtraError("Training a recurrent classifier", "hf") from error
        del safetensors
        texts = _texts(parts, self)
        network = make_recurrent(
            self.architecture,
            n_words=len(texts.vocabulary.words),
            n_labels=len(parts.labels),
            seed=_seed(seed, "weights"),
        )
        trainer = _Trainer(network, self)
        epochs: list[dict[str, Any]] = []
        best: tuple[float, int, Any] = (-1.0, 0, None)
        for number in range(1, self.epochs + 1):
            loss = trainer.epoch(texts.train, seed=seed, number=number)
            score = trainer.accuracy(texts.dev) if texts.dev.ids else None
            epochs.append({"epoch": number, "loss": loss, "dev": score})
            if score is None or score > best[0]:  # without a dev part the last epoch is kept
                weights = deepcopy(network.state_dict())
                best = (-1.0 if score is None else score, number, weights)
        network.load_state_dict(best[2])
        made = RecurrentParts(self.architecture, texts.vocabulary, parts.labels, network)
        record = {
            "words": len(texts.vocabulary.words),
            "epochs": epochs,
            "chosen_epoch": best[1],
            "dev_score": epochs[best[1] - 1]["dev"],
        }
        return Trained(partial(write_recurrent, made), record)


@dataclass(frozen=True, slots=True)
class _Part:
    """Word ids and label of each text."""

    ids: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]

    @property
    def lengths(self) -> list[int]:
        return [len(ids) for ids in self.ids]


@dataclass(frozen=True, slots=True)
class _Texts:
    """Both parts in the words of the training part."""

    vocabulary: Vocabulary
    train: _Part
    dev: _Part


def _texts(parts: Parts, recipe: RecurrentRecipe) -> _Texts:
    """Both parts as numbers."""
    vocabulary = Vocabulary.of_texts((e.text for e in parts.train), least=recipe.least)
    if not vocabulary.words:
        raise DataError(
            f"No word stands {recipe.least} times in {parts.sources[0]}: there is nothing to learn."
        )
    known = vocabulary.index()
    train, dev = (
        _Part(
            tuple(tuple(vocabulary.ids(vocabulary.cut(e.text), known)) for e in part),
            tuple(parts.labels.index(str(e.gold)) for e in part),
        )
        for part in (parts.train, parts.dev)
    )
    return _Texts(vocabulary, train, dev)


def _seed(seed: int, purpose: str, draw: int = 0) -> int:
    return stream_key(seed, purpose, VERSION, "", draw) % 2**63


class _Trainer:
    """A network with its optimizer."""

    def __init__(self, network: Any, recipe: RecurrentRecipe) -> None:
        import torch

        self._network, self._recipe = network, recipe
        self._optimizer = torch.optim.AdamW(
            network.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay
        )

    def epoch(self, part: _Part, *, seed: int, number: int) -> float:
        """Mean loss over the texts of one pass."""
        import torch

        self._network.train()
        order = generator(_seed(seed, "order"), "order", name=VERSION, item="", draw=number)
        total = 0.0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_seed(seed, "dropout", number))
            for batch in shuffled(part.lengths, self._recipe.batch, rng=order):
                total += self._step(part, batch) * len(batch)
        return total / len(part.ids)

    def _step(self, part: _Part, batch: Sequence[int]) -> float:
        """Loss of one step."""
        import torch

        logits = self._logits([part.ids[i] for i in batch])
        gold = torch.tensor([part.labels[i] for i in batch])
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

        network, recipe = self._network, self._recipe
        ids, lengths, _ = sequences_of(texts)

        def dropped(vectors: Any) -> Any:
            return torch.nn.functional.dropout(vectors, recipe.dropout, training=network.training)

        vectors = pooled(network, recipe.architecture, dropped(network["embedding"](ids)), lengths)
        return network["output"](dropped(vectors))

    def accuracy(self, part: _Part) -> float:
        """Share of the texts whose label is the likeliest."""
        import torch

        self._network.eval()
        right = 0
        with torch.inference_mode():
            for batch in by_length(part.lengths, _ASKED):
                found = self._logits([part.ids[i] for i in batch]).argmax(-1).tolist()
                right += sum(found[k] == part.labels[i] for k, i in enumerate(batch))
        return right / len(part.ids)
