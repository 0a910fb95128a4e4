"""Executors by their names: in this process, in worker processes, or on Ray.

Only the driver touches the disk. Workers are started fresh and talk through one pipe each:
a worker sends requests to the store (look up answers, keep answers, memos) and finally its block;
the driver serves whoever is ready. They load what is planned, too: the driver has no models of its
own. They are started when models are expected, and import what these need while the driver reads
data.

On Linux they are forks of one process that has imported what all workers need, and nothing else:
no thread, model or open file of the driver goes with them, and the imports are made once, whatever
the number of workers and of runs.
"""

import atexit
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, Final, TypeVar, cast

import numpy as np

from scrutiny.core.errors import ModelError, PlanError, RunIncompleteError, ScrutinyError
from scrutiny.core.long_runs import left_alone
from scrutiny.core.model import LoadOptions
from scrutiny.models.strings.adapters import import_ahead
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.executing.executor import Executor, Prepared
from scrutiny.run.executing.on_ray import RayExecutor
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.loading import LoadedModels, ModelCard
from scrutiny.run.planning.resolved import Resolved, TaskSpec
from scrutiny.store.database import Block, from_bytes, to_bytes

T = TypeVar("T")


def pipe_store(pipe: "Connection[Any, Any]") -> TaskStore:
    """Answer store of the driver, as a worker process reaches it: through its pipe."""

    def request(method: str, *arguments: Any) -> Any:
        pipe.send(("ask", method, arguments))
        return pipe.recv()

    return TaskStore.through(request)


class Processes(Executor):
    """Runs tasks in worker processes."""

    def __init__(self, models: LoadedModels, *, workers: int = 1) -> None:
        super().__init__(models, workers=workers)
        #: Pipe and process of each worker that has been started.
        self._crew: dict[int, tuple[Any, Any]] = {}
        #: Workers that know the plan.
        self._told: set[int] = set()
        #: Workers that have answered: they are not importing any more.
        self._answered: set[int] = set()

    def _expect(self, sources: Sequence[str]) -> None:
        """Let all workers import what models need, without waiting for them."""
        for worker in range(self._workers):
            self._start(worker)
        for worker in range(self._workers):
            self._send(worker, "expect", sources)

    def begin(self, resolved: Resolved, store: TaskStore, run_id: str) -> None:
        """Begin a run."""
        super().begin(resolved, store, run_id)
        self._told.clear()

    def _card(self, worker: int, *asked: Any) -> ModelCard:
        """Card of a model that a worker loads.

        Raises
        ------
        ScrutinyError
            Whatever it raised.
        """
        self._send(worker, "card", *asked)
        return cast("ModelCard", self._receive(worker)[1])

    def _run(self, prepared: Prepared) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task.

        Raises
        ------
        ModelError
            If the model ends its worker; what is done is kept.
        RunIncompleteError
            If a worker is killed; what is done is kept.
        ScrutinyError
            Whatever a task raised for people; anything else keeps its traceback.
        """
        dealt = ((n, self._dealer.next(n)) for n in range(self._workers))
        first = {worker: task for worker, task in dealt if task is not None}
        busy = set(first)
        for worker in first:
            self._start(worker)  # all at once: it takes a while
        for worker, task in first.items():
            self._give(worker, task, prepared)
        while busy:
            numbers: dict[Any, int] = {self._crew[number][0]: number for number in busy}
            for ready in wait(list(numbers)):
                pipe: Any = ready
                number = numbers[pipe]
                kind, *told = self._receive(number)
                if kind == "ask":
                    pipe.send(self._store.reply(*told))
                    continue
                following = self._dealer.next(number)
                if following is None:
                    busy.discard(number)
                else:
                    self._give(number, following, prepared)
                yield told[0], {k: from_bytes(v) for k, v in told[1].items()}

    def spread(
        self, work: Callable[[Resolved, Sequence[str]], Iterable[T]], names: Sequence[str]
    ) -> Iterator[T]:
        """Results of work on all names, from the workers that have measured."""
        crew = sorted(self._told)
        if len(crew) < 2:
            return
        for place, worker in enumerate(crew):  # in turns: numbers of one kind take as long
            self._send(worker, "spread", work, names[place :: len(crew)])
        busy = {self._crew[worker][0]: worker for worker in crew}
        while busy:
            for pipe in wait(list(busy)):
                kind, *found = self._receive(busy[pipe])
                if kind == "found":
                    yield found[0]
                else:
                    del busy[pipe]

    def _give(self, worker: int, task: TaskSpec, prepared: Prepared) -> None:
        """Give a worker a task."""
        if worker not in self._told:
            self._send(worker, "plan", self._resolved, self._run_id)
            self._told.add(worker)
        self._send(worker, "task", task, prepared(task))

    def _send(self, worker: int, *message: Any) -> None:
        self._start(worker)
        self._crew[worker][0].send(message)

    def _start(self, worker: int) -> None:
        """Start a worker, unless it is there."""
        if worker not in self._crew or not self._crew[worker][1].is_alive():
            self._crew[worker] = _started(self.models.options, self._workers)

    def _receive(self, worker: int) -> Any:
        """Message of a worker; raises what it raised."""
        message = _received(*self._crew[worker])
        self._answered.add(worker)
        if message[0] == "error":
            raise message[1]
        return message

    def close(self) -> None:
        """Let idle workers end, and end the others; nobody waits for imports."""
        for pipe, _ in self._crew.values():
            with suppress(OSError):
                pipe.send(None)
            pipe.close()
        for worker, (_, process) in self._crew.items():
            process.join(timeout=2 if worker in self._answered else 0)
            if process.is_alive():
                process.kill()
                process.join()
        self._crew.clear()
        self._told.clear()


#: What nearly every worker imports; a network's libraries are imported by the worker itself, as
#: what they find of a graphics card does not survive a fork.
_PRELOADED: Final = [
    "scrutiny.run.executing.executors",
    "scrutiny.perturb.engine.rewrite",
    "pyarrow.pandas_compat",  # pyarrow looks for pandas whenever it reads a list, and imports it
]


def _started(options: LoadOptions, workers: int) -> tuple[Any, Any]:
    """Pipe to a new worker, one of so many, and its process."""
    if sys.platform == "linux":  # elsewhere the system's own libraries do not survive a fork
        context: Any = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
    else:
        context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    # The process that is forked has the environment of when it was started. Workers share the
    # cores: threads of one that wait for a core would keep it from those of another.
    threads = str(max(1, (os.cpu_count() or 1) // workers))
    told = (theirs, options, {"OMP_NUM_THREADS": threads, **os.environ})
    process = context.Process(target=_work, args=told, daemon=True)
    with _deaf_to_interrupts():
        process.start()
    theirs.close()
    return ours, process


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Block Ctrl-C while a worker starts: it inherits the mask, and the driver ends it.

    A terminal interrupts all processes; workers would print tracebacks of half-done imports.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # on its first start it would take the mask off again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _received(pipe: Any, process: Any) -> Any:
    try:
        return pipe.recv()
    except (EOFError, OSError) as error:
        process.join(timeout=5)
        code = process.exitcode
        if code is not None and code >= 0:
            raise ModelError(
                f"A worker process ended by itself, with exit code {code}: the model, or code that "
                "it calls, left with os._exit(). A model returns its answers or raises an error. "
                "What was done is kept: fix the model, then re-issue the same command."
            ) from error
        raise RunIncompleteError(
            f"A worker process was ended by signal {-code if code else 'unknown'} (killed, or out "
            "of memory). What was done is kept: re-issue the same command, with fewer --workers or "
            "a smaller --batch."
        ) from error


def _work(
    pipe: "Connection[Any, Any]", options: LoadOptions, environment: Mapping[str, str]
) -> None:
    """Worker loop: load models and execute tasks until there are no more."""
    os.environ.clear()
    os.environ.update(environment)
    np.random.seed()  # noqa: NPY002 - forks would share the numbers of a model that draws from it
    models, store = LoadedModels(options), pipe_store(pipe)
    runner: TaskRunner
    resolved: Resolved
    ended = suppress(EOFError, KeyboardInterrupt, BrokenPipeError, ConnectionResetError)
    with ExitStack() as held, ended:
        while (message := pipe.recv()) is not None:
            kind, *told = message
            try:
                if kind == "expect":
                    for source in told[0]:
                        import_ahead(source)
                elif kind == "plan":
                    resolved = told[0]
                    runner = TaskRunner(resolved, store, models, run_id=told[1])
                    held.close()
                    held.enter_context(left_alone())
                elif kind == "card":
                    pipe.send(("card", models.card(*told)))
                elif kind == "spread":
                    work, names = told
                    for found in work(resolved, names):
                        pipe.send(("found", found))
                    pipe.send(("done",))
                else:
                    block = runner.execute(*told)
                    pipe.send(("done", told[0].id, {k: to_bytes(v) for k, v in block.items()}))
            except ScrutinyError as error:
                pipe.send(("error", error))
            except Exception as error:
                pipe.send(("error", WorkerError(f"{error!r}\n{traceback.format_exc()}")))
    # End as Python does, but for the second or two that it takes to take torch apart.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


class WorkerError(Exception):
    """Bug in a worker; the message holds the worker's traceback."""


