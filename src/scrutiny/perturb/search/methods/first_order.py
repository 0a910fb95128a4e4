"""First-order search: word replacements that the gradient suggests."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from scrutiny.core.boundary.parameters import at_least
from scrutiny.core.edit import Edit
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.perturb.search.judging import Judged, ranked, reached
from scrutiny.perturb.search.methods.greedy_ranked import loss_gradients, wanted_slope
from scrutiny.perturb.search.moves import Place
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
    beam: list[Judged] = [problem.base]
    seen = {problem.base.state.key}
    for _ in range(steps):
        states = [one.state for one in beam]
        found: list[State] = []
        for state, slopes in zip(states, loss_gradients(problem, states), strict=True):
            if slopes is None:
                continue
            for near in propose(state, slopes):
                if near.key not in seen:
                    seen.add(near.key)
                    found.append(near)
        if not found:
            break
        judged = yield found
        there = reached(judged)
        if there is not None:
            return there
        beam = ranked(judged)[:width]
    return None


class _Vocabulary(NamedTuple):
    """Replacement words: their rows in the vocabulary, and their vectors."""

    words: tuple[str, ...]
    ids: tuple[int, ...]
    matrix: np.ndarray[Any, Any]  # (word, dimension)
    all_vectors: np.ndarray[Any, Any]  # (vocabulary, dimension)


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
        places = []  # each with the index of its only token
        for place in problem.places(state):
            at = place.field, place.low
            if at in starts and gradients.pieces[starts.index(at)][2] == place.high:
                places.append((place, starts.index(at)))
        if not places:
            return []
        pieces = [piece for _, piece in places]
        gains = self._gains(problem, gradients, pieces=pieces, vocabulary=vocabulary)
        held = [place for place, _ in places]
        return self._best(problem, state, places=held, gains=gains, words=vocabulary.words)

    def _gains(
        self,
        problem: Problem,
        gradients: TokenGradients,
        *,
        pieces: list[int],
        vocabulary: _Vocabulary,
    ) -> np.ndarray[Any, Any]:
        """Estimated gain ``(place, word)`` of the goal; minus infinity if not allowed."""
        slopes = np.asarray(gradients.gradient, dtype=np.float64)[pieces]
        ids = [gradients.ids[piece] for piece in pieces]
        old = vocabulary.all_vectors[ids]
        change = slopes @ vocabulary.matrix.T - (slopes * old).sum(axis=1)[:, None]
        sign = wanted_slope(problem).sign
        gains: np.ndarray[Any, Any] = -np.abs(change) if sign == 0 else change * sign
        for row, piece_id in enumerate(ids):
            if piece_id in vocabulary.ids:
                gains[row, vocabulary.ids.index(piece_id)] = -np.inf
        if self.least_cosine is not None:
            gains[_cosines(old, vocabulary.matrix) < self.least_cosine] = -np.inf
        return gains

    def _best(
        self,
        problem: Problem,
        state: State,
        *,
        places: list[Place],
        gains: np.ndarray[Any, Any],
        words: tuple[str, ...],
    ) -> list[State]:
        """The best allowed replacements, by their estimates."""
        found: list[State] = []
        for at in np.argsort(-gains, axis=None, kind="stable").tolist():
            row, column = divmod(at, gains.shape[1])
            if gains[row, column] == -np.inf or len(found) == self.flips:
                break
            place = places[row]
            text = state.texts[state.origin.numbers[place.field]]
            word = match_case(text[place.low : place.high], words[column])
            edits = (Edit(place.field, place.low, place.high, word),)
            found += problem.space.propose(state, [edits], problem.refused)
        return found


def _words_of(embeddings: InputEmbeddings) -> _Vocabulary:
    """Entries of a vocabulary that are whole words."""
    matrix = np.asarray(embeddings.matrix, dtype=np.float64)
    ids = tuple(embeddings.whole_words())
    words = tuple(embeddings.vocabulary[i] for i in ids)
    return _Vocabulary(words, ids, matrix[list(ids)], matrix)


def _cosines(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Cosine ``(place, word)``; 0 if a vector is zero."""
    lengths = np.linalg.norm(old, axis=1)[:, None] * np.linalg.norm(new, axis=1)
    found: np.ndarray[Any, Any] = np.zeros(lengths.shape)
    np.divide(old @ new.T, lengths, out=found, where=lengths > 0)
    return found
