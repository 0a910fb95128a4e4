"""Executor: the workers of one command, which load models and run tasks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from scrutiny.core.example import Example
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import imports_of
from scrutiny.run.asking.stores import TaskStore
from scrutiny.run.executing.dealing import Dealer
from scrutiny.run.planning.loading import LoadedModels, ModelCard, ModelKey
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import TaskSpec
from scrutiny.store.journal import Block

#: What was prepared for a task, if anything.
Prepared = Callable[[TaskSpec], bytes | None]


class Executor(ABC):
    """Workers of a command: they load models, for planning, too, and run tasks.

    All kinds give the same results.

    Parameters
    ----------
    models
        Models of this process; workers load theirs as it does.
    workers
        How many run tasks in parallel.
    """

    #: Whether this process is its only worker.
    is_here: bool = False
    _resolved: Resolved
    _store: TaskStore
    _run_id: str

    def __init__(self, models: LoadedModels, *, workers: int = 1) -> None:
        self.models = models
        self._workers = workers
        self._dealer = Dealer(workers)

    def expect(self, sources: Iterable[str]) -> None:
        """Start the workers, if it takes seconds to import what these models need."""
        slow = [source for source in sources if imports_of(source)]
        if slow:
            self._expect(slow)

    def _expect(self, sources: Sequence[str]) -> None:  # noqa: B027 - this process is in no hurry
        """Let all workers import what models need, without waiting for them."""

    def card(
        self, family: str, source: str, task: Task, examples: Sequence[Example] = ()
    ) -> ModelCard:
        """Card of a model, from a worker that keeps it loaded."""
        worker = self._dealer.planner(ModelKey(family, source, task.name))
        return self._card(worker, family, source, task, examples)

    @abstractmethod
    def _card(self, worker: int, *asked: Any) -> ModelCard:
        """Card of a model that a worker loads."""

    def begin(self, resolved: Resolved, store: TaskStore, run_id: str) -> None:
        """Begin a run; ``store`` is that of the driver.

        Workers of other processes load their own: what was timed or looked at here is not kept.
        """
        self._resolved, self._store, self._run_id = resolved, store, run_id
        if not self.is_here:
            self.models.forget()

    def run(self, tasks: Iterable[TaskSpec], prepared: Prepared) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task of a stage, in any order.

        Workers stay for the next call: they have loaded their code and their models.
        """
        self._dealer.deal(tasks, self._resolved)
        return self._run(prepared)

    @abstractmethod
    def _run(self, prepared: Prepared) -> Iterator[tuple[str, Block]]:
        """Identity and result of each task that is dealt."""

    def close(self) -> None:  # noqa: B027 - there may be no workers
        """End the workers."""
