"""Recipes of small models over words: their base class, texts as word ids, epochs of a network.

Of the epochs the best one on the dev part is kept.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Final

from scrutiny.core.errors import DataError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator, stream_key
from scrutiny.models.answers.returned_answers import borders
from scrutiny.models.hf.batching import by_length
from scrutiny.models.words.word_model import END, Vocabulary, characters_of, with_pairs, words_of
from scrutiny.models.words.word_networks import NetworkParts, sequences_of
from scrutiny.tasks.classification import TextClassification
from scrutiny.tasks.tags import to_bio
from scrutiny.training.finetuning.recipe import FinetuningRecipe as Rows
from scrutiny.training.finetuning.targets import shuffled
from scrutiny.training.finetuning.training_data import DataParts
from scrutiny.training.trainer import TIMED_STEPS, seconds_of_training, step_taken

#: Target that the loss ignores: boundaries and padding of texts with outputs at each position.
_IGNORED: Final = -100


#: Characters of a passage that a model of the next character is trained on: its first ones, as
#: what is open further on began where it cannot see.
_LONGEST: Final = 256


def first_characters(example: Example) -> tuple[str, ...]:
    """Characters of a passage that are trained on."""
    return Vocabulary.characters(example.text)[:_LONGEST]


def uncut_characters(example: Example) -> tuple[str, ...]:
    """Characters of a text that has to be cut into words, with their pairs."""
    return with_pairs(example.text)


@dataclass(frozen=True, slots=True)
class Numbered:
    """Word ids of each text, and its label, the tag of each word, or the next of each character.

    Of uncut texts the words are characters and their pairs, and of a pair it is told whether it
    belongs to two words.
    """

    ids: tuple[tuple[int, ...], ...]
    labels: tuple[int | tuple[int, ...], ...]

    @classmethod
    def of(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, labels: Sequence[str]
    ) -> "Numbered":
        """All examples with their labels, in order."""
        known = vocabulary.index()
        return cls(
            tuple(tuple(vocabulary.ids(vocabulary.cut(e.text), known)) for e in examples),
            tuple(labels.index(str(e.gold)) for e in examples),
        )

    @classmethod
    def of_words(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, names: Sequence[str]
    ) -> "Numbered":
        """All examples with the tags of their words, in order.

        All words are O where spans and words do not align, as in fine-tuning.
        """
        known, numbers = vocabulary.index(), {name: i for i, name in enumerate(names)}
        tagged = []
        for example in examples:
            tags = ["O"] * len(borders(example))
            with suppress(DataError):
                tags = to_bio(borders(example), example.gold or ())
            tagged.append(tuple(numbers[tag] for tag in tags))
        return cls(
            tuple(tuple(vocabulary.ids(words_of(e), known)) for e in examples), tuple(tagged)
        )

    @classmethod
    def of_characters(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, names: Sequence[str]
    ) -> "Numbered":
        """The first characters of all examples, each with the next one, in order."""
        known = vocabulary.index()
        ids = [tuple(vocabulary.ids(first_characters(e), known)) for e in examples]
        return cls(tuple(ids), tuple((*own[1:], END) if own else () for own in ids))

    @classmethod
    def of_borders(
        cls, examples: Sequence[Example], vocabulary: Vocabulary, names: Sequence[str]
    ) -> "Numbered":
        """Characters and pairs of all examples, and whether a pair is of two words (0) or one."""
        known = vocabulary.index()
        targets = []
        for example in examples:
            first = {start for start, _ in example.gold.borders}
            own = (int(place not in first) for place in characters_of(example.text))
            targets.append(tuple(chain.from_iterable((one, _IGNORED) for one in own))[1:])
        ids = (tuple(vocabulary.ids(uncut_characters(e), known)) for e in examples)
        return cls(tuple(ids), tuple(targets))

    def targets(self, batch: Sequence[int]) -> Any:
        """Labels ``(text,)`` of a batch, or tags ``(text, position)`` with two boundaries."""
        import torch

        found = [self.labels[i] for i in batch]
        if not any(isinstance(one, tuple) for one in found):
            return torch.tensor(found)
        width = max(len(self.ids[i]) for i in batch)
        rows = [one for one in found if isinstance(one, tuple)]
        padded = ([_IGNORED, *one, *[_IGNORED] * (width + 1 - len(one))] for one in rows)
        return torch.tensor(list(padded))

    @property
    def lengths(self) -> list[int]:
        """Number of words of each text."""
        return [len(ids) for ids in self.ids]

    def with_words(self) -> "Numbered":
        """Texts with at least one word."""
        return self.chosen([i for i, ids in enumerate(self.ids) if ids])

    def chosen(self, indices: Sequence[int]) -> "Numbered":
        """Texts at these indices."""
        return Numbered(tuple(self.ids[i] for i in indices), tuple(self.labels[i] for i in indices))


#: Called behind each step of a training.
OnStep = Callable[[], None]


def unheard() -> None:
    """Listener to the steps of training a classifier over words: it ignores them."""


@dataclass(frozen=True, slots=True)
class Trained:
    """Trained classifier in memory.

    Parameters
    ----------
    write
        Writes it into a folder that is there.
    record
        Outcome of the training: at least ``words``, the vocabulary size, and ``dev_score``, the
        recipe's score on the dev part or None.
    """

    write: Callable[[Path], None]
    record: Mapping[str, Any]


class WordRecipe(ABC):
    """Hyperparameters of a training; data and seed are not among them."""

    __slots__ = ()

    #: Versioned name of the procedure; part of every identity.
    version: ClassVar[str]
    #: Distributions that the weights depend on.
    packages: ClassVar[tuple[str, ...]]
    #: What is trained, the extra that it needs, and the modules of that.
    needs: ClassVar[tuple[str, ...]]
    #: Source of variation between seeds, as `scrutiny.models.strings.training_records` names it.
    replicates_of: ClassVar[str]
    #: Tasks that it learns, the usual one first, and what the dev score is.
    tasks: ClassVar[tuple[str, ...]] = (TextClassification.name,)
    score: ClassVar[str] = "accuracy"
    #: Whether its answers are labels, of which there must be several.
    has_labels: ClassVar[bool] = True

    limit: int | None
    dev_share: float

    def rows(self) -> Rows:
        """Selection of rows, as a fine-tuning recipe has it."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """``epochs`` and ``steps`` of one seed; empty if there are no steps."""
        return {}

    def require(self) -> None:
        """Raise `MissingExtraError` if a required package is not installed."""
        require_packages(*self.needs)

    @abstractmethod
    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Train the classifier of one seed."""

    @abstractmethod
    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """Writer of a classifier of the same shape, and the seconds that one seed would take."""