class Serial(Executor):
    """Runs tasks one after the other in this process: the reference executor."""

    is_here = True
    _runner: TaskRunner

    def begin(self, resolved: Resolved, store: TaskStore, run_id: str) -> None:
        """Begin a run."""
        super().begin(resolved, store, run_id)
        self._runner = TaskRunner(resolved, store, self.models, run_id=run_id)

    def _card(self, worker: int, *asked: Any) -> ModelCard:
        """Card of a model."""
        del worker
        return self.models.card(*asked)

    def _run(self, prepared: Prepared) -> Iterator[tuple[str, Block]]:
        """Identity and result of each task, in order."""
        while (task := self._dealer.next(0)) is not None:
            yield task.id, self._runner.execute(task, prepared(task))


_KINDS: Final[Mapping[str, type[Executor]]] = {
    "serial": Serial,
    "processes": Processes,
    "ray": RayExecutor,
}


def executor(name: str, models: LoadedModels, *, workers: int) -> Executor:
    """Executor with this name; it starts its workers when there is something for them.

    Parameters
    ----------
    name
        "auto" (processes where there is more than one worker), "serial", "processes" or "ray".
    models
        Models of this process. Python objects among them stay in it.
    workers
        How many.

    Raises
    ------
    PlanError
        For an unknown name, or objects that would have to travel.
    """
    if name == "auto":
        name = "serial" if workers <= 1 else "processes"
    if name != "serial" and models.given:
        raise PlanError(
            "A model given as a Python object cannot travel to a worker: use workers=1, or name "
            "it as python:module:object so that each worker imports it."
        )
    if name not in _KINDS:
        raise PlanError(
            f"There is no executor {name!r}; there are auto, serial, processes and ray."
        )
    return _KINDS[name](models, workers=1 if name == "serial" else workers)
