"""Whatever stdout and stderr are: a closed file, a full device, a pipe that nobody reads."""

import subprocess
import sys
from pathlib import Path

import pytest

from warm_command import WarmCommand

RUN = "run performance --model builtin:sentiment --data builtin:reviews --limit 40 --out out"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "run --help",
        "list transformations",
        "perturb --data builtin:reviews --with typos --limit 40",
        RUN,
    ],
)
@pytest.mark.usefixtures("here")
def test_a_reader_who_leaves_is_no_error(warm: WarmCommand, words: str) -> None:
    done = warm.run(*words.split(), stdout="nobody")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "sys.exit" not in done.stderr


@pytest.mark.parametrize("display", ["plain", "rich"])
@pytest.mark.parametrize("stderr", ["/dev/full", "nobody"])
@pytest.mark.usefixtures("here")
def test_progress_that_nobody_can_read_stops_no_run(
    warm: WarmCommand, display: str, stderr: str
) -> None:
    done = warm.run(*RUN.split(), "--display", display, stderr=stderr)
    assert done.returncode == 0
    assert "accuracy" in done.stdout


@pytest.mark.parametrize(
    ("redirected", "code"),
    [(f"{RUN} <&- >&- 2>&-", 0), ("list transformations >&-", 0), ("report nowhere 2>&-", 2)],
)
def test_closed_streams_are_no_error(here: Path, redirected: str, code: int) -> None:
    script = f"'{sys.executable}' -m scrutiny {redirected}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert redirected != RUN or (here / "out" / "findings.json").is_file()
