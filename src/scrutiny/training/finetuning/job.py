"""Fine-tuning job: all runs of one recipe over bases and seeds."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.core.errors import PlanError
from scrutiny.training.finetuning.base import BaseEncoder
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.recipe import FinetuningRecipe

#: Version of the procedure, part of every identity.
VERSION: Final = "finetune@1"


def check_seeds(seeds: Sequence[int]) -> None:
    """Raise unless the seeds are distinct whole numbers from 0 on.

    Raises
    ------
    PlanError
        If they are not, or there are none.
    """
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0:
        raise PlanError(f"seeds are different whole numbers from 0 on, not {tuple(seeds)}.")


@dataclass(frozen=True, slots=True)
class OneRun:
    """One run: a base with a seed.

    Parameters
    ----------
    base
        Base encoder.
    seed
        Decides the head, the order of the texts, dropout and augmentation.
    factors
        Captures of its folder, with their values.
    place
        Folder within the job's.
    identity
        Digest of all that decides its weights.
    """

    base: BaseEncoder
    seed: int
    factors: dict[str, str]
    place: PurePosixPath
    identity: str


@dataclass(frozen=True, slots=True)
class FinetuningJob:
    """Fine-tuning job: runs of one recipe on one dataset.

    Parameters
    ----------
    bases
        Base encoders; several are a family, each of which gets its own runs.
    parts
        Training and dev part.
    recipe
        Recipe of all runs.
    seeds
        One run for each, of each base.
    """

    bases: tuple[BaseEncoder, ...]
    parts: DataParts
    recipe: FinetuningRecipe
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        check_seeds(self.seeds)

    @property
    def names(self) -> tuple[str, ...]:
        """Capture names of the run folders: those of the base's family, and the run's seed.

        In a family the seed of the base is ``seed``, and a further seed of fine-tuning is ``run``.
        """
        of_family = tuple(self.bases[0].factors or {})
        if not of_family:
            return ("seed",)
        return (*of_family, self._nested) if len(self.seeds) > 1 else of_family

    @property
    def random(self) -> tuple[str, ...]:
        """Captures whose values are replicates."""
        if not self.bases[0].factors:
            return ("seed",)
        more = (self._nested,) if len(self.seeds) > 1 else ()
        return (*self.bases[0].random, *more)

    @property
    def _nested(self) -> str:
        return "run" if "run" not in (self.bases[0].factors or {}) else "finetuning"

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
                values = [*(base.factors or {}).values(), str(seed)]
                factors = dict(zip(self.names, values, strict=False))
                place = PurePosixPath(*(f"{name}-{value}" for name, value in factors.items()))
                yield OneRun(base, seed, factors, place, self._identity(base, seed))

    def _identity(self, base: BaseEncoder, seed: int) -> str:
        return digest(
            VERSION,
            canonical_json(self._stated()),
            self.parts.task.name,
            self.parts.digest,
            base.fingerprint,
            canonical_json(dict(base.factors or {})),
            str(seed),
        )

    def _stated(self) -> dict[str, Any]:
        """Recipe without later-added fields at their default values (keeps digests stable)."""
        stated = asdict(self.recipe)
        if stated["augment_labels"] == "kept":
            del stated["augment_labels"]  # runs that were trained before it existed stay known
        return stated

    @property
    def key(self) -> str:
        """Digest of recipe, data and bases; names the folder of models that a plan trains."""
        return digest(*(run.identity for run in self.runs))

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of runs, training and dev texts, epochs, and steps of one run."""
        texts, recipe = len(self.parts.train), self.recipe
        per_epoch = -(-texts // recipe.batch)
        return {
            "runs": len(self.bases) * len(self.seeds),
            "texts": texts,
            "dev": len(self.parts.dev),
            "epochs": recipe.epochs,
            "steps": per_epoch * recipe.epochs,
        }
