"""Commands in processes of their own that have scrutiny imported already.

Most of a small command's time is the import. One process imports, and forks for each command: the
fork has its own folder, environment, limits and output, and ends as ``python -m scrutiny`` does.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

USUAL = """
from importlib import import_module
import jinja2, numpy, pyarrow.parquet, scipy.special
import scrutiny.cli.verbs.asking, scrutiny.cli.request, scrutiny.run.driver
import scrutiny.models.strings.model_loading, scrutiny.data.dataset, scrutiny.tasks.tasks
import scrutiny.reliability.estimate, scrutiny.report.load, scrutiny.report.formats
from scrutiny.registrations import REGISTRATIONS
for one in REGISTRATIONS:
    if one.kind in ("task", "part"):
        import_module(one.target.partition(":")[0])
pyarrow.array([""])  # imports pandas, where that is
"""
FORKS = """
import json, os, resource, runpy, sys
for line in sys.stdin.buffer:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, path in enumerate((os.devnull, *asked["output"])):
            if path == "nobody":
                reader, opened = os.pipe()
                os.close(reader)
            else:
                opened = os.open(path, os.O_RDWR | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(asked["folder"])
        os.environ.clear()
        os.environ.update(asked["environment"])
        sys.argv[1:] = asked["words"]
        own = asked["environment"].get("PYTHONPATH", "").split(os.pathsep)
        sys.path[:1] = ["", *filter(None, own)]
        if asked["most_bytes"]:
            sys.dont_write_bytecode = True  # Python would keep a cut-off file of compiled code
            resource.setrlimit(resource.RLIMIT_FSIZE, (asked["most_bytes"],) * 2)
        break
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
else:
    sys.exit(0)
runpy.run_module("scrutiny", run_name="__main__", alter_sys=True)
"""


class WarmCommand:
    """A process that forks for each command."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def run(
        self,
        *words: str,
        most_bytes: int = 0,
        stdout: str = "",
        stderr: str = "",
        killed_after: float | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        """Outcome of a command in the present folder and environment.

        Parameters
        ----------
        words
            Words behind ``scrutiny``.
        most_bytes
            Limit of the size of files that it writes; 0 for none.
        stdout, stderr
            Device that takes its output, or "nobody" for a pipe without a reader; else what it
            prints is in the outcome.
        killed_after
            Seconds after which it is killed if it still runs.
        """
        with TemporaryDirectory() as folder:
            output = [Path(stdout or Path(folder, "out")), Path(stderr or Path(folder, "err"))]
            asked: dict[str, Any] = {"words": words, "most_bytes": most_bytes}
            asked |= {"folder": str(Path.cwd()), "environment": dict(os.environ)}
            asked["output"] = list(map(str, output))
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()
            child = int(self._process.stdout.readline())
            if killed_after is not None:
                time.sleep(killed_after)
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            code = int(self._process.stdout.readline())
            out, err = (
                "" if elsewhere else path.read_text(encoding="utf-8")
                for path, elsewhere in zip(output, (stdout, stderr), strict=True)
            )
        return subprocess.CompletedProcess(words, code, out, err)


@contextmanager
def warm_command(imports: str = USUAL) -> Iterator[WarmCommand]:
    """A `WarmCommand` whose process began with these lines; it ends with the context."""
    with subprocess.Popen(
        [sys.executable, "-c", imports + FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        yield WarmCommand(process)
