"""Train the zoo: one job after the other, each taken up where it stands.

    python tools/zoo/texts.py WORK/texts
    setsid nohup nice -n 5 python tools/zoo/train.py WORK --worker 0 &
    setsid nohup nice -n 5 python tools/zoo/train.py WORK --worker 1 &

A worker takes the next job that no other worker holds; stop it with SIGTERM, start it again with
the same command. Set MALLOC_MMAP_THRESHOLD_ and MALLOC_TRIM_THRESHOLD_ to a few GB, which spares
the allocator's page faults (a tenth to a fifth of the time), and OMP_NUM_THREADS to 1.
"""

import argparse
import fcntl
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch

from scrutiny.training.pretraining.batches import Batches
from scrutiny.training.pretraining.export import save_weights
from scrutiny.training.pretraining.loop import Keeping, train
from scrutiny.training.pretraining.network import new_network, start_from_frequencies
from scrutiny.training.pretraining.recipe import Recipe
from scrutiny.training.pretraining.run import Seeds, digest_of, prepare
from scrutiny.training.pretraining.vocabulary import save_tokenizer

FAMILIES = {"bert-4x128": Recipe(layers=4), "bert-2x128": Recipe(layers=2)}
JOBS = [
    *(("bert-4x128", seed) for seed in (1, 2, 3)),
    *(("bert-2x128", seed) for seed in (1, 2, 3, 4, 5)),
    *(("bert-4x128", seed) for seed in (4, 5)),
]
CHECKPOINTS = (400, 1000, 2500, 5000)
WITH_CHECKPOINTS = (1, 2)  # seeds


@dataclass
class Stop:
    """Whether somebody asked this process to stop."""

    asked: bool = False

    def __call__(self, *_):
        self.asked = True


def say(work, text):
    with (work / "progress.txt").open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def texts_of(work):
    """Training files, the largest first: their order is part of the recipe."""
    files = (work / "texts" / "training").glob("*.txt")
    return sorted(files, key=lambda path: (-path.stat().st_size, path.name))


def vocabulary(work):
    """Folder of the tokenizer, trained once for both families."""
    folder = work / "tokenizer"
    if not (folder / "tokenizer.json").exists():
        made = prepare(texts_of(work), Recipe())
        save_tokenizer(made.tokenizer, folder, Recipe().positions)
    return folder


def run(work, family, seed, stop):
    """Train one job as far as it goes; whether it came to its end."""
    name, folder = f"{family}/seed-{seed}", work / "runs" / family / f"seed-{seed}"
    prepared = prepare(texts_of(work), FAMILIES[family], tokenizer=vocabulary(work))
    seeds = Seeds(seed, seed)
    network = new_network(prepared.recipe, seed)
    start_from_frequencies(network, prepared.corpus)
    begun = time.monotonic()

    def checkpoint(step, model):
        save_weights(model, folder / f"step-{step}", "fp32")

    def log(row):
        speed = f"{time.monotonic() - begun:.0f} s since start"
        say(work, f"{name} { ({k: round(v, 3) for k, v in row.items()}) } {speed}")

    keeping = Keeping(
        folder,
        digest_of(prepared, seeds),
        checkpoints=CHECKPOINTS if seed in WITH_CHECKPOINTS else (),
        on_checkpoint=checkpoint,
        on_log=log,
        should_stop=lambda: stop.asked,
    )
    batches = Batches(prepared.corpus, prepared.recipe, seed)
    state = train(network, batches, recipe=prepared.recipe, keeping=keeping)
    if state.step < prepared.recipe.steps:
        say(work, f"{name} stopped at step {state.step}")
        return False
    save_weights(network, folder / "final", "fp32")
    say(work, f"{name} finished")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--worker", default="0")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    stop = Stop()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    for family, seed in JOBS:
        folder = asked.work / "runs" / family / f"seed-{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # another worker has it
            if not (folder / "final" / "model.safetensors").exists():
                run(asked.work, family, seed, stop)
        if stop.asked:
            sys.exit(3)


if __name__ == "__main__":
    main()
