"""Recipes of small networks over words: what is common, and the hyperparameters of each kind."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.answers.label_and_spans import SEGMENTS as OF_WORDS
from scrutiny.core.answers.label_and_spans import SPANS as OF_TAGS
from scrutiny.core.boundary.parameters import above_zero, at_least, shares
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.facts import RUNNING_TEXT, SEGMENTS, SPANS
from scrutiny.models.strings.training_records import FROM_NOTHING
from scrutiny.models.words.attention_classifier import Architecture, AttentionParts
from scrutiny.models.words.convolution_classifier import (
    ConvolutionArchitecture,
    ConvolutionParts,
)
from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture, RecurrentParts
from scrutiny.models.words.self_attention_classifier import (
    SelfAttentionArchitecture,
    SelfAttentionParts,
)
from scrutiny.models.words.word_model import Vocabulary, words_of
from scrutiny.models.words.word_networks import NEXT, NetworkParts, fresh_parts, write_network
from scrutiny.tasks.annotated import Passages
from scrutiny.tasks.classification import TextClassification
from scrutiny.tasks.segmentation import WordSegmentation
from scrutiny.tasks.tags import bio_names
from scrutiny.tasks.token_tagging import TokenTagging
from scrutiny.training.finetuning.training_data import DataParts
from scrutiny.training.words.word_recipe import (
    Learner,
    Lesson,
    Numbered,
    OnStep,
    Trained,
    WordRecipe,
    first_characters,
    seconds_of,
    stream_seed,
    take,
    uncut_characters,
    unheard,
)


def cut_text(example: Example) -> tuple[str, ...]:
    """Words of an example, as classifiers of texts cut it."""
    return Vocabulary.cut(example.text)


class _Learned(NamedTuple):
    """How texts of a task are cut and numbered, which answer is learned, and by which outputs.

    ``outputs`` are made of the labels and of the vocabulary's words, which are called ``pieces``.
    """

    cut: Callable[[Example], tuple[str, ...]]
    numbered: Callable[[Sequence[Example], Vocabulary, Sequence[str]], Numbered]
    answer: str
    outputs: Callable[[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]
    pieces: str = ""


#: Names of the outputs that are no characters: padding, unknown, and the boundaries.
_NO_CHARACTERS: Final = ("<padding>", "<unknown>", "<begin>", "<end>")
_LABELED: Final = _Learned(cut_text, Numbered.of, LABEL.name, lambda labels, _: labels)
_READINGS: Final = {
    SPANS: _Learned(words_of, Numbered.of_words, OF_TAGS.name, lambda labels, _: bio_names(labels)),
    SEGMENTS: _Learned(
        uncut_characters,
        Numbered.of_borders,
        OF_WORDS.name,
        lambda *_: ("apart", "together"),
        "characters and pairs",
    ),
    RUNNING_TEXT: _Learned(
        first_characters,
        Numbered.of_characters,
        NEXT,
        lambda _, words: (*_NO_CHARACTERS, *words),
        "characters",
    ),
}
#: Extra of all small networks, and its modules.
NEEDS: Final = ("hf", "torch", "safetensors.torch")


@dataclass(frozen=True, slots=True)
class NetworkRecipe(WordRecipe):
    """Hyperparameters of all small networks; each kind adds defaults and its own learner.

    Parameters
    ----------
    architecture
        Cells, readout and dimensions.
    epochs, batch
        Passes over the training part, and texts of a step.
    lr, weight_decay, clip
        Rate and decay, and the largest norm of a gradient.
    dropout
        Share of the numbers of words' vectors that is left out of a step.
    least
        Least number of occurrences in the training part for a word to be in the vocabulary.
    limit
        Rows drawn at random from the data, the same for all seeds; default: all.
    dev_share
        Share of the rows that is split off for choosing the epoch, where no dev data is named; 0
        keeps the last epoch.
    """

    replicates_of: ClassVar[str] = FROM_NOTHING
    parts_of: ClassVar[type[NetworkParts]]
    #: Whether texts without a known word are learned from.
    reads_no_words: ClassVar[bool] = True

    architecture: Any = None
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
        at_least(self, epochs=1, batch=1, least=1)
        above_zero(self, "lr", "clip")
        shares(self, "weight_decay", "dropout")
        self.rows()  # checks the rest

    def lesson(self, parts: DataParts, *, seed: int) -> Lesson:
        """Fresh network of a seed, with both data parts as word ids.

        Raises
        ------
        DataError
            If no word is frequent enough.
        """
        wanted = _learned_of(parts)
        words = Vocabulary.of_words(map(wanted.cut, parts.train), least=self.least)
        if not words.words:
            raise DataError(
                f"No word occurs often enough in {parts.sources[0]} (at least {self.least}): "
                "the vocabulary would be empty."
            )
        names = wanted.outputs(parts.labels, words.words)
        train, dev = (wanted.numbered(part, words, names) for part in (parts.train, parts.dev))
        if not self.reads_no_words:
            train, dev = train.with_words(), dev.with_words()
        first = stream_seed(seed, "weights", version=self.version)
        made = fresh_parts(
            self.parts_of,
            self.for_answer(wanted.answer),
            words,
            labels=names,
            seed=first,
            answer=wanted.answer,
        )
        return Lesson(Learner(made, self), train, dev, made, self)

    def for_answer(self, answer: str) -> Any:
        """Architecture of a network with these answers: the stated one."""
        return self.architecture

    @abstractmethod
    def optimizer(self, network: Any) -> Any:
        """Optimizer of the weights of a network."""

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """Numbers of epochs and steps of one seed."""
        return {"epochs": self.epochs, "steps": self.epochs * -(-len(parts.train) // self.batch)}

    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Train a network; it is returned in the state of its best epoch on the dev part.

        The seed determines initial weights, the order of the texts and dropout.

        Raises
        ------
        DataError
            If there are fewer than two labels, or no word is frequent enough.
        ModelError
            If the loss is not finite.
        MissingExtraError
            If torch or safetensors are not installed.
        """
        self.require()
        lesson = self.lesson(parts, seed=seed)
        record = take(lesson, seed=seed, on_step=on_step)
        words = len(lesson.made.vocabulary.words)
        counts = {"words": words, "weights": weights_of(lesson.made)}
        if pieces := _learned_of(parts).pieces:
            counts["pieces"] = pieces
        return Trained(partial(write_network, lesson.made), {**counts, **record})

    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """Writer of a network of the same shape, and the seconds that one seed would take."""
        self.require()
        lesson = self.lesson(parts, seed=0)
        return partial(write_network, lesson.made), seconds_of(lesson)


