"""A family of word classifiers: one folder for each seed, none of them trained twice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Protocol

from scrutiny.core.canonical import canonical_json, digest
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.word_folder import HASHES
from scrutiny.training.finetuning.parts import Parts, load_parts
from scrutiny.training.finetuning.recipe import Recipe as Rows
from scrutiny.training.member_folder import check_seeds, of_data, read_record, write_member

#: Three are the fewest that can carry a claim on the recipe.
SEEDS: Final = (1, 2, 3)
_TASK: Final = "text-classification"


@dataclass(frozen=True, slots=True)
class Trained:
    """A classifier in memory.

    Parameters
    ----------
    write
        Writes it into a folder that is there.
    record
        What became of the training: at least ``dev_score``, accuracy on the dev part or nothing.
    """

    write: Callable[[Path], None]
    record: Mapping[str, Any]


class WordRecipe(Protocol):
    """Every choice of a training but its data and its seed."""

    @property
    def version(self) -> str:
        """Name of the procedure with its version; part of every identity."""
        ...

    @property
    def packages(self) -> tuple[str, ...]:
        """Distributions that weights depend on."""
        ...

    def plain(self) -> dict[str, Any]:
        """Plain JSON of all choices."""
        ...

    def rows(self) -> Rows:
        """Which rows are taken, in the words of fine-tuning."""
        ...

    def fit(self, parts: Parts, *, seed: int) -> Trained:
        """Classifier of one seed."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """A classifier that is done: its folder, and what its ``training.json`` says."""

    folder: Path
    record: dict[str, Any] = field(repr=False)


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
    check_seeds(seeds)
    own = [one if isinstance(one, Dataset) else load_dataset(one, task=_TASK) for one in reported]
    parts = load_parts(data, recipe.rows(), dev=dev, task=_TASK, reported=own)
    found = []
    for seed in seeds:
        one = _trained(parts, recipe, seed=seed, folder=out / f"seed-{seed}")
        found.append(one)
        if tell is not None:
            tell(sentence(one))
    return found


def sentence(member: Member) -> str:
    """What became of one classifier.

    Examples
    --------
    >>> sentence(Member(Path("runs/seed-1"), {"dev_score": 0.8125, "words": 900}))
    'runs/seed-1: dev accuracy 0.812, 900 words'
    """
    score = member.record["dev_score"]
    said = "" if score is None else f"dev accuracy {score:.3f}, "
    return f"{member.folder}: {said}{member.record['words']:,} words"


def _trained(parts: Parts, recipe: WordRecipe, *, seed: int, folder: Path) -> Member:
    """Classifier of one seed, from its folder or trained now."""
    identity = digest(recipe.version, canonical_json(recipe.plain()), parts.digest, str(seed))
    if folder.exists():
        return Member(folder, read_record(folder, identity))
    trained = recipe.fit(parts, seed=seed)
    record = {
        "identity": identity,
        "version": recipe.version,
        "seed": seed,
        "recipe": recipe.plain(),
        "labels": list(parts.labels),
        "data": of_data(parts),
        **trained.record,
        "made_with": {name: version(name) for name in ("scrutiny", *recipe.packages)},
    }
    write_member(folder, trained.write, record=record, parts=parts, hashes=HASHES)
    return Member(folder, record)
