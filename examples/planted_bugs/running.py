"""Commands of tools as a user types them: run, and what they printed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from examples.planted_bugs.faults import Printed

ROOT = Path(__file__).parents[2]
#: Marks of colors and of lines that are written again.
_MARKS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
_LONGEST_S = 900


def where(binary, folders):
    """Path of a program: in the folders that were given, else where the shell finds it."""
    path = os.pathsep.join([*map(str, folders), os.environ.get("PATH", "")])
    found = shutil.which(binary, path=path)
    return Path(found).absolute() if found else None


def run(words, folder, *, shown=None, score="", **environment):
    """Run a command in a folder; ``score`` is a pattern whose group is the printed score."""
    own = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **environment}
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env=own,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_LONGEST_S,
        check=False,
    )
    text = _MARKS.sub("\n", done.stdout.decode("utf-8", "replace"))
    return Printed(shown or " ".join(map(str, words)), done.returncode, text, score_in(text, score))


def score_in(text, pattern):
    """Last number that a pattern finds, as a share; None if there is none."""
    found = re.findall(pattern, text) if pattern else []
    if not found:
        return None
    value, percent = (found[-1], "") if isinstance(found[-1], str) else found[-1]
    return float(value) / (100 if percent else 1)


def version(words):
    """What a tool says of its version: the first number with points."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d+[\w.]*", done.stdout + done.stderr)
    return found[0] if found else "unknown"
