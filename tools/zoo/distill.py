"""Train the student: two layers that learn from bert-4x128/seed-1 and from the text.

nice -n 5 python tools/zoo/distill.py WORK
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import torch
from train import FAMILIES, STATED, prepared_for, run

from scrutiny.training.pretraining.job import PretrainingJob, Seeds, Teacher
from scrutiny.training.pretraining.stopping import stopping_on_signals

STUDENT = "bert-2x128-distilled"
TEACHER = "bert-4x128/seed-1"
STEPS = 3000


def job_of_student(work):
    prepared = prepared_for(work, "bert-2x128")
    prepared = replace(prepared, recipe=replace(FAMILIES["bert-2x128"], steps=STEPS))
    teacher = Teacher(work / "runs" / TEACHER, f"zoo:{TEACHER}")
    return PretrainingJob(prepared, Seeds(1, 1), teacher=teacher, stated=STATED)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path)
    work = parser.parse_args().work
    if not (work / "runs" / TEACHER / "training.json").exists():
        sys.exit(f"{TEACHER} is not finished.")
    torch.set_num_threads(1)
    with stopping_on_signals() as stop:
        run(work, job_of_student(work), work / "runs" / STUDENT, stop)


if __name__ == "__main__":
    main()
