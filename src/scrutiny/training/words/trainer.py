"""Small classifiers over words, as trainers of plans."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.data.dataset import Dataset
from scrutiny.training.finetuning.one_run import Telling
from scrutiny.training.finetuning.parts import load_parts
from scrutiny.training.trainer import RUNS, Trainer, TrainingNode
from scrutiny.training.words.attention_recipe import AttentionRecipe
from scrutiny.training.words.job import TASK, Member, WordJob, result, train_members
from scrutiny.training.words.linear import LinearRecipe
from scrutiny.training.words.network_recipe import RecurrentRecipe


@dataclass(frozen=True, slots=True)
class WordTrainer(Trainer[WordJob]):
    """Trainer of one kind of classifier, from scratch, one for each seed.

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
        """Task of the data: single texts with labels.

        Raises
        ------
        PlanError
            For any other.
        """
        if task.partition("@")[0] not in ("", TASK):
            raise PlanError(
                f"{self.scheme} classifiers are trained for {TASK}, and not for {task}: leave task "
                "out, or let finetune train an encoder."
            )
        return TASK

    def recipe(self, task: str) -> type[Any]:
        """Dataclass of the node's ``params``."""
        return self.Params

    def job(self, asked: TrainingNode) -> WordJob:
        """Classifiers of a node: with its stated seeds, or with seeds from 1 on."""
        asked.recipe.require()
        for one in (asked.data, *filter(None, [asked.dev])):
            self._must_fit(one)
        parts = load_parts(
            asked.data,
            asked.recipe.rows(),
            dev="" if asked.dev is None else asked.dev,
            reported=asked.reported,
        )
        seeds = asked.seeds or tuple(range(1, (asked.runs or RUNS) + 1))
        return WordJob(parts, asked.recipe, seeds)

    def _must_fit(self, data: Dataset) -> None:
        if data.task != TASK:
            raise PlanError(
                f"{data.source} is of the task {data.task}, and {self.scheme} classifiers are "
                f"trained for {TASK}."
            )

    def is_done(self, job: WordJob, folder: Path) -> bool:
        """Whether all classifiers are in the folder."""
        return job.is_done(folder)

    def train(self, job: WordJob, folder: Path, *, device: str, telling: Telling | None) -> None:
        """Train the classifiers that are missing in the folder, on the CPU."""
        if telling is None or self.is_done(job, folder):
            train_members(job, folder)
            return
        steps = _Steps(telling, job, folder)
        train_members(job, folder, on_step=steps.one, tell=steps.member)

    def stand_in(self, job: WordJob, folder: Path, *, device: str) -> float:
        """Write nearly untrained classifiers; returns the seconds training would take."""
        write, seconds = job.recipe.stand_in(job.parts)
        first, *others = (job.folder(folder, seed) for seed in job.seeds)
        first.mkdir(parents=True)
        write(first)
        for other in others:
            other.symlink_to(first.resolve(), target_is_directory=True)
        return seconds * len(job.seeds)


class _Steps:
    """Progress of a job's steps; earlier ones count as done."""

    def __init__(self, telling: Telling, job: WordJob, folder: Path) -> None:
        self._telling = telling
        self._each = job.sizes.get("steps", 1)
        self._before = {job.folder(folder, s) for s in job.seeds if job.folder(folder, s).exists()}
        self._told = 0
        done = len(self._before) * self._each
        telling.start("train", total=len(job.seeds) * self._each, done=done)

    def one(self) -> None:
        """One more step is done."""
        self._told += 1
        self._telling.advance("train")

    def member(self, member: Member) -> None:
        """A classifier is done; it may have had fewer steps (texts without words)."""
        if member.folder not in self._before:
            for _ in range(self._each - self._told):
                self._telling.advance("train")
            self._telling.passed(f"{member.folder.name}: {result(member.record)}")
        self._told = 0


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
