"""Train the zoo: the next run that is not finished, until all are or the hours are over.

    python tools/zoo/texts.py DIR/texts
    OMP_NUM_THREADS=1 setsid nohup nice -n 19 python tools/zoo/train.py --state DIR --hours 12 &

Stop it with SIGTERM or kill it: the same command goes on from a state of at most two minutes ago,
to the same weights, bit for bit. Each finished run is measured at once (competence.json). The
vocabulary is DIR/tokenizer, learned from the texts if it is not there. DIR/progress.txt says what
came of it; each of its lines ends with the seconds of processor time since the start.
"""

import argparse
import fcntl
import sys
import time
from pathlib import Path

import torch
from competence import measure_lacking
from recipe import Edition, folder_of, is_done, job_of

from scrutiny.training.pretraining.kept_memory import keep_memory
from scrutiny.training.pretraining.loop import stopping_on_signals
from scrutiny.training.pretraining.pretraining import pretrain


def say(work, text):
    with (work / "progress.txt").open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%F %T')} {text} | {time.process_time():.0f} s\n")


def train_all(work, edition, should_stop):
    """Train and measure every run that is not finished; whether all are."""
    for family, seed in edition.runs():
        out = folder_of(work, family, seed)
        if not is_done(work, family, seed):

            def log(row, name=f"{family}/seed-{seed}"):
                say(work, f"{name} { ({key: round(value, 3) for key, value in row.items()}) }")

            job = job_of(work, edition, family, seed)
            if pretrain(job, out.parent, on_log=log, should_stop=should_stop) is None:
                return False
        for name, line in measure_lacking(work, out, should_stop):
            say(work, f"{family}/{name}: {line}")
        if should_stop():
            return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--state", type=Path, required=True, help="Folder of texts and runs.")
    parser.add_argument("--hours", type=float, default=12.0, help="At most so long, by the clock.")
    asked = parser.parse_args()
    end = time.monotonic() + 3600 * asked.hours
    torch.set_num_threads(1)
    keep_memory()
    with (asked.state / "lock").open("w") as lock, stopping_on_signals() as stop:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"Another process trains in {asked.state}.")
        is_whole = train_all(
            asked.state, Edition(), lambda: stop.is_set() or time.monotonic() > end
        )
    sys.exit(0 if is_whole else 3)


if __name__ == "__main__":
    main()
