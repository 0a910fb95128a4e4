"""Fine-tuning job: all runs of one recipe over bases and seeds."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.training.finetuning.base import BaseEncoder
from scrutiny.training.finetuning.parts import DataParts
from scrutiny.training.finetuning.recipe import FinetuningRecipe
from scrutiny.training.job import TrainingJob

#: Version of the procedure, part of every identity.
VERSION: Final = "finetune@1"


@dataclass(frozen=True, slots=True)
class FinetuningJob(TrainingJob):
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

    @property
    def names(self) -> tuple[str, ...]:
        """Capture names of the run folders: those of the base's family, and the run's seed.

        In a family the seed of the base is ``seed``, and a further seed of fine-tuning is ``run``.
        """
        of_family = tuple(self.bases[0].factors)
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
        return "run" if "run" not in self.bases[0].factors else "finetuning"

    def identity(self, base: BaseEncoder, seed: int) -> str:
        """Digest of everything that determines the weights of a run."""
        return digest(
            VERSION,
            canonical_json(self._stated()),
            self.parts.task.name,
            self.parts.digest,
            base.fingerprint,
            canonical_json(dict(base.factors)),
            str(seed),
        )

    def _stated(self) -> dict[str, Any]:
        """Recipe without later-added fields at their default values (keeps digests stable)."""
        stated = asdict(self.recipe)
        if stated["augment_labels"] == "kept":
            del stated["augment_labels"]  # runs that were trained before it existed stay known
        return stated

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of runs, training and dev texts, epochs, and steps of one run."""
        texts, recipe = len(self.parts.train), self.recipe
        return {
            "runs": len(self.bases) * len(self.seeds),
            "texts": texts,
            "dev": len(self.parts.dev),
            "epochs": recipe.epochs,
            "steps": -(-texts // recipe.batch) * recipe.epochs,
        }
