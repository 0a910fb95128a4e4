"""Gradient queries to classifiers: by the input, along a path to it, and by parameters.

The capability ``gradients`` (`Gradients`) gives the slope of the loss with regard to the vectors
that a network reads, piece by piece, and those vectors themselves: together they say to first order
what any other piece in a place would do to the loss. It is asked of the model itself and never
cached.

The two others are queries of plain values, and `scrutiny.core.diagnostic.Context.ask` sends them
through the answer cache in batches, as it does those of `scrutiny.core.queries.language`:

====================== =================== =====================================================
capability             query               answer
====================== =================== =====================================================
``path_gradients``     `PathGradient`      `PathGradients`: attributions by integrated gradients
``parameter_gradients`` `ParameterGradient` for each parameter its gradient, one flat row
====================== =================== =====================================================

``shuffled_weights`` (`ShufflesWeights`) is the model with its weights in disorder, which says
whether an explanation has anything to do with them.

References
----------
M. Sundararajan, A. Taly, Q. Yan (2017). Axiomatic attribution for deep networks. ICML.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    NamedTuple,
    Protocol,
    get_args,
    runtime_checkable,
)

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model

if TYPE_CHECKING:
    import numpy as np


class InputPiece(NamedTuple):
    """Piece of a text with a vector of its own: code points of one field, end excluded."""

    field: str
    start: int
    end: int


class TokenGradients(NamedTuple):
    """Gradient of the loss at one example.

    Special tokens, padding and whatever was cut off are not there.

    Parameters
    ----------
    pieces
        Where each piece stands, in the order of the input.
    ids
        Row of each piece in the matrix of `InputEmbeddings`.
    gradient
        Float array ``(piece, dimension)``: the derivative of the loss, which is minus the log of
        the probability of the label asked about, with regard to each piece's input vector.
    """

    pieces: tuple[InputPiece, ...]
    ids: tuple[int, ...]
    gradient: "np.ndarray[Any, Any]"


class InputEmbeddings(NamedTuple):
    """Input embeddings of a network.

    Parameters
    ----------
    matrix
        Float array ``(vocabulary, dimension)``.
    vocabulary
        What each row writes in a text, without the tokenizer's marks ("film", not "Ġfilm"); empty
        for special and unused tokens.
    starts_word
        Bool array ``(vocabulary,)``: whether the piece begins a word; false for special tokens.
    """

    matrix: "np.ndarray[Any, Any]"
    vocabulary: tuple[str, ...]
    starts_word: "np.ndarray[Any, Any]"

    def whole_words(self) -> list[int]:
        """Rows that begin a word and contain letters only: candidates to replace a word."""
        pairs = zip(self.vocabulary, self.starts_word.tolist(), strict=True)
        return [i for i, (word, begins) in enumerate(pairs) if begins and word.isalpha()]


@runtime_checkable
class Gradients(Protocol):
    """Capability ``gradients``; answers do not depend on the other examples."""

    labels: tuple[str, ...]

    def gradients(
        self, examples: Sequence[Example], labels: Sequence[str]
    ) -> list[TokenGradients | Failure]:
        """Gradient of the negative log-probability of a label, for each example, in order."""

    def embeddings(self) -> InputEmbeddings:
        """Input vectors of the whole vocabulary; the same object each time."""


#: Start of a path: vectors of zeros; the vector of a word that the model does not know, of its
#: padding or of its mask; or the mean of its words' vectors.
Baseline = Literal["zeros", "unknown", "pad", "mask", "mean"]
BASELINES: Final[tuple[Baseline, ...]] = get_args(Baseline)


#: Reason of an answer whose attributions miss the difference of the scores; more steps may help.
INCOMPLETE: Final = "incomplete_path"


class PathGradient(NamedTuple):
    """Path from a baseline to a text, along which gradients are integrated.

    Parameters
    ----------
    texts
        Name and text of each field of the example, in order.
    target
        Label whose score is attributed: its logit, before the softmax.
    baseline
        What every piece's input vector is at the start; special tokens are as in the text.
    steps
        Points on the straight line between the two (nodes of a Gauss-Legendre quadrature).
    """

    texts: tuple[tuple[str, str], ...]
    target: str
    baseline: Baseline = "zeros"
    steps: int = 32

    @classmethod
    def of(cls, example: Example, target: str, **settings: Any) -> "PathGradient":
        """Query for an example: its fields and a label; ``baseline`` and ``steps`` by name."""
        return cls(tuple(example.fields.items()), target, **settings)

    @property
    def cost(self) -> int:
        """Approximate number of tokens that are run."""
        return self.steps * _tokens(self.texts)


class PathGradients(NamedTuple):
    """Attributions of a label's score to the pieces of a text, by integrated gradients.

    Parameters
    ----------
    attributions
        Share of each piece in the difference of the scores, in the units of a logit: the integral
        of the gradient along the path times the difference of the vectors.
    fields, starts, ends
        Where each piece stands: index of its field, and code points, end excluded.
    scores
        Logits of the target at the baseline and at the text.
    """

    attributions: tuple[float, ...]
    fields: tuple[int, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    scores: tuple[float, float]

    @classmethod
    def of_numbers(cls, rows: Sequence[Sequence[float]]) -> "PathGradients":
        """Answer from its rows of numbers, as they are stored."""
        attributions, fields, starts, ends, scores = rows
        fields, starts, ends = (tuple(map(int, row)) for row in (fields, starts, ends))
        before, after = map(float, scores)
        return cls(tuple(map(float, attributions)), fields, starts, ends, (before, after))

    @classmethod
    def of_pieces(
        cls,
        attributions: Sequence[float],
        places: Sequence[tuple[int, int, int]],
        scores: Sequence[float],
    ) -> "PathGradients":
        """Answer from the attribution of each piece and its place: field, start, end."""
        columns = zip(*places, strict=True) if places else ((), (), ())
        return cls.of_numbers((attributions, *columns, scores))

    def pieces(self, query: PathGradient) -> tuple[InputPiece, ...]:
        """Places of the pieces in the texts of the query."""
        names = [name for name, _ in query.texts]
        places = zip(self.fields, self.starts, self.ends, strict=True)
        return tuple(InputPiece(names[field], start, end) for field, start, end in places)

    @property
    def gap(self) -> float:
        """How far the attributions are from summing to the difference of the scores.

        Relative to that difference, or to the largest attribution where it is larger.
        """
        difference = self.scores[1] - self.scores[0]
        scale = max(map(abs, (difference, *self.attributions)))
        return abs(sum(self.attributions) - difference) / scale if scale else 0.0


class ParameterGradient(NamedTuple):
    """Gradient of the loss at one example with regard to some parameters.

    Parameters
    ----------
    texts
        Name and text of each field of the example, in order.
    target
        Label of the example: the loss is minus the log of its probability.
    parameters
        Some of the model's ``parameter_names``; those of its last layer if empty.
    """

    texts: tuple[tuple[str, str], ...]
    target: str
    parameters: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, example: Example, target: str, parameters: tuple[str, ...] = ()
    ) -> "ParameterGradient":
        """Query for an example: its fields, its label, and names of parameters."""
        return cls(tuple(example.fields.items()), target, parameters)

    @property
    def cost(self) -> int:
        """Approximate number of tokens that are run."""
        return _tokens(self.texts)


@runtime_checkable
class FollowsPaths(Protocol):
    """Capability ``path_gradients``; answers do not depend on the other queries."""

    labels: tuple[str, ...]

    def path_gradients(self, queries: Sequence[PathGradient]) -> list[PathGradients]:
        """Integrated gradients of each query, in order.

        Raises
        ------
        ModelError
            For a label that the model does not have, or a baseline that it cannot start from.
        """


@runtime_checkable
class HasParameters(Protocol):
    """Capability ``parameter_gradients``; answers do not depend on the other queries."""

    labels: tuple[str, ...]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of all parameters."""

    def parameter_gradients(
        self, queries: Sequence[ParameterGradient]
    ) -> list[tuple[tuple[float, ...], ...]]:
        """Gradient of each parameter asked about, flat in row-major order, for each query.

        Raises
        ------
        ModelError
            For a label or a parameter that the model does not have.
        """


