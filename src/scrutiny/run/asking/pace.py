"""Batch pacing: how many queries are sent before their answers are stored.

What a kill can cost is one batch or one second of answers. Where a batch begins and ends can
change the last digits of a network's answers, so its batches are cut as it cuts them itself,
however fast it is; only models that promise not to mind, and objects of the user's own, are cut
by time.
"""

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Final

from scrutiny.core.boundary.storable import storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError, ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.remote import NO_ANSWER

_PART_S: Final = 1.0
#: Largest loss by a kill, in words.
BOUND: Final = "A kill costs at most the last batch or second of answers."
BOUND_WITHOUT_CACHE: Final = "Without the cache, a kill costs the shards in work."
_FIRST, _GROWTH = 16, 4  # first number of queries to a model of unknown pace, and its growth


class Pace:
    """Pace of one model, adapted while it is queried.

    Parameters
    ----------
    clock
        Seconds.

    Attributes
    ----------
    has_answered
        Whether it has answered anything so far.
    has_known_type
        Whether one of its spans had a type of the data.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.clock = clock
        self.has_answered = False
        self.has_known_type = False
        self._at_a_time = _FIRST

    def parts(
        self,
        chunk: Sequence[int],
        *,
        batches: Callable[[Sequence[int]], list[list[int]]] | None,
        by_time: bool,
    ) -> Iterator[list[int]]:
        """Consecutive parts of a chunk, each of which is timed.

        Parameters
        ----------
        chunk
            Indices of questions.
        batches
            Cuts indices as the model cuts them itself, where it says so.
        by_time
            Whether the model may be cut anywhere.
        """
        rest = list(chunk)
        if not by_time:
            is_slow = self._at_a_time < len(rest) and batches is not None
            for part in batches(rest) if batches is not None and is_slow else [rest]:
                yield from self._timed(part)
            return
        while rest:
            part, rest = rest[: self._at_a_time], rest[self._at_a_time :]
            yield from self._timed(part)

    def _timed(self, part: list[int]) -> Iterator[list[int]]:
        """Yield one part, and measure the time until the next is requested."""
        began = self.clock()
        yield part
        fits = int(len(part) * _PART_S / max(self.clock() - began, 1e-9))
        self._at_a_time = max(1, min(fits, _GROWTH * max(self._at_a_time, len(part))))


def own_batches(
    model: Model, examples: Sequence[Example]
) -> Callable[[Sequence[int]], list[list[int]]]:
    """Cutter of queries, by their indices, into the batches that the model makes itself.

    A model that does not say, or fails at it, gets all of them together.
    """

    def cut(indices: Sequence[int]) -> list[list[int]]:
        try:
            parts = model.batches([examples[i] for i in indices])
        except Exception:  # asking says what is wrong, and with which of them
            parts = None
        return [list(indices)] if parts is None else [[indices[i] for i in part] for part in parts]

    return cut


def nothing_answered(source: str, asked: int, failures: Sequence[Failure]) -> ScrutinyError:
    """Error of a model that has answered none of so many texts: broken, or not in reach."""
    said = storable(failures[0].message).rstrip(".")
    if {failure.reason for failure in failures} <= NO_ANSWER:
        return RunIncompleteError(
            f"{source} replied to none of the {asked:,} texts it was asked; the first request: "
            f"{said}. Once it replies, the same command goes on."
        )
    return ModelError(
        f"{source} has answered none of the {asked:,} texts it was asked; the first error: "
        f"{said}. Fix the model, then re-issue the same command."
    )
