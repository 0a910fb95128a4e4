"""Targets of piece labeling: the labels that the network is trained to predict, and their scores.

Scores are sums of counts over frames.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.models.hf.word_pieces import SentencePieces, WordCutter
from scrutiny.training.finetuning.piece_tasks import (
    AnchoredFrame,
    ControlLabels,
    Learned,
    target_rate,
)
from scrutiny.training.finetuning.recipe import ControlRecipe
from scrutiny.training.finetuning.targets import IGNORED, TAGS, EncodedExamples


@dataclass(frozen=True, slots=True)
class PieceFrame:
    """Word pieces of one frame, without special tokens and markers.

    Parameters
    ----------
    places
        Position of each in what the network reads; -1 where it was cut off.
    truth, own
        Label of each by the annotation, and in the task that is learned.
    types
        Type of each.
    sentence
        Text of the sentence, which all its frames share.
    """

    places: tuple[int, ...]
    truth: tuple[int, ...]
    own: tuple[int, ...]
    types: tuple[str, ...]
    sentence: str

    def answers(self, row: Sequence[int]) -> list[int]:
        """Predicted label of each piece; -1 for pieces that were cut off."""
        return [row[place] if place >= 0 else -1 for place in self.places]


def target_counts(frames: Sequence[PieceFrame], rows: Sequence[Sequence[int]]) -> Floats:
    """Counts ``(frame, 4)`` of targets by the annotation: right, predicted, gold, all pieces."""
    counts = np.zeros((len(frames), 4))
    for i, (frame, row) in enumerate(zip(frames, rows, strict=True)):
        answers = frame.answers(row)
        right = sum(a == 1 == t for a, t in zip(answers, frame.truth, strict=True))
        counts[i] = right, sum(a == 1 for a in answers), sum(frame.truth), len(answers)
    return counts


def label_counts(
    frames: Sequence[PieceFrame], rows: Sequence[Sequence[int]], *, types: frozenset[str] | None
) -> Floats:
    """Counts ``(frame, 3)`` of the learned labels: right, of the most frequent label, all pieces.

    Parameters
    ----------
    frames, rows
        Frames, and the answers at all their positions.
    types
        Types that are counted; None for all.
    """
    # most frequent label of pieces of these types; ties go to the first
    seen = Counter(
        label
        for frame in frames
        for label, kind in zip(frame.own, frame.types, strict=True)
        if types is None or kind in types
    )
    commonest = max(sorted(seen), key=seen.__getitem__, default=0)
    counts = np.zeros((len(frames), 3))
    for i, (frame, row) in enumerate(zip(frames, rows, strict=True)):
        for answer, label, kind in zip(frame.answers(row), frame.own, frame.types, strict=True):
            if types is None or kind in types:
                counts[i] += answer == label, label == commonest, 1
    return counts


def target_f1(sums: Any) -> Any:
    """F1 of an anchored target from summed `target_counts` ``(..., 4)``; NaN without targets.

    Examples
    --------
    >>> import numpy as np
    >>> float(target_f1(np.array([3.0, 4.0, 6.0, 20.0])))
    0.6
    """
    right, predicted, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    with np.errstate(invalid="ignore"):
        return 2 * right / (predicted + gold)


def f1_of_all(sums: Any) -> Any:
    """F1 of predicting every piece as a target."""
    gold, pieces = sums[..., 2], sums[..., 3]
    with np.errstate(invalid="ignore"):
        return 2 * gold / (pieces + gold)


def accuracy(sums: Any) -> Any:
    """Accuracy of the labels of pieces, from summed `label_counts` ``(..., 3)``."""
    with np.errstate(invalid="ignore"):
        return sums[..., 0] / sums[..., 2]


def accuracy_of_commonest(sums: Any) -> Any:
    """Share of the pieces with the most frequent label."""
    with np.errstate(invalid="ignore"):
        return sums[..., 1] / sums[..., 2]


#: Marks of a space in front of a piece, in vocabularies of bytes and of SentencePiece.
_SPACES: Final = "Ġ▁"


@dataclass(frozen=True, slots=True)
class EncodedFrames(EncodedExamples):
    """Tokenized frames; ``frames`` hold the positions of the words' pieces."""

    frames: tuple[PieceFrame, ...]


