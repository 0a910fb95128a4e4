"""Tasks on a Ray cluster; only the driver touches the disk.

Workers are Ray actors. Their store is an actor too: it holds the requests of the workers until the
driver, which polls it, has answered them from SQLite.
"""

from collections.abc import Iterable, Iterator
from time import sleep
from typing import Any

from scrutiny.core.errors import MissingExtraError, RunIncompleteError
from scrutiny.run.asking.stores import RemoteStore, ask
from scrutiny.run.executing.task_runner import Crew, TaskRunner
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
        self._requests: list[tuple[int, str, tuple[Any, ...]]] = []
        self._answers: dict[int, Any] = {}
        self._next = 0

    def post(self, method: str, arguments: tuple[Any, ...]) -> int:
        """Add a request; returns its number."""
        self._next += 1
        self._requests.append((self._next, method, arguments))
        return self._next

    def collect(self) -> list[tuple[int, str, tuple[Any, ...]]]:
        """Take all waiting requests."""
        waiting, self._requests = self._requests, []
        return waiting

    def answer(self, number: int, value: Any) -> None:
        """Add an answer."""
        self._answers[number] = value

    def fetch(self, number: int) -> tuple[bool, Any]:
        """Whether a request was answered, and the answer."""
        if number in self._answers:
            return True, self._answers.pop(number)
        return False, None


def mailbox_store(mailbox: Any) -> RemoteStore:
    """Answer store of the driver, through the mailbox actor."""

    def request(method: str, arguments: tuple[Any, ...]) -> Any:
        ray = _ray()
        number = ray.get(mailbox.post.remote(method, arguments))
        while True:
            done, value = ray.get(mailbox.fetch.remote(number))
            if done:
                return value
            sleep(_POLL_S)

    return RemoteStore(request)


class Worker:
    """Executes tasks on a node; a Ray actor."""

    def __init__(self, resolved: Resolved, mailbox: Any, run_id: str) -> None:
        self._runner = TaskRunner(resolved, mailbox_store(mailbox), run_id=run_id)

    def execute(self, work: Work) -> tuple[str, dict[str, bytes]]:
        """Identity and result of a task."""
        task, prepared = work
        block = self._runner.execute(task, prepared)
        return task.id, {name: to_bytes(table) for name, table in block.items()}


class RayExecutor(Crew):
    """Runs tasks on the Ray cluster at ``RAY_ADDRESS``, or on this machine."""

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task.

        Raises
        ------
        RunIncompleteError
            If a worker or its node dies; what is done is kept.
        """
        ray = _ray()
        if not ray.is_initialized():
            ray.init(log_to_driver=False, include_dashboard=False, configure_logging=False)
        mailbox = ray.remote(Mailbox).options(num_cpus=0).remote()
        shared = ray.put(self._resolved)
        crew = [
            ray.remote(Worker).options(num_cpus=1).remote(shared, mailbox, self._run_id)
            for _ in range(self._workers)
        ]
        try:
            yield from self._serve(ray, mailbox, crew, iter(work))
        finally:
            for actor in [*crew, mailbox]:
                ray.kill(actor)

    def _serve(
        self, ray: Any, mailbox: Any, crew: list[Any], queue: Iterator[Work]
    ) -> Iterator[tuple[str, Block]]:
        """Assign work and answer the mailbox until all is done."""
        running: dict[Any, Any] = {}
        for actor in crew:
            _hand_out(actor, queue, running)
        while running:
            for number, method, arguments in ray.get(mailbox.collect.remote()):
                mailbox.answer.remote(number, ask(self._store, method, arguments))
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
