"""How much sooner two workers are done than one, by the clock.

Classifiers with random weights (as wide and deep as stated) answer 10,000 different texts in whole
commands, from an empty cache: planning, workers that start and load, asking, estimates, tables. One
thread a worker. Best of some rounds, in turns; other work on the machine spoils them, so its load
is printed.

goal    the time of one worker is at least 1.6 times that of two

    python benchmarks/workers_speed.py --texts ../shared/data/sst2/train.tsv --replicates 5
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inputs import classifier, texts

GOAL = 1.6


def write_texts(path, source, count):
    """Different texts with identifiers and labels."""
    labels = itertools.cycle(("negative", "positive"))
    rows = zip(itertools.count(), texts(count, source), labels, strict=False)
    lines = (json.dumps({"id": f"i{n}", "text": text, "label": label}) for n, text, label in rows)
    path.write_text("\n".join(lines), encoding="utf-8")


def seconds(folder, model, workers):
    out = tempfile.mkdtemp(dir=folder)
    words = ["run", "performance", "--model", model, "--data", "jsonl:texts.jsonl"]
    flags = ["--no-cache", "--workers", str(workers), "--out", out, "--display", "none"]
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "scrutiny", *words, *flags],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=Path, help="TSV file with a column sentence")
    parser.add_argument("--model", default="", help="in place of those with random weights")
    parser.add_argument("--count", type=int, default=10_000, help="texts in all")
    parser.add_argument("--replicates", type=int, default=1, help="each gets its part of them")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("two workers need two cores")
    print(f"load of the machine before: {os.getloadavg()[0]:.2f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = {"layers": given.layers, "width": given.width}
        for seed in range(1, 1 if given.model else given.replicates + 1):
            classifier(folder / f"seed-{seed}", seed=seed, **size)
        model = given.model or "hf:./seed-{seed}"
        write_texts(folder / "texts.jsonl", given.texts, given.count // given.replicates)
        taken = {1: [], 2: []}
        for _ in range(given.rounds):
            for workers, found in taken.items():
                found.append(seconds(folder, model, workers))
    one, two = (min(found) for found in taken.values())
    print(f"one worker {one:.1f} s, two {two:.1f} s: {one / two:.2f} times (goal {GOAL})")
    print("all rounds: " + "; ".join(" ".join(f"{s:.1f}" for s in t) for t in taken.values()))


if __name__ == "__main__":
    main()
