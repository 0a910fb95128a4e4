"""Tasks in worker processes; only the driver touches the disk.

Workers are started fresh (spawn) and talk through one pipe each: a worker sends requests to the
store (look up answers, keep answers, memos) and finally its block; the driver serves whoever is
ready.
"""

import multiprocessing
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from scrutiny.core.errors import ModelError, RunIncompleteError, ScrutinyError
from scrutiny.core.garbage import left_alone
from scrutiny.run.asking.stores import TaskStore, remote_store
from scrutiny.run.executing.task_runner import Executor, TaskRunner
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import Work
from scrutiny.store.journal import Block, from_bytes, to_bytes


def pipe_store(pipe: "Connection[Any, Any]") -> TaskStore:
    """Answer store of the driver, through a pipe."""

    def request(method: str, *arguments: Any) -> Any:
        pipe.send(("ask", method, arguments))
        return pipe.recv()

    return remote_store(request)


class Processes(Executor):
    """Runs tasks in worker processes."""

    @cached_property
    def _crew(self) -> dict[Any, Any]:
        """Each worker's process by its pipe."""
        return {}

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
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
        queue = iter(work)
        idle = list(self._crew)
        busy: set[Any] = set()
        for first in islice(queue, self._workers):
            pipe = idle.pop() if idle else self._start()
            busy.add(pipe)
            pipe.send(first)
        yield from self._serve(busy, queue)

    def close(self) -> None:
        """Let idle workers end, and end the others."""
        for pipe in self._crew:
            with suppress(OSError):
                pipe.send(None)
            pipe.close()
        for process in self._crew.values():
            process.join(timeout=2)
            if process.is_alive():
                process.kill()
                process.join()
        self._crew.clear()

    def _start(self) -> Any:
        """Pipe to a new worker."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, self._resolved, self._run_id)
        process = context.Process(target=_work, args=arguments, daemon=True)
        with _deaf_to_interrupts():
            process.start()
        theirs.close()
        self._crew[ours] = process
        return ours

    def _serve(self, busy: set[Any], queue: Iterator[Work]) -> Iterator[tuple[str, Block]]:
        """Serve requests and assign work until all workers are idle."""
        while busy:
            for ready in wait(list(busy)):
                pipe: Any = ready
                message = _receive(pipe, self._crew[pipe])
                if message[0] == "ask":
                    pipe.send(self._store.reply(message[1], message[2]))
                    continue
                if message[0] == "error":
                    raise message[1]
                following = next(queue, None)
                if following is None:
                    busy.discard(pipe)
                else:
                    pipe.send(following)
                yield message[1], {k: from_bytes(v) for k, v in message[2].items()}


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


def _receive(pipe: Any, process: Any) -> Any:
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


def _work(pipe: "Connection[Any, Any]", resolved: Resolved, run_id: str) -> None:
    """Worker loop: execute tasks until there are no more."""
    runner = TaskRunner(resolved, pipe_store(pipe), run_id=run_id)
    ended = suppress(EOFError, KeyboardInterrupt, BrokenPipeError, ConnectionResetError)
    with left_alone(), ended:
        while (work := pipe.recv()) is not None:
            task, prepared = work
            try:
                block = runner.execute(task, prepared)
            except ScrutinyError as error:
                pipe.send(("error", error))
                return
            except Exception as error:
                pipe.send(("error", WorkerError(f"{error!r}\n{traceback.format_exc()}")))
                return
            pipe.send(("done", task.id, {k: to_bytes(v) for k, v in block.items()}))


class WorkerError(Exception):
    """Bug in a worker; the message holds the worker's traceback."""
