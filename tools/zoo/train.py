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
import sys
import time
from functools import lru_cache
from pathlib import Path

import torch

from scrutiny.training.pretraining.job import PretrainingJob, Seeds, Stated
from scrutiny.training.pretraining.recipe import PretrainingRecipe
from scrutiny.training.pretraining.run import prepare, pretrain
from scrutiny.training.pretraining.stopping import stopping_on_signals
from scrutiny.training.pretraining.vocabulary import save_tokenizer

FAMILIES = {"bert-4x128": PretrainingRecipe(layers=4), "bert-2x128": PretrainingRecipe(layers=2)}
JOBS = [
    *(("bert-4x128", seed) for seed in (1, 2, 3)),
    *(("bert-2x128", seed) for seed in (1, 2, 3, 4, 5)),
    *(("bert-4x128", seed) for seed in (4, 5)),
]
CHECKPOINTS = (400, 1000, 2500, 5000)
WITH_CHECKPOINTS = (1, 2)  # seeds
STATED = Stated(
    "CC BY-SA 4.0",
    (
        "Standard Ebooks, twelve books (CC0 1.0)",
        "WikiText-2, validation part: contributors of Wikipedia; Merity et al. 2016 (CC BY-SA 3.0)",
        "movie_reviews, sentence_polarity, subjectivity: Pang and Lee 2004, 2005 (CC BY 4.0)",
        "product_reviews_1: Hu and Liu 2004 (CC BY 4.0)",
        "WNUT-17, training part: Derczynski et al. 2017 (CC BY 4.0)",
        "wikigold: Balasuriya et al. 2009 (CC BY 4.0)",
        "SemEval-2010 task 8, training part: Hendrickx et al. 2010 (CC BY 3.0)",
        "UD English EWT, training part: Silveira et al. 2014 and contributors (CC BY-SA 4.0)",
    ),
)


def say(work, text):
    with (work / "progress.txt").open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def texts_of(work):
    """Training files, the largest first: their order is part of the recipe."""
    files = (work / "texts" / "training").glob("*.txt")
    return sorted(files, key=lambda path: (-path.stat().st_size, path.name))


def vocabulary(work):
    """Folder of the tokenizer, trained once for all families."""
    folder = work / "tokenizer"
    if not (folder / "tokenizer.json").exists():
        made = prepare(texts_of(work), PretrainingRecipe())
        save_tokenizer(made.tokenizer, folder, PretrainingRecipe().positions)
    return folder


@lru_cache(maxsize=1)
def prepared_for(work, family):
    return prepare(texts_of(work), FAMILIES[family], tokenizer=vocabulary(work))


def job_of(work, family, seed):
    steps = CHECKPOINTS if seed in WITH_CHECKPOINTS else ()
    return PretrainingJob(prepared_for(work, family), Seeds(seed, seed), steps, stated=STATED)


def run(work, job, out, stop):
    """Train one job as far as it goes."""
    name, begun = f"{out.name}/{job.seeds.place()}", time.monotonic()

    def log(row):
        shown = {k: round(v, 3) for k, v in row.items()}
        say(work, f"{name} {shown} {time.monotonic() - begun:.0f} s since start")

    done = pretrain(job, out, on_log=log, should_stop=stop)
    say(work, f"{name} {'finished' if done else 'stopped'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    parser.add_argument("--worker", default="0", help="Only a name, to tell the processes apart.")
    work = parser.parse_args().work
    torch.set_num_threads(1)
    with stopping_on_signals() as stop:
        for family, seed in JOBS:
            folder = work / "runs" / family / f"seed-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "lock").open("w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue  # another worker has it
                if not (folder / "training.json").exists():
                    run(work, job_of(work, family, seed), folder.parent, stop)
            if stop():
                sys.exit(3)


if __name__ == "__main__":
    main()
