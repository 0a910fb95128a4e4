"""A family of attention classifiers: one folder for each seed, none of them trained twice."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from scrutiny.core.canonical import canonical_json, digest
from scrutiny.core.errors import MissingExtraError
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.models.attention_classifier import HASHES, write_parts
from scrutiny.training.attention_classifier.fitting import VERSION, fit
from scrutiny.training.attention_classifier.recipe import Recipe
from scrutiny.training.finetuning.parts import Parts, load_parts
from scrutiny.training.member_folder import check_seeds, of_data, read_record, write_member

#: Three are the fewest that can carry a claim on the recipe.
SEEDS: Final = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Trained:
    """A classifier that is done: its folder, and what its ``training.json`` says."""

    folder: Path
    record: dict[str, Any] = field(repr=False)


def train_family(
    data: Any,
    out: Path,
    *,
    recipe: Recipe | None = None,
    seeds: Sequence[int] = SEEDS,
    dev: Any = "",
    reported: Sequence[Any] = (),
    tell: Callable[[str], None] | None = None,
) -> list[Trained]:
    """Classifiers in ``out/seed-S``, one for each seed; those that are there are left.

    ``attention-classifier:OUT/seed-{seed}`` is then a family of models.

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
        If torch or safetensors are not installed.
    """
    try:
        import safetensors.torch
        import torch  # noqa: F401 - asked for before any data is read
    except ImportError as error:
        raise MissingExtraError("Training an attention classifier", "hf") from error
    del safetensors
    check_seeds(seeds)
    recipe = recipe or Recipe()
    parts = load_parts(
        data,
        recipe.rows(),
        dev=dev,
        task="text-classification",
        reported=[_dataset(one) for one in reported],
    )
    found = []
    for seed in seeds:
        one = _trained(parts, recipe, seed=seed, folder=out / f"seed-{seed}")
        found.append(one)
        if tell is not None:
            tell(sentence(one))
    return found


def sentence(trained: Trained) -> str:
    """What became of one classifier."""
    record = trained.record
    score = "" if record["dev_score"] is None else f"dev accuracy {record['dev_score']:.3f}, "
    chosen = f"epoch {record['chosen_epoch']} of {len(record['epochs'])}"
    return f"{trained.folder}: {score}{chosen}"


def _dataset(one: Any) -> Dataset:
    return one if isinstance(one, Dataset) else load_dataset(one, task="text-classification")


def _trained(parts: Parts, recipe: Recipe, *, seed: int, folder: Path) -> Trained:
    """Classifier of one seed, from its folder or trained now."""
    identity = digest(VERSION, canonical_json(recipe.plain()), parts.digest, str(seed))
    if folder.exists():
        return Trained(folder, read_record(folder, identity))
    fitted = fit(parts, recipe, seed=seed)
    record = {
        "identity": identity,
        "version": VERSION,
        "seed": seed,
        "replicates_of": "pre-training",  # everything from the first weight on
        "recipe": recipe.plain(),
        "labels": list(parts.labels),
        "data": of_data(parts),
        "words": len(fitted.parts.vocabulary.words),
        "epochs": [asdict(epoch) for epoch in fitted.epochs],
        "chosen_epoch": fitted.chosen,
        "dev_score": fitted.epochs[fitted.chosen - 1].dev,
        "made_with": {name: version(name) for name in ("scrutiny", "torch")},
    }
    write_member(
        folder,
        lambda made: write_parts(fitted.parts, made),
        record=record,
        parts=parts,
        hashes=HASHES,
    )
    return Trained(folder, record)
