"""Job of a training: all runs of one recipe over bases and seeds."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import PlanError
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.model_folder import RECORD


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
    def sizes(self) -> Mapping[str, int]:
        """Numbers of ``runs``, ``texts``, ``dev`` texts; ``epochs`` and ``steps`` of one run."""

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
        return tuple(self._runs())

    def _runs(self) -> Iterator[OneRun]:
        for base in self.bases:
            for seed in self.seeds:
                values = [*(base.factors.values() if base else ()), str(seed)]
                factors = dict(zip(self.names, values, strict=False))
                place = PurePosixPath(*(f"{name}-{value}" for name, value in factors.items()))
                yield OneRun(base, seed, factors, place, self.identity(base, seed))

    @property
    def key(self) -> str:
        """Digest of recipe, data, bases and seeds; names the folder of models of a plan."""
        return digest(*(run.identity for run in self.runs))

    def is_done(self, out: Path) -> bool:
        """Whether all models are in a folder."""
        return all((out / run.place / RECORD).is_file() for run in self.runs)
