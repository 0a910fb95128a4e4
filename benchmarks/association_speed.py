"""Association tests: permutation tests on packed tables, and how often a sentence is encoded.

Goals: an exact test of 8 words a side under 5 ms and 100,000 samples of 25 a side under 50 ms, once
the splits of that size have been made; each distinct sentence encoded once for all tests and
representations. The peer, in the same run, sums each split anew, as the published code does.
"""

import argparse
from itertools import combinations
from time import process_time

import numpy as np
from inputs import DATA

from scrutiny.stats.association.partitions import partitions
from scrutiny.stats.association.word_sets import split_test

REPEATS = 20
GOALS = {8: 5, 25: 50}  # milliseconds, by the words of a side


def timed(call, repeats=1):
    start = process_time()
    for _ in range(repeats):
        call()
    return 1000 * (process_time() - start) / repeats


def exact_loop(values, n):
    observed = values[:n].sum()
    sums = [values[list(chosen)].sum() for chosen in combinations(range(2 * n), n)]
    return np.mean(np.array(sums) >= observed - 1e-9)


def sampled_loop(values, n, draws, rng):
    observed = values[:n].sum()
    hits = sum(rng.permutation(values)[:n].sum() >= observed for _ in range(draws))
    return (1 + hits) / (1 + draws)


def permutations(sides):
    rng = np.random.default_rng(0)
    print(f"{'test':<34}{'splits':>9}{'table ms':>10}{'test ms':>9}{'loop ms':>9}{'ratio':>8}")
    for n in sides:
        goal = GOALS.get(n)
        values, side = rng.standard_normal(2 * n), np.repeat([1, 0], n)
        made = timed(lambda n=n: partitions(2 * n, n))
        table = partitions(2 * n, n)
        test = timed(lambda v=values, s=side: split_test(v, s), REPEATS)
        if table.is_exact:
            loop = timed(lambda v=values, n=n: exact_loop(v, n))
        else:
            draws = 2_000
            loop = timed(lambda v=values, n=n, d=draws: sampled_loop(v, n, d, rng))
            loop *= (len(table) + 1) / draws
        name = f"{'exact' if table.is_exact else 'sampled'}, {n} a side"
        name += f" (goal {goal} ms)" if goal else ""
        row = f"{name:<34}{len(table):>9,}{made:>10.1f}{test:>9.2f}{loop:>9.0f}"
        print(f"{row}{loop / test:>8.0f}")


def sentences():
    from scrutiny.data.dataset import load_dataset
    from scrutiny.diagnostics.association.word_sets import passages_of

    if not (DATA / "sent_bias").exists():
        print("sent_bias is not under SCRUTINY_DATA: sentences are not counted")
        return
    examples = load_dataset(f"sent-bias:{DATA / 'sent_bias'}", name="seat").examples
    texts = len({example.text for example in examples})
    asked = {w: len(passages_of(examples, lower=False, needs_word=w)[0]) for w in (False, True)}
    print(f"{len(examples):,} items of all tests, {texts:,} distinct texts")
    print(f"encoded: {asked[False]:,}; with the word's own vector too: {asked[True]:,}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sides", type=int, nargs="+", default=[8, 9, 25, 64, 350])
    permutations(parser.parse_args().sides)
    sentences()


if __name__ == "__main__":
    main()
