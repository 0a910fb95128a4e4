"""Items shared by two datasets: what holds on both is then no independent finding."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from scrutiny.core.boundary.content import content_key
from scrutiny.core.example import Example
from scrutiny.data.dataset import Dataset, columns_key
from scrutiny.tasks.names import load_task


@dataclass(frozen=True, slots=True)
class SharedItems:
    """Number of items that two datasets of one task share, whatever their identifiers.

    Parameters
    ----------
    a, b
        Names of the data sets.
    shared
        Items of the smaller one that are also in the other, with the same gold or another.
    smaller
        Size of the smaller.
    is_same
        Whether both are the same items with the same gold, in any order.
    """

    a: str
    b: str
    shared: int
    smaller: int
    is_same: bool

    @property
    def is_half(self) -> bool:
        """Whether at least half of the smaller dataset is shared."""
        return 2 * self.shared >= self.smaller


def shared_items(datasets: list[Dataset]) -> list[SharedItems]:
    """Pairs of datasets of one task that share items, and how many."""
    tasks = Counter(dataset.task for dataset in datasets)
    several = [dataset for dataset in datasets if tasks[dataset.task] > 1]
    asked = {id(dataset): _asked(dataset) for dataset in several}
    found = []
    for a, b in combinations(several, 2):
        if a.task == b.task and (both := (asked[id(a)] & asked[id(b)]).total()):
            is_same = both == len(a) == len(b) and _answered(a) == _answered(b)
            found.append(SharedItems(a.name, b.name, both, min(len(a), len(b)), is_same))
    return found


def _asked(dataset: Dataset) -> Counter[bytes]:
    """Counts of items by their key without gold; columns are part of it if a task has no labels."""
    needs_columns = not load_task(dataset.task).must_be_answered
    return Counter(
        content_key(Example(one.id, one.fields, None, one.spans))
        + (columns_key(one) if needs_columns else b"")
        for one in dataset.examples
    )


def _answered(dataset: Dataset) -> Counter[bytes]:
    """Counts of items by their key with gold."""
    return Counter(content_key(example) for example in dataset.examples)
