"""Job of small classifiers: one recipe, one dataset, one folder per seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, Final

from scrutiny.core.boundary.canonical import canonical_json, digest
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.strings.lineage import KEY
from scrutiny.training.finetuning.job import check_seeds
from scrutiny.training.finetuning.parts import DataParts, load_parts
from scrutiny.training.finetuning.writing import RECORD, read_record
from scrutiny.training.member_folder import held, write_member
from scrutiny.training.words.word_recipe import OnStep, WordRecipe, unheard


@dataclass(frozen=True, slots=True)
class Member:
    """Finished classifier: its folder, and the content of its ``training.json``."""

    folder: Path
    record: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WordJob:
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

    #: Folder of a classifier within the job's, with captures, and those that make replicates.
    pattern: ClassVar[str] = "seed-{seed}"
    random: ClassVar[tuple[str, ...]] = ("seed",)

    parts: DataParts
    recipe: WordRecipe
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        check_seeds(self.seeds)

    def folder(self, out: Path, seed: int) -> Path:
        """Folder of a classifier."""
        return out / f"seed-{seed}"

    def identity(self, seed: int) -> str:
        """Digest of everything that determines its weights."""
        recipe = self.recipe
        stated = canonical_json(recipe.plain())
        return digest(recipe.version, stated, self.parts.digest, str(seed))

    @property
    def key(self) -> str:
        """Digest of recipe, data and seeds; names the folder of models that a plan trains."""
        return digest(*map(self.identity, self.seeds))

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of classifiers, training and dev texts; for networks also epochs and steps."""
        return {
            "runs": len(self.seeds),
            "texts": len(self.parts.train),
            "dev": len(self.parts.dev),
            **self.recipe.sizes(self.parts),
        }

    def is_done(self, out: Path) -> bool:
        """Whether all classifiers exist."""
        return all((self.folder(out, seed) / RECORD).is_file() for seed in self.seeds)


def train_members(
    job: WordJob,
    out: Path,
    *,
    on_step: OnStep = unheard,
    tell: Callable[[Member], None] | None = None,
) -> list[Member]:
    """Train the classifiers of all seeds in folders of ``out``; finished ones are kept.

    Parameters
    ----------
    job
        Which classifiers.
    out
        Folder of all of them.
    on_step
        Called behind each step.
    tell
        Gets each classifier when it is done.

    Raises
    ------
    PlanError
        If a folder holds something else.
    DataError, ModelError
        If there are fewer than two labels, or the training diverges.
    RunIncompleteError
        If another process is training the same classifiers.
    StorageError
        If the disk refuses.
    """
    found = []
    for seed in job.seeds:
        one = _member(job, seed, folder=job.folder(out, seed), on_step=on_step)
        found.append(one)
        if tell is not None:
            tell(one)
    return found


def _member(job: WordJob, seed: int, *, folder: Path, on_step: OnStep) -> Member:
    """Classifier of one seed, loaded from its folder or trained."""
    identity = job.identity(seed)
    if folder.exists():
        return Member(folder, read_record(folder, identity))
    with held(folder) as working:
        if folder.exists():  # another process has just finished it
            return Member(folder, read_record(folder, identity))
        trained = job.recipe.fit(job.parts, seed=seed, on_step=on_step)
        record = {
            "identity": identity,
            "version": job.recipe.version,
            "seed": seed,
            KEY: job.recipe.replicates_of,
            "recipe": job.recipe.plain(),
            "labels": list(job.parts.labels),
            "data": job.parts.described(),
            **trained.record,
            "made_with": {name: version(name) for name in ("scrutiny", *job.recipe.packages)},
        }
        write_member(
            folder,
            trained.write,
            working=working,
            record=record,
            parts=job.parts,
        )
    return Member(folder, record)


#: Three are the fewest that can carry a claim on the recipe.
SEEDS: Final = (1, 2, 3)
#: Task of small classifiers.
TASK: Final = "text-classification"


def train_words(
    data: Any,
    out: Path,
    *,
    recipe: WordRecipe,
    seeds: Sequence[int] = SEEDS,
    dev: Any = "",
    reported: Sequence[Any] = (),
    tell: Callable[[str], None] | None = None,
) -> list[Member]:
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
    tell
        Gets a sentence about each classifier.

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
    check_seeds(seeds)
    own = [one if isinstance(one, Dataset) else load_dataset(one, task=TASK) for one in reported]
    parts = load_parts(data, recipe.rows(), dev=dev, task=TASK, reported=own)

    def said(member: Member) -> None:
        if tell is not None:
            tell(sentence(member))

    return train_members(WordJob(parts, recipe, tuple(seeds)), out, tell=said)


def sentence(member: Member) -> str:
    """Outcome of one classifier in a sentence.

    Examples
    --------
    >>> sentence(Member(Path("runs/seed-1"), {"dev_score": 0.8125, "words": 900}))
    'runs/seed-1: dev accuracy 0.812, 900 words'
    """
    return f"{member.folder}: {result(member.record)}"


def result(record: dict[str, Any]) -> str:
    """Outcome in a record: score, epoch, words.

    Examples
    --------
    >>> result({"dev_score": None, "words": 40, "epochs": [{}, {}], "chosen_epoch": 2})
    'epoch 2 of 2, 40 words'
    """
    score, epochs = record["dev_score"], record.get("epochs", ())
    said = [] if score is None else [f"dev accuracy {score:.3f}"]
    said += [f"epoch {record['chosen_epoch']} of {len(epochs)}"] if epochs else []
    return ", ".join([*said, f"{record['words']:,} words"])
