"""Tasks on a Ray cluster; only the driver touches the disk.

Workers are Ray actors. Their store is an actor too: it holds the requests of the workers until the
driver, which polls it, has answered them from SQLite.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from time import sleep
from typing import Any
from uuid import uuid4

from scrutiny.core.errors import MissingExtraError, RunIncompleteError
from scrutiny.run.asking.stores import TaskStore, remote_store
from scrutiny.run.executing.task_runner import Executor, TaskRunner
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import Work
from scrutiny.store.journal import Block, from_bytes, to_bytes

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


def mailbox_store(mailbox: Any) -> TaskStore:
    """Answer store of the driver, through the mailbox actor."""

    def request(method: str, *arguments: Any) -> Any:
        ray, name = _ray(), uuid4().hex
        ray.get(mailbox.post.remote(name, method, arguments))
        while (found := ray.get(mailbox.fetch.remote(name))) is None:
            sleep(_POLL_S)
        return found[0]

    return remote_store(request)


class Worker:
    """Executes tasks on a node; a Ray actor."""

    def __init__(self, resolved: Resolved, mailbox: Any, run_id: str) -> None:
        self._runner = TaskRunner(resolved, mailbox_store(mailbox), run_id=run_id)

    def execute(self, work: Work) -> tuple[str, dict[str, bytes]]:
        """Identity and result of a task."""
        task, prepared = work
        block = self._runner.execute(task, prepared)
        return task.id, {name: to_bytes(table) for name, table in block.items()}


class RayExecutor(Executor):
    """Runs tasks on the Ray cluster at ``RAY_ADDRESS``, or on this machine."""

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task.

        Raises
        ------
        RunIncompleteError
            If a worker or its node dies; what is done is kept.
        """
        yield from self._serve(_ray(), *self._actors, iter(work))

    @cached_property
    def _actors(self) -> tuple[Any, list[Any]]:
        """Mailbox and workers."""
        ray = _ray()
        if not ray.is_initialized():
            ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        mailbox = ray.remote(Mailbox).options(num_cpus=0).remote()
        shared = ray.put(self._resolved)
        worker = ray.remote(Worker).options(num_cpus=1)
        return mailbox, [worker.remote(shared, mailbox, self._run_id) for _ in range(self._workers)]

    def close(self) -> None:
        """End the actors."""
        if "_actors" in vars(self):
            mailbox, crew = self._actors
            for actor in [*crew, mailbox]:
                _ray().kill(actor)

    def _serve(
        self, ray: Any, mailbox: Any, crew: list[Any], queue: Iterator[Work]
    ) -> Iterator[tuple[str, Block]]:
        """Assign work and answer the mailbox until all is done."""
        running: dict[Any, Any] = {}
        for actor in crew:
            _hand_out(actor, queue, running)
        while running:
            for request, method, arguments in ray.get(mailbox.collect.remote()):
                mailbox.answer.remote(request, self._store.reply(method, arguments))
            done, _ = ray.wait(list(running), timeout=_POLL_S)
            for reference in done:
                actor = running.pop(reference)
                try:
                    task_id, parts = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    raise error.as_instanceof_cause() from None
                except ray.exceptions.RayActorError as error:
                    raise RunIncompleteError(
                        f"A Ray worker died: {error}. What was done is kept: re-issue the same "
                        "command."
                    ) from error
                _hand_out(actor, queue, running)
                yield task_id, {name: from_bytes(data) for name, data in parts.items()}


def _hand_out(actor: Any, queue: Iterator[Work], running: dict[Any, Any]) -> None:
    """Give a worker its next task, if any."""
    following = next(queue, None)
    if following is not None:
        running[actor.execute.remote(following)] = actor
