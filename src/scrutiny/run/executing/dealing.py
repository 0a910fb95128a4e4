"""Dealing of shards to workers, so that few models are loaded twice.

A worker goes on with the models that it has. One that no worker has is free for all; one that
another has is shared only when nothing else is left, and once less than there are workers: so
that many models are loaded more than once, and no worker waits for the last replicate to be done.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence

from scrutiny.run.planning.loading import KEPT, ModelKey
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import TaskSpec


class Dealer:
    """Dealer of shards to numbered workers.

    Parameters
    ----------
    workers
        How many there are.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._joins = 0
        self._on: list[ModelKey | None] = [None] * workers
        self._has: list[OrderedDict[ModelKey, None]] = [OrderedDict() for _ in range(workers)]
        self._left: dict[ModelKey | None, deque[tuple[TaskSpec, Sequence[ModelKey]]]] = {}

    def deal(self, tasks: Iterable[TaskSpec], resolved: Resolved) -> None:
        """Begin with the tasks of a stage: replicate by replicate, whatever is measured of it.

        What asks a reference comes last, so that it is still there for the next replicate.
        """
        self._joins = self._workers - 1
        self._left = {}
        families = list(resolved.families)
        for task in sorted(
            tasks,
            key=lambda t: (families.index(t.family) if t.family else -1, t.replicate, t.reference),
        ):
            models = resolved.models_of(task)
            first = models[0] if models else None
            self._left.setdefault(first, deque()).append((task, models))

    def next(self, worker: int) -> TaskSpec | None:
        """Next task of a worker; ``None`` if the others do the rest."""
        chosen = self._free(worker)
        if not chosen and self._left and self._joins:
            self._joins -= 1
            chosen = [max(self._left, key=lambda model: len(self._left[model]))]
        if not chosen:
            return None
        self._on[worker] = model = chosen[0]
        task, models = self._left[model].popleft()
        if not self._left[model]:
            del self._left[model]
        self._load(worker, models)
        return task

    def _free(self, worker: int) -> list[ModelKey | None]:
        """Models, or nothing to be loaded, that a worker can go on or begin with; best first."""
        has = self._has[worker]
        elsewhere = {m for number, kept in enumerate(self._has) for m in kept if number != worker}
        own = sorted((m for m in self._left if m in has), key=lambda m: m != self._on[worker])
        return own or [model for model in self._left if model not in elsewhere]

    def planner(self, model: ModelKey) -> int:
        """Worker to load a model for planning: who has it, or the first with room for it."""
        having = (n for n, kept in enumerate(self._has) if model in kept)
        roomy = (n for n, kept in enumerate(self._has) if len(kept) < KEPT)
        chosen = next(having, next(roomy, 0))
        self._load(chosen, [model])
        return chosen

    def _load(self, worker: int, models: Iterable[ModelKey]) -> None:
        """Note that a worker loads these models, in this order, unless it has them."""
        has = self._has[worker]
        for model in models:
            has[model] = None
            has.move_to_end(model)
            while len(has) > KEPT:
                has.popitem(last=False)
