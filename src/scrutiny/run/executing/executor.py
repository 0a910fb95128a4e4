"""Executor: workers that load models and run tasks; shards are dealt to them, stage by stage.

A worker goes on with the models that it has. One that no worker has is free for all; one that
another has is shared only when nothing else is left, and once less than there are workers: so
that many models are loaded more than once, and no worker waits for the last replicate to be done.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from scrutiny.core.example import Example
from scrutiny.core.long_runs import Progress
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import imports_of
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.asking.missing_answers import with_earlier
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.loading import KEPT, LoadedModels, ModelCard, ModelKey
from scrutiny.run.planning.resolved import Resolved, TaskSpec
from scrutiny.store.database import Block, Journal, to_bytes

T = TypeVar("T")


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
        # Models, or nothing to be loaded, that a worker can go on or begin with; best first.
        has = self._has[worker]
        elsewhere = {m for number, kept in enumerate(self._has) for m in kept if number != worker}
        own = sorted((m for m in self._left if m in has), key=lambda m: m != self._on[worker])
        chosen = own or [model for model in self._left if model not in elsewhere]
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

    def spread(
        self, work: Callable[[Resolved, Sequence[str]], Iterable[T]], names: Sequence[str]
    ) -> Iterator[T]:
        """Results of work on all names, in any order; each worker has its share of them.

        There are none where fewer than two workers of this machine have the plan: the work is
        left to the caller.
        """
        del work, names
        return iter(())

    def close(self) -> None:  # noqa: B027 - there may be no workers
        """End the workers."""


class RunWork:
    """Shards of a run: all, done, and to do.

    Parameters
    ----------
    resolved
        The plan.
    journal
        Where results are kept.
    progress
        Who is told.
    bound
        What a kill costs at most, in words.
    again
        Tasks that are done and asked again all the same, for answers that an outage has kept.
    crew, here
        Workers, and this process.
    """

    def __init__(
        self,
        resolved: Resolved,
        journal: Journal,
        progress: Progress,
        *,
        bound: str,
        again: Collection[str] = (),
        crew: Executor,
        here: Executor,
    ) -> None:
        self._bound = bound
        self._again = {*again}
        self._resolved = resolved
        self._journal = journal
        self._progress = progress
        self._crew, self._here = crew, here

    def leave_out(self, tasks: Iterable[TaskSpec], runner: TaskRunner) -> None:
        """Finish shards that are not asked: all of their rows are skipped."""
        done = self._journal.done()
        for task in tasks:
            if task.id not in done:
                self._journal.finish(task.id, runner.not_asked(task))

    def run(self, stage: str, *, waiting: Collection[str] = ()) -> None:
        """Do the remaining shards of a stage: in workers, and here those that ask an endpoint.

        Those that wait for the others are left for the next call.
        """
        tasks = [task for task in self._resolved.shards(stage) if task.id not in waiting]
        done = self._journal.done().difference(self._again)
        todo = [task for task in tasks if task.id not in done]
        if tasks and (todo or self._bound):  # what waited may be left out
            texts, before = sum(map(self._resolved.texts, todo)), len(tasks) - len(todo)
            self._progress.start(stage, total=len(tasks), done=before, texts=texts)
        if not todo:
            return
        if stage == "measure" and self._bound:
            self._progress.passed(self._bound)
            self._bound = ""  # once is enough
        planned = {task.id: self._resolved.texts(task) for task in todo}
        local = [task for task in todo if not self._is_remote(task)]
        remote = [task for task in todo if self._is_remote(task)]
        for task_id, block in chain(
            self._crew.run(local, self._variants), self._here.run(remote, self._variants)
        ):
            if task_id in self._again:
                block = with_earlier(self._journal, task_id, block)
                self._again.discard(task_id)
            self._journal.finish(task_id, block)
            timing = block["timings"].to_pylist()[0]
            told = {"asked": timing["asked"], "cached": timing["cached"]}
            self._progress.advance(stage, **told, planned=planned[task_id])

    def _is_remote(self, task: TaskSpec) -> bool:
        """Whether a task asks an endpoint: then the driver does it, for all limits and budgets."""
        families = [*filter(None, [task.family]), *task.reference[:1]]
        return any(self._resolved.pairings[name, task.dataset].is_remote for name in families)

    def _variants(self, task: TaskSpec) -> bytes | None:
        """Variants of a task's items, if it measures some."""
        if task.stage == "prepare":
            return None
        table = self._journal.part(task.prepared_by, "variants")
        return None if table is None else to_bytes(table)
