"""Executors of tasks; all give the same results."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from scrutiny.core.errors import PlanError
from scrutiny.run.asking.stores import TaskStore
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import Work
from scrutiny.store.journal import Block


class Executor(Protocol):
    """Protocol: runs tasks; results come in any order."""

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
        """Identity and result of each finished task."""


class Serial:
    """Runs tasks one after the other in this process: the reference executor."""

    def __init__(
        self,
        resolved: Resolved,
        store: TaskStore,
        *,
        run_id: str,
        models: Mapping[str, Any] | None = None,
    ) -> None:
        self._runner = TaskRunner(resolved, store, run_id=run_id, models=models)

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
        """Identity and result of each task, in order."""
        for task, prepared in work:
            yield task.id, self._runner.execute(task, prepared)


def executor(
    name: str, *, workers: int, objects: Mapping[str, Any]
) -> Callable[[Resolved, TaskStore, str], Executor]:
    """Factory of the executor with this name.

    Parameters
    ----------
    name
        "auto" (processes where there is more than one worker), "serial", "processes" or "ray".
    workers
        How many.
    objects
        Models given as Python objects: they stay in this process.

    Raises
    ------
    PlanError
        For an unknown name, or objects that would have to travel.
    """
    if name == "auto":
        name = "serial" if workers <= 1 else "processes"
    if name != "serial" and objects:
        raise PlanError(
            "A model given as a Python object cannot travel to a worker: use workers=1, or name "
            "it as python:module:object so that each worker imports it."
        )
    if name == "serial":
        return lambda resolved, store, run_id: Serial(
            resolved, store, run_id=run_id, models=objects
        )
    if name == "processes":
        from scrutiny.run.executing.processes import Processes

        return lambda resolved, store, run_id: Processes(
            resolved, store, run_id=run_id, workers=workers
        )
    if name == "ray":
        from scrutiny.run.executing.on_ray import RayExecutor

        return lambda resolved, store, run_id: RayExecutor(
            resolved, store, run_id=run_id, workers=workers
        )
    raise PlanError(f"There is no executor {name!r}; there are auto, serial, processes and ray.")
