"""Training and dev data of a fine-tuning, checked against the data that is reported on.

Rows that stand in both are refused, texts that do are noted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scrutiny.core.answers.choices import LABEL_SET, OPTION_OF
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.answers.texts import EXTRACT
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.printable import whole_percent
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.core.record import grouped
from scrutiny.core.task import Task
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.data.hashes import letters_hash
from scrutiny.data.labels import LabelMatch
from scrutiny.data.overlap import overlap
from scrutiny.tasks.item_hashes import content_key
from scrutiny.tasks.tasks import load_task
from scrutiny.training.finetuning.piece_tasks import TASKS, Learned
from scrutiny.training.finetuning.recipe import FinetuningRecipe

_STREAM: Final = "finetune@1"
_LEAST_LABELS: Final = {SPANS: 1, LABEL_SET: 1, EXTRACT: 0, OPTION_OF: 0}


@dataclass(frozen=True, slots=True)
class DataParts:
    """Training data, and dev data for choosing the epoch.

    Parameters
    ----------
    task
        Task of both.
    labels
        Labels of the training part, in the order of the network's outputs.
    train, dev
        Examples; no dev examples if no epoch is chosen.
    sources
        Data strings: of the training part, and of the dev part (empty where it was split off).
    fingerprints
        Fingerprints of the datasets, to be compared with the reported data.
    notes
        Sentences about how the parts came about.
    held_out
        Examples that neither train nor choose, on which the checkpoint's own score is reported;
        only of tasks that label pieces.
    learned
        Piece-labeling task; None if the examples' gold answers are learned.
    """

    task: Task
    labels: tuple[str, ...]
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    sources: tuple[str, str]
    fingerprints: tuple[str, ...]
    notes: tuple[str, ...] = ()
    held_out: tuple[Example, ...] = ()
    learned: Learned | None = None

    @property
    def name(self) -> str:
        """Name of the learned task."""
        return self.task.name if self.learned is None else self.learned.task.name

    @property
    def names(self) -> tuple[str, ...]:
        """Learned labels."""
        return self.labels if self.learned is None else self.learned.names

    @property
    def digest(self) -> str:
        """Digest of the texts and labels of all parts, in order."""
        if self.learned is not None:
            return self.learned.digest(self.train, self.dev, self.held_out)
        return digest(
            *self.labels,
            "train",
            *(content_key(e) for e in self.train),
            "dev",
            *(content_key(e) for e in self.dev),
        )

    def described(self) -> dict[str, Any]:
        """Description of the data in a record."""
        return {
            "train": {"source": self.sources[0], "n": len(self.train)},
            "dev": {"source": self.sources[1] or "split off", "n": len(self.dev)},
            "digest": self.digest,
            "fingerprints": list(self.fingerprints),
            "notes": list(self.notes),
        }


def load_parts(
    data: Any,
    recipe: FinetuningRecipe,
    *,
    dev: Any = None,
    task: str = "",
    reported: Sequence[Dataset] = (),
    has_labels: bool = True,
) -> DataParts:
    """Training and dev data, checked against each other and against reported data.

    Parameters
    ----------
    data, dev
        Data strings or objects. Without dev data, a share of the training rows is split off.
    recipe
        How many rows, and which share.
    task
        Name of the task; default: identified by the columns.
    reported
        Data sets that results will be reported on.
    has_labels
        Whether labels are learned, of which there must be several.

    Raises
    ------
    PlanError
        If a part holds rows of what is reported on, or of the other part.
    DataError
        If there are no labels to learn.
    """
    whole = _read(data, task, has_labels=has_labels)
    chosen, notes = limited_training(tuple(whole.examples), recipe.limit)
    parts, read = split_off_dev(chosen, 0.0 if dev else recipe.dev_share), [whole]
    if dev:
        other = _read(dev, whole.task, has_labels=has_labels)
        other = other.with_labels(LabelMatch.between(other.labels, whole.labels))
        notes += refuse_shared(chosen, whole, other, what="The dev data")
        parts, read = (chosen, tuple(other.examples)), [whole, other]
    for one in reported:
        for dataset, examples in zip(read, parts if dev else (chosen,), strict=True):
            notes += refuse_shared(examples, dataset, one, what="The reported data")
    return DataParts(
        task=load_task(whole.task),
        labels=whole.labels,
        train=parts[0],
        dev=parts[1],
        sources=(whole.source, read[1].source if dev else ""),
        fingerprints=tuple(one.fingerprint for one in read),
        notes=tuple(notes),
    )


def _read(data: Any, task: str, *, has_labels: bool) -> Dataset:
    """Dataset with the examples that have gold answers."""
    found = data if isinstance(data, Dataset) else load_dataset(data, task=task or None)
    answers = load_task(found.task).answer_type
    is_read_alone = answers is None and not has_labels  # running text is learned by itself
    labeled = tuple(e for e in found.examples if is_read_alone or e.gold is not None)
    least = _LEAST_LABELS.get(answers, 2)
    if not labeled or (has_labels and len(found.labels) < least):
        of_pieces = [name for name, one in TASKS.items() if one.reads == found.task]
        hint = f" Its annotations are learned by the task {' or '.join(of_pieces)}."
        raise DataError(
            f"{found.source} has {len(found.labels)} labels; training needs at "
            f"least two (one type of entity, for tagging).{hint if of_pieces else ''}"
        )
    return replace(found, examples=labeled)


def limited_training(
    examples: tuple[Example, ...], limit: int | None
) -> tuple[tuple[Example, ...], list[str]]:
    """Random subset of a fine-tuning's examples, in file order, and a note on those left out."""
    n = len(examples)
    if limit is None or limit >= n:
        return examples, []
    rng = generator(0, "rows", name=_STREAM, item="limit")
    kept = sorted(rng.permutation(n)[:limit].tolist())
    note = f"{n - limit:,} of {n:,} rows were left out by the limit."
    return tuple(examples[i] for i in kept), [note]


