"""Genetic algorithm over texts, with mutations at one place."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal

from scrutiny.core.boundary.limits import above_zero, at_least
from scrutiny.core.randomness import stream_of
from scrutiny.perturb.engine.change import Rng
from scrutiny.perturb.search.goal import Judged, best, ranked, reached
from scrutiny.perturb.search.ledger import is_better
from scrutiny.perturb.search.methods.crossing import chosen_parent, genes, join, mixed
from scrutiny.perturb.search.move import PlaceKey
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State
from scrutiny.perturb.search.warming import Needed
from scrutiny.stats.distributions.unchecked import softmax

Members = Generator[Sequence[State] | Needed, Sequence[Judged], list[Judged]]


@dataclass(frozen=True, slots=True)
class Genetic(Method):
    """A genetic algorithm: better texts have more offspring.

    Genetic algorithm over a population of texts.

    The first members are the base, each changed at one place. In every generation the best member
    stays, pairs of parents are drawn, the child of a pair takes each changed place from one of
    them, and is then changed at a further place if that makes it better. Parents are drawn with
    probabilities proportional to exp(score / temperature): the *better* ones more often.

    Parameters
    ----------
    population, generations
        How many texts, and how often.
    temperature
        How little the score counts when parents are drawn.
    crossover
        ``uniform``: each changed place from either parent by the toss of a coin; ``one_point``:
        the places before a point from one, those behind it from the other.
    draws
        Places are drawn in proportion to how many candidates they have on the base
        (``candidates``), or all alike (``uniform``).
    attempts
        Places that are drawn for one change before it is given up.

    **Measures** what many changes do together where single ones do not help.

    **Misleads when** its cost is left out: most texts are asked about for the sake of a few. Texts
    that were asked before are not counted again.

    References
    ----------
    Alzantot, Sharma, Elgohary, Ho, Srivastava, Chang (2018), Generating natural language
    adversarial examples. Wang, Jin, He (2019), Natural language adversarial attacks and defenses
    in word level (``Genetic.improved``).

    Examples
    --------
    >>> Genetic.improved().crossover
    'one_point'
    """

    id = "genetic@1"

    population: int = 60
    generations: int = 20
    temperature: float = 0.3
    crossover: Literal["uniform", "one_point"] = "uniform"
    draws: Literal["candidates", "uniform"] = "candidates"
    attempts: int = 5

    def __post_init__(self) -> None:
        at_least(self, population=2, generations=1)
        above_zero(self, "temperature")

    @classmethod
    def improved(cls, population: int = 60, generations: int = 20) -> "Genetic":
        """Return the improved algorithm: crossover at one point, places drawn uniformly.

        A word may be replaced again there: let the moves say so (``Changeable(is_once=False)``).
        """
        return cls(population, generations, crossover="one_point", draws="uniform")

    def search(self, problem: Problem) -> Asking:
        """Evolve until the goal is reached, or the last generation."""
        rng = problem.rng(stream_of(self))
        start = problem.base.state
        yield from problem.prepare([(start, problem.places(start))])
        weights = self._weights(problem)
        members = yield from self._changed(
            problem, [problem.base] * self.population, rng=rng, weights=weights
        )
        for _ in range(self.generations):
            there = reached(members)
            if there is not None:
                return there
            if all(one.state is problem.base.state for one in members):
                break  # nothing can be changed for the better
            pairs = self._pairs(members, rng)
            children = yield [self._child(problem, pair, rng=rng) for pair in pairs]
            there = reached(children)
            if there is not None:
                return there
            grown = yield from self._changed(problem, children, rng=rng, weights=weights)
            members = [*ranked(members)[:1], *grown]
        return reached(members)

    def _weights(self, problem: Problem) -> dict[PlaceKey, float]:
        """Relative probability of drawing each place of the base."""
        start = problem.base.state
        counts = {
            place.key: float(len(problem.candidates(start, place)))
            for place in problem.places(start)
        }
        if self.draws == "uniform":
            return {key: float(count > 0) for key, count in counts.items()}
        return counts

    def _changed(
        self,
        problem: Problem,
        members: Sequence[Judged],
        *,
        rng: Rng,
        weights: dict[PlaceKey, float],
    ) -> Members:
        """Members, each changed at one place if the best candidate there is better."""
        groups = [self._candidates(problem, one.state, rng, weights) for one in members]
        rest = iter((yield [state for group in groups for state in group]))
        found = []
        for one, group in zip(members, groups, strict=True):
            top = best([next(rest) for _ in group])
            found.append(one if top is None or not is_better(top, one) else top)
        return found

    def _candidates(
        self, problem: Problem, state: State, rng: Rng, weights: dict[PlaceKey, float]
    ) -> list[State]:
        """Candidates at a random place that has any."""
        places = [place for place in problem.places(state) if weights.get(place.key, 0.0) > 0]
        for _ in range(self.attempts):
            if not places:
                break
            chances = [weights[p.key] for p in places]
            place = chosen_parent(places, chances, rng.random() * sum(chances))
            candidates = problem.candidates(state, place)
            if candidates:
                return candidates
            places.remove(place)
        return []

    def _pairs(self, members: Sequence[Judged], rng: Rng) -> list[tuple[Judged, Judged]]:
        """Parents of the next generation's children."""
        weights = parent_weights([one.score for one in members], self.temperature)
        drawn = rng.choice(len(members), size=(len(members) - 1, 2), p=weights)
        return [(members[a], members[b]) for a, b in drawn.tolist()]

    def _child(self, problem: Problem, pair: tuple[Judged, Judged], *, rng: Rng) -> State:
        """Child that takes each changed place from one of two parents; the first if not allowed."""
        first, second = pair
        a, b = genes(first.state), genes(second.state)
        n = len({*a, *b})
        if self.crossover == "uniform":
            from_second = (rng.random(n) < 0.5).tolist()
        else:
            point = int(rng.random() * (n + 1))
            from_second = [i >= point for i in range(n)]
        child = join(problem, mixed(a, b, from_second))
        return first.state if child is None else child


def parent_weights(scores: Sequence[float], temperature: float) -> list[float]:
    """Probability of becoming a parent: higher for better texts.

    Examples
    --------
    >>> [round(p, 3) for p in parent_weights([0.1, 0.5, 0.9], 0.3)]
    [0.052, 0.198, 0.75]
    """
    top = max(scores)
    if top == float("-inf"):
        return [1 / len(scores)] * len(scores)
    return list(softmax([(score - top) / temperature for score in scores]))