def _learned_of(parts: DataParts) -> _Learned:
    """How texts of these data are read: for labels by default."""
    facts = parts.task.facts
    return next((one for wanted, one in _READINGS.items() if wanted.are_of(facts)), _LABELED)


def weights_of(made: NetworkParts) -> dict[str, int]:
    """Number of weights in the vectors of ``words``, and of the ``others``."""
    in_words = made.network["embedding"].weight.numel()
    return {
        "words": in_words,
        "others": sum(one.numel() for one in made.network.parameters()) - in_words,
    }


@dataclass(frozen=True, slots=True)
class SequenceRecipe(NetworkRecipe):
    """Hyperparameters of networks that read words in their context, trained with AdamW.

    They learn labels of texts, tags of words, or the words of uncut texts.
    """

    packages: ClassVar[tuple[str, ...]] = ("numpy", "torch")
    tasks: ClassVar[tuple[str, ...]] = (
        TextClassification.name,
        TokenTagging.name,
        WordSegmentation.name,
    )

    def optimizer(self, network: Any) -> Any:
        """AdamW on all weights."""
        import torch

        parameters = network.parameters()
        return torch.optim.AdamW(parameters, lr=self.lr, weight_decay=self.weight_decay)


@dataclass(frozen=True, slots=True)
class ConvolutionRecipe(SequenceRecipe):
    """Hyperparameters of a convolutional network, trained with AdamW.

    Parameters
    ----------
    architecture
        Pooling, width and dimensions.
    epochs, batch, lr, weight_decay, clip, dropout, least, limit, dev_share
        See `scrutiny.training.words.network_recipes.NetworkRecipe`.
    """

    version: ClassVar[str] = "convolution-classifier@1"
    needs: ClassVar[tuple[str, ...]] = ("Training a convolutional classifier", *NEEDS)
    parts_of: ClassVar[type[NetworkParts]] = ConvolutionParts

    architecture: ConvolutionArchitecture = field(default_factory=ConvolutionArchitecture)