@runtime_checkable
class ShufflesWeights(Protocol):
    """Capability ``shuffled_weights``; answers meanwhile are never cached as the model's own."""

    def with_shuffled_weights(self, share: float, seed: int) -> AbstractContextManager[Model]:
        """The model with the weights of a share of its layers shuffled, from the output down.

        It may be this very object, which must not be asked for its own answers meanwhile.
        """


#: Steps beyond which a path is given up.
MOST_STEPS: Final = 512

#: What answers queries of paths, as `Context.ask` does.
AskPaths = Callable[[Sequence[PathGradient]], Sequence[PathGradients | Failure]]


def complete_paths(
    ask: AskPaths, queries: Sequence[PathGradient]
) -> list[tuple[PathGradient, PathGradients | Failure]]:
    """Each query with its answer: the steps of a path that is not complete are doubled.

    Parameters
    ----------
    ask
        What answers, all queries at once.
    queries
        Paths with the steps to begin with; at most `MOST_STEPS` are tried.
    """
    asked = list(queries)
    found = list(ask(asked))
    while again := [i for i, one in enumerate(found) if _is_open(one, asked[i])]:
        for i in again:
            asked[i] = asked[i]._replace(steps=2 * asked[i].steps)
        for i, one in zip(again, ask([asked[i] for i in again]), strict=True):
            found[i] = one
    return list(zip(asked, found, strict=True))


def _is_open(answer: PathGradients | Failure, query: PathGradient) -> bool:
    """Whether a path needs more steps, and may have them."""
    is_short = isinstance(answer, Failure) and answer.reason == INCOMPLETE
    return is_short and 2 * query.steps <= MOST_STEPS


#: Gradients that `Context.ask` sends through the cache.
FOLLOWED: Final = ("path_gradients", "parameter_gradients")


def examples_of(queries: Sequence[PathGradient | ParameterGradient]) -> list[Example]:
    """Examples that queries ask about, numbered in order."""
    return [Example(str(i), dict(query.texts)) for i, query in enumerate(queries)]


def _tokens(texts: Sequence[tuple[str, str]]) -> int:
    """Approximate number of tokens of some texts."""
    return sum(len(text) for _, text in texts) // 4 + 1
