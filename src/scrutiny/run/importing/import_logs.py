"""Import of logs of any tool: a run folder that report, compare and gate read."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest, plain
from scrutiny.core.design import EstimateSpec
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.estimate import Estimate
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.record import grouped
from scrutiny.data.doubts import left_out
from scrutiny.data.reading import OnBadRow
from scrutiny.models.strings.model_strings import captures
from scrutiny.reliability.assignment import Assignment
from scrutiny.run.estimating.estimator import Estimator
from scrutiny.run.importing import (
    deepeval,
    every_eval_ever,
    inspect_log,
    lm_eval,
    promptfoo,
    score_table,
)
from scrutiny.run.importing.logged_tables import (
    KIND,
    MEASURES,
    Logged,
    ReplicateOnTask,
    collect,
    examples_of,
    log_fingerprint,
    output_tables,
    printed_beside,
    record_tables,
)
from scrutiny.run.importing.logs import LoggedTask, chosen, matching_logs, under_one_name
from scrutiny.run.package_versions import environment
from scrutiny.store.files import make_private_folder, storage_errors
from scrutiny.store.item_tables import items_of
from scrutiny.store.run_folder import FORMAT, RunFolder
from scrutiny.store.run_tables import OUTPUTS, RECORDS


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options of reading logs.

    Parameters
    ----------
    on_bad_row
        Leave out and list lines that cannot be read, or stop at the first.
    resampling, seed
        Of the intervals.
    command
        The command line, for the report.
    is_estimated
        Whether the means of scores are estimated, with their intervals: a comparison of two logs
        does not need them.
    """

    on_bad_row: OnBadRow = "skip"
    resampling: Resampling = field(default_factory=Resampling)
    seed: int = 0
    command: str = ""
    is_estimated: bool = True


