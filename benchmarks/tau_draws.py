"""Draws of tau between two corpora: 144 heads, 4,000 frames, 2,000 draws.

Goal: seconds, in memory that does not grow with the draws. The peer, in the same run, draws frames
by index, sums their counts and calls scipy's kendalltau, on a fiftieth of the draws, scaled up.
"""

import argparse
import resource
from time import process_time

import numpy as np
from scipy.stats import kendalltau

from scrutiny.reliability.metrics import metric_of
from scrutiny.stats.association.rank_correlation import tau_b
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.weights import Units

SHARE = 50


def counts(rng, heads, frames):
    """Counts ``(frame, 2 x head + 1)`` of heads of different worth."""
    gold = rng.binomial(14, 0.5, frames)
    tp = rng.binomial(gold[:, None], np.linspace(0.02, 0.5, heads))
    return np.column_stack([tp, tp + rng.poisson(1.0, tp.shape), gold]).astype(float)


def f1(sums):
    heads = len(sums) // 2
    return 2 * sums[:heads] / (sums[heads:-1] + sums[-1])


def plain_loop(table, corpus, draws, rng):
    parts = [table[corpus == c] for c in (0, 1)]
    for _ in range(draws // SHARE):
        drawn = (p[rng.integers(0, len(p), len(p))].sum(axis=0) for p in parts)
        kendalltau(*(f1(sums) for sums in drawn))


def timed(call):
    start = process_time()
    call()
    return process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--heads", type=int, default=144)
    parser.add_argument("--frames", type=int, nargs=2, default=[862, 3138])
    parser.add_argument("--draws", type=int, default=2_000)
    given = parser.parse_args()
    heads, frames, draws = given.heads, sum(given.frames), given.draws
    rng = np.random.default_rng(0)
    table, corpus = counts(rng, heads, frames), np.repeat([0, 1], given.frames)
    units = Units.of(len(table), strata=corpus)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peer = SHARE * timed(lambda: plain_loop(table, corpus, draws, np.random.default_rng(1)))
    print(f"{heads} heads, {frames:,} frames, {draws:,} draws; the loop: {peer:.0f} CPU s")
    for name, replicates in (("heads_tau(f1)", 1), ("heads_tau(f1)", 5), ("selected_head(f1)", 1)):
        statistic = metric_of(name)
        stacked = np.broadcast_to(table, (replicates, *table.shape))
        seconds = timed(
            lambda s=statistic, x=stacked: resample(
                x, s.value, rng=np.random.default_rng(2), draws=draws, units=units, cells=corpus
            )
        )
        ratio = peer * replicates / seconds
        print(f"{statistic.id:<22}{replicates} replicates {seconds:>6.2f} CPU s {ratio:>6.0f} x")
    pairs = rng.random((2, draws, heads))
    print(f"tau alone, {draws:,} pairs: {timed(lambda: tau_b(*pairs)):.3f} CPU s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"resident memory: {before:.0f} MB before, {peak:.0f} MB at its peak")


if __name__ == "__main__":
    main()
