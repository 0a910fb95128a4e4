"""A/A certificate: how often the rule of a comparison calls an unchanged system worse.

Pairs of runs are drawn in which nothing differs but chance: the items of the comparison with what
the first model did on them, its noise floor, its repeats. The very rule that decides is put to
each. The same pairs with a loss planted in the second run say which loss it finds. How far seeds
lie apart is known from few: each pair has a distance that fits what was seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy

from scrutiny.core.randomness import generator
from scrutiny.diagnostics.similarity.side_by_side.sides import Noise, Sides
from scrutiny.run.comparing.changed_slices import Sliced
from scrutiny.run.comparing.many_comparisons import ComparisonRule
from scrutiny.stats.resampling.seed_spread import SeedSpread
from scrutiny.stats.resampling.unchanged import UnchangedSystem

#: Noise that a certificate supposes where it is not known, beside none; or what differs, if more.
SUPPOSED: Final = 0.05
#: Share of the comparisons that have to find a loss.
POWER: Final = 0.8
_PAIRS: Final = 1000
_FEWEST_PAIRS: Final = 100
_CELLS: Final = 8_000_000  # answers that are drawn for one rate, at most
#: Pairs for each loss that is tried, and answers of all of them: with many items the limits are
#: near to the margin whatever the pairs say.
_FOR_POWER: Final = (20, 250)
_POWER_CELLS: Final = 1_600_000
_STEPS: Final = 5  # of bisection
_TAIL: Final = 0.1  # of the spreads of seeds that fit, on either side of what is said of them
_ENDS: Final = 3  # times fewer pairs for these ends
_NEAR: Final = (0.8, 2.4)  # times half of an interval: where the smallest loss is looked for
_SURE: Final = 0.95
_SAME: Final = 1e-9  # scores nearer than this are one score


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the rule of a comparison would say of pairs without a change, and with one.

    Parameters
    ----------
    noise
        Share of the items that flip between two runs of one model, by which pairs were drawn.
    is_known
        Whether that is the noise floor that was seen, and not a supposition.
    pairs, alarms
        Simulated pairs of an unchanged system, and how many of them were called worse.
    undecided
        Share of these pairs that the rule does not decide.
    finds
        Smallest loss that 80 of 100 comparisons find, over all distances of seeds that fit what was
        seen; None where they find none.
    between
        That loss, if seeds lie as near to each other, or as far apart, as the ends of an 80 %
        interval say; None where a run has one replicate.
    """

    noise: float
    is_known: bool
    pairs: int
    alarms: int
    undecided: float
    finds: float | None
    between: tuple[float | None, float | None] | None = None

    @property
    def at_most(self) -> float:
        """Upper limit of the share of false alarms (one-sided 95 %, Clopper and Pearson)."""
        return upper_limit(self.alarms, self.pairs)


def upper_limit(cases: int, of: int) -> float:
    """Upper limit of a share that was seen in so many cases, one-sided at 95 %.

    Examples
    --------
    >>> round(upper_limit(0, 1000), 4), upper_limit(3, 3)
    (0.003, 1.0)
    """
    if cases >= of:
        return 1.0
    return float(scipy.special.betaincinv(cases + 1.0, of - cases, _SURE))


def rule_of(
    sides: Sides, slices: Sliced, *, margin: float, family: int, n_rows: int = 1
) -> ComparisonRule:
    """Rule by which a comparison of two sides decides.

    Parameters
    ----------
    sides, slices
        As they are tested.
    margin
        Largest tolerable loss.
    family
        Number of tests elsewhere in the same family.
    n_rows
        Numbers in the family whose limits decide about all items.
    """
    everything = np.ones(len(sides.examples), dtype=np.bool_)
    members = np.array([everything, *(inside for _, inside in slices)])
    return ComparisonRule(
        members,
        sides.units.code,
        len(members) + family,
        margin,
        sign=sides.sign,
        is_paired=sides.is_paired,
        is_hit=sides.is_hit,
        most=1.0 if sides.is_hit or sides.is_share else float("inf"),
        n_rows=n_rows,
        level=sides.resampling.level,
    )


def certificates(sides: Sides, rule: ComparisonRule, noise: Noise) -> tuple[Certificate, ...]:
    """Certificate of a comparison; where no noise floor is known, two that suppose one.

    Parameters
    ----------
    sides
        The two runs: the first one's answers, and how many replicates either has.
    rule
        What decides.
    noise
        Of the first model against itself.
    """
    known = noise.share is not None
    supposed = [0.0, min(0.5, max(SUPPOSED, flips_between(sides)))]
    if noise.share is not None:
        supposed = [noise.share]
    elif len(sides.first) > 1:  # scores without a range: each item's own ones are drawn
        known, supposed = True, [0.0]
    spread = SeedSpread.of([sides.first, sides.second], is_paired=sides.is_paired)
    counts = len(sides.first), len(sides.second)
    found = []
    for share in supposed:
        rng = generator(sides.seed, "compare", name="certificate", item=sides.dataset)
        of = UnchangedSystem.of_hits if sides.is_hit else UnchangedSystem.of_scores
        system = of(sides.first, noise=share, spread=spread)
        found.append(certify(system, rule, counts, rng=rng, is_known=known))
    return tuple(found)


