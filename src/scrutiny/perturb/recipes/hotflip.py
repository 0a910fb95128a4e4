"""HotFlip: words or characters replaced, inserted and deleted as the gradient calls for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import sqrt
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.queries.gradients import InputEmbeddings, TokenGradients
from scrutiny.perturb.characters.slips import DeleteLetter, InsertLetter, SubstituteLetter
from scrutiny.perturb.constraints.meaning import SamePos
from scrutiny.perturb.recipes.attack import Attack, Given
from scrutiny.perturb.search import (
    Amount,
    Asking,
    Changeable,
    Method,
    Place,
    Problem,
    Search,
    Space,
    State,
)
from scrutiny.perturb.search.goals.label_goals import Untargeted
from scrutiny.perturb.search.methods.first_order import Array, FirstOrder, gradient_beam
from scrutiny.perturb.search.methods.greedy_ranked import wanted_slope
from scrutiny.perturb.search.moves import AnyWord


@dataclass(frozen=True, slots=True)
class HotFlip(Attack):
    """Words or characters replaced as the gradient of a label suggests.

    The flips that the gradient of the loss calls for, by a beam.

    One backward pass estimates, for every place and every entry of the vocabulary, what putting it
    there would do to the loss; the best estimates are asked about.

    Parameters
    ----------
    level
        ``word``: words that are one piece of the model's vocabulary. ``character``: for models that
        read characters; letters are also put in and left out, as sequences of flips.
    width
        Texts that go on in the beam.
    flips
        Texts asked about for each of them.
    words
        Words changed at most.
    least_cosine
        How near a new word has to be to the old one; for words alone.

    **Measures** what somebody who has the weights can do with few queries.

    **Misleads when** estimates are taken for effects: they choose what is asked about. Words that
    a model splits into pieces are never exchanged, so the success is a lower bound.

    References
    ----------
    Ebrahimi, Rao, Lowd & Dou (2018), HotFlip: white-box adversarial examples for text
    classification.

    Examples
    --------
    >>> HotFlip().search(Given()).method.steps
    2
    """

    id = "hotflip@1"
    title = "HotFlip"
    needs = frozenset({"predict", "gradients"})
    resources = ("tagger",)
    only_labels = "it follows the gradient of a label's loss"
    deviations = (
        "The cosine between words is that of the victim's own input vectors.",
        "The flips with the best estimates are asked about and the answers decide; the paper "
        "goes on by estimates alone.",
    )

    level: Literal["word", "character"] = "word"
    width: int = 10
    flips: int = 10
    words: int = 2
    least_cosine: float = 0.8

    def search(self, given: Given) -> Search:
        """A beam over flips."""
        is_word = self.level == "word"
        space = Space.of(
            AnyWord(),
            may_change=Changeable(stop_words=True, is_once=is_word),
            amount=Amount(words=self.words),
            step_constraints=(SamePos(),) if is_word else (),
        )
        if not is_word:
            method = CharacterFlips(width=self.width, flips=self.flips, steps=2 * self.words)
            return Search(space, Untargeted(), method)
        by_gradient = FirstOrder(
            width=self.width, flips=self.flips, steps=self.words, least_cosine=self.least_cosine
        )
        return Search(space, Untargeted(), by_gradient)

    def control_space(self, search: Search) -> Space:
        """Where random change goes: slips of one letter for characters; else the victim's words."""
        if self.level == "word":
            return search.space
        return Space.of(
            SubstituteLetter(positions="all"),
            InsertLetter(positions="all"),
            DeleteLetter(positions="all"),
            may_change=Changeable(stop_words=True),
            amount=Amount(words=self.words),
        )


Flips: TypeAlias = Iterator[tuple[float, Edit]]  # with their estimated effects on the goal
_INSIDE: Final = True  # a letter put in at a word's border belongs to the word


class _Alphabet(NamedTuple):
    """Letters of a vocabulary with their vectors; ``blank`` is the vector of the space, or zero."""

    letters: tuple[str, ...]
    vectors: Array  # (letter, dimension)
    all_vectors: Array  # (vocabulary, dimension)
    blank: Array  # (dimension,)


