"""Executors of tasks by their names."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.run.asking.stores import TaskStore
from scrutiny.run.executing.executor import Executor, Prepared
from scrutiny.run.executing.on_ray import RayExecutor
from scrutiny.run.executing.processes import Processes
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.loading import LoadedModels, ModelCard
from scrutiny.run.planning.resolved import Resolved
from scrutiny.store.journal import Block


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
