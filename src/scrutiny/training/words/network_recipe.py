"""Training of small networks over words: the choices, and recurrent classifiers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from scrutiny.core.errors import DataError, PlanError, require_packages
from scrutiny.models.strings.lineage import FROM_NOTHING
from scrutiny.models.words.attention_network import sequences_of
from scrutiny.models.words.model import Vocabulary
from scrutiny.models.words.network import fresh_parts, write_network
from scrutiny.models.words.recurrent import RecurrentParts
from scrutiny.models.words.recurrent_network import RecurrentArchitecture, pooled
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.recipe import FinetuningRecipe as Rows
from scrutiny.training.words.epochs import Lesson, LessonPace, seconds_of, stream_seed, take
from scrutiny.training.words.word_recipe import Numbered, OnStep, Trained, unheard


@dataclass(frozen=True, slots=True)
class NetworkRecipe:
    """Choices that all networks have; each kind has defaults of its own and makes its `lesson`.

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
        How often a word must stand in the training part to be known.
    limit
        Rows drawn at random from the data, the same for all seeds; all unless given.
    dev_share
        Share of the rows that is split off for choosing the epoch, where no dev data is named; 0
        keeps the last epoch.
    """

    version: ClassVar[str]
    packages: ClassVar[tuple[str, ...]]
    replicates_of: ClassVar[str] = FROM_NOTHING
    what: ClassVar[str]

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
        for name in ("epochs", "batch", "least"):
            if getattr(self, name) < 1:
                raise PlanError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if not 0 < self.lr < float("inf") or not 0 < self.clip < float("inf"):
            raise PlanError(f"lr and clip must be above 0, not {self.lr} and {self.clip}.")
        for name in ("weight_decay", "dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise PlanError(f"{name} must lie between 0 and 1, not {getattr(self, name)}.")
        self.rows()  # checks the rest

    def lesson(self, parts: DataParts, *, seed: int) -> Lesson:
        """Fresh network of a seed, and both parts in the words that it knows.

        Raises
        ------
        DataError
            If there is nothing to learn.
        """
        raise NotImplementedError

    def plain(self) -> dict[str, Any]:
        """Plain JSON of all choices."""
        names = ("epochs", "batch", "lr", "weight_decay", "clip", "dropout", "least")
        stated = {name: getattr(self, name) for name in (*names, "limit", "dev_share")}
        return {"architecture": self.architecture.plain(), **stated}

    def rows(self) -> Rows:
        """Which rows are taken, in the words of fine-tuning."""
        return Rows(limit=self.limit, dev_share=self.dev_share)

    def sizes(self, parts: DataParts) -> dict[str, int]:
        """Epochs and steps of one seed."""
        return {"epochs": self.epochs, "steps": self.epochs * -(-len(parts.train) // self.batch)}

    def require(self) -> None:
        """Raise if torch or safetensors are not installed."""
        require_packages(self.what, "hf", "torch", "safetensors.torch")

    def fit(self, parts: DataParts, *, seed: int, on_step: OnStep = unheard) -> Trained:
        """Network as it was after its best epoch on the dev part.

        The seed decides the first weights, the order of the texts and what is dropped.

        Raises
        ------
        DataError
            If there is nothing to learn.
        ModelError
            If the loss is not finite.
        MissingExtraError
            If torch or safetensors are not installed.
        """
        self.require()
        lesson = self.lesson(parts, seed=seed)
        fitted = take(lesson, self._pace, seed=seed, on_step=on_step)
        words = len(lesson.made.vocabulary.words)
        return Trained(partial(write_network, lesson.made), {"words": words, **fitted.record()})

    def stand_in(self, parts: DataParts) -> tuple[Callable[[Path], None], float]:
        """What writes a network of the same shape, and the seconds that one seed would take."""
        self.require()
        lesson = self.lesson(parts, seed=0)
        return partial(write_network, lesson.made), seconds_of(lesson, self._pace)

    @property
    def _pace(self) -> LessonPace:
        return LessonPace(self.epochs, self.batch, self.clip, self.version)


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
