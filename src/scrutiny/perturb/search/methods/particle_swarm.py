"""Particle swarm optimization over texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from operator import attrgetter
from typing import Final

from scrutiny.core.boundary.parameters import above_zero, at_least
from scrutiny.core.randomness import Rng, stream_of
from scrutiny.perturb.search.judging import Judged, best, is_better, reached
from scrutiny.perturb.search.methods.genetic import (
    Locus,
    Members,
    chosen_parent,
    genes,
    join,
    mixed,
)
from scrutiny.perturb.search.problem import Asking, Method, Problem
from scrutiny.perturb.search.state import State

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
