"""Piece-labeling tasks: the annotation itself, a control task, mixtures of both, relations.

::

    anchored-tagging   is this piece a target of the marked anchor?
    control-labels     the same inputs, with a label that each type has been given at random;
                       ``true_share`` of the annotations keep their true labels
    relation-tagging   the relation of each word to its head: a related task

A training node names one in place of a task of the data. A network can learn the control task only
by remembering; whatever its attention gains from it is not the annotation's.

Annotated examples as the network reads them: words with markers put in, and their labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.example import Example
from scrutiny.core.queries.annotation import AnchoredWords, Arcs
from scrutiny.core.randomness import generator
from scrutiny.tasks import annotated
from scrutiny.tasks.dependency_arcs import DependencyArcs
from scrutiny.training.finetuning.recipe import AnchoredRecipe, ControlRecipe, PieceRecipe

VERSION: Final = "control-labels@1"


@dataclass(frozen=True, slots=True)
class ControlLabels:
    """Random labels of word types, drawn once.

    Parameters
    ----------
    seed
        Seed of the labels.
    rate
        How likely a type is to have the label 1.
    true_share
        How likely an annotation is to keep its true labels. A larger share keeps those of a
        smaller one, and more.

    **Measures**: what tuning on the same inputs, at the same rate of labels, does without any task
    that means something.

    **Misleads when**: a few frequent types ("the", ",") decide the rate among tokens, which is then
    far from ``rate``: the record of each run says what it is.

    **References**: Hewitt & Liang (2019), Designing and interpreting probes with control tasks;
    Zhao & Bethard (2020).
    """

    seed: int
    rate: float
    true_share: float = 0.0

    def of_type(self, kind: str) -> int:
        """Label of a type, 0 or 1, independent of context.

        Examples
        --------
        >>> labels = ControlLabels(seed=1, rate=0.3)
        >>> labels.of_type("moor") == labels.of_type("moor")
        True
        """
        rng = generator(self.seed, "control-labels", name=VERSION, item=kind)
        return int(rng.random() < self.rate)

    def keeps_truth(self, frame: str) -> bool:
        """Whether an annotation, identified by its marked words, keeps its true labels."""
        rng = generator(self.seed, "true-share", name=VERSION, item=frame)
        return bool(rng.random() < self.true_share)


#: Labels of words under an anchored annotation.
TRUTHS: Final = ("O", "I-target")


@dataclass(frozen=True, slots=True)
class AnchoredFrame:
    """One annotation of one sentence.

    Parameters
    ----------
    words
        Of the sentence, with the markers put in.
    labels
        Label of each word; None for markers and for words without one.
    sentence
        Text of the sentence, which all its annotations share.
    """

    words: tuple[str, ...]
    labels: tuple[str | None, ...]
    sentence: str

    @property
    def marked(self) -> str:
        """Words with the markers: identifies an annotation within a sentence."""
        return canonical_json(self.words)

    @property
    def key(self) -> str:
        """Identity of the frame's training input."""
        return canonical_json([self.words, self.labels])


def anchored_frame(example: Example, markers: tuple[str, str]) -> AnchoredFrame:
    """Frame to learn an anchored annotation from, with markers around each run of its anchor.

    Several examples of a sentence (a sentence with two negations) are several frames.
    """
    view = AnchoredWords.of(example)
    anchors, targets = set(view.anchors), set(view.targets)
    words: list[str] = []
    labels: list[str | None] = []

    def put(word: str, label: str | None = None) -> None:
        words.append(word)
        labels.append(label)

    for index, word in enumerate(view.words):
        if index in anchors and index - 1 not in anchors:
            put(markers[0])
        put(word, TRUTHS[index in targets])
        if index in anchors and index + 1 not in anchors:
            put(markers[1])
    return AnchoredFrame(tuple(words), tuple(labels), example.text)


def target_rate(frames: Sequence[AnchoredFrame]) -> float:
    """Share of the words that are targets; markers do not count."""
    labels = [label for frame in frames for label in frame.labels if label is not None]
    return sum(label == TRUTHS[1] for label in labels) / max(1, len(labels))


@dataclass(frozen=True, slots=True)
class PieceTask:
    """A task that labels every piece.

    Parameters
    ----------
    name
        With its version; part of the identity of what is trained.
    reads
        Task of the data.
    recipe
        Type of its recipe.
    metric
        Score of pieces: ``f1`` of the second label, or ``accuracy``.
    names
        Outputs of the network; those that occur in the data where there are none.
    """

    name: str
    reads: str
    recipe: type[PieceRecipe]
    metric: Literal["f1", "accuracy"]
    names: tuple[str, ...] = ()


_OF_ANCHORS: Final = annotated.AnchoredSpans.name
#: By the name that a training node gives.
TASKS: Final = {
    "anchored-tagging": PieceTask("anchored-tagging@1", _OF_ANCHORS, AnchoredRecipe, "f1", TRUTHS),
    "control-labels": PieceTask(
        "control-labels@1", _OF_ANCHORS, ControlRecipe, "accuracy", ("O", "I-label")
    ),
    "relation-tagging": PieceTask(
        "relation-tagging@1", DependencyArcs.name, PieceRecipe, "accuracy"
    ),
}


def piece_task(name: str) -> PieceTask | None:
    """Piece-labeling task by name, with or without version; ``None`` for a task of data."""
    base = name.partition("@")[0]
    found = TASKS.get(base)
    return found if found is not None and name in (base, found.name) else None


@dataclass(frozen=True, slots=True)
class Learned:
    """Piece-labeling task with the hyperparameters of one training.

    Parameters
    ----------
    task, recipe
        Task and recipe.
    truths
        Labels of the annotation, in the order of the network's outputs.
    """

    task: PieceTask
    recipe: PieceRecipe
    truths: tuple[str, ...]

    @classmethod
    def of(cls, task: PieceTask, recipe: PieceRecipe, examples: Sequence[Example]) -> "Learned":
        """The task with labels found in these examples, if it declares none."""
        if task.names:
            return cls(task, recipe, TRUTHS)
        frames = (_frame(recipe, example) for example in examples)
        found = {label for frame in frames for label in frame.labels if label is not None}
        return cls(task, recipe, tuple(sorted(found)))

    @property
    def names(self) -> tuple[str, ...]:
        """Output names of the network: the labels."""
        return self.task.names or self.truths

    def frames(self, examples: Sequence[Example]) -> list[AnchoredFrame]:
        """Frames of the examples, in order."""
        return [_frame(self.recipe, example) for example in examples]

    def digest(self, *parts: Sequence[Example]) -> str:
        """Digest of the task and of its training input."""
        keys = [digest(*(frame.key for frame in self.frames(part))) for part in parts]
        return digest(self.task.name, *self.names, *keys)


def _frame(recipe: PieceRecipe, example: Example) -> AnchoredFrame:
    if isinstance(recipe, AnchoredRecipe):
        return anchored_frame(example, recipe.markers)
    view = Arcs.of(example)  # each word's relation to its head, and no markers
    return AnchoredFrame(view.words, tuple(name or None for name in view.relations), example.text)
