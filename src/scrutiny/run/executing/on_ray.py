"""Tasks on a Ray cluster; only the driver touches the disk.

Workers are Ray actors. Their store is an actor too: it holds the requests of the workers until the
driver, which polls it, has answered them from SQLite.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from time import sleep
from typing import Any, cast
from uuid import uuid4

from scrutiny.core.errors import MissingExtraError, RunIncompleteError
from scrutiny.core.model import LoadOptions
from scrutiny.models.strings.adapters import import_ahead
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.executing.executor import Executor, Prepared
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.loading import LoadedModels, ModelCard
from scrutiny.run.planning.resolved import Resolved, TaskSpec
from scrutiny.store.database import Block, from_bytes, to_bytes

_POLL_S = 0.005


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtraError("The Ray executor", "ray") from error
    return ray


class Mailbox:
    """Requests of workers, waiting for the driver; a Ray actor."""

    def __init__(self) -> None:
        self._requests: list[tuple[str, str, tuple[Any, ...]]] = []
        self._answers: dict[str, tuple[Any]] = {}

    def post(self, request: str, method: str, arguments: tuple[Any, ...]) -> None:
        """Add a request under its name."""
        self._requests.append((request, method, arguments))

    def collect(self) -> list[tuple[str, str, tuple[Any, ...]]]:
        """Take all waiting requests."""
        waiting, self._requests = self._requests, []
        return waiting

    def answer(self, request: str, value: Any) -> None:
        """Add an answer."""
        self._answers[request] = (value,)

    def fetch(self, request: str) -> tuple[Any] | None:
        """Answer to a request, once there is one."""
        return self._answers.pop(request, None)


class Worker:
    """Loads models and executes tasks on a node; a Ray actor."""

    def __init__(self, options: LoadOptions, mailbox: Any) -> None:
        self._models = LoadedModels(options)

        # Answer store of the driver, through the mailbox actor.
        def request(method: str, *arguments: Any) -> Any:
            ray, name = _ray(), uuid4().hex
            ray.get(mailbox.post.remote(name, method, arguments))
            while (found := ray.get(mailbox.fetch.remote(name))) is None:
                sleep(_POLL_S)
            return found[0]

        self._store = TaskStore.through(request)
        self._runner: TaskRunner

    def expect(self, sources: Sequence[str]) -> None:
        """Import what models need."""
        for source in sources:
            import_ahead(source)

    def card(self, *asked: Any) -> ModelCard:
        """Card of a model."""
        return self._models.card(*asked)

    def begin(self, resolved: Resolved, run_id: str) -> None:
        """Begin a run."""
        self._runner = TaskRunner(resolved, self._store, self._models, run_id=run_id)

    def execute(self, task: TaskSpec, prepared: bytes | None) -> tuple[str, dict[str, bytes]]:
        """Identity and result of a task."""
        block = self._runner.execute(task, prepared)
        return task.id, {name: to_bytes(table) for name, table in block.items()}


class RayExecutor(Executor):
    """Runs tasks on the Ray cluster at ``RAY_ADDRESS``, or on this machine."""

    _is_told: bool

    def begin(self, resolved: Resolved, store: TaskStore, run_id: str) -> None:
        """Begin a run."""
        super().begin(resolved, store, run_id)
        self._is_told = False

    @cached_property
    def _actors(self) -> tuple[Any, list[Any]]:
        """Mailbox and workers."""
        ray = _ray()
        if not ray.is_initialized():
            ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        mailbox = ray.remote(Mailbox).options(num_cpus=0).remote()
        worker, options = ray.remote(Worker).options(num_cpus=1), self.models.options
        return mailbox, [worker.remote(options, mailbox) for _ in range(self._workers)]

    def _expect(self, sources: Sequence[str]) -> None:
        """Let all workers import what models need, without waiting for them."""
        for actor in self._actors[1]:
            actor.expect.remote(sources)

    def _card(self, worker: int, *asked: Any) -> ModelCard:
        """Card of a model that a worker loads."""
        return cast("ModelCard", _got(self._actors[1][worker].card.remote(*asked)))

    def _run(self, prepared: Prepared) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task.

        Raises
        ------
        RunIncompleteError
            If a worker or its node dies; what is done is kept.
        """
        ray, (mailbox, crew) = _ray(), self._actors
        if not self._is_told:
            shared = ray.put(self._resolved)
            for actor in crew:
                actor.begin.remote(shared, self._run_id)
            self._is_told = True
        running = dict(filter(None, (self._hand_out(n, prepared) for n in range(len(crew)))))
        while running:
            for request, method, arguments in ray.get(mailbox.collect.remote()):
                mailbox.answer.remote(request, self._store.reply(method, arguments))
            done, _ = ray.wait(list(running), timeout=_POLL_S)
            for reference in done:
                task_id, parts = _got(reference)
                running.update(filter(None, [self._hand_out(running.pop(reference), prepared)]))
                yield task_id, {name: from_bytes(data) for name, data in parts.items()}

    def _hand_out(self, worker: int, prepared: Prepared) -> tuple[Any, int] | None:
        """Reference to a worker's next task, and the worker; ``None`` without a task."""
        task = self._dealer.next(worker)
        if task is None:
            return None
        return self._actors[1][worker].execute.remote(task, prepared(task)), worker

    def close(self) -> None:
        """End the actors."""
        if "_actors" in vars(self):
            mailbox, crew = self._actors
            for actor in [*crew, mailbox]:
                _ray().kill(actor)


def _got(reference: Any) -> Any:
    """What an actor gives; raises what it raised.

    Raises
    ------
    RunIncompleteError
        If it or its node has died.
    """
    ray = _ray()
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.as_instanceof_cause() from None
    except ray.exceptions.RayActorError as error:
        raise RunIncompleteError(
            f"A Ray worker died: {error}. What was done is kept: re-issue the same command."
        ) from error
