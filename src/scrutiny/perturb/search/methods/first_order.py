"""First-order search: word replacements that the gradient suggests."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.edit import Edit
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.perturb.search.methods.greedy_ranked import loss_gradients, wanted_slope
from scrutiny.perturb.search.methods.plain_searches import Beam, beam_search
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State
from scrutiny.text.letters import match_case

Proposing = Callable[[State, TokenGradients], Iterable[State]]


def gradient_beam(problem: Problem, propose: Proposing, *, width: int, steps: int) -> Asking:
    """Beam search over proposals of the gradient, for a number of steps.

    One backward pass serves all texts of a step.

    Parameters
    ----------
    problem
        What is searched.
    propose
        Texts one change away from a state whose gradients are given, the best estimates first.
    width
        Texts that go on after a step.
    steps
        Largest number of steps.

    Raises
    ------
    PlanError
        If the victim gives no gradients.
    """

    def near(states: Sequence[State]) -> Iterator[State]:
        pairs = zip(states, loss_gradients(problem, states), strict=True)
        told = ((state, slopes) for state, slopes in pairs if slopes is not None)
        return (one for state, slopes in told for one in propose(state, slopes))

    return beam_search(problem, near, Beam(width, steps))


Array: TypeAlias = np.ndarray[Any, Any]


class _Vocabulary(NamedTuple):
    """Replacement words: their rows in the vocabulary, and their vectors."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    matrix: Array  # (word, dimension)
    all_vectors: Array  # (vocabulary, dimension)


@dataclass(slots=True)
class _Kept:
    """Cache of the latest vocabulary, shared by all searches of one victim."""

    given: InputEmbeddings | None = None
    vocabulary: _Vocabulary | None = None

    def of(self, given: InputEmbeddings) -> _Vocabulary:
        """Whole words of a vocabulary, computed once."""
        if self.vocabulary is None or self.given is not given:
            self.given, self.vocabulary = given, _words_of(given)
        return self.vocabulary


_kept = _Kept()


@dataclass(frozen=True, slots=True)
class FirstOrder(Method):
    """Words replaced as the gradient suggests.

    Replace words as the gradient of the loss suggests, and ask the model about the results.

    The change of the loss when the vector e of a word becomes e' is to first order g (e' - e). One
    backward pass estimates it for every word and every entry of the vocabulary. The ``flips``
    with the best estimates are asked about, and by the *answers* the best ``width`` texts go on:
    an estimate chooses what is looked at and never what is believed. Only words that are one piece
    can be exchanged, for pieces that are a word. Which words may be changed is what the moves of
    the space say; their own candidates are not used (`AnyWord` has none).

    Parameters
    ----------
    width
        Texts that go on.
    flips
        Texts asked about for each text that goes on, by their estimates.
    steps
        Largest number of steps.
    least_cosine
        How near the new vector has to be to the old one in the victim's own input space; nothing
        for any.

    **Measures** what somebody with the weights could do.

    **Misleads when** the vocabulary is unconstrained: the words it finds have other meanings.

    References
    ----------
    Ebrahimi, Rao, Lowd, Dou (2018), HotFlip: white-box adversarial examples for text
    classification.

    Examples
    --------
    >>> FirstOrder(width=1, flips=5).least_cosine is None
    True
    """

    id = "first_order@1"

    width: int = 10
    flips: int = 10
    steps: int = 10
    least_cosine: float | None = None

    def __post_init__(self) -> None:
        at_least(self, width=1, flips=1, steps=1)

    def search(self, problem: Problem) -> Asking:
        """Estimate, ask the model, continue with the best."""
        flipped = partial(self._flipped, problem)
        return gradient_beam(problem, flipped, width=self.width, steps=self.steps)

    def _flipped(self, problem: Problem, state: State, gradients: TokenGradients) -> list[State]:
        """Texts with one word replaced, best estimates first."""
        assert problem.model is not None  # it has given gradients
        vocabulary = _kept.of(problem.model.embeddings())
        starts = [(field, start) for field, start, _ in gradients.pieces]
        places, pieces = [], []  # of one token each, and which
        for place in problem.places(state):
            at = place.field, place.low
            if at in starts and gradients.pieces[starts.index(at)][2] == place.high:
                places.append(place)
                pieces.append(starts.index(at))
        if not places:
            return []
        gains = self._gains(problem, gradients, pieces, vocabulary)
        found: list[State] = []
        for number in np.argsort(-gains, axis=None, kind="stable").tolist():
            row, column = divmod(number, gains.shape[1])
            if gains[row, column] == -np.inf or len(found) == self.flips:
                break
            place = places[row]
            text = state.texts[state.origin.numbers[place.field]]
            word = match_case(text[place.low : place.high], vocabulary.words[column])
            edits = (Edit(place.field, place.low, place.high, word),)
            found += problem.space.propose(state, [edits], problem.refused)
        return found

    def _gains(
        self, problem: Problem, gradients: TokenGradients, pieces: list[int], words: _Vocabulary
    ) -> Array:
        """Estimated gain ``(place, word)`` of the goal; minus infinity if not allowed."""
        slopes = np.asarray(gradients.gradient, dtype=np.float64)[pieces]
        ids = [gradients.ids[piece] for piece in pieces]
        old = words.all_vectors[ids]
        change = slopes @ words.matrix.T - (slopes * old).sum(axis=1)[:, None]
        sign = wanted_slope(problem).sign
        gains: Array = -np.abs(change) if sign == 0 else change * sign
        for row, piece_id in enumerate(ids):
            if piece_id in words.ids:
                gains[row, words.ids.index(piece_id)] = -np.inf
        if self.least_cosine is not None:
            gains[_cosines(old, words.matrix) < self.least_cosine] = -np.inf
        return gains


def _words_of(embeddings: InputEmbeddings) -> _Vocabulary:
    """Entries of a vocabulary that are whole words."""
    matrix = np.asarray(embeddings.matrix, dtype=np.float64)
    ids = tuple(embeddings.whole_words())
    words = tuple(embeddings.vocabulary[i] for i in ids)
    return _Vocabulary(words, ids, matrix[list(ids)], matrix)


def _cosines(old: Array, new: Array) -> Array:
    """Cosine ``(place, word)``; 0 if a vector is zero."""
    lengths = np.linalg.norm(old, axis=1)[:, None] * np.linalg.norm(new, axis=1)
    found: Array = np.zeros(lengths.shape)
    np.divide(old @ new.T, lengths, out=found, where=lengths > 0)
    return found
