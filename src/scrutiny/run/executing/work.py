"""Work of a run: its shards, in stages, by workers or by this process."""

from collections.abc import Collection, Iterable
from itertools import chain

from scrutiny.core.progress import Progress
from scrutiny.run.asking.outages import with_earlier
from scrutiny.run.executing.executor import Executor
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.planning.tasks import TaskSpec
from scrutiny.store.journal import Journal, to_bytes


class Work:
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
