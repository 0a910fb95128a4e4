"""Small models from nothing, as trainers of plans: classifiers over words, parsers."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.core.progress import SILENT, Progress
from scrutiny.training.finetuning.parts import load_parts
from scrutiny.training.job import OneRun
from scrutiny.training.runs import Finished, train_runs, write_stand_ins
from scrutiny.training.trainer import RUNS, Trainer, TrainingNode
from scrutiny.training.words.attention_recipe import AttentionRecipe
from scrutiny.training.words.job import WordJob
from scrutiny.training.words.linear import LinearRecipe
from scrutiny.training.words.network_recipe import RecurrentRecipe
from scrutiny.training.words.parser import ParserRecipe


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
        """Task of the data, which is that of the recipe.

        Raises
        ------
        PlanError
            For any other.
        """
        own = self.Params.task
        if task.partition("@")[0] not in ("", own):
            raise PlanError(
                f"{self.scheme} models are trained for {own}, and not for {task}: leave task out, "
                "or let finetune train an encoder."
            )
        return str(own)

    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""
        return self.Params

    def job(self, asked: TrainingNode) -> WordJob:
        """Models of a node: with its stated seeds, or with seeds from 1 on."""
        asked.recipe.require()
        for one in (asked.data, *filter(None, [asked.dev])):
            if one.task != asked.recipe.task:
                raise PlanError(
                    f"{one.source} is of the task {one.task}, and {self.scheme} models are trained "
                    f"for {asked.recipe.task}."
                )
        parts = load_parts(
            asked.data,
            asked.recipe.rows(),
            dev="" if asked.dev is None else asked.dev,
            reported=asked.reported,
            has_labels=asked.recipe.has_labels,
        )
        seeds = asked.seeds or tuple(range(1, (asked.runs or RUNS) + 1))
        return WordJob(parts, asked.recipe, seeds)

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
RECURRENT: Final = WordTrainer(
    "trains small LSTMs or GRUs over words from nothing", "recurrent", RecurrentRecipe
)
PARSER: Final = WordTrainer(
    "trains small parsers and taggers from nothing, with spaCy", "spacy", ParserRecipe
)