@dataclass(frozen=True, slots=True)
class CharacterFlips(Method):
    """Characters flipped, put in and left out as the gradient calls for.

    Change characters of words as the gradient of the loss suggests, by beam search.

    Letting a in a place become b changes the loss to first order by g (b - a). A letter that is put
    in or left out moves the rest of its word by one: a sequence of N flips, whose sum is divided by
    the square root of 2 N, as a flip's own is.

    Parameters
    ----------
    width
        Texts that go on.
    flips
        Texts asked about for each text that goes on, by their estimates.
    steps
        Largest number of changes.

    **Measures** what somebody with the weights could do to a model that reads characters.

    **Misleads when** the model reads pieces of several characters: it is refused then.

    References
    ----------
    Ebrahimi, Rao, Lowd & Dou (2018), HotFlip: white-box adversarial examples for text
    classification.

    Examples
    --------
    >>> CharacterFlips(width=1).steps
    4
    """

    id = "character_flips@1"

    width: int = 10
    flips: int = 10
    steps: int = 4

    def search(self, problem: Problem) -> Asking:
        """Estimate, ask the model, continue with the best.

        Raises
        ------
        PlanError
            If the model gives no gradients, or does not read characters.
        """
        alphabet = None if problem.model is None else _alphabet(problem.model.embeddings())
        changed = partial(self._changed, problem, alphabet)
        return gradient_beam(problem, changed, width=self.width, steps=self.steps)

    def _changed(
        self, problem: Problem, alphabet: _Alphabet | None, state: State, gradients: TokenGradients
    ) -> list[State]:
        """Texts one change away, best estimates first."""
        assert alphabet is not None  # the model has given gradients
        sign = wanted_slope(problem).sign
        flips = [_flips(gradients, place, alphabet, sign=sign) for place in problem.places(state)]
        found: list[State] = []
        for _, edit in sorted(chain.from_iterable(flips), key=lambda flip: -flip[0]):
            found += problem.space.propose(state, [(edit,)], problem.refused)
            if len(found) >= self.flips:
                break
        return found


def _flips(gradients: TokenGradients, place: Place, alphabet: _Alphabet, *, sign: int) -> Flips:
    """All changes of one character of a word with their estimated effects."""
    rows = [
        i
        for i, (field, start, end) in enumerate(gradients.pieces)
        if field == place.field and place.low <= start and end <= place.high and end - start == 1
    ]
    if len(rows) != place.high - place.low:
        return
    slopes = gradients.gradient[rows] * (sign or 1)  # (character, dimension)
    old = alphabet.all_vectors[[gradients.ids[row] for row in rows]]
    starts = [(field, start) for field, start, _ in gradients.pieces]
    border = place.field, place.high
    after = starts.index(border) if border in starts else None
    behind = slopes[-1] if after is None else gradients.gradient[after] * (sign or 1)
    yield from _replaced(slopes, old, place=place, alphabet=alphabet)
    yield from _inserted(slopes, old, place=place, alphabet=alphabet, behind=behind)
    if len(rows) > 1:
        yield from _deleted(slopes, old, place=place, alphabet=alphabet)


def _replaced(slopes: Array, old: Array, *, place: Place, alphabet: _Alphabet) -> Flips:
    """Replacement of a letter: one flip."""
    gains = slopes @ alphabet.vectors.T - (slopes * old).sum(axis=1)[:, None]
    for i in range(len(slopes)):
        at = place.low + i
        for letter, gain in zip(alphabet.letters, gains[i].tolist(), strict=True):
            yield gain / sqrt(2), Edit(place.field, at, at + 1, letter, (), _INSIDE)


def _inserted(
    slopes: Array, old: Array, *, place: Place, alphabet: _Alphabet, behind: Array
) -> Flips:
    """Insertion of a letter: the following letters move one position to the right.

    The last letter comes to stand where the word ended, whose slope is ``behind``.
    """
    n = len(slopes)
    shifts = (slopes[1:] * (old[:-1] - old[1:])).sum(axis=1)  # what moving right by one does
    last = float(behind @ (old[-1] - alphabet.blank))
    for i in range(n):
        rest, count = float(shifts[i:].sum()) + last, n - i + 1
        gains = alphabet.vectors @ slopes[i] - float(slopes[i] @ old[i]) + rest
        at = place.low + i
        for letter, gain in zip(alphabet.letters, gains.tolist(), strict=True):
            yield gain / sqrt(2 * count), Edit(place.field, at, at, letter, (), _INSIDE)


def _deleted(slopes: Array, old: Array, *, place: Place, alphabet: _Alphabet) -> Flips:
    """Deletion of a letter: the following letters move to the left, and the last is blank."""
    n = len(slopes)
    shifts = (slopes[:-1] * (old[1:] - old[:-1])).sum(axis=1)
    last = float(slopes[-1] @ (alphabet.blank - old[-1]))
    for i in range(n):
        gain, count = float(shifts[i:].sum()) + last, n - i
        at = place.low + i
        yield gain / sqrt(2 * count), Edit(place.field, at, at + 1, "", (), _INSIDE)


def _alphabet(embeddings: InputEmbeddings) -> _Alphabet:
    """Letters of a vocabulary.

    Raises
    ------
    PlanError
        If it has pieces of several characters.
    """
    matrix = np.asarray(embeddings.matrix, dtype=np.float64)
    pieces: Sequence[str] = embeddings.vocabulary
    if any(len(piece) > 1 for piece in pieces):
        raise PlanError(
            "HotFlip on characters needs a model that reads characters; this one's vocabulary has "
            "longer pieces. Take hotflip(level=word)."
        )
    rows = [i for i, piece in enumerate(pieces) if piece.isalpha()]
    blank = matrix[pieces.index(" ")] if " " in pieces else np.zeros(matrix.shape[1])
    return _Alphabet(tuple(pieces[i] for i in rows), matrix[rows], matrix, blank)
