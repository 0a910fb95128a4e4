"""Resampling speed and memory: 10,000 draws over 5 replicates of 100,000 items.

Goal: seconds where equal rows collapse, under half a minute where they do not, in bounded memory.
The peer, in the same run, is the plain bootstrap loop (draw indices, take, average) on a hundredth
of the draws, scaled up.
"""

import argparse
import resource
from time import process_time

import numpy as np

from scrutiny.stats.resampling.resample import resample


def mean(sums, weight):
    del weight
    return sums[..., 0, 0] / sums[..., 0, 1]


def with_count(values):
    return np.stack([values, np.ones_like(values)], axis=-1)


def plain_loop(values, draws, rng):
    out = np.empty((draws, len(values)))
    for b in range(draws):
        index = rng.integers(0, values.shape[1], values.shape[1])
        out[b] = values[:, index].mean(axis=1)
    return out


def timed(call):
    start = process_time()
    call()
    return process_time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=5)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=10_000)
    given = parser.parse_args()
    shape, draws = (given.replicates, given.items), given.draws
    rng = np.random.default_rng(0)
    chance = rng.random(given.items)
    hits = (rng.random(shape) < chance).astype(float)
    distinct = rng.random(shape)
    peer = 100 * timed(lambda: plain_loop(hits, draws // 100, np.random.default_rng(1)))
    print(f"{'rows':<28}{'CPU s':>8}{'x faster than a loop':>24}")
    for name, values in (("0/1, collapse", hits), ("all distinct", distinct)):
        rows = with_count(values)
        seconds = timed(
            lambda rows=rows: resample(rows, mean, rng=np.random.default_rng(2), draws=draws)
        )
        print(f"{name:<28}{seconds:>8.1f}{peer / seconds:>24.1f}")
    print(f"the loop, scaled up: {peer:.0f} CPU s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak resident memory: {peak:.0f} MB")


if __name__ == "__main__":
    main()
