"""Time and resident memory of streaming 1,000 to 1,000,000 sentences through a recipe.

    python benchmarks/perturb_memory.py [--recipe typos] [--most 1000000]

Sentences are made up as they are asked for. Goals: time grows linearly (the last tenfold step takes
at most twelve times as long), and the process grows by no more than 500 MB.
"""

import argparse
import resource
import sys
from time import process_time

from scrutiny.core.example import Example
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream

LIMIT_MB = 500
WORDS = "the a film story actor is was rather truly wonderful boring with without and but".split()


def sentences(count):
    """Examples of twelve words each, made when they are asked for."""
    for i in range(count):
        words = [WORDS[(i * 7 + j * j) % len(WORDS)] for j in range(12)]
        yield Example(f"i{i}", {"text": " ".join(words) + "."}, gold="x")


def resident_mb():
    """Largest resident set so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recipe", default="typos")
    parser.add_argument("--most", type=int, default=1_000_000)
    options = parser.parse_args()
    count, before, grew, begun = min(1000, options.most), None, 0.0, resident_mb()
    while count <= options.most:
        begin = process_time()
        stream = perturb_stream(sentences(count), [options.recipe], Setting(seed=0))
        changed = sum(variants[0].status == "ok" for _, variants in stream)
        seconds = process_time() - begin
        grew = seconds / before if before else 0.0
        print(
            f"{count:>9,} sentences {seconds:8.2f} CPU-s {count / seconds:9,.0f}/s "
            f"{changed:>9,} changed {resident_mb():6.0f} MB"
        )
        before, count = seconds, count * 10
    more = resident_mb() - begun
    is_linear, is_small = grew <= 12, more < LIMIT_MB
    print(f"last tenfold step: {grew:.1f}x the time; {more:.0f} MB more, of {LIMIT_MB}")
    return 0 if is_linear and is_small else 1


if __name__ == "__main__":
    sys.exit(main())
