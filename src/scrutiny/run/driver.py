"""Run driver: prepare, measure, estimate, decide; resumable at any point."""

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from scrutiny.core.boundary.json_text import canonical_json, value_digest
from scrutiny.core.claim import Claim, Finding
from scrutiny.core.errors import StorageError
from scrutiny.core.estimate import Estimate
from scrutiny.core.long_runs import SILENT, Progress, left_alone
from scrutiny.reliability.assignment import Assignment, PlacedContrast
from scrutiny.run.asking.answer_store import BOUND, BOUND_WITHOUT_CACHE, local_store
from scrutiny.run.asking.missing_answers import (
    asked_again_in_words,
    missing_answers,
    must_have_answered,
    redirects_in,
    sent_in,
    unanswered,
)
from scrutiny.run.estimating.estimates import SkillFirst, estimate_all
from scrutiny.run.estimating.estimator import estimates_by_name, estimator_of
from scrutiny.run.estimating.label_check import label_warnings
from scrutiny.run.executing.executor import Executor, RunWork
from scrutiny.run.executing.executors import executor
from scrutiny.run.executing.task_runner import TaskRunner
from scrutiny.run.manifest import has_packed_tables, manifest, pack, write_tables
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.run.planning.plan_slices import items_of as valued_items
from scrutiny.run.planning.published import reproductions
from scrutiny.run.planning.resolved import Resolved
from scrutiny.run.resuming import (
    is_finished,
    mark_ended,
    mark_finished,
    mark_running,
    must_be_same_models,
    open_folder,
    same_run,
    see_all_again,
)
from scrutiny.store.database import AnswerCache, Journal
from scrutiny.store.files import remove_leftovers
from scrutiny.store.guards import only_one
from scrutiny.store.item_tables import items_of
from scrutiny.store.run_folder import RunFolder

_SHOWN: Final = 3  # failures whose words are told
_SPREAD: Final = 40  # fewer numbers are estimated before a worker has imported what it needs

