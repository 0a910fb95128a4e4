"""Job of a training: all runs of one recipe over bases and seeds, and the folders they write.

Runs are resumed one by one. The folder of a trained model is written as a whole and identified by a
digest; untrained models may stand in its place.
"""

import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import PlanError
from scrutiny.core.long_runs import Progress
from scrutiny.data.hashes import training_hashes
from scrutiny.models.strings.training_records import HASHES
from scrutiny.store.files import storage_errors, write_text
from scrutiny.store.guards import only_one
from scrutiny.training.finetuning.training_data import DataParts


@dataclass(frozen=True, slots=True)
class OneRun:
    """One run: a base with a seed.

    Parameters
    ----------
    base
        Encoder to start from; None for trainings from scratch.
    seed
        Decides all that is drawn at random.
    factors
        Captures of its folder, with their values.
    place
        Folder within the job's.
    identity
        Digest of all that decides its weights.
    """

    base: Any
    seed: int
    factors: dict[str, str]
    place: PurePosixPath
    identity: str


class TrainingJob(ABC):
    """Models to train for a node of a plan: one for each base and seed.

    ``parts`` are its data, ``bases`` what it starts from (None from scratch).
    """

    __slots__ = ()

    parts: DataParts
    bases: tuple[Any, ...]
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.seeds or len(set(self.seeds)) < len(self.seeds) or min(self.seeds) < 0:
            raise PlanError(f"seeds are different whole numbers from 0 on, not {self.seeds}.")

    @property
    def names(self) -> tuple[str, ...]:
        """Capture names of the run folders."""
        return ("seed",)

    @property
    def random(self) -> tuple[str, ...]:
        """Captures whose values are replicates."""
        return ("seed",)

    @property
    @abstractmethod
    def of_one_run(self) -> Mapping[str, int]:
        """``epochs`` and ``steps`` of one run; empty if there are no steps."""

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of ``runs``, ``texts``, ``dev`` texts; ``epochs`` and ``steps`` of one run."""
        runs = len(self.bases) * len(self.seeds)
        parts = {"texts": len(self.parts.train), "dev": len(self.parts.dev)}
        return {"runs": runs, **parts, **self.of_one_run}

    @abstractmethod
    def identity(self, base: Any, seed: int) -> str:
        """Digest of everything that determines the weights of a run."""

    @property
    def pattern(self) -> str:
        """Pattern of run folders within the job's folder, with captures."""
        return "/".join(f"{name}-{{{name}}}" for name in self.names)

    @property
    def runs(self) -> tuple[OneRun, ...]:
        """All runs: every base with every seed."""
        runs = []
        for base in self.bases:
            for seed in self.seeds:
                values = [*(base.factors.values() if base else ()), str(seed)]
                factors = dict(zip(self.names, values, strict=False))
                place = PurePosixPath(*(f"{name}-{value}" for name, value in factors.items()))
                runs.append(OneRun(base, seed, factors, place, self.identity(base, seed)))
        return tuple(runs)

    @property
    def key(self) -> str:
        """Digest of recipe, data, bases and seeds; names the folder of models of a plan."""
        return digest(*(run.identity for run in self.runs))

    def is_done(self, out: Path) -> bool:
        """Whether all models are in a folder."""
        return all((out / run.place / RECORD).is_file() for run in self.runs)


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


#: Training record of a model.
RECORD: Final = "training.json"


@contextmanager
def held(folder: Path) -> Iterator[Path]:
    """Lock the place of a model during training; yields a hidden folder next to it.

    Raises
    ------
    StorageError
        If another process trains it, or the disk refuses.
    """
    # a hidden neighbor, so that "seed-{seed}" never finds half a model
    working = folder.with_name(f".{folder.name}.part")
    with storage_errors(working):
        working.mkdir(parents=True, exist_ok=True)
    with only_one(working):
        yield working
    with suppress(OSError):
        working.rmdir()  # where nothing was kept in it


def write_model(
    folder: Path,
    write: Callable[[Path], None],
    *,
    working: Path,
    record: Mapping[str, Any],
    texts: Iterable[str],
) -> None:
    """Write a model next to its place, move it into place as a whole, delete the working folder.

    Parameters
    ----------
    folder
        Its final folder, which must not exist.
    write
        Writes the model itself into a folder that is there.
    working
        Of `held`.
    record
        Training record.
    texts
        Of the training: kept as hashes of their letters.
    """
    made = working / "made"
    with storage_errors(folder):
        shutil.rmtree(made, ignore_errors=True)  # of a process that was killed
        made.mkdir()
        write(made)
        keep_training_texts(made, texts)
        write_text(made / RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        made.rename(folder)
        shutil.rmtree(working, ignore_errors=True)


def keep_training_texts(folder: Path, texts: Iterable[str]) -> Path:
    """Write what a trained model's folder keeps of its training texts, their hashes, to a file."""
    import numpy as np

    np.save(folder / HASHES, training_hashes(texts), allow_pickle=False)
    return folder / HASHES


def read_record(folder: Path, identity: str) -> dict[str, Any]:
    """Record of an existing folder.

    Raises
    ------
    PlanError
        If the folder holds something else.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        record = {}
    if not isinstance(record, dict) or record.get("identity") != identity:
        raise PlanError(
            f"{str(folder)!r} holds something else (another base, recipe, seed or other data). "
            "Choose another folder, or remove it to train anew."
        )
    return record