def split_off_dev(
    examples: tuple[Example, ...], share: float
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    """Training examples, and a random share of them that is split off as dev data.

    Examples with the same letters, or of the same unit (``unit=`` of the data string), stay
    together. The split depends on the texts alone: it is the same for all seeds.
    """
    groups = grouped((_group(example), index) for index, example in enumerate(examples))
    names = sorted(groups)
    rng = generator(0, "rows", name=_STREAM, item="dev")
    wanted = round(share * len(examples))
    taken: set[int] = set()
    for place in rng.permutation(len(names)).tolist():
        if len(taken) >= wanted:
            break
        taken.update(groups[names[place]])
    if len(taken) == len(examples):
        raise DataError(
            f"A dev part of {whole_percent(share)} of {len(examples)} rows leaves none to train "
            "on: rows with the same letters or of the same unit stay together."
        )
    return (
        tuple(e for i, e in enumerate(examples) if i not in taken),
        tuple(e for i, e in enumerate(examples) if i in taken),
    )


def _group(example: Example) -> str:
    """Key that must not be in both parts: the example's unit, or its letters."""
    unit = next((f"{k}={v}" for k, v in example.attributes.items() if k.startswith("u_")), "")
    return unit or f"{letters_hash(' '.join(example.fields.values())):016x}"


def refuse_shared(
    examples: Sequence[Example], own: Dataset, other: Dataset, *, what: str
) -> list[str]:
    """Note on texts that training data share with data to score on; raises for shared rows.

    Raises
    ------
    PlanError
        If both are the same data, or hold the same rows of the same file.
    """
    rows = {_row(example) for example in other.examples}
    shared = sum(_row(example) in rows for example in examples)
    if own.fingerprint == other.fingerprint or shared:
        raise PlanError(
            f"{what} ({other.source}) holds {shared or len(examples):,} of the rows that "
            f"{own.source} gives for training and choosing: a score on them says nothing. Name "
            "other data, or split_off_dev the file and name one part for each."
        )
    found = overlap([_joined(e) for e in examples], [_joined(e) for e in other.examples], near=None)
    if not found.n_overlapping:
        return []
    return [
        f"{found.n_overlapping:,} of {len(examples):,} texts of {own.source} stand in "
        f"{other.source} too, by their letters."
    ]


def _row(example: Example) -> tuple[str, ...]:
    """Place and texts of an example: objects have no place of their own."""
    return (example.source, *example.fields.values())


def _joined(example: Example) -> str:
    return " ".join(example.fields.values())
