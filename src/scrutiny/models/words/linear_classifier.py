"""Linear classifiers over words: ``linear:./runs/words/seed-{seed}``.

A folder that ``scrutiny train linear`` wrote: JSON and arrays of integers. A text's score for a
label is the sum of its words' weights, each as often as it stands there (and of those of pairs of
neighbors, if it was trained with them). The sums are of integers, so that no answer depends on a
batch, an order or a processor; neither torch nor scikit-learn is needed to ask it.

Without pairs the model is linear in its words' vectors (their weights), and what its gradients say
of the scores is exact however far one goes.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from scrutiny.core.arrays import Floats, Integers
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.gradients import (
    InputEmbeddings,
    ParameterGradient,
    PathGradient,
    PathGradients,
    TokenGradients,
)
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import index_of
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_strings import ModelSource
from scrutiny.models.words.word_model import (
    Vocabulary,
    WordModel,
    no_mask,
    pieces_of_words,
    read_config,
    require_words,
    word_folder,
    write_word_file,
)

#: What ``config.json`` says that the folder is.
FORMAT: Final = "linear-classifier@1"
VOCABULARY: Final = "vocabulary.json"
WEIGHTS: Final = "weights.npz"
#: Weights are whole multiples of 2 to the power of minus this.
BITS: Final = 16
#: What stands between the words of a pair; no word holds it.
BETWEEN: Final = " "


@dataclass(frozen=True, slots=True, eq=False)
class LinearParts:
    """Weights with everything needed to apply them.

    Parameters
    ----------
    features
        Words, and pairs of words with a space between them, in the order of the rows.
    labels
        In the order of the columns.
    weights, bias
        ``(feature, label)`` and ``(label,)``, in units of 2 to the power of -`BITS`.
    has_pairs
        Whether neighbors count as well.
    """

    features: tuple[str, ...]
    labels: tuple[str, ...]
    weights: Integers
    bias: Integers
    has_pairs: bool = False

    def digest(self) -> str:
        """Digest of weights, features and labels."""
        settings = [self.features, self.labels, self.has_pairs, BITS]
        arrays = [np.ascontiguousarray(a, "<i8").tobytes() for a in (self.weights, self.bias)]
        return digest(FORMAT, canonical_json(settings), *map(digest, arrays))

    def write(self, folder: Path) -> None:
        """Write weights, words and configuration into an existing folder."""
        config = {"format": FORMAT, "labels": list(self.labels), "has_pairs": self.has_pairs}
        write_word_file(folder / "config.json", config)
        write_word_file(folder / VOCABULARY, list(self.features))
        weights, bias = self.weights.astype(np.int32), self.bias.astype(np.int64)
        np.savez(folder / WEIGHTS, weights=weights, bias=bias)


def features_of(text: str, *, has_pairs: bool) -> list[str]:
    """Features of a text for a linear classifier: its words in lower case, and pairs of neighbors.

    Examples
    --------
    >>> features_of("Not good.", has_pairs=True)
    ['not', 'good', '.', 'not good', 'good .']
    """
    words = Vocabulary.cut(text)
    pairs = map(BETWEEN.join, pairwise(words)) if has_pairs else ()
    return [*words, *pairs]


class LinearWordModel(WordModel):
    """A bag-of-words classifier; capability ``gradients`` if it has no pairs.

    Examples
    --------
    >>> parts = LinearParts(("good", "bad"), ("neg", "pos"), np.array([[-1, 1], [1, -1]]) << BITS,
    ...     np.array([0, 0]))
    >>> model = LinearWordModel(parts, "linear:example")
    >>> model.logits(Example(id="0", fields={"text": "Good, good, bad!"})).tolist()
    [-65536, 65536]
    """

    is_batch_invariant = True

    def __init__(self, parts: LinearParts, source: str) -> None:
        by_words = () if parts.has_pairs else ("gradients", "path_gradients")
        offers = ("last_layer", "parameter_gradients", "shuffled_weights", *by_words)
        super().__init__(parts, source, offers=offers)
        self._parts = parts
        # row 0 is that of every unknown word
        zero = np.zeros((1, len(parts.labels)), np.int64)
        self._table = np.concatenate([zero, np.asarray(parts.weights, np.int64)])
        self._rows = {feature: row for row, feature in enumerate(parts.features, 1)}
        self._embeddings: InputEmbeddings | None = None

    def logits(self, example: Example) -> Integers:
        """Scores ``(label,)`` in units of 2 to the power of -`BITS`, integers."""
        return np.asarray(self._table[self._ids(example)].sum(axis=0) + self._parts.bias)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Probabilities of the labels for each example, in order."""
        return [Prediction(scores=_softmax(self.logits(example).tolist())) for example in examples]

    def last_layer(self, examples: Sequence[Example]) -> Any:
        """Counts ``(example, feature)`` of the features that it has weights for, sparse."""
        from scipy.sparse import csr_array

        rows = [[row - 1 for row in self._ids(example) if row] for example in examples]
        places = [column for row in rows for column in row]
        borders = np.cumsum([0, *map(len, rows)])
        shape = (len(rows), len(self._parts.features))
        counts = csr_array((np.ones(len(places)), places, borders), shape=shape)
        counts.sum_duplicates()
        return counts

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label for each example, in order.

        It is the same at every word: the probabilities, less 1 at the label.

        Raises
        ------
        ModelError
            For a label that the model does not have, or if it has pairs of words.
        """
        targets = [index_of(label, self.labels, source=self.source) for label in labels]
        if self._parts.has_pairs:
            raise ModelError(
                f"{self.source} has pairs of words, so no gradients; its labels are "
                f"{', '.join(self.labels)}."
            )
        found: list[TokenGradients | Failure] = []
        for example, target in zip(examples, targets, strict=True):
            slope = self._slope(example, target)
            ids = tuple(self._ids(example))
            gradient = np.broadcast_to(slope, (len(ids), len(slope))).copy()
            found.append(TokenGradients(pieces_of_words(example), ids, gradient))
        return found

    def _along_path(self, example: Example, label: int, query: PathGradient) -> PathGradients:
        """The weights of its words, less that of the start, exact whatever the steps.

        An unknown word has no weight, nor has padding: these are zeros.
        """
        if query.baseline == "mask":
            raise no_mask(self.source)
        start = self._table[1:, label].mean() / 2.0**BITS if query.baseline == "mean" else 0.0
        weights = self._table[self._ids(example), label] / 2.0**BITS
        places = [(0, first, end) for _, first, end in pieces_of_words(example)]
        bias = self._parts.bias[label] / 2.0**BITS
        scores = (bias + start * len(weights), bias + weights.sum())
        return PathGradients.of_pieces((weights - start).tolist(), places, scores)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Its two arrays."""
        return ("weights", "bias")

    @contextmanager
    def with_shuffled_weights(self, share: float, seed: int) -> Iterator[Model]:
        """Another model in which the weights have other words: all of them, as it is one layer."""
        weights = np.random.default_rng(seed).permuted(self._parts.weights, axis=0)
        yield LinearWordModel(replace(self._parts, weights=weights), self.source)

    def _by_parameters(
        self, example: Example, label: int, query: ParameterGradient
    ) -> tuple[tuple[float, ...], ...]:
        """Gradient by ``weights`` ``(feature, label)`` and ``bias`` ``(label,)``."""
        names = query.parameters or self.parameter_names
        if unknown := set(names) - set(self.parameter_names):
            raise ModelError(f"{self.source} has no parameter {min(unknown)!r}: weights, bias.")
        slope = self._slope(example, label)
        counts = np.bincount(self._ids(example), minlength=len(self._table))[1:]
        rows = {"weights": np.outer(counts, slope).ravel(), "bias": slope}
        return tuple(tuple(rows[name].tolist()) for name in names)

    def _slope(self, example: Example, label: int) -> Floats:
        """Probabilities ``(label,)`` of an example, less 1 at a label: the slope of its loss."""
        slope = np.array(_softmax(self.logits(example).tolist()))
        slope[label] -= 1.0
        return slope

    def embeddings(self) -> InputEmbeddings:
        """Weights of all words, behind those of unknown words (zeros); dimensions are labels."""
        if self._embeddings is None:
            starts = np.arange(len(self._table)) > 0
            words = ("", *self._parts.features)
            self._embeddings = InputEmbeddings(self._table / 2.0**BITS, words, starts)
        return self._embeddings

    def _ids(self, example: Example) -> list[int]:
        """Rows of the features of an example."""
        features = features_of(example.text, has_pairs=self._parts.has_pairs)
        return [self._rows.get(feature, 0) for feature in features]


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Linear classifier of a folder.

    Raises
    ------
    ModelError
        If the folder holds no such classifier, or an option cannot be read.
    """
    # Sums of integers run where they are, whatever the options say.
    folder = require_words(source, task)
    parts = read_linear(folder, source.text)
    parts = replace(parts, labels=source.labels_for(parts.labels))
    return LinearWordModel(parts, source.text)


def read_linear(folder: Path, text: str) -> LinearParts:
    """Parts of the classifier in a folder.

    Parameters
    ----------
    folder
        Where `LinearParts.write` has put it.
    text
        Model string, for messages.
    """
    config = read_config(folder, text, FORMAT, verb="scrutiny train linear")
    features = Vocabulary.read(folder / VOCABULARY).words
    labels = tuple(config["labels"])
    try:
        with np.load(folder / WEIGHTS, allow_pickle=False) as stored:
            weights, bias = stored["weights"], stored["bias"]
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"{text!r}: {WEIGHTS} does not load: {error}") from error
    is_whole = all(np.issubdtype(array.dtype, np.integer) for array in (weights, bias))
    shapes = (len(features), len(labels)), (len(labels),)
    if not is_whole or (weights.shape, bias.shape) != shapes:
        raise ModelError(
            f"{text!r}: {WEIGHTS} must hold integers of the shapes {shapes[0]} and {shapes[1]}, "
            f"not {weights.dtype} {weights.shape} and {bias.dtype} {bias.shape}."
        )
    has_pairs = bool(config.get("has_pairs", False))
    return LinearParts(features, labels, weights.astype(np.int64), bias.astype(np.int64), has_pairs)


def _softmax(logits: Sequence[int]) -> tuple[float, ...]:
    """Probabilities of integer scores; exponentials are computed one by one for exactness."""
    best = max(logits)
    shares = [math.exp((logit - best) / 2.0**BITS) for logit in logits]
    total = math.fsum(shares)
    return tuple(share / total for share in shares)


ADAPTER: Final = Adapter(load, folder_of=word_folder)