_ASKED: Final = 256  # texts at a time when the dev part is scored


class Learner:
    """A network with its optimizer, and its forward pass with dropout while it trains.

    Parameters
    ----------
    made
        Model with the network.
    recipe
        Its ``optimizer`` of a network, and the share of ``dropout``.
    """

    def __init__(self, made: NetworkParts, recipe: Any) -> None:
        self.network = made.network
        self.optimizer = recipe.optimizer(made.network)
        self._made = made
        self._dropout = recipe.dropout

    def logits(self, texts: Sequence[Sequence[int]]) -> Any:
        """Logits ``(text, label)`` of word ids."""
        import torch

        ids, lengths, is_word = sequences_of(texts)
        is_training = self.network.training
        drop = partial(torch.nn.functional.dropout, p=self._dropout, training=is_training)
        embedded = drop(self.network["embedding"](ids))
        return self._made.logits(embedded, lengths, is_word, drop=drop)


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
    recipe
        Its ``epochs``, texts of a ``batch``, ``clip`` (the largest norm of a gradient), and the
        ``version`` that names its streams of random numbers.
    """

    learner: Learner
    train: Numbered
    dev: Numbered
    made: NetworkParts
    recipe: Any


def stream_seed(seed: int, purpose: str, *, version: str, draw: int = 0) -> int:
    """Seed for one purpose of training a network over words: weights, order, dropout."""
    return stream_key(seed, purpose, version, "", draw) % 2**63


def take(lesson: Lesson, *, seed: int, on_step: OnStep = unheard) -> dict[str, Any]:
    """Train a network, which ends in the state of the best epoch on the dev part; its record.

    Parameters
    ----------
    lesson
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
    epochs: list[dict[str, Any]] = []
    best: tuple[float, int, Any] = (-1.0, 0, None)
    for number in range(1, lesson.recipe.epochs + 1):
        # train one epoch; returns its mean loss
        import torch

        lesson.learner.network.train()
        version = lesson.recipe.version
        start = stream_seed(seed, "order", version=version)
        order = generator(start, "order", name=version, item="", draw=number)
        total = 0.0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(stream_seed(seed, "dropout", version=version, draw=number))
            for batch in shuffled(lesson.train.lengths, lesson.recipe.batch, rng=order):
                total += _step(lesson, batch) * len(batch)
                on_step()
        loss = total / len(lesson.train.ids)
        score = accuracy(lesson.learner, lesson.dev) if lesson.dev.ids else None
        epochs.append({"epoch": number, "loss": loss, "dev": score})
        if score is None or score > best[0]:  # without a dev part the last epoch is kept
            best = (-1.0 if score is None else score, number, deepcopy(network.state_dict()))
    network.load_state_dict(best[2])
    chosen = best[1]
    return {"epochs": epochs, "chosen_epoch": chosen, "dev_score": epochs[chosen - 1]["dev"]}


def _step(lesson: Lesson, batch: Sequence[int]) -> float:
    """Take one step; returns its loss."""
    import torch

    learner, texts = lesson.learner, lesson.train
    logits = learner.logits([texts.ids[i] for i in batch])
    gold = texts.targets(batch)
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, -2), gold.flatten(), ignore_index=_IGNORED
    )
    return step_taken(loss, learner.optimizer, learner.network, clip=lesson.recipe.clip)


def accuracy(learner: Learner, texts: Numbered) -> float:
    """Share of the texts, or of the words, whose most likely label is the gold one."""
    import torch

    learner.network.eval()
    right = asked = 0
    with torch.inference_mode():
        for batch in by_length(texts.lengths, _ASKED):
            found, gold = learner.logits([texts.ids[i] for i in batch]), texts.targets(batch)
            right += int((found.argmax(-1) == gold).sum())
            asked += int((gold != _IGNORED).sum())
    return right / max(1, asked)


def seconds_of(lesson: Lesson) -> float:
    """Seconds of all epochs of a network over words, extrapolated from a few steps."""
    count, recipe = len(lesson.train.ids), lesson.recipe
    rng = generator(0, "timing", name=recipe.version, item="texts")
    drawn = rng.permutation(count)[: recipe.batch * TIMED_STEPS].tolist()
    lengths = lesson.train.chosen(drawn).lengths
    batches = [[drawn[i] for i in batch] for batch in shuffled(lengths, recipe.batch, rng=rng)]
    dev = len(lesson.dev.ids)
    return seconds_of_training(_steps(lesson, batches), recipe, texts=count, dev=dev)


def _steps(lesson: Lesson, batches: Sequence[Sequence[int]]) -> Iterator[float]:
    """Loss of each step."""
    import torch

    lesson.learner.network.train()
    with torch.random.fork_rng(devices=[]):
        for batch in batches:
            yield _step(lesson, batch)
