"""Populations of texts: a genetic algorithm, and a swarm of particles."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from operator import attrgetter
from typing import Final, Literal, TypeVar

from scrutiny.core.boundary.parameters import above_zero, at_least
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.perturb.search.judging import Judged, best, is_better, ranked, reached
from scrutiny.perturb.search.moves import PlaceKey
from scrutiny.perturb.search.problem import Asking, Method, Needed, Problem
from scrutiny.perturb.search.state import State
from scrutiny.stats.distributions.divergence import softmax

Locus = tuple[int, int, int]  # field, token, and code point of an insertion between tokens, or -1
Genes = Mapping[Locus, tuple[Edit, ...]]
T = TypeVar("T")
_ARTICLES = frozenset({"a", "an"})


def genes(state: State) -> dict[Locus, tuple[Edit, ...]]:
    """Edits of a text by the place that they change, in text order.

    An article that follows the sound of the word behind it belongs to that word.
    """
    origin = state.origin
    found: dict[Locus, tuple[Edit, ...]] = {}
    loci = []
    for edit in state.edits:
        touched, number = origin.touched(edit), origin.numbers[edit.field]
        if touched:
            loci.append((number, touched[0], -1))
        else:
            loci.append((number, len(origin.document(edit.field).tokens), edit.start))
    known = set(loci)
    for locus, edit in zip(loci, state.edits, strict=True):
        field, token, at = locus
        following = (field, token + 1, -1)
        if at < 0 and following in known:
            document = origin.document(edit.field)
            is_whole = document.tokens[token] == (edit.start, edit.end)
            if is_whole and {document.words[token].lower(), edit.text.lower()} <= _ARTICLES:
                locus = following
        found[locus] = (*found.get(locus, ()), edit)
    return found


def join(problem: Problem, parts: Genes) -> State | None:
    """Text with all these edits; `None` if they are incompatible or refused.

    Vetoes that compare a text with the one before it have nothing to say here.
    """
    edits = [edit for held in parts.values() for edit in held]
    try:
        state = State.of(problem.base.state.origin, edits)
    except EditRefusedError:
        return None
    return state if problem.space.admits(state) else None


def mixed(
    first: Genes, second: Genes, from_second: Sequence[bool]
) -> dict[Locus, tuple[Edit, ...]]:
    """Edits of one text at some places and of another at the others.

    Parameters
    ----------
    first, second
        Two texts by place.
    from_second
        For each place that either changes, in the order of the text: whether the second text says
        what stands there, be it nothing.
    """
    loci = sorted({*first, *second})
    chosen: dict[Locus, tuple[Edit, ...]] = {}
    for locus, is_second in zip(loci, from_second, strict=True):
        edits = (second if is_second else first).get(locus)
        if edits:
            chosen[locus] = edits
    return chosen


def chosen_parent(options: Sequence[T], weights: Sequence[float], share: float) -> T:
    """Parent of a crossing: the option whose part of the cumulative weights contains a number."""
    for option, weight in zip(options, weights, strict=True):
        share -= weight
        if share < 0:
            return option
    return next(o for o, w in zip(reversed(options), reversed(weights), strict=True) if w > 0)


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
        places = problem.places(start)
        yield from problem.prepare([(start, places)])
        # relative probability of drawing each place of the base
        weights = {place.key: float(len(problem.candidates(start, place))) for place in places}
        if self.draws == "uniform":
            weights = {key: float(count > 0) for key, count in weights.items()}
        members = yield from self._changed(problem, [problem.base] * self.population, rng, weights)
        for _ in range(self.generations):
            there = reached(members)
            if there is not None:
                return there
            if all(one.state is problem.base.state for one in members):
                break  # nothing can be changed for the better
            pairs = self._pairs(members, rng)
            children = yield [self._child(problem, a, b, rng) for a, b in pairs]
            there = reached(children)
            if there is not None:
                return there
            grown = yield from self._changed(problem, children, rng, weights)
            members = [*ranked(members)[:1], *grown]
        return reached(members)

    def _changed(
        self, problem: Problem, members: Sequence[Judged], rng: Rng, weights: dict[PlaceKey, float]
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
        """Parents of the next generation: one pair less than there are members."""
        weights = parent_weights([one.score for one in members], self.temperature)
        drawn = rng.choice(len(members), size=(len(members) - 1, 2), p=weights)
        return [(members[a], members[b]) for a, b in drawn.tolist()]

    def _child(self, problem: Problem, first: Judged, second: Judged, rng: Rng) -> State:
        """Child that takes each changed place from one of two parents; the first if not allowed."""
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


_STANDING: Final = attrgetter("is_reached", "score")


@dataclass(slots=True)
class _Particle:
    """A text, its best version so far, and its velocity at each changed place."""

    here: Judged
    own_best: Judged
    speed: float
    velocity: dict[Locus, float]


@dataclass(frozen=True, slots=True)
class ParticleSwarm(Method):
    """A particle swarm of texts that move towards the best ones.

    Let texts adopt the words of the best texts seen, and mutate.

    Every place of a text has a velocity v. It grows where the text differs from its own best and
    from the swarm's best, and falls where it agrees; a place takes over the better text's word with
    probability sigmoid(v). Towards its own best a text turns with a probability that falls from
    0.8 to 0.2 over the iterations, towards the swarm's with one that rises from 0.2 to 0.8. It then
    mutates with probability 1 - 2 x (share of words changed): a place is drawn in proportion to
    what its best candidate gains, and takes it.

    Parameters
    ----------
    population, iterations
        How many texts, and how often they move.
    fastest
        Bound of the velocities.
    inertia
        Part of the velocity that is kept, in the first and in the last iteration.

    **Measures** as `Genetic`.

    **Misleads when** its cost is left out: every mutation asks about all candidates of a text.

    References
    ----------
    Zang, Qi, Yang, Liu, Zhang, Liu, Sun (2020), Word-level textual adversarial attacking as
    combinatorial optimization.

    Examples
    --------
    >>> ParticleSwarm().inertia
    (0.8, 0.2)
    """

    id = "particle_swarm@1"

    population: int = 60
    iterations: int = 20
    fastest: float = 3.0
    inertia: tuple[float, float] = (0.8, 0.2)

    def __post_init__(self) -> None:
        at_least(self, population=1, iterations=1)
        above_zero(self, "fastest")

    def search(self, problem: Problem) -> Asking:
        """Move until the goal is reached, or the last iteration."""
        rng = problem.rng(stream_of(self))
        start = yield from _mutated(problem, [problem.base] * self.population, rng)
        there = reached(start)
        speeds = (rng.random(len(start)) * 2 - 1) * self.fastest
        swarm = [_Particle(one, one, v, {}) for one, v in zip(start, speeds.tolist(), strict=True)]
        top = max(start, key=_STANDING)
        for iteration in range(self.iterations):
            if there is not None or top.state is problem.base.state:
                return there
            share = iteration / self.iterations
            moved = yield [self._moved(problem, p, top=top, share=share, rng=rng) for p in swarm]
            there = reached(moved)
            if there is not None:
                return there
            chosen = [one for one in moved if rng.random() < _mutation_rate(one.state)]
            mutants = iter((yield from _mutated(problem, chosen, rng)))
            kept = {id(one) for one in chosen}
            after = [next(mutants) if id(one) in kept else one for one in moved]
            there = reached(after)
            for particle, one in zip(swarm, after, strict=True):
                particle.here = one
                if is_better(one, particle.own_best):
                    particle.own_best = one
            top = max([top, *after], key=_STANDING)
        return there

    def _moved(
        self, problem: Problem, particle: _Particle, *, top: Judged, share: float, rng: Rng
    ) -> State:
        """Next text of a particle: moved towards its own best, then towards the swarm's."""
        here = genes(particle.here.state)
        own, all_best = genes(particle.own_best.state), genes(top.state)
        first, last = self.inertia
        kept = first + (last - first) * share
        for locus in sorted({*here, *own, *all_best}):
            pull = sum(
                3.0 if other.get(locus) != here.get(locus) else -3.0 for other in (own, all_best)
            )
            speed = particle.velocity.get(locus, particle.speed)
            speed = kept * speed + (1 - kept) * pull
            particle.velocity[locus] = min(self.fastest, max(-self.fastest, speed))
        state = particle.here.state
        for elite, chance in ((own, 0.8 - 0.6 * share), (all_best, 0.2 + 0.6 * share)):
            if rng.random() < chance:
                now = genes(state)
                loci = sorted({*now, *elite})
                turns = [
                    draw < 1 / (1 + exp(-particle.velocity.get(locus, 0.0)))
                    for draw, locus in zip(rng.random(len(loci)).tolist(), loci, strict=True)
                ]
                after = join(problem, mixed(now, elite, turns))
                state = state if after is None else after
        return state


def _mutation_rate(state: State) -> float:
    """1 - 2 x share of words changed, at least 0."""
    return max(0.0, 1 - 2 * state.words_changed / max(1, state.origin.word_count))


def _mutated(problem: Problem, members: Sequence[Judged], rng: Rng) -> Members:
    """Members, each with the best candidate of a place drawn in proportion to its gain."""
    distinct = {one.state.key: one.state for one in members}
    yield from problem.prepare([(state, problem.places(state)) for state in distinct.values()])
    groups = {
        key: [problem.candidates(state, place) for place in problem.places(state)]
        for key, state in distinct.items()
    }
    judged = iter((yield [s for lists in groups.values() for group in lists for s in group]))
    tops = {
        key: [best([next(judged) for _ in group]) for group in lists]
        for key, lists in groups.items()
    }
    found = []
    for one in members:
        options = [top for top in tops[one.state.key] if top is not None]
        start = problem.base.score if one.answer is None else one.score
        gains = [max(0.0, top.score - start) for top in options]
        share, total = rng.random(), sum(gains)
        found.append(one if total <= 0 else chosen_parent(options, gains, share * total))
    return found