@dataclass(frozen=True, slots=True)
class SelfAttentionRecipe(SequenceRecipe):
    """Hyperparameters of a network of self-attention, trained with AdamW.

    Parameters
    ----------
    architecture
        Pooling, heads and dimensions.
    epochs, batch, lr, weight_decay, clip, dropout, least, limit, dev_share
        See `scrutiny.training.words.network_recipes.NetworkRecipe`.
    """

    version: ClassVar[str] = "self-attention-classifier@1"
    needs: ClassVar[tuple[str, ...]] = ("Training a self-attention classifier", *NEEDS)
    parts_of: ClassVar[type[NetworkParts]] = SelfAttentionParts

    architecture: SelfAttentionArchitecture = field(default_factory=SelfAttentionArchitecture)


@dataclass(frozen=True, slots=True)
class RecurrentRecipe(SequenceRecipe):
    """Hyperparameters of a recurrent network, trained with AdamW.

    It learns labels, tags, words, or of running text (passages) the next character at each of the
    first 256 characters of a passage: no state is carried from one passage to the next.

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
        Least number of occurrences in the training part for a word to be in the vocabulary.
    limit, dev_share
        As in fine-tuning.
    """

    version: ClassVar[str] = "recurrent-classifier@1"
    needs: ClassVar[tuple[str, ...]] = ("Training a recurrent classifier", *NEEDS)
    parts_of: ClassVar[type[NetworkParts]] = RecurrentParts

    tasks: ClassVar[tuple[str, ...]] = (*SequenceRecipe.tasks, Passages.name)

    architecture: RecurrentArchitecture = field(default_factory=RecurrentArchitecture)

    def for_answer(self, answer: str) -> RecurrentArchitecture:
        """The stated one; of the next character in one direction, as the other one sees it."""
        made = self.architecture
        return replace(made, is_bidirectional=False) if answer == NEXT else made


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
        See `scrutiny.training.words.network_recipes.NetworkRecipe`; the decay spares the attention.
    """

    version: ClassVar[str] = "attention-classifier@1"
    packages: ClassVar[tuple[str, ...]] = ("torch",)
    needs: ClassVar[tuple[str, ...]] = ("Training an attention classifier", *NEEDS)
    parts_of: ClassVar[type[NetworkParts]] = AttentionParts
    reads_no_words: ClassVar[bool] = False

    architecture: Architecture = field(default_factory=Architecture)
    epochs: int = 12
    batch: int = 32
    weight_decay: float = 1e-5
    least: int = 1

    def optimizer(self, network: Any) -> Any:
        """Adam with amsgrad; the weights of the attention do not decay."""
        import torch

        attention = list(network["attention"].parameters())
        apart = {id(p) for p in attention}
        others = [p for p in network.parameters() if id(p) not in apart]
        groups = [
            {"params": others, "weight_decay": self.weight_decay},
            {"params": attention, "weight_decay": 0.0},
        ]
        return torch.optim.Adam(groups, lr=self.lr, amsgrad=True)
