"""Logs at paths, whatever tool wrote them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from scrutiny.core.errors import DataError
from scrutiny.models.strings.source import captures
from scrutiny.run.importing import inspect_log, lm_eval
from scrutiny.run.importing.log_files import chosen, matching, under_one_name
from scrutiny.run.importing.manifest import ImportOptions
from scrutiny.run.importing.writing import write_run
from scrutiny.store.run_folder import RunFolder

if TYPE_CHECKING:
    from scrutiny.run.importing.samples import LoggedTask

TOOLS: Final[Mapping[str, ModuleType]] = {"lm-eval": lm_eval, "inspect": inspect_log}


def tool_of(pattern: str) -> str | None:
    """Name of the tool whose logs lie at a path, or nothing where there are none.

    Examples
    --------
    >>> tool_of("builtin:sentiment") is None
    True
    """
    if not captures(pattern) and not Path(pattern).expanduser().exists():
        return None
    try:
        paths = [path for path, _ in matching(pattern)]
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
    """Run folder of the logs at some paths.

    Parameters
    ----------
    tool
        ``lm-eval`` or ``inspect``.
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
        found = [f for path, random in matching(pattern) for f in reader.files_of(path, random)]
        files += under_one_name(found, pattern)
    kept, notes = chosen(files, each_date=each_date)
    logs: list[LoggedTask] = [log for file in kept for log in reader.logged(file)]
    return write_run(logs, out, tool=tool, notes=notes, options=options)
