"""Executors of tasks by their names."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.run.executing.on_ray import RayExecutor
from scrutiny.run.executing.processes import Processes
from scrutiny.run.executing.task_runner import Executor, TaskRunner
from scrutiny.run.planning.tasks import Work
from scrutiny.store.journal import Block


class Serial(Executor):
    """Runs tasks one after the other in this process: the reference executor."""

    @cached_property
    def _runner(self) -> TaskRunner:
        return TaskRunner(self._resolved, self._store, run_id=self._run_id, models=self._objects)

    def run(self, work: Iterable[Work]) -> Iterator[tuple[str, Block]]:
        """Identity and result of each task, in order."""
        for task, prepared in work:
            yield task.id, self._runner.execute(task, prepared)


_KINDS: Final[Mapping[str, type[Executor]]] = {
    "serial": Serial,
    "processes": Processes,
    "ray": RayExecutor,
}


def executor(name: str, *, workers: int, objects: Mapping[str, Any]) -> Callable[..., Executor]:
    """Factory of the executor with this name; it is still given the plan, the store and ``run_id``.

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
    if name not in _KINDS:
        raise PlanError(
            f"There is no executor {name!r}; there are auto, serial, processes and ray."
        )
    return partial(_KINDS[name], workers=workers, objects=objects)
