"""All runs of a training job, resumable by run; and untrained models in their places."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrutiny.core.progress import Progress
from scrutiny.training.job import OneRun, TrainingJob
from scrutiny.training.model_folder import read_record


@dataclass(frozen=True, slots=True)
class Finished:
    """Finished run.

    Parameters
    ----------
    run
        Which one.
    folder
        Its model.
    record
        Content of its ``training.json``.
    """

    run: OneRun
    folder: Path
    record: dict[str, Any] = field(repr=False)


def train_runs(
    job: TrainingJob,
    out: Path,
    train: Callable[[OneRun, Path], dict[str, Any]],
    *,
    progress: Progress,
) -> list[Finished]:
    """Train all runs of a job, in folders of ``out``; finished runs are kept.

    Parameters
    ----------
    job
        Which runs.
    out
        Folder of all of them.
    train
        Trains one into its folder; returns its record.
    progress
        Is told how many steps there are, and how many of them were done before.

    Raises
    ------
    PlanError
        If a folder holds something else.
    """
    runs, steps = job.runs, job.sizes.get("steps", 1)
    records = {
        run.place: read_record(out / run.place, run.identity)
        for run in runs
        if (out / run.place).exists()
    }
    if len(records) < len(runs):
        progress.start("train", total=len(runs) * steps, done=len(records) * steps)
    places = [(run, out / run.place) for run in runs]
    return [Finished(run, at, records.get(run.place) or train(run, at)) for run, at in places]


def write_stand_ins(job: TrainingJob, out: Path, write: Callable[[OneRun, Path], float]) -> float:
    """Write one untrained model for each base, in the places of all its runs.

    Parameters
    ----------
    job
        Which runs.
    out
        Folder of all of them.
    write
        Writes an untrained model into a folder; returns the seconds that its training would take.

    Returns
    -------
        Seconds that all trainings would take.
    """
    first: dict[int, Path] = {}
    seconds = 0.0
    for run in job.runs:
        folder = out / run.place
        folder.parent.mkdir(parents=True, exist_ok=True)
        if id(run.base) in first:
            folder.symlink_to(first[id(run.base)], target_is_directory=True)
            continue
        seconds += len(job.seeds) * write(run, folder)
        first[id(run.base)] = folder.resolve()
    return seconds
