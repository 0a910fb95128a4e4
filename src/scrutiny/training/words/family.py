"""A family of word classifiers: one folder for each seed, none of them trained twice."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.training.finetuning.parts import load_parts
from scrutiny.training.member_folder import check_seeds
from scrutiny.training.words.job import Member, WordJob, train_members
from scrutiny.training.words.word_recipe import WordRecipe

#: Three are the fewest that can carry a claim on the recipe.
SEEDS: Final = (1, 2, 3)
#: What small classifiers answer.
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
    """Classifiers in ``out/seed-S``, one for each seed; those that are there are left.

    Parameters
    ----------
    data, dev
        Data strings or data sets; without dev data a share of the rows is split off.
    out
        Folder of the family.
    recipe
        What is done.
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
        do not read.
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
    """What became of one classifier.

    Examples
    --------
    >>> sentence(Member(Path("runs/seed-1"), {"dev_score": 0.8125, "words": 900}))
    'runs/seed-1: dev accuracy 0.812, 900 words'
    """
    return f"{member.folder}: {result(member.record)}"


def result(record: dict[str, Any]) -> str:
    """What a record says of the outcome: score, epoch, words.

    Examples
    --------
    >>> result({"dev_score": None, "words": 40, "epochs": [{}, {}], "chosen_epoch": 2})
    'epoch 2 of 2, 40 words'
    """
    score, epochs = record["dev_score"], record.get("epochs", ())
    said = [] if score is None else [f"dev accuracy {score:.3f}"]
    said += [f"epoch {record['chosen_epoch']} of {len(epochs)}"] if epochs else []
    return ", ".join([*said, f"{record['words']:,} words"])
