"""Random change as a control: same candidates, as many texts and changed words as the attack."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.random import Generator

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.queries.gradients import InputEmbeddings
from scrutiny.core.randomness import stream_of
from scrutiny.perturb.search.judging import Expense
from scrutiny.perturb.search.methods.greedy_ranked import loss_gradients
from scrutiny.perturb.search.moves import AnyWord, Place
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State
from scrutiny.text.letters import match_case


class _VictimWords(NamedTuple):
    """Whole words of a victim, with all its vectors scaled to length 1 (zeros stay zero)."""

    given: InputEmbeddings
    words: tuple[str, ...]
    rows: np.ndarray[Any, Any]  # (word,)
    unit: np.ndarray[Any, Any]  # (vocabulary, dimension)


@dataclass(slots=True)
class OwnWords:
    """Similar words in a victim's own input space; its vectors are read once.

    Examples
    --------
    >>> import numpy as np
    >>> matrix = np.array([[1.0, 0.0], [2.0, 0.1], [-1.0, 0.0]])
    >>> given = InputEmbeddings(matrix, ("good", "fine", "bad"), np.ones(3, dtype=bool))
    >>> OwnWords().near(given, 0, 0.8), OwnWords().near(given, 0, None)
    (['fine'], ['fine', 'bad'])
    """

    _vocabulary: _VictimWords | None = field(default=None, repr=False)

    def near(self, given: InputEmbeddings, row: int, least: float | None) -> Sequence[str]:
        """Words with a sufficient cosine to a row's word, or all others."""
        if self._vocabulary is None or self._vocabulary.given is not given:
            rows, lengths = given.whole_words(), np.linalg.norm(given.matrix, axis=1)[:, None]
            unit = np.zeros(given.matrix.shape)
            np.divide(given.matrix, lengths, out=unit, where=lengths > 0)
            words = tuple(given.vocabulary[i] for i in rows)
            self._vocabulary = _VictimWords(given, words, np.array(rows), unit)
        known = self._vocabulary
        fits = known.rows != row
        if least is not None:
            fits &= (known.unit @ known.unit[row])[known.rows] >= least
        return [known.words[i] for i in np.flatnonzero(fits).tolist()]


_BATCH: Final = 32
_WORDS: Final = 20  # drawn for each place, where the victim's vocabulary has the candidates
_TRIES: Final = 8  # for each text wanted, before the space counts as exhausted


@dataclass(frozen=True, slots=True)
class AtRandom(Method):
    """Random texts of the same candidates, as many as an attack asked about.

    Ask about random texts until the goal is reached or the attack's cost is used up.

    Each text changes as many words as the attack changed, where the space has that many places,
    and never more: places are drawn, and at each one of its candidates.

    Parameters
    ----------
    expenses
        What was spent, by item.
    like
        The attack's own method: where that brings words of the victim's vocabulary, those as near
        to the old ones as it asks for (``least_cosine``) are drawn from.

    **Measures** what the search adds to its candidates: success that random change has as well is
    no merit of the search, and says that nearly any such change fools the model.

    **Misleads when** the attack's texts were mostly spent on finding out which words matter: the
    control spends them on texts that may succeed.

    References
    ----------
    Hauser et al. (2021) and the matched controls of this package.

    Examples
    --------
    >>> AtRandom({"1": Expense(10, 2)}).expenses["1"].words
    2
    """

    id: ClassVar[str] = "at_random@1"

    expenses: Mapping[str, Expense]
    like: Method | None = None
    own_words: OwnWords = field(default_factory=OwnWords, repr=False, compare=False)

    def search(self, problem: Problem) -> Asking:
        """Random texts in batches."""
        expense = self.expenses.get(problem.facts.example.id)
        left = 0 if expense is None else expense.texts - 1  # the item was one
        source = _Source(problem, self.like, self.own_words)
        drawn = _drawn(source, 1 if expense is None else expense.words)
        while left > 0:
            batch = [state for _, state in zip(range(min(left, _BATCH)), drawn, strict=False)]
            if not batch:
                break
            left -= len(batch)
            for one in (yield batch):
                if one.is_reached:
                    return one
        return None


