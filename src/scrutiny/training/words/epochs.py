"""Steps of a small network, epoch by epoch; the best one on the dev part is kept."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from math import isfinite
from time import perf_counter
from typing import Any, Final, Protocol

from scrutiny.core.errors import ModelError
from scrutiny.core.randomness import generator, stream_key
from scrutiny.models.words.network import NetworkParts
from scrutiny.training.finetuning.batches import by_length, shuffled
from scrutiny.training.words.word_recipe import Numbered, OnStep, unheard

_ASKED: Final = 256  # texts at a time when the dev part is scored
_TIMED: Final = 3  # steps that are timed, behind one that warms up
#: A step reads a text forward and twice as long backward; the dev part is only read forward.
_FORWARD: Final = 1 / 3


class Learner(Protocol):
    """A network with its optimizer, and how it reads."""

    @property
    def network(self) -> Any:
        """Parts by name."""
        ...

    @property
    def optimizer(self) -> Any:
        """What moves its weights."""
        ...

    def logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)`` of word ids; with dropout while the network trains."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Who learns what.

    Parameters
    ----------
    learner
        The network that is trained.
    train, dev
        Texts that it learns, and those that choose the epoch; there may be none of these.
    made
        What is written in the end, around the same network.
    """

    learner: Learner
    train: Numbered
    dev: Numbered
    made: NetworkParts


@dataclass(frozen=True, slots=True)
class LessonPace:
    """How a lesson is taken.

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
    """One pass: its mean loss, and the accuracy on the dev part where there is one."""

    epoch: int
    loss: float
    dev: float | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """All epochs, and the number of the one that is kept."""

    epochs: tuple[LessonEpoch, ...]
    chosen: int

    def record(self) -> dict[str, Any]:
        """Plain JSON of it."""
        return {
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "chosen_epoch": self.chosen,
            "dev_score": self.epochs[self.chosen - 1].dev,
        }


def stream_seed(seed: int, purpose: str, *, version: str, draw: int = 0) -> int:
    """Seed of one purpose of a training: weights, order, dropout."""
    return stream_key(seed, purpose, version, "", draw) % 2**63


def take(lesson: Lesson, pace: LessonPace, *, seed: int, on_step: OnStep = unheard) -> Fitted:
    """Epochs of a lesson; its network is left as it was after the best one on the dev part.

    Parameters
    ----------
    lesson, pace
        Who learns what, and how.
    seed
        Decides the order of the texts and what is dropped.
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
    """Mean loss over the texts of one pass."""
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
    """Loss of one step."""
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
        raise ModelError(f"The loss is {value}: the training fell apart. Give a smaller lr.")
    return value


def accuracy(learner: Learner, texts: Numbered) -> float:
    """Share of the texts whose label is the likeliest."""
    import torch

    learner.network.eval()
    right = 0
    with torch.inference_mode():
        for batch in by_length(texts.lengths, _ASKED):
            found = learner.logits([texts.ids[i] for i in batch]).argmax(-1).tolist()
            right += sum(found[k] == texts.labels[i] for k, i in enumerate(batch))
    return right / len(texts.ids)


def seconds_of(lesson: Lesson, pace: LessonPace) -> float:
    """Seconds that all epochs would take, from a few steps, which the network takes."""
    count = len(lesson.train.ids)
    rng = generator(0, "timing", name=pace.version, item="texts")
    drawn = rng.permutation(count)[: pace.batch * (_TIMED + 1)].tolist()
    lengths = lesson.train.chosen(drawn).lengths
    batches = [[drawn[i] for i in batch] for batch in shuffled(lengths, pace.batch, rng=rng)]
    took = list(_timed(lesson, batches, clip=pace.clip))
    told = took[1:] or took  # a single step is all there is
    each = sum(told) / len(told)
    on_dev = _FORWARD * len(lesson.dev.ids) / pace.batch
    return pace.epochs * each * (-(-count // pace.batch) + on_dev)


def _timed(lesson: Lesson, batches: Sequence[Sequence[int]], *, clip: float) -> Iterator[float]:
    """Seconds of each step."""
    import torch

    lesson.learner.network.train()
    with torch.random.fork_rng(devices=[]):
        for batch in batches:
            began = perf_counter()
            _step(lesson, batch, clip=clip)
            yield perf_counter() - began
