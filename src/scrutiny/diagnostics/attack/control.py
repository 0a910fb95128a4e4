"""Random change at an attack's own expense: the same candidates, as many texts, no more words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.perturb.search.found import Found
from scrutiny.perturb.search.problem import Asking, Problem
from scrutiny.perturb.search.space import Place
from scrutiny.perturb.search.state import State

if TYPE_CHECKING:
    from numpy.random import Generator

_BATCH: Final = 32
_WORDS: Final = 20  # of the victim's vocabulary, drawn for each place
_TRIES: Final = 8  # for each text wanted, before the space counts as exhausted


class Expense(NamedTuple):
    """What an attack spent on an item: texts asked, the item among them, and words changed."""

    texts: int
    words: int


def expense_of(found: Found) -> Expense:
    """What a search spent; a random change changes one word at least."""
    changed = 0 if found.state is None else found.state.words_changed
    return Expense(found.n_asked, max(1, changed))


@dataclass(frozen=True, slots=True)
class AtRandom:
    """Ask about random texts until the goal is reached or as much is spent as the attack spent.

    Each text changes as many words as the attack changed, where the space has that many places,
    and never more: places are drawn, and at each one of its candidates.

    Parameters
    ----------
    expenses
        What was spent, by item.

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
    summary: ClassVar[str] = "random texts of the same candidates, as many as an attack asked about"

    expenses: Mapping[str, Expense]

    def search(self, problem: Problem) -> Asking:
        """Random texts in batches."""
        expense = self.expenses.get(problem.facts.example.id)
        left = 0 if expense is None else expense.texts - 1  # the item was one
        drawn = _drawn(problem, 1 if expense is None else expense.words)
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
class OneAtRandom:
    """One random text with as many words changed as an attack changed, whatever comes of it.

    Parameters
    ----------
    words
        Words changed, by item.

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
    summary: ClassVar[str] = "one random text of the same candidates"

    words: Mapping[str, int]

    def search(self, problem: Problem) -> Asking:
        """One text, which is the result."""
        wanted = self.words.get(problem.facts.example.id, 1)
        for state in _drawn(problem, wanted):
            (judged,) = yield [state]
            return judged
        return None


def _drawn(problem: Problem, words: int) -> Iterator[State]:
    """Distinct random texts, until a run of draws gives no new one."""
    start = problem.base.state
    places = problem.places(start)
    rng = problem.rng(AtRandom.id)
    known: set[object] = set()
    candidates: dict[int, Sequence[State]] = {}
    fruitless = 0
    while places and fruitless < _TRIES * len(places):
        state = _one(problem, places, words, rng=rng, candidates=candidates)
        if state is None or state.key in known:
            fruitless += 1
            continue
        fruitless = 0
        known.add(state.key)
        yield state


def _one(
    problem: Problem,
    places: Sequence[Place],
    words: int,
    *,
    rng: "Generator",
    candidates: dict[int, Sequence[State]],
) -> State | None:
    """A text with random candidates at random places, which no constraint vetoes."""
    start = problem.base.state
    state: State = start
    for number in rng.permutation(len(places)).tolist():
        if number not in candidates:
            candidates[number] = _options(problem, places[number], rng)
        share = float(rng.random())
        options = candidates[number]
        if not options:
            continue
        chosen = options[int(share * len(options))]
        after = _both(state, chosen.edits)
        if after is None or after.words_changed > words:
            continue
        if state is not start and not problem.space.admits(after):
            continue
        state = after
        if state.words_changed >= words:
            break
    return None if state is start else state


def _options(problem: Problem, place: Place, rng: "Generator") -> Sequence[State]:
    """Candidates at a place of the item; where the method brings its own, words of the victim."""
    start = problem.base.state
    found = problem.candidates(start, place)
    if found or problem.model is None or place.token < 0:
        return found
    embeddings = problem.model.embeddings()
    rows = [i for i, starts in enumerate(embeddings.starts_word.tolist()) if starts]
    drawn = rng.choice(rows, size=min(_WORDS, len(rows)), replace=False).tolist() if rows else []
    words = [embeddings.vocabulary[row] for row in drawn]
    edits = [(Edit(place.field, place.low, place.high, word),) for word in words if word.isalpha()]
    return problem.space.propose(start, edits)


def _both(state: State, edits: Sequence[Edit]) -> State | None:
    """A text with further edits of the base, or nothing if they do not go together."""
    try:
        return State.of(state.origin, (*state.edits, *edits))
    except EditRefusedError:
        return None
