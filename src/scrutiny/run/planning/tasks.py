"""Shards of work, in plan order; cut by items, never by worker or time."""

from dataclasses import dataclass
from typing import Final, Literal

_QUERIES_PER_SHARD: Final = 16_384
_LEAST, _MOST = 16, 1_024  # a few thousand texts are shards enough for some workers
#: Second family and the index of its replicate, or None.
Beside = tuple[()] | tuple[str, int]


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Shard: a range of items of one dataset, to be prepared or measured.

    Parameters
    ----------
    id
        Identity in the journal.
    stage
        ``prepare`` makes variants, ``measure`` makes records.
    measure
        Identifier of the measurement in the plan.
    dataset
        Name of the dataset.
    start, stop
        Positions of the items, half open.
    family, replicate
        Model family and index of the replicate; None for ``prepare``.
    reference
        Second family and position of its replicate, where the measurement names one.
    """

    id: str
    stage: Literal["prepare", "measure"]
    measure: str
    dataset: str
    start: int
    stop: int
    family: str = ""
    replicate: int = -1
    reference: Beside = ()

    @property
    def prepared_by(self) -> str:
        """Identity of the task that makes the variants of these items."""
        return _id("prepare", self.measure, self.dataset, self.start, *self.reference)


def shards_of(
    stage: Literal["prepare", "measure"],
    measure: str,
    dataset: str,
    items: int,
    *,
    size: int,
    of: tuple[str, int] | None = None,
    reference: Beside = (),
) -> list[TaskSpec]:
    """Tasks that make the variants of a dataset, or that measure a replicate of a family on it.

    Parameters
    ----------
    items, size
        Number of items, and how many of them a task has at most.
    of
        Family, and index of the replicate that is measured.
    reference
        Second family and index of its replicate, if any.
    """
    family, replicate = of or ("", -1)
    return [
        TaskSpec(
            _id(stage, measure, dataset, start, *(of or ()), *reference),
            stage,
            measure,
            dataset,
            start,
            stop,
            family,
            replicate,
            reference,
        )
        for start, stop in _cuts(items, size)
    ]


def shard_size(queries_per_item: int, *, whole: int | None = None) -> int:
    """Items per shard: about ten seconds of a small model; all of them if ``whole``."""
    if whole is not None:
        return max(1, whole)
    return max(_LEAST, min(_MOST, _QUERIES_PER_SHARD // max(1, queries_per_item)))


def _cuts(items: int, size: int) -> list[tuple[int, int]]:
    """Ranges of at most this size, as even as can be: a small last one leaves workers idle."""
    shards = -(-items // size)
    return [(items * n // shards, items * (n + 1) // shards) for n in range(shards)]


def _id(*parts: object) -> str:
    return "/".join(str(part) for part in parts)