class PieceTarget:
    """Conversion of word labels to targets of pieces.

    Every piece of a word has the word's label. Words are cut one by one, as they are when the
    attention of the checkpoint is read.

    Parameters
    ----------
    learned
        Task and recipe.
    train
        Training part: the types that occur in it, and the rate of targets, are read off it.
    seed
        Of the labels of a control task.
    """

    maker = TAGS
    problem: str | None = None
    tags = True

    def __init__(self, learned: Learned, train: Sequence[Example], *, seed: int) -> None:
        self.learned = learned
        self.names = learned.names
        self.metric = learned.task.metric
        self._index = {name: i for i, name in enumerate(learned.truths)}
        self._train = learned.frames(train)
        #: Control labels; ``None`` if the labels are the annotation's.
        self.control: ControlLabels | None = None
        recipe = learned.recipe
        if isinstance(recipe, ControlRecipe):
            label_seed = seed if recipe.label_seed is None else recipe.label_seed
            self.control = ControlLabels(label_seed, target_rate(self._train), recipe.true_share)
        self._of_type: dict[str, int] = {}
        self._cutter: WordCutter | None = None
        self._tokenizer: Any = None
        #: Types that occur in the training part; known once something was encoded.
        self.seen: frozenset[str] = frozenset()

    @property
    def scored_types(self) -> frozenset[str] | None:
        """Types that are scored: for a control task those seen in training; ``None`` for all."""
        return None if self.control is None else self.seen

    def score(self, encoded: EncodedFrames, rows: Sequence[Sequence[int]]) -> float:
        """Score of predictions at all positions; 0 if undefined."""
        return _or_zero(self._sums(encoded, rows), target_f1 if self.metric == "f1" else accuracy)

    def chance(self, encoded: EncodedFrames) -> float:
        """Score without skill: every piece a target, or the most frequent label."""
        nothing = [[-1] * size for size in encoded.lengths]
        without = f1_of_all if self.metric == "f1" else accuracy_of_commonest
        return _or_zero(self._sums(encoded, nothing), without)

    def _sums(self, encoded: EncodedFrames, rows: Sequence[Sequence[int]]) -> Any:
        if self.metric == "f1":
            return target_counts(encoded.frames, rows).sum(axis=0)
        return label_counts(encoded.frames, rows, types=self.scored_types).sum(axis=0)

    def encode(self, tokenizer: Any, examples: Sequence[Example], *, longest: int) -> EncodedFrames:
        """Tokenize examples, with the targets of their pieces."""
        if self._cutter is None:
            self._cutter, self._tokenizer = WordCutter(tokenizer), tokenizer
            self.seen = frozenset(
                kind for frame in self._train for kind in self._read(frame, None)[1].types
            )
        read = [self._read(frame, longest) for frame in self.learned.frames(examples)]
        ids = [list(pieces.ids) for pieces, _ in read]
        columns = {"input_ids": ids, "attention_mask": [[1] * len(row) for row in ids]}
        if "token_type_ids" in tokenizer.model_input_names:
            columns["token_type_ids"] = [[0] * len(row) for row in ids]
        frames = tuple(frame for _, frame in read)
        # target of each position: the label of its word, or the value that the loss ignores
        unlabeled = 0 if self.learned.recipe.loss_on == "all" else IGNORED
        targets = [[unlabeled] * len(row) for row in ids]
        for frame, own in zip(frames, targets, strict=True):
            for place, label in zip(frame.places, frame.own, strict=True):
                if place >= 0:
                    own[place] = label
        n_cut = sum(-1 in frame.places for frame in frames)
        return EncodedFrames(columns, targets, [], n_cut, frames)

    def _read(self, frame: AnchoredFrame, longest: int | None) -> tuple[SentencePieces, PieceFrame]:
        """Pieces of a frame, truncated if too long, and the labels of its words' pieces."""
        assert self._cutter is not None
        whole = self._cutter.cut([frame.words])[0]
        if isinstance(whole, Failure):
            raise DataError(f"{frame.sentence!r} cannot be cut into pieces: {whole.message}.")
        # number of leading pieces that fit before the final special tokens
        if longest is None or len(whole.ids) <= longest:
            room = len(whole.ids)
        else:
            room = longest - _n_behind(whole)
        labeled = {word for word, label in enumerate(frame.labels) if label is not None}
        places = [i for i, word in enumerate(whole.words) if word in labeled]
        words = [whole.words[i] or 0 for i in places]
        truth = tuple(self._index[str(frame.labels[word])] for word in words)
        types = tuple(self._types(whole, places, words))
        where = tuple(place if place < room else -1 for place in places)
        # labels to learn: the annotation's, or those of the types
        control = self.control
        if control is None or control.keeps_truth(frame.marked):
            own = truth
        else:
            for kind in types:
                if kind not in self._of_type:
                    self._of_type[kind] = control.of_type(kind)
            own = tuple(self._of_type[kind] for kind in types)
        # pieces that fit, with the special tokens at the end
        tail = max(room, len(whole.ids) - _n_behind(whole))
        kept = SentencePieces(
            (*whole.ids[:room], *whole.ids[tail:]), (*whole.words[:room], *whole.words[tail:])
        )
        return kept, PieceFrame(where, truth, own, types, frame.sentence)

    def _types(
        self, whole: SentencePieces, places: Sequence[int], words: Sequence[int]
    ) -> list[str]:
        """Type of each piece: its word as the tokenizer reads it, or the piece itself."""
        read_as = self._tokenizer.convert_ids_to_tokens(list(whole.ids))
        tokens = [token.lstrip(_SPACES) for token in read_as]
        recipe = self.learned.recipe
        if isinstance(recipe, ControlRecipe) and recipe.types == "pieces":
            return [tokens[place] for place in places]
        read: dict[int, str] = {}
        for place, word in zip(places, words, strict=True):
            read[word] = read.get(word, "") + tokens[place]
        return [read[word] for word in words]


def _or_zero(sums: Any, score: Callable[[Any], Any]) -> float:
    value = float(score(sums))
    return value if isfinite(value) else 0.0


def _n_behind(pieces: SentencePieces) -> int:
    """Number of special tokens after the last piece of a word."""
    return next((i for i, word in enumerate(reversed(pieces.words)) if word is not None), 0)
