"""Small models from nothing: their job, one folder per seed, and their trainers of plans.

Classifiers over words, and parsers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest, plain
from scrutiny.core.errors import PlanError
from scrutiny.core.facts import RUNNING_TEXT, SEGMENTS
from scrutiny.core.long_runs import SILENT, Progress
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.strings.training_records import REPLICATES_KEY
from scrutiny.tasks.tasks import load_task
from scrutiny.training.finetuning.training_data import DataParts, load_parts
from scrutiny.training.job import (
    Finished,
    OneRun,
    TrainingJob,
    held,
    read_record,
    train_runs,
    write_model,
    write_stand_ins,
)
from scrutiny.training.trainer import RUNS, Trainer, TrainingNode
from scrutiny.training.words.linear import LinearRecipe
from scrutiny.training.words.network_recipes import (
    AttentionRecipe,
    ConvolutionRecipe,
    RecurrentRecipe,
    SelfAttentionRecipe,
)
from scrutiny.training.words.parser import ParserRecipe
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
        stated = canonical_json(self.recipe)
        return digest(self.recipe.version, stated, self.parts.digest, str(seed))

    @property
    def of_one_run(self) -> Mapping[str, int]:
        """Those of the recipe."""
        return self.recipe.sizes(self.parts)

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
                REPLICATES_KEY: recipe.replicates_of,
                "recipe": plain(recipe),
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
        Data strings or data sets; without dev data a share of the rows is split off. Strings are
        read for the first task that the recipe learns.
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
        If a part holds rows of what is reported on, a folder holds something else, the seeds cannot
        be read, or the recipe does not learn the task of the data.
    DataError
        If there are no labels to learn.
    MissingExtraError
        If a package that the recipe needs is not installed.
    """
    recipe.require()
    stated = data.task if isinstance(data, Dataset) else ""
    task = learned(recipe, stated, what="These models")
    own = [one if isinstance(one, Dataset) else load_dataset(one, task=task) for one in reported]
    job = _job(data, recipe, seeds, task=task, dev=dev, reported=own)
    return train_runs(job, out, partial(job.train, progress=progress), progress=progress)


def learned(recipe: Any, task: str, *, what: str) -> str:
    """Task that a recipe learns: the stated one, or the usual one.

    Raises
    ------
    PlanError
        If it does not learn it.
    """
    own: tuple[str, ...] = recipe.tasks
    name = task.partition("@")[0] or own[0]
    if name not in own:
        raise PlanError(
            f"{what} are trained for {' or '.join(own)}, and not for {task}: leave task out, "
            "or let finetune train an encoder."
        )
    return name


def _job(
    data: Any,
    recipe: Any,
    seeds: Sequence[int],
    *,
    task: str,
    dev: Any,
    reported: Sequence[Dataset],
) -> WordJob:
    """Classifiers of a recipe on these data, one for each seed."""
    parts = load_parts(
        data,
        recipe.rows(),
        dev=dev,
        task=task,
        reported=reported,
        has_labels=recipe.has_labels and not load_task(task).facts.any_of((RUNNING_TEXT, SEGMENTS)),
    )
    return WordJob(parts, recipe, tuple(seeds))


def outcome_of(record: dict[str, Any]) -> str:
    """Result of training a classifier over words, from its record: score, epoch, words.

    Examples
    --------
    >>> outcome_of({"metric": "accuracy", "dev_score": 0.8125, "words": 900})
    'dev accuracy 0.812, 900 words'
    >>> outcome_of({"dev_score": None, "words": 40, "epochs": [{}, {}], "chosen_epoch": 2})
    'epoch 2 of 2, 40 words'
    >>> outcome_of({"dev_score": None, "words": 40, "weights": {"words": 400, "others": 1234}})
    '40 words, 1,234 weights beside their vectors'
    """
    score, epochs = record["dev_score"], record.get("epochs", ())
    said = [] if score is None else [f"dev {record['metric']} {score:.3f}"]
    said += [f"epoch {record['chosen_epoch']} of {len(epochs)}"] if epochs else []
    said += [f"{record['words']:,} {record.get('pieces', 'words')}"]
    if "weights" in record:
        said += [f"{record['weights']['others']:,} weights beside their vectors"]
    return ", ".join(said)


@dataclass(frozen=True, slots=True)
class WordTrainer(Trainer[WordJob]):
    """Trainer of one kind of small model, from scratch, one for each seed.

    Parameters
    ----------
    says
        One line about it.
    scheme
        Of the models' strings.
    Params
        Its recipe, a `scrutiny.training.words.word_recipe.WordRecipe`.
    """

    says: str
    scheme: str
    Params: type[Any]
    has_base: bool = False

    def reads(self, task: str) -> str:
        """Task of the data: the stated one, if the recipe learns it, or the recipe's usual one.

        Raises
        ------
        PlanError
            For any other.
        """
        return learned(self.Params, task, what=f"{self.scheme} models")

    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""
        return self.Params

    def job(self, asked: TrainingNode) -> WordJob:
        """Models of a node: with its stated seeds, or with seeds from 1 on."""
        asked.recipe.require()
        for one in (asked.data, *filter(None, [asked.dev])):
            if one.task not in asked.recipe.tasks:
                raise PlanError(
                    f"{one.source} is of the task {one.task}, and {self.scheme} models are trained "
                    f"for {' or '.join(asked.recipe.tasks)}."
                )
        seeds = asked.seeds or range(1, (asked.runs or RUNS) + 1)
        return _job(
            asked.data,
            asked.recipe,
            seeds,
            task=asked.data.task,
            dev=asked.dev,
            reported=asked.reported,
        )

    def train(
        self, job: WordJob, folder: Path, *, device: str, progress: Progress = SILENT
    ) -> list[Finished]:
        """Train the classifiers that are missing in the folder, on the CPU."""
        return train_runs(job, folder, partial(job.train, progress=progress), progress=progress)

    def stand_in(self, job: WordJob, folder: Path, *, device: str) -> float:
        """Write nearly untrained classifiers; returns the seconds training would take."""

        def write(_: OneRun, place: Path) -> float:
            made, seconds = job.recipe.stand_in(job.parts)
            place.mkdir()
            made(place)
            return seconds

        return write_stand_ins(job, folder, write)


ATTENTION: Final = WordTrainer(
    "trains small classifiers with one layer of attention from nothing",
    "attention-classifier",
    AttentionRecipe,
)
LINEAR: Final = WordTrainer(
    "fits logistic regressions over words, each to a sample of the rows", "linear", LinearRecipe
)
CONVOLUTION: Final = WordTrainer(
    "trains small convolutional networks over words from nothing", "convolution", ConvolutionRecipe
)
SELF_ATTENTION: Final = WordTrainer(
    "trains small networks of self-attention over words from nothing",
    "self-attention",
    SelfAttentionRecipe,
)
RECURRENT: Final = WordTrainer(
    "trains small LSTMs or GRUs over words from nothing", "recurrent", RecurrentRecipe
)
PARSER: Final = WordTrainer(
    "trains small parsers and taggers from nothing, with spaCy", "spacy", ParserRecipe
)