def _write_run(
    logs: Sequence[LoggedTask],
    out: Path,
    *,
    tool: str,
    notes: Sequence[str],
    options: ImportOptions,
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
    folder = _free(out)
    found = collect(logs, options.on_bad_row)
    tasks = {name: task for name, task in found.items() if task.conditions}
    empty = [_nothing(name, task) for name, task in found.items() if not task.conditions]
    if not tasks:
        raise DataError(" ".join(empty))
    examples = {name: examples_of(task) for name, task in tasks.items()}
    assignments = list(_assignments(tasks))
    schema, tables = items_of(examples)
    folder.write_table("items", tables, schema=schema)
    measures = [plain(measure) for measure in MEASURES]
    footer = {KIND: {n: {s: measures for s in task.sides} for n, task in tasks.items()}}
    folder.write_table("records", record_tables(tasks), schema=RECORDS, footer=footer)
    folder.write_table("outputs", output_tables(tasks), schema=OUTPUTS)
    folder.write_estimates(_estimates(folder, assignments, options) if options.is_estimated else [])
    folder.write_findings(())
    said = [*notes, *empty]
    folder.finish(_manifest(tool, tasks, examples, assignments, notes=said, options=options))
    return folder


def _estimates(
    folder: RunFolder, assignments: Sequence[Assignment], options: ImportOptions
) -> list[Estimate]:
    """Means of all scores, with their intervals."""
    from scrutiny.run.estimating.estimates import estimate_all  # a comparison does without it

    estimator = Estimator(*folder.measured(), resampling=options.resampling, seed=options.seed)
    estimates, _ = estimate_all(estimator, assignments, ())
    return estimates


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
                yield Assignment.of(
                    EstimateSpec(name, metric, meant),
                    measure="scores",
                    kind=KIND,
                    subject=subject,
                    dataset=task.name,
                    measures=MEASURES,
                )


TOOLS: Final[Mapping[str, ModuleType]] = {
    "lm-eval": lm_eval,
    "inspect": inspect_log,
    "promptfoo": promptfoo,
    "deepeval": deepeval,
    "every-eval-ever": every_eval_ever,
    "table": score_table,  # last: files of the others may be read as rows, too
}


def _parted(pattern: str) -> tuple[str, str]:
    """Path or pattern, and the options that stand behind its ``#``.

    Examples
    --------
    >>> _parted("scores.csv#score=acc"), _parted("logs/{seed}")
    (('scores.csv', 'score=acc'), ('logs/{seed}', ''))
    """
    if "#" not in pattern or Path(pattern).expanduser().exists():
        return pattern, ""
    path, _, options = pattern.partition("#")
    return path, options


def tool_of(pattern: str) -> str | None:
    """Name of the tool whose logs are at a path; ``None`` if there are none.

    Examples
    --------
    >>> tool_of("builtin:sentiment") is None
    True
    """
    pattern, _ = _parted(pattern)
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
    options: ImportOptions,
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
    for given in patterns:
        pattern, stated = _parted(given)
        if stated and reader is not score_table:
            raise DataError(
                f"{given!r}: options behind # state columns of a table of scores, and this is a "
                f"log of {tool}: leave them out."
            )
        more = {"options": stated} if stated else {}
        found = [
            f
            for path, random in matching_logs(pattern)
            for f in reader.files_of(path, random, **more)
        ]
        files += under_one_name(found, pattern)
    kept, notes = chosen(files, each_date=each_date)
    logs: list[LoggedTask] = [log for file in kept for log in reader.logged(file)]
    return _write_run(logs, out, tool=tool, notes=notes, options=options)


_CLOSE: Final = 1e-6
_DOC: Final = """Scores that another tool gave to every item, read from its log.

**Measures**: what that tool measured; the interval, the denominator and the pairing are ours.

**Misleads when**: the two logs of a comparison were made with other prompts, examples or filters;
a score's name means something else in another tool; answers were drawn at random once.
"""


def _manifest(
    tool: str,
    tasks: Mapping[str, Logged],
    examples: Mapping[str, list[Example]],
    assignments: Sequence[Assignment],
    *,
    notes: Sequence[str],
    options: ImportOptions,
) -> dict[str, Any]:
    """Manifest of an import."""
    sides = [side for task in tasks.values() for side in task.replicates]
    subjects = tuple(dict.fromkeys(side.log.file.subject for side in sides))
    plan = Plan(
        seed=options.seed,
        data=tuple(DataPlan(name, f"{tool}:{name}") for name in tasks),
        models=tuple(ModelPlan(name, f"{tool}:{name}") for name in subjects),
        measure=(MeasurePlan("scores", "scores@1", subjects, tuple(tasks)),),
        resampling=options.resampling,
    )
    own = dict.fromkeys(note for side in sides for note in side.log.notes)
    # Sentences on numbers of the tool that differ from the mean of what was read.
    disagreements: list[str] = []
    for task in tasks.values():
        for subject, condition, printed, mean in printed_beside(task):
            if abs(printed - mean) > _CLOSE * max(1.0, abs(printed)):
                words = ", ".join(map(str, json.loads(condition).values()))
                disagreements.append(
                    f"{subject} on {task.name}: {tool} printed {printed:.6g} for {words}; "
                    f"the mean over the logged items is {mean:.6g}."
                )
    chances = [
        f"On {name}, choosing blindly or always the commonest answer gets {chance:.3g}."
        for name, task in tasks.items()
        if (chance := task.chance) is not None
    ]
    return {
        "format": FORMAT,
        "status": "done",
        "imported": tool,
        "command": options.command,
        "plan": plain(plan),
        "identity": digest(canonical_json([side.log.source for side in sides])),
        "claims": [],
        "promise": f"read from {_called(tool)}: nothing was asked",
        "environment": environment(),
        "data": {name: _data(tool, task, examples[name]) for name, task in tasks.items()},
        "models": {name: _model(tool, name, sides) for name in subjects},
        "read_as": list(dict.fromkeys(side.log.read_as for side in sides if side.log.read_as)),
        "warnings": [*notes, *own, *disagreements],
        "labels": {},
        "measure": {
            "scores": {
                "diagnostic": "scores@1",
                "kind": KIND,
                "params": {},
                "summary": f"Scores of single items that {tool} logged.",
                "doc": _DOC,
                "notes": [
                    f"Scores were read from {_called(tool)}; nothing was asked again.",
                    *chances,
                ],
            }
        },
        "families": {},
        "specs": [assignment.to_json() for assignment in assignments],
        "contrasts": [],
    }


def _called(tool: str) -> str:
    """What was read, in words."""
    return "a table of scores" if TOOLS[tool] is score_table else f"logs of {tool}"


def _data(tool: str, task: Logged, examples: list[Example]) -> dict[str, Any]:
    """Counts of a task: read and left out."""
    logs, found = [side.log for side in task.replicates], task.problems
    notes = [f"{count:,} x {what}" for what, count in found.skipped.items()]
    if task.n_other_texts:
        notes.append(f"{task.n_other_texts:,} items have other texts in another log.")
    return {
        "source": ", ".join(dict.fromkeys(f"{tool}:{log.file.path.name}" for log in logs)),
        "task": "logged",
        "items": len(examples),
        "fingerprint": log_fingerprint(examples),
        "bad_rows": [plain(row) for row in found.bad_rows[:100]],
        "n_bad_rows": len(found.bad_rows),
        "doubts": list(left_out(found.bad_rows)),
        "notes": notes,
        "lower_is_better": sorted({metric for log in logs for metric in log.lower_is_better}),
    }


def _model(tool: str, subject: str, sides: Iterable[ReplicateOnTask]) -> dict[str, Any]:
    """Replicates of a model, each with its logs."""
    mine = [side.log for side in sides if side.log.file.subject == subject]
    logs = grouped((canonical_json(dict(log.file.random)), log) for log in mine)
    return {
        "source": f"{tool}:{subject}",
        "role": "measured",
        "replicates_of": next((log.replicates_of for log in mine if log.replicates_of), ""),
        "replicates": [
            {
                "source": ", ".join(log.source for log in own),
                "random": dict(own[-1].file.random),
                "condition": {},
            }
            for own in logs.values()
        ],
    }
