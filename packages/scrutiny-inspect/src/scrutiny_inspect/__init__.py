"""Hook for inspect: each finished task becomes a run of scrutiny.

inspect finds it by its entry point. The command line of scrutiny does the work in a process of its
own, so that an evaluation shares neither its memory nor its errors.
"""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlparse

from anyio.to_thread import run_sync
from inspect_ai.hooks import Hooks, TaskEnd, hooks

ON = "SCRUTINY_INSPECT"
OUT = "SCRUTINY_INSPECT_OUT"
BASELINE = "SCRUTINY_INSPECT_BASELINE"
MARGIN = "SCRUTINY_INSPECT_MARGIN"
#: Lines that are printed of a report or comparison.
MOST_LINES = 15


def local_log(location: str) -> Path | None:
    """File of a log; None for one in a bucket, which has no path here.

    Examples
    --------
    >>> local_log("logs/a.eval"), local_log("s3://bucket/a.eval")
    (PosixPath('logs/a.eval'), None)
    """
    parsed = urlparse(location)
    if parsed.scheme == "file":
        return Path(unquote(parsed.path))
    return None if "://" in location else Path(location)


def commands(log: Path, settings: Mapping[str, str]) -> list[list[str]]:
    """Words of the commands for a finished log: import it, then report or compare.

    Parameters
    ----------
    log
        File of the log.
    settings
        Variables of the environment.
    """
    folder = Path(settings[OUT]) if settings.get(OUT) else log.parent / "scrutiny"
    run = str(folder / log.stem)
    found = [["import", "inspect", str(log), "-o", run]]
    baseline = settings.get(BASELINE)
    if baseline:
        margin = ["--margin", settings[MARGIN]] if settings.get(MARGIN) else []
        return [*found, ["compare", baseline, run, *margin]]
    return [*found, ["report", run]]


def scrutinized(location: str, settings: Mapping[str, str]) -> str:
    """What scrutiny says of a finished log first, and where the run is."""
    log = local_log(location)
    if log is None:
        return f"scrutiny: {location} is not on this machine; import it from where it is."
    first, second = commands(log, settings)
    code, said = _called(first)
    if code:
        return f"scrutiny: the log was not imported: {' '.join(said.split())}"
    _, said = _called(second)
    whole = said.strip()
    shown = whole.partition("\n\n")[0] if second[0] == "compare" else whole.partition("\nrun:")[0]
    lines = shown.rstrip().splitlines()
    return "\n".join([*lines[:MOST_LINES], f"scrutiny: the run is {first[-1]}"])


def _called(words: Sequence[str]) -> tuple[int, str]:
    """Exit code of a command, and what it printed; of a failure, what it said of it."""
    done = subprocess.run(
        [sys.executable, "-m", "scrutiny", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return done.returncode, done.stdout or done.stderr


@hooks(name="scrutiny", description="Makes a run of scrutiny of each finished task.")
class ScrutinyHooks(Hooks):
    """Imports the log of each finished task, and prints what was found."""

    def enabled(self) -> bool:
        """Whether it is on: unless the environment turns it off."""
        return os.environ.get(ON, "1") != "0"

    async def on_task_end(self, data: TaskEnd) -> None:
        """Import the log of a task that succeeded."""
        if data.log.status == "success":
            said = await run_sync(scrutinized, data.log.location, dict(os.environ))
            print(said)  # noqa: T201 - it is what people read at the end of a task