@dataclass(frozen=True, slots=True)
class OneAtRandom(Method):
    """One random text with as many changed words as the attack's, whatever the answer.

    Parameters
    ----------
    words
        Words changed, by item.
    like
        As in `AtRandom`.

    **Measures** nothing by itself: it makes the text that an attack is compared with elsewhere.

    **Misleads when** taken for a search: it asks about one text.

    References
    ----------
    The matched controls of this package.

    Examples
    --------
    >>> OneAtRandom({"1": 2}).words["1"]
    2
    """

    id: ClassVar[str] = "one_at_random@1"

    words: Mapping[str, int]
    like: Method | None = None
    own_words: OwnWords = field(default_factory=OwnWords, repr=False, compare=False)

    def search(self, problem: Problem) -> Asking:
        """One text, which is the result."""
        wanted = self.words.get(problem.facts.example.id, 1)
        for state in _drawn(_Source(problem, self.like, self.own_words), wanted):
            (judged,) = yield [state]
            return judged
        return None


@dataclass(frozen=True, eq=False)
class _Source:
    """Candidates at the places of an item, drawn once each."""

    problem: Problem
    like: Method | None
    own_words: OwnWords
    candidates: dict[int, Sequence[State]] = field(default_factory=dict)

    @cached_property
    def places(self) -> Sequence[Place]:
        """Places that may be changed."""
        return self.problem.places(self.problem.base.state)

    @cached_property
    def rng(self) -> Generator:
        """Stream of this search."""
        return self.problem.rng(stream_of(AtRandom))

    @cached_property
    def pieces(self) -> dict[tuple[str, int], tuple[int, int]]:
        """End and row in the vocabulary of each token of the item, by field and start.

        By the victim's tokenizer, as in its gradients.
        """
        (found,) = loss_gradients(self.problem, [self.problem.base.state])
        pairs = () if found is None else zip(found.pieces, found.ids, strict=True)
        return {(piece.field, piece.start): (piece.end, row) for piece, row in pairs}

    def options(self, number: int) -> Sequence[State]:
        """Candidates at a place; words of the victim if the method brings its own candidates."""
        if number not in self.candidates:
            place, start = self.places[number], self.problem.base.state
            found = self.problem.candidates(start, place)
            self.candidates[number] = found or self._of_victim(place)
        return self.candidates[number]

    def is_known(self, known: Set[object]) -> bool:
        """Whether all texts with one changed word are known; two with none could be joined."""
        if len(self.candidates) < len(self.places) or self.by_words.get(0):
            return False
        return self.by_words.get(1, set()) <= known

    @cached_property
    def by_words(self) -> dict[int, set[object]]:
        """Keys of the candidates at all places, by the number of changed words."""
        found: dict[int, set[object]] = {}
        for state in chain.from_iterable(self.candidates.values()):
            found.setdefault(state.words_changed, set()).add(state.key)
        return found

    def _of_victim(self, place: Place) -> Sequence[State]:
        """Texts with a random word of the victim at a place that is one of its tokens."""
        problem, start = self.problem, self.problem.base.state
        # a word without a synonym is no place for a word of the victim's
        has_none = any(isinstance(move.transformation, AnyWord) for move in problem.space.moves)
        if problem.model is None or place.token < 0 or not has_none:
            return ()
        end, row = self.pieces.get((place.field, place.low), (-1, -1))
        if end != place.high:  # a word of several tokens
            return ()
        least = None if self.like is None else self.like.least_cosine
        words = self.own_words.near(problem.model.embeddings(), row, least)
        text = start.texts[start.origin.numbers[place.field]][place.low : place.high]
        chosen = self.rng.permutation(len(words))[:_WORDS].tolist()
        edits = [
            (Edit(place.field, place.low, place.high, match_case(text, words[i])),) for i in chosen
        ]
        return problem.space.propose(start, edits)


def _drawn(source: _Source, words: int) -> Iterator[State]:
    """Distinct random texts, until several draws in a row give no new one."""
    known: set[object] = set()
    fruitless = 0
    while source.places and fruitless < _TRIES * len(source.places):
        state = _one(source, words)
        if state is None or state.key in known:
            fruitless += 1
            if words == 1 and source.is_known(known):
                return
            continue
        fruitless = 0
        known.add(state.key)
        yield state


def _one(source: _Source, words: int) -> State | None:
    """A text with random allowed candidates at random places."""
    problem = source.problem
    start = problem.base.state
    state: State = start
    for number in source.rng.permutation(len(source.places)).tolist():
        options = source.options(number)
        share = float(source.rng.random())
        if not options:
            continue
        chosen = options[int(share * len(options))]
        if state.words_with(chosen) > words:
            continue
        after = chosen  # alone, a candidate is the text that it was made as, and knows its change
        if state is not start:
            try:
                after = state.joined(chosen)
            except EditRefusedError:  # the edits are incompatible
                continue
            if not problem.space.admits(after):
                continue
        state = after
        if state.words_changed >= words:
            break
    return None if state is start else state
