"""Fine-tuning of all runs of a job, resumable by run and by epoch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrutiny.training.finetuning.augmentation import checked_recipes
from scrutiny.training.finetuning.job import FinetuningJob, OneRun
from scrutiny.training.finetuning.one_run import Telling, Training
from scrutiny.training.finetuning.writing import RECORD, read_record


@dataclass(frozen=True, slots=True)
class Finished:
    """Finished run.

    Parameters
    ----------
    run
        Which one.
    folder
        Its checkpoint.
    record
        Content of its ``training.json``.
    """

    run: OneRun
    folder: Path
    record: dict[str, Any]


def finetune(
    job: FinetuningJob, out: Path, *, device: str = "auto", telling: Telling | None = None
) -> list[Finished]:
    """Train all runs of a job, in folders of ``out``; finished runs are kept.

    Parameters
    ----------
    job
        Which runs.
    out
        Folder of all of them.
    device
        "auto", "cpu", "cuda:0".
    telling
        Progress listener.

    Raises
    ------
    PlanError
        If a folder holds something else.
    ModelError
        If a base cannot be fine-tuned, or the training falls apart.
    StorageError
        If the disk refuses.
    """
    checked_recipes(job.recipe.augment, job.parts.task, labels=job.recipe.augment_labels)
    done = {run.place: found for run in job.runs if (found := _finished(run, out))}
    if telling is not None and len(done) < len(job.runs):
        total, steps = len(job.runs), job.sizes["steps"]
        telling.start("train", total=total * steps, done=len(done) * steps)
    for run in job.runs:
        if run.place not in done:
            record = Training(job, run, out, device, telling).run()
            done[run.place] = Finished(run, out / run.place, record)
    return [done[run.place] for run in job.runs]


def is_done(job: FinetuningJob, out: Path) -> bool:
    """Whether all checkpoints of a job exist."""
    return all((out / run.place / RECORD).is_file() for run in job.runs)


def _finished(run: OneRun, out: Path) -> Finished | None:
    """Run finished by an earlier call, or ``None``.

    Raises
    ------
    PlanError
        If the folder holds something else.
    """
    folder = out / run.place
    if not folder.exists():
        return None
    return Finished(run, folder, read_record(folder, run.identity))
