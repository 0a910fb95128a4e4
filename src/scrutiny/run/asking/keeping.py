"""Buffer for answers: stored every half second, and whenever querying ends.

Each commit writes whole pages, nearly as many for a thousand answers as for ten thousand: their
keys are digests, which lie anywhere. A model that answers thousands a second would spend as long
on commits as on answers.
"""

from collections.abc import Callable, Mapping
from time import perf_counter
from types import TracebackType
from typing import Final

from scrutiny.run.asking.stores import TaskStore

#: Seconds for which quick answers are buffered: half of what a kill may cost.
WAIT_S: Final = 0.5
_QUICK_S: Final = 0.1  # slower parts are stored at once: the next may take ten times as long


class Keeping:
    """Context that buffers and stores answers; those of a slow part are stored at once.

    Parameters
    ----------
    store
        Where they are kept.
    clock
        Seconds.
    """

    def __init__(self, store: TaskStore, clock: Callable[[], float] = perf_counter) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[bytes, bytes] = {}
        self._last = self._kept = clock()

    def __enter__(self) -> "Keeping":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._keep()

    def take(self, answers: Mapping[bytes, bytes]) -> None:
        """Add the answers of one part of the queries."""
        self._waiting.update(answers)
        now = self._clock()
        is_quick = now - self._last <= _QUICK_S
        self._last = now
        if not is_quick or now - self._kept >= WAIT_S:
            self._keep()

    def at_once(self, answers: Mapping[bytes, bytes]) -> None:
        """Store what was paid for, or waited for long."""
        self._waiting.update(answers)
        self._keep()

    def _keep(self) -> None:
        """Store all buffered answers."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self._store.put_many(waiting)
        self._last = self._kept = self._clock()