N = TypeVar("N", Assignment, PlacedContrast)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run that do not change its records.

    Parameters
    ----------
    workers, executor
        How many, and where: "auto", "serial", "processes", "ray".
    cache
        File of the answer cache; None turns it off.
    progress
        Progress display.
    command
        The command line, for the page's "how to reproduce".
    """

    workers: int = 1
    executor: str = "auto"
    cache: Path | None = None
    progress: Progress = SILENT
    command: str = ""

    def crew(self, models: LoadedModels) -> Executor:
        """Workers of a command that is run so; ``models`` are those of this process."""
        return executor(self.executor, models, workers=self.workers)


def run_plan(
    resolved: Resolved,
    out: Path,
    *,
    options: RunOptions | None = None,
    models: Mapping[str, Any] | None = None,
    crew: Executor | None = None,
) -> RunFolder:
    """Run a resolved plan in a folder, resuming what is done; returns the finished run.

    Parameters
    ----------
    resolved
        The plan.
    out
        The run folder; it may hold an interrupted run of the same plan.
    options
        How to run it.
    models
        Python objects for model names.
    crew
        Workers of the command, who stay; by default some that are started, and ended, for this.

    Raises
    ------
    PlanError
        If the folder holds a run of another plan.
    RunIncompleteError
        If a worker died, or a model has answered nothing that it was asked.
    StorageError
        If the disk refuses, or another process works on the folder.
    """
    options = options or RunOptions()
    folder = open_folder(out)
    with ExitStack() as ending:
        ending.enter_context(only_one(folder.path))
        remove_leftovers(folder.path)
        if crew is None:
            crew = options.crew(LoadedModels(resolved.options, models or {}))
            ending.callback(crew.close)
        _run(resolved, folder, options, crew)
    must_have_answered(folder)
    return folder


def _run(resolved: Resolved, folder: RunFolder, options: RunOptions, crew: Executor) -> None:
    """Do the remaining work of a plan in a folder that this process has locked."""
    out = folder.path
    journal = Journal(folder.path / "journal.sqlite")
    answers = _answers(options.cache)
    try:
        run_id = same_run(journal, resolved, out)
        mark_running(journal, out, options.progress)
        store = local_store(answers, journal, options.progress)
        must_be_same_models(store, resolved)
        claims = _fix_claims(journal, resolved)
        started = manifest(resolved, options.command, claims, store, status="running")
        runner = TaskRunner(resolved, store, crew.models, run_id=run_id)
        see_all_again(resolved, store, runner, done=journal.done())
        again = {} if answers is None else _unanswered(journal, resolved)
        if again:
            options.progress.note(asked_again_in_words(again))
        elif is_finished(folder, journal, started):
            return
        folder.write_manifest(started)
        is_packed = has_packed_tables(journal, folder, resolved)
        write = partial(write_tables, folder, journal, resolved, is_packed=is_packed)
        _write_items(folder, resolved)
        bound = BOUND_WITHOUT_CACHE if options.cache is None else BOUND
        here = executor("serial", crew.models, workers=1)
        work = RunWork(
            resolved, journal, options.progress, bound=bound, again=again, crew=crew, here=here
        )
        # one for both stages: models stay loaded, and are known to be those that were asked
        with left_alone():
            for one in (crew, here):
                one.begin(resolved, store, run_id)
            first = SkillFirst(resolved)
            if _asked(work, first, write):
                claims = first.without(claims, folder, options.progress)
                work.leave_out(first.left_out, runner)
                work.run("measure")
        write()
        crew.models.forget_answers()  # estimates take as much
        estimates, findings = _estimated(resolved, folder, claims, options.progress, crew)
        folder.write_estimates(estimates)
        folder.write_findings(findings)
        folder.write_published(reproductions(resolved, estimates, findings))
        done = manifest(resolved, options.command, claims, store, status="done")
        done["warnings"] += label_warnings(resolved, folder, estimates)
        files = folder.finish(done | _of_answers(folder, done["warnings"]))
        if not is_packed and not _unanswered(journal, resolved):
            pack(journal, files)
        mark_finished(journal, started)
    finally:
        mark_ended(journal)
        journal.close()
        if answers is not None:
            answers.close()


def _write_items(folder: RunFolder, resolved: Resolved) -> None:
    """Write the table of items, of which a part is made at a time."""
    schema, tables = items_of(
        {name: data.examples for name, data in resolved.datasets.items()},
        {name: valued_items(resolved, name).of_training() for name in resolved.datasets},
    )
    folder.write_table("items", tables, schema=schema)


def _asked(work: RunWork, first: SkillFirst, write: Callable[[], None]) -> bool:
    """Prepare and measure what need not wait; whether anything waits for the scores."""
    work.run("prepare")
    work.run("measure", waiting=first.waiting)
    if first.waiting:
        write()
    return bool(first.waiting)


def _unanswered(journal: Journal, resolved: Resolved) -> dict[str, int]:
    """Texts without a reply of an endpoint, by the shard that asked them."""
    return unanswered(journal, (task.id for task in resolved.shards("measure")))


def _estimated(
    resolved: Resolved,
    folder: RunFolder,
    claims: Sequence[Claim],
    progress: Progress,
    crew: Executor,
) -> tuple[list[Estimate], list[Finding]]:
    """Estimates and findings; numbers are estimated by the workers, if there are many.

    Along axes there are thousands, whose draws are too large to be handed over.
    """
    progress.start("estimate", total=len(resolved.assignments) + len(resolved.contrasts), done=0)
    estimator = estimator_of(folder)
    names = [assignment.id for assignment in resolved.assignments if not assignment.along]
    names += [contrast.id for contrast in resolved.contrasts]
    told = partial(_told, progress=progress, known=estimator.known)
    if len(names) >= _SPREAD:
        for name, found in crew.spread(partial(estimates_by_name, folder=folder), names):
            estimator.known[name] = found
            progress.advance("estimate")
    return estimate_all(
        estimator,
        told(resolved.assignments),
        claims,
        contrasts=told(resolved.contrasts),
        relations=resolved.relations,
    )


def _told(numbers: Iterable[N], progress: Progress, known: Container[str]) -> Iterator[N]:
    """Numbers, each that is not known reported when the next one is asked for."""
    for number in numbers:
        yield number
        if number.id not in known:
            progress.advance("estimate")


def _of_answers(folder: RunFolder, warnings: Sequence[str]) -> dict[str, Any]:
    """What a manifest says of answers that are missing, and of what was sent.

    Messages of the first missing answers may quote texts of the data.
    """
    told = folder.table("timings")["failures"].to_pylist()
    return {
        "warnings": [*warnings, *missing_answers(folder)],
        "failures": [*dict.fromkeys(chain.from_iterable(filter(None, told)))][:_SHOWN],
        "sent": sent_in(folder),
        "redirects": redirects_in(folder),
    }


def _answers(cache: Path | None) -> AnswerCache | None:
    """Answer cache; ``None`` to go without.

    Raises
    ------
    StorageError
        If they cannot be kept there.
    """
    if cache is None:
        return None
    try:
        return AnswerCache(cache)
    except StorageError as error:
        raise StorageError(
            f"{error} This is the cache of answers: SCRUTINY_CACHE_DIR names another folder for "
            "it, and --no-cache goes without."
        ) from error


def _fix_claims(journal: Journal, resolved: Resolved) -> tuple[Claim, ...]:
    """Claims of the plan; those added after the first query are post hoc.

    So is what is left of a family that has lost a claim since: its correction would be too small.
    """
    claims = resolved.claims
    stated = {value_digest(c, size=16): c.family for c in claims}
    kept = journal.meta("claims")
    if kept is None:
        journal.set_meta("claims", canonical_json(stated))
        return claims
    known = json.loads(kept)
    shrunk = {family for claim, family in known.items() if family and claim not in stated}
    return tuple(
        replace(c, post_hoc=True) if claim not in known or c.family in shrunk else c
        for claim, c in zip([value_digest(c, size=16) for c in claims], claims, strict=True)
    )
