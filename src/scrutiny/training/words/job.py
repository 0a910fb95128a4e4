"""Job of small models from nothing: one recipe, one dataset, one folder per seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.core.progress import SILENT, Progress
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.strings.lineage import KEY
from scrutiny.training.finetuning.parts import DataParts, load_parts
from scrutiny.training.job import OneRun, TrainingJob
from scrutiny.training.model_folder import held, read_record, write_model
from scrutiny.training.runs import Finished, train_runs
from scrutiny.training.words.word_recipe import WordRecipe


@dataclass(frozen=True, slots=True)
class WordJob(TrainingJob):
    """Job of small classifiers: one for each seed.

    Parameters
    ----------
    parts
        Training and dev part.
    recipe
        Recipe.
    seeds
        Whole numbers from 0 on.
    """

    parts: DataParts
    recipe: WordRecipe
    seeds: tuple[int, ...]
    bases: tuple[None, ...] = (None,)

    def identity(self, base: None, seed: int) -> str:
        """Digest of everything that determines the weights of a classifier."""
        recipe = self.recipe
        stated = canonical_json(recipe.plain())
        return digest(recipe.version, stated, self.parts.digest, str(seed))

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of classifiers, training and dev texts; for networks also epochs and steps."""
        return {
            "runs": len(self.seeds),
            "texts": len(self.parts.train),
            "dev": len(self.parts.dev),
            **self.recipe.sizes(self.parts),
        }

    def train(self, run: OneRun, folder: Path, progress: Progress) -> dict[str, Any]:
        """Train the classifier of one run into its folder; returns its record."""
        told = 0

        def step() -> None:
            nonlocal told
            told += 1
            progress.advance("train")

        recipe = self.recipe
        with held(folder) as working:
            if folder.exists():  # another process has just finished it
                return read_record(folder, run.identity)
            trained = recipe.fit(self.parts, seed=run.seed, on_step=step)
            record = {
                "identity": run.identity,
                "version": recipe.version,
                "seed": run.seed,
                KEY: recipe.replicates_of,
                "recipe": recipe.plain(),
                "labels": list(self.parts.labels),
                "metric": recipe.score,
                "data": self.parts.described(),
                **trained.record,
                "made_with": {name: version(name) for name in ("scrutiny", *recipe.packages)},
            }
            texts = (e.text for e in self.parts.train)
            write_model(folder, trained.write, working=working, record=record, texts=texts)
        for _ in range(self.sizes.get("steps", 1) - told):  # texts without words make none
            progress.advance("train")
        progress.passed(f"{folder.name}: {outcome_of(record)}")
        return record


#: Three are the fewest that can carry a claim on the recipe.
SEEDS: Final = (1, 2, 3)


def train_words(
    data: Any,
    out: Path,
    *,
    recipe: WordRecipe,
    seeds: Sequence[int] = SEEDS,
    dev: Any = "",
    reported: Sequence[Any] = (),
    progress: Progress = SILENT,
) -> list[Finished]:
    """Train classifiers in ``out/seed-S``, one for each seed; finished ones are kept.

    Parameters
    ----------
    data, dev
        Data strings or data sets; without dev data a share of the rows is split off.
    out
        Folder of the family.
    recipe
        Recipe.
    seeds
        Whole numbers from 0 on.
    reported
        Data that results will be reported on: rows of it are refused.
    progress
        Is told the steps, and each classifier when it is done.

    Raises
    ------
    PlanError
        If a part holds rows of what is reported on, a folder holds something else, or the seeds
        cannot be read.
    DataError
        If there are no labels to learn.
    MissingExtraError
        If a package that the recipe needs is not installed.
    """
    recipe.require()
    own = [
        one if isinstance(one, Dataset) else load_dataset(one, task=recipe.task) for one in reported
    ]
    parts = load_parts(
        data,
        recipe.rows(),
        dev=dev,
        task=recipe.task,
        reported=own,
        has_labels=recipe.has_labels,
    )

    job = WordJob(parts, recipe, tuple(seeds))
    return train_runs(job, out, partial(job.train, progress=progress), progress=progress)


def outcome_of(record: dict[str, Any]) -> str:
    """Result of training a classifier over words, from its record: score, epoch, words.

    Examples
    --------
    >>> outcome_of({"metric": "accuracy", "dev_score": 0.8125, "words": 900})
    'dev accuracy 0.812, 900 words'
    >>> outcome_of({"dev_score": None, "words": 40, "epochs": [{}, {}], "chosen_epoch": 2})
    'epoch 2 of 2, 40 words'
    """
    score, epochs = record["dev_score"], record.get("epochs", ())
    said = [] if score is None else [f"dev {record['metric']} {score:.3f}"]
    said += [f"epoch {record['chosen_epoch']} of {len(epochs)}"] if epochs else []
    return ", ".join([*said, f"{record['words']:,} words"])