def flips_between(sides: Sides) -> float:
    """Share of the items that differ between two runs, a mean over matched replicates."""
    apart = [(np.abs(sides.first[i] - sides.second[k]) > _SAME).mean() for i, k in sides.pairs()]
    return float(np.mean(apart))


def certify(
    system: UnchangedSystem,
    rule: ComparisonRule,
    counts: tuple[int, int],
    *,
    rng: np.random.Generator,
    is_known: bool = True,
) -> Certificate:
    """Certificate of a rule for pairs of one system.

    Parameters
    ----------
    system
        From which pairs are drawn.
    rule
        What decides.
    counts
        Replicates of the first and of the second run.
    rng
        Source of the draws.
    is_known
        Whether the noise was seen.
    """
    cells = system.n_items * sum(counts)
    pairs = int(np.clip(_CELLS // max(cells, 1), _FEWEST_PAIRS, _PAIRS))
    for_power = int(np.clip(_POWER_CELLS // max(cells, 1), *_FOR_POWER))
    worse, same = rates(system, rule, counts, rng=rng, pairs=pairs)
    finds = _smallest_found(system, rule, counts, rng=rng, pairs=for_power)
    return Certificate(
        system.noise,
        is_known,
        pairs,
        alarms=worse,
        undecided=1.0 - (worse + same) / pairs,
        finds=finds,
        between=_ends(system, rule, counts, finds, rng=rng, pairs=for_power),
    )


def _ends(
    system: UnchangedSystem,
    rule: ComparisonRule,
    counts: tuple[int, int],
    finds: float | None,
    *,
    rng: np.random.Generator,
    pairs: int,
) -> tuple[float | None, float | None] | None:
    """Smallest losses that are found if seeds lie near to each other, and if they lie far apart.

    Fewer pairs are drawn for them than for the loss of all distances, which lies between them.
    """
    if system.spread.is_known:
        return None
    few = max(_FOR_POWER[0], pairs // _ENDS)
    ends = [
        _smallest_found(
            replace(system, spread=system.spread.fixed(share)), rule, counts, rng=rng, pairs=few
        )
        for share in (_TAIL, 1.0 - _TAIL)
    ]
    known = [loss for loss in (finds, *ends) if loss is not None]
    return (min(known) if known else None, max(known) if len(known) > len(ends) else None)


def rates(
    system: UnchangedSystem,
    rule: ComparisonRule,
    counts: tuple[int, int],
    *,
    rng: np.random.Generator,
    pairs: int,
    loss: float = 0.0,
) -> tuple[int, int]:
    """Numbers of simulated pairs with a regression, and of those without one.

    Parameters
    ----------
    system, rule, counts, rng
        As `certify` has them.
    pairs
        Number of pairs.
    loss
        True loss of the second run, planted on items wherever they are.
    """
    worse = same = 0
    for first, second in system.pairs(rng, pairs, counts, loss=rule.sign * loss):
        lost, kept = rule.outcomes(first, second)
        worse, same = worse + int(lost.sum()), same + int(kept.sum())
    return worse, same


def _smallest_found(
    system: UnchangedSystem,
    rule: ComparisonRule,
    counts: tuple[int, int],
    *,
    rng: np.random.Generator,
    pairs: int,
) -> float | None:
    """Smallest loss that the rule finds in so many pairs of a hundred; None if it finds none."""
    seed = int(rng.integers(2**32))
    drawn = [*system.drawn(np.random.default_rng(seed), pairs, counts)]  # one chance, all losses

    def is_found(loss: float) -> bool:
        worse = sum(int(rule.regressions(*block.losing(rule.sign * loss)).sum()) for block in drawn)
        return worse >= POWER * pairs

    most = _largest_loss(system, rule)
    ((one, other), *_) = system.pairs(np.random.default_rng(seed), 20, counts)
    seen = rule.tested(one, other)
    half = float(np.median(seen.high[:, 0] - seen.low[:, 0])) / 2.0
    few, many = (min(rule.margin + times * half, most) for times in _NEAR)
    if is_found(few):
        few, many = rule.margin, few
    while not is_found(many):
        if many >= most:
            return None
        few, many = many, min(2.0 * many, most)
    for _ in range(_STEPS):
        middle = (few + many) / 2.0
        few, many = (few, middle) if is_found(middle) else (middle, many)
    return many


def _largest_loss(system: UnchangedSystem, rule: ComparisonRule) -> float:
    """Loss of everything; of scores without a range, many of their spreads."""
    if np.isfinite(rule.most):
        return system.level if rule.sign > 0 else 1.0 - system.level
    scores = np.zeros(1) if system.scores is None else system.scores
    return rule.margin + 10.0 * float(scores.std()) + 1e-9


def together(found: Sequence[Certificate]) -> float:
    """Upper limit of the share of false alarms of several comparisons of one command."""
    return float(min(1.0, sum(one.at_most for one in found)))
