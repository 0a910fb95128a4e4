"""Epochs of a small network; the best one on the dev part is kept."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Final

from scrutiny.core.errors import ModelError
from scrutiny.core.randomness import generator, stream_key
from scrutiny.models.words.network import NetworkParts
from scrutiny.training.finetuning.batches import by_length, shuffled
from scrutiny.training.timing import STEPS, seconds_of_training
from scrutiny.training.words.word_recipe import Numbered, OnStep, unheard

_ASKED: Final = 256  # texts at a time when the dev part is scored


class Learner(ABC):
    """A network with its optimizer and its forward pass."""

    #: Modules by name.
    network: Any
    #: Optimizer of the weights.
    optimizer: Any

    @abstractmethod
    def logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)`` of word ids; with dropout while the network trains."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Network with its training and dev texts.

    Parameters
    ----------
    learner
        The network that is trained.
    train, dev
        Training texts, and dev texts for choosing the epoch, which may be empty.
    made
        Model to be written in the end, with the same network.
    """

    learner: Learner
    train: Numbered
    dev: Numbered
    made: NetworkParts


@dataclass(frozen=True, slots=True)
class LessonPace:
    """Hyperparameters of the training loop.

    Parameters
    ----------
    epochs, batch, clip
        Passes, texts of a step, and the largest norm of a gradient.
    version
        Of the procedure: names its streams of random numbers.
    """

    epochs: int
    batch: int
    clip: float
    version: str


@dataclass(frozen=True, slots=True)
class LessonEpoch:
    """One epoch: its mean loss, and the dev accuracy if there is a dev part."""

    epoch: int
    loss: float
    dev: float | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """History of all epochs, and the number of the chosen one."""

    epochs: tuple[LessonEpoch, ...]
    chosen: int

    def record(self) -> dict[str, Any]:
        """History as plain JSON."""
        return {
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "chosen_epoch": self.chosen,
            "dev_score": self.epochs[self.chosen - 1].dev,
        }


def stream_seed(seed: int, purpose: str, *, version: str, draw: int = 0) -> int:
    """Seed for one purpose of a training: weights, order, dropout."""
    return stream_key(seed, purpose, version, "", draw) % 2**63


def take(lesson: Lesson, pace: LessonPace, *, seed: int, on_step: OnStep = unheard) -> Fitted:
    """Train a network; it ends in the state of the best epoch on the dev part.

    Parameters
    ----------
    lesson, pace
        Network with its texts, and hyperparameters.
    seed
        Seed of the order of the texts and of dropout.
    on_step
        Called behind each step.

    Raises
    ------
    ModelError
        If the loss is not finite.
    """
    network = lesson.learner.network
    epochs: list[LessonEpoch] = []
    best: tuple[float, int, Any] = (-1.0, 0, None)
    for number in range(1, pace.epochs + 1):
        loss = _epoch(lesson, pace, seed=seed, number=number, on_step=on_step)
        score = accuracy(lesson.learner, lesson.dev) if lesson.dev.ids else None
        epochs.append(LessonEpoch(number, loss, score))
        if score is None or score > best[0]:  # without a dev part the last epoch is kept
            best = (-1.0 if score is None else score, number, deepcopy(network.state_dict()))
    network.load_state_dict(best[2])
    return Fitted(tuple(epochs), best[1])


def _epoch(lesson: Lesson, pace: LessonPace, *, seed: int, number: int, on_step: OnStep) -> float:
    """Train one epoch; returns its mean loss."""
    import torch

    lesson.learner.network.train()
    version = pace.version
    start = stream_seed(seed, "order", version=version)
    order = generator(start, "order", name=version, item="", draw=number)
    total = 0.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(stream_seed(seed, "dropout", version=version, draw=number))
        for batch in shuffled(lesson.train.lengths, pace.batch, rng=order):
            total += _step(lesson, batch, clip=pace.clip) * len(batch)
            on_step()
    return total / len(lesson.train.ids)


def _step(lesson: Lesson, batch: Sequence[int], *, clip: float) -> float:
    """Take one step; returns its loss."""
    import torch

    learner, texts = lesson.learner, lesson.train
    logits = learner.logits([texts.ids[i] for i in batch])
    gold = torch.tensor([texts.labels[i] for i in batch])
    loss = torch.nn.functional.cross_entropy(logits, gold)
    learner.optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(learner.network.parameters(), clip)
    learner.optimizer.step()
    value = float(loss.detach())
    if not isfinite(value):
        raise ModelError(f"The loss is {value}: the training diverged. Choose a smaller lr.")
    return value


def accuracy(learner: Learner, texts: Numbered) -> float:
    """Share of the texts whose most likely label is the gold one."""
    import torch

    learner.network.eval()
    right = 0
    with torch.inference_mode():
        for batch in by_length(texts.lengths, _ASKED):
            found = learner.logits([texts.ids[i] for i in batch]).argmax(-1).tolist()
            right += sum(found[k] == texts.labels[i] for k, i in enumerate(batch))
    return right / len(texts.ids)


def seconds_of(lesson: Lesson, pace: LessonPace) -> float:
    """Seconds of all epochs, extrapolated from a few steps that are taken."""
    count = len(lesson.train.ids)
    rng = generator(0, "timing", name=pace.version, item="texts")
    drawn = rng.permutation(count)[: pace.batch * STEPS].tolist()
    lengths = lesson.train.chosen(drawn).lengths
    batches = [[drawn[i] for i in batch] for batch in shuffled(lengths, pace.batch, rng=rng)]
    return seconds_of_training(
        _steps(lesson, batches, clip=pace.clip),
        epochs=pace.epochs,
        batch=pace.batch,
        texts=count,
        dev=len(lesson.dev.ids),
    )


def _steps(lesson: Lesson, batches: Sequence[Sequence[int]], *, clip: float) -> Iterator[float]:
    """Loss of each step."""
    import torch

    lesson.learner.network.train()
    with torch.random.fork_rng(devices=[]):
        for batch in batches:
            yield _step(lesson, batch, clip=clip)
