"""Error rates and power of the rule for families of rows: the tables of docs/verdicts-simulated.md.

``python tools/family_errors.py [--studies 400] [--only usual unusual ...]``: about five CPU-minutes
with 400 studies a line. A rate of 2.5 % is then seen within .8 (one simulation error).
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "numerics"))

from simulated_families import Design, Rates, old_verdicts, rates, study
from simulated_shares import SHARES, Shared, enumerated, simulated

TENFOLD = tuple(np.geomspace(0.002, 0.02, 15).tolist())
WIDE = tuple(np.geomspace(0.002, 0.02, 40).tolist())
MIXED = (0.05, 0.03, 0.02, *(0.0,) * 12)

USUAL = {
    "3 seeds, 872 items, 15 rows, seed sd .5": Design(),
    "the same, 2 rows, seed sd .2 and 2": Design(rows=2, seed_sd=(0.002, 0.02)),
    "the same, 15 rows, seed sd .2 to 2": Design(seed_sd=TENFOLD),
    "3 seeds, 5,000 items, 15 rows, sd 1, correlated .9": Design(
        items=5000, seed_sd=0.01, shared=0.9
    ),
    "5 seeds, 5,000 items, 40 rows, sd .2 to 2": Design(
        rows=40, replicates=5, items=5000, seed_sd=WIDE
    ),
    "10 seeds, 872 items, 15 rows, sd .5": Design(replicates=10),
    "1 checkpoint, 872 items, 15 rows": Design(replicates=1),
    "2 checkpoints, 872 items, 15 rows": Design(replicates=2),
}
POWER = {
    "1 seed, 872 items": Design(loss=MIXED, replicates=1),
    "3 seeds, 300 items": Design(loss=MIXED, items=300),
    "3 seeds, 872 items": Design(loss=MIXED),
    "3 seeds, 872 items, seed sd 1": Design(loss=MIXED, seed_sd=0.01),
    "3 seeds, 2,000 items": Design(loss=MIXED, items=2000),
    "5 seeds, 872 items": Design(loss=MIXED, replicates=5),
    "3 seeds, 872 items, 3 draws of each change": Design(loss=MIXED, draws=3),
    "3 seeds, 872 items in 218 units": Design(loss=MIXED, units=218),
    "3 seeds, 872 items, F1, half positive": Design(loss=MIXED, positives=0.5),
}
UNUSUAL = {
    "every change drawn 3 times": Design(draws=3, loss=0.02),
    "every change drawn 5 times, 300 items": Design(draws=5, items=300, loss=0.02),
    "218 units of unequal size": Design(units=218, loss=0.02),
    "80 units of unequal size": Design(units=80, loss=0.02),
    "40 units of equal size, 1 % flip": Design(units=40, uneven=0.0, loss=0.01, churn=0.01),
    "10 units of unequal size, weakly correlated": Design(units=10, likeness=0.1, loss=0.02),
    "F1, half positive": Design(positives=0.5, loss=0.02),
    "F1, half positive, loss of 5": Design(positives=0.5, loss=0.05),
    "F1, a tenth positive, 2,000 items": Design(positives=0.1, items=2000, loss=0.05),
    "F1, a tenth positive, 200 items, 1 % flip": Design(
        positives=0.1, items=200, loss=0.02, churn=0.01
    ),
    "1 % flip, 300 items, loss of 1": Design(items=300, loss=0.01, churn=0.01),
}
SKEWED = {
    f"{units} units, correlated .{10 * likeness:.0f}, {100 * churn:.0f} % flip": Design(
        units=units, likeness=likeness, churn=churn, loss=0.02
    )
    for units in (80, 218)
    for likeness in (0.3, 0.6)
    for churn in (0.02, 0.05, 0.1)
}
RATIOS = {
    f"{units} units, correlated .{10 * likeness:.0f}, {100 * churn:.0f} % flip, F1": Design(
        units=units, likeness=likeness, churn=churn, loss=0.02, positives=0.5
    )
    for units in (80, 218)
    for likeness in (0.3, 0.6)
    for churn in (0.05, 0.1)
} | {
    "80 units, correlated .6, 5 % flip, F1, a fifth positive": Design(
        units=80, loss=0.02, positives=0.2
    ),
}
SHARED = {
    "80 units, a share of 5 %": Shared(0.05, Design(rows=1, replicates=1, units=80)),
    "the same, weakly correlated": Shared(
        0.05, Design(rows=1, replicates=1, units=80, likeness=0.3)
    ),
    "the same, 15 rows": Shared(0.05, Design(replicates=1, units=80)),
    "80 units, a share of 20 %": Shared(0.2, Design(rows=1, replicates=1, units=80)),
    "218 units, a share of 2 %, 2 rows": Shared(0.02, Design(rows=2, replicates=1, units=218)),
    "10 units, a share of 20 %": Shared(0.2, Design(rows=1, replicates=1, units=10, likeness=0.3)),
    "3 seeds of sd 1, a share of 5 %": Shared(0.05, Design(rows=1, seed_sd=0.01)),
    "3 seeds that are alike, a share of 1 %, 200 items": Shared(
        0.01, Design(rows=1, seed_sd=0.0, items=200)
    ),
}
SEEDS = {
    "seeds with heavy tails, t(3), sd 1.5": Design(seed_sd=0.015, tails=3.0),
    "seeds without a finite variance, t(2)": Design(seed_sd=0.015, tails=2.0),
    "the same for all rows, correlated .9": Design(seed_sd=0.015, tails=2.0, shared=0.9),
    "1 seed in 20 fails, loss of 10": Design(fails=(0.05, 0.1)),
    "1 seed in 5 fails, loss of 10": Design(fails=(0.2, 0.1)),
    "1 seed in 5 fails, loss of 10, 10 seeds": Design(replicates=10, fails=(0.2, 0.1)),
}


def usual(studies: int) -> Iterator[str]:
    """Typical families, without and with a loss."""
    yield "| family | no loss | loss of 2 points | half-width |"
    yield "| --- | --- | --- | --- |"
    for name, design in USUAL.items():
        none, two = (rates(_with(design, loss=loss), studies=studies) for loss in (0.0, 0.02))
        yield f"| {name} | {_sides(none)} | {_sides(two)} | {_points(two.half)} |"


def unusual(studies: int) -> Iterator[str]:
    """Draws, clusters, F1, few flips: one checkpoint, and three seeds."""
    yield "| family | 1 checkpoint | half-width | 3 seeds | half-width |"
    yield "| --- | --- | --- | --- | --- |"
    for name, design in UNUSUAL.items():
        one, three = (rates(_with(design, replicates=r), studies=studies) for r in (1, 3))
        cells = (name, _sides(one), _points(one.half), _sides(three), _points(three.half))
        yield f"| {' | '.join(cells)} |"


def skewed(studies: int) -> Iterator[str]:
    """Units of which a few difficult ones hold the loss: one checkpoint, and three seeds."""
    yield from _difficult(SKEWED, studies)


def ratios(studies: int) -> Iterator[str]:
    """The same of an F1."""
    yield from _difficult(RATIOS, studies)


def _difficult(designs: dict[str, Design], studies: int) -> Iterator[str]:
    yield "| family | 1 checkpoint | half-width | 3 seeds | half-width | not skewed | half-width |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, design in designs.items():
        hard = _with(design, is_skewed=True)
        made = (_with(hard, replicates=1), hard, _with(design, replicates=1))
        found = [rates(one, studies=studies) for one in made]
        cells = [cell for one in found for cell in (_sides(one), _points(one.half))]
        yield f"| {' | '.join([name, *cells])} |"


def shares(studies: int) -> Iterator[str]:
    """Shares of .002 to .2, one model, each row of a family by itself: computed, not simulated."""
    yield "| items | 1 row | 2 rows | 5 rows | 15 rows |"
    yield "| --- | --- | --- | --- | --- |"
    for n in (20, 50, 100, 200, 872, 2000):
        worst = [enumerated(n, rows, SHARES).max(axis=0) for rows in (1, 2, 5, 15)]
        cells = (f"{_points(low)} / {_points(high)}" for low, high in worst)
        yield f"| {n:,} | {' | '.join(cells)} |"


def shared(studies: int) -> Iterator[str]:
    """Shares of items in units, and of several seeds."""
    yield "| family of shares | false lower / upper limit | half-width |"
    yield "| --- | --- | --- |"
    for name, made in SHARED.items():
        low, high, half = simulated(made, studies=studies)
        yield f"| {name} | {_points(low)} / {_points(high)} | {_points(half)} |"


def seeds(studies: int) -> Iterator[str]:
    """Seeds that are not normal."""
    yield "| seeds | false *hurts* / false *holds* | half-width |"
    yield "| --- | --- | --- |"
    for name, design in SEEDS.items():
        found = rates(design, studies=studies)
        yield f"| {name} | {_sides(found)} | {_points(found.half)} |"


def power(studies: int) -> Iterator[str]:
    """What is found, beside p-values with Holm."""
    yield "| study | losses of 2 / 3 / 5 found | no loss holds within 1 / 2 | by Holm: 2 / 3 / 5 |"
    yield "| --- | --- | --- | --- |"
    for name, design in POWER.items():
        found = rates(design, studies=studies)
        one = rates(design, studies=studies, tolerance=0.01)
        holds = (float(each.holds[3:].mean()) for each in (one, found))
        old = by_holm(design, studies=studies)
        cells = (name, _shares(found.hurts[2::-1]), _shares(holds), _shares(old[2::-1]))
        yield f"| {' | '.join(cells)} |"


def by_holm(design: Design, *, studies: int):
    """Share of studies that state each row: drop and excess above 0, p-values, Holm, t(R - 1)."""
    rng = np.random.default_rng(0)
    other = _with(design, loss=0.0)
    told = np.array(
        [
            old_verdicts(rng, study(rng, design), study(rng, other), margin=0.0)
            for _ in range(studies)
        ]
    )
    return (told == "supported").mean(axis=0)


def _with(design: Design, **changed: object) -> Design:
    return Design(**{**vars(design), **changed})


def _sides(found: Rates) -> str:
    return f"{_points(found.false_hurts)} / {_points(found.false_holds)}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _shares(shares) -> str:
    return " / ".join(f"{share:.2f}" for share in shares)


TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    one.__name__: one for one in (usual, unusual, skewed, ratios, shares, shared, seeds, power)
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    asked = parser.parse_args(arguments)
    for name in asked.only:
        print(f"\n{TABLES[name].__doc__}\n")
        for line in TABLES[name](asked.studies):
            print(line, flush=True)


if __name__ == "__main__":
    main()
