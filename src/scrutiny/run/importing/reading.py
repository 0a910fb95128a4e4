"""Reading logs of any tool, and writing a run folder from them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final

from scrutiny.core.boundary.canonical import plain
from scrutiny.core.design import EstimateSpec, Selector
from scrutiny.core.errors import DataError, PlanError
from scrutiny.models.strings.source import captures
from scrutiny.run.estimating.estimates import Estimator, estimate_all
from scrutiny.run.importing import deepeval, inspect_log, lm_eval, promptfoo
from scrutiny.run.importing.collecting import Logged, collect
from scrutiny.run.importing.log_files import chosen, matching_logs, under_one_name
from scrutiny.run.importing.manifest import ImportOptions, Manifest
from scrutiny.run.importing.samples import LoggedTask
from scrutiny.run.importing.tables import (
    KIND,
    MEASURES,
    examples_of,
    output_tables,
    record_tables,
)
from scrutiny.run.planning.assignment import Assignment
from scrutiny.store.files import make_private_folder, storage_errors
from scrutiny.store.items import items_of
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.schemas import OUTPUTS, RECORDS


def _write_run(
    logs: Sequence[LoggedTask],
    out: Path,
    *,
    tool: str,
    notes: Sequence[str] = (),
    options: ImportOptions | None = None,
) -> RunFolder:
    """Write a run folder from logs: items, records, outputs, estimates and lines left out.

    Parameters
    ----------
    logs
        One for each model, replicate and task.
    out
        The folder; it may hold an earlier import, which is replaced, and nothing else.
    tool
        Name among `TOOLS`.
    notes
        Sentences on what was left out before reading.
    options
        How they are read.

    Raises
    ------
    DataError
        If no line reads.
    PlanError
        If the folder holds something else.
    """
    options = options or ImportOptions()
    folder = _free(out)
    found = collect(logs, {"on_bad_row": options.on_bad_row})
    tasks = {name: task for name, task in found.items() if task.conditions}
    empty = [_nothing(name, task) for name, task in found.items() if not task.conditions]
    if not tasks:
        raise DataError(" ".join(empty))
    examples = {name: examples_of(task) for name, task in tasks.items()}
    assignments = list(_assignments(tasks))
    items = items_of(examples)
    folder.write_table("items", [items], schema=items.schema)
    measures = [plain(measure) for measure in MEASURES]
    footer = {KIND: {n: {s: measures for s in task.sides} for n, task in tasks.items()}}
    folder.write_table("records", record_tables(tasks), schema=RECORDS, footer=footer)
    folder.write_table("outputs", output_tables(tasks), schema=OUTPUTS)
    estimator = Estimator(*folder.measured(), resampling=options.resampling, seed=options.seed)
    estimates, _ = estimate_all(estimator, assignments, ())
    folder.write_estimates(estimates)
    folder.write_findings(())
    manifest = Manifest(tool, tasks, examples, options)
    folder.finish(manifest.as_json(assignments, [*notes, *empty]))
    return folder


def _free(out: Path) -> RunFolder:
    """Empty folder to write to."""
    folder = RunFolder(out)
    if out.exists() and not out.is_dir():
        raise PlanError(f"{str(out)!r} is a file; give a folder.")
    if out.is_dir() and any(out.iterdir()):
        is_run = (out / "manifest.json").is_file()
        if not is_run or "imported" not in folder.manifest:
            raise PlanError(f"{str(out)!r} holds something else; choose another folder with -o.")
    with storage_errors(out):
        make_private_folder(out)
    return folder


def _nothing(name: str, task: Logged) -> str:
    """Reason why a task has no samples."""
    bad = task.problems.bad_rows
    first = f" The first that cannot be read is {bad[0].source}: {bad[0].reason}." if bad else ""
    return f"{name} was left out: none of its samples has a score that reads.{first}"


def _assignments(tasks: Mapping[str, Logged]) -> Iterator[Assignment]:
    """Assignments: the mean of every score, of every model on every task."""
    for task in tasks.values():
        for subject, sides in task.sides.items():
            for condition in task.conditions:
                if not any(condition in side.scores for side in sides):
                    continue
                meant = json.loads(condition)
                name = "/".join(["scores", subject, task.name, *map(str, meant.values())])
                metric = "accuracy@1" if task.is_hit(condition) else "mean@1"
                spec = EstimateSpec(name, metric, {"": Selector(condition=meant)}, condition=meant)
                yield Assignment("scores", KIND, subject, task.name, MEASURES, spec, {})


TOOLS: Final[Mapping[str, ModuleType]] = {
    "lm-eval": lm_eval,
    "inspect": inspect_log,
    "promptfoo": promptfoo,
    "deepeval": deepeval,
}


def tool_of(pattern: str) -> str | None:
    """Name of the tool whose logs are at a path; ``None`` if there are none.

    Examples
    --------
    >>> tool_of("builtin:sentiment") is None
    True
    """
    if not captures(pattern) and not Path(pattern).expanduser().exists():
        return None
    try:
        paths = [path for path, _ in matching_logs(pattern)]
    except DataError:
        return None
    return next((name for name, tool in TOOLS.items() if all(map(tool.is_log, paths))), None)


def import_logs(
    tool: str,
    patterns: Sequence[str],
    out: Path,
    *,
    each_date: bool = False,
    options: ImportOptions | None = None,
) -> RunFolder:
    """Write a run folder from the logs at some paths.

    Parameters
    ----------
    tool
        Name among `TOOLS`.
    patterns
        Files, folders, or patterns with captures (``logs/seed-{seed}``), whose matches are
        replicates.
    out
        The run folder.
    each_date
        Whether several runs of one model on one task are replicates; otherwise the newest counts.
    options
        How they are read.

    Raises
    ------
    DataError
        If there are no logs, or none reads.
    """
    reader = TOOLS[tool]
    files = []
    for pattern in patterns:
        found = [
            f for path, random in matching_logs(pattern) for f in reader.files_of(path, random)
        ]
        files += under_one_name(found, pattern)
    kept, notes = chosen(files, each_date=each_date)
    logs: list[LoggedTask] = [log for file in kept for log in reader.logged(file)]
    return _write_run(logs, out, tool=tool, notes=notes, options=options)
