"""How much sooner two workers are done than one, by the clock.

Classifiers with random weights (as wide and deep as stated) answer 10,000 different texts in whole
commands, from an empty cache: planning, workers that start and load, asking, estimates, tables. One
thread a worker. Best of some rounds, in turns; other work on the machine spoils them, so its load
is printed.

goal    the time of one worker is at least 1.6 times that of two

    python benchmarks/workers_speed.py --texts ../shared/data/sst2/train.tsv --replicates 5
"""

import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scrutiny.data.dataset import load_dataset
from scrutiny.models.strings.training_records import checkpoint_folder

GOAL = 1.6


def write_models(folder, replicates, *, layers, width):
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    zoo = checkpoint_folder("zoo:bert-2x128/seed-1")
    if zoo is None:
        raise SystemExit("the tokenizer is that of scrutiny-zoo, which is not installed")
    tokenizer = AutoTokenizer.from_pretrained(zoo)
    for seed in range(1, replicates + 1):
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=width // 32,
            intermediate_size=4 * width,
            id2label={0: "negative", 1: "positive"},
            label2id={"negative": 0, "positive": 1},
        )
        place = folder / f"seed-{seed}"
        BertForSequenceClassification(config).save_pretrained(place)
        tokenizer.save_pretrained(place)


def write_texts(path, source, count):
    """Texts with identifiers; where there are too few, they come again with a number behind."""
    if source is None:
        texts = [example.text for example in load_dataset("builtin:reviews").examples]
    else:
        with source.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            texts = list(dict.fromkeys(row["sentence"] for row in rows))
    again = (f"{text} {turn}" if turn else text for turn in itertools.count() for text in texts)
    labels = itertools.cycle(("negative", "positive"))
    rows = zip(range(count), again, labels, strict=False)
    lines = (json.dumps({"id": f"i{n}", "text": text, "label": label}) for n, text, label in rows)
    path.write_text("\n".join(lines), encoding="utf-8")


def seconds(folder, workers):
    out = tempfile.mkdtemp(dir=folder)
    words = ["run", "performance", "--model", "hf:./seed-{seed}", "--data", "jsonl:texts.jsonl"]
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
        write_models(folder, given.replicates, layers=given.layers, width=given.width)
        write_texts(folder / "texts.jsonl", given.texts, given.count // given.replicates)
        taken = {1: [], 2: []}
        for _ in range(given.rounds):
            for workers, found in taken.items():
                found.append(seconds(folder, workers))
    one, two = (min(found) for found in taken.values())
    print(f"one worker {one:.1f} s, two {two:.1f} s: {one / two:.2f} times (goal {GOAL})")
    print("all rounds: " + "; ".join(" ".join(f"{s:.1f}" for s in t) for t in taken.values()))


if __name__ == "__main__":
    main()
