"""Random exchange of labels: a null on which every finding must fail."""

from collections.abc import Sequence
from typing import Final, cast

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator, stream_of
from scrutiny.core.task import ExchangesLabels, Task
from scrutiny.data.source import DataSource

_MOST_DIGITS: Final = 18


def permutation_seed(source: DataSource, task: Task) -> int | None:
    """Seed stated by ``permute=``, or ``None``.

    Raises
    ------
    DataError
        If it is no number, or the task has no labels to exchange.
    """
    given = source.option("permute")
    if not given:
        return None
    if not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise DataError(
            f"permute={given[:40]} in {source.target}: it is a seed, a whole number from 0."
        )
    if not isinstance(task, ExchangesLabels):
        raise DataError(
            f"permute={given} in {source}: items of {task.name} have no labels that could be "
            "exchanged; it is for classification, sentence pairs, triples and association tests."
        )
    return int(given)


def permuted(task: Task, examples: Sequence[Example], *, seed: int) -> tuple[Example, ...]:
    """Examples, in order, with labels exchanged at random by the task's ``permute``."""
    rng = generator(seed, "permute", name=stream_of(task, task.name), item="")
    return cast("ExchangesLabels", task).permute(examples, rng)
