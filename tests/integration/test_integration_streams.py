"""Whatever stdout and stderr are: a closed file, a full device, a pipe that nobody reads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "run performance --model builtin:sentiment --data builtin:reviews --limit 40 --out out"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def pipe_without_reader() -> int:
    reader, writer = os.pipe()
    os.close(reader)
    return writer


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
def test_a_reader_who_leaves_is_no_error(here: Path, words: str) -> None:
    writer = pipe_without_reader()
    done = subprocess.run(
        [sys.executable, "-m", "scrutiny", *words.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "sys.exit" not in done.stderr


@pytest.mark.parametrize("display", ["plain", "rich"])
@pytest.mark.parametrize("stderr", ["/dev/full", "pipe"])
def test_progress_that_nobody_can_read_stops_no_run(here: Path, display: str, stderr: str) -> None:
    file = pipe_without_reader() if stderr == "pipe" else os.open(stderr, os.O_WRONLY)
    done = subprocess.run(
        [sys.executable, "-m", "scrutiny", *RUN.split(), "--display", display],
        stdout=subprocess.PIPE,
        stderr=file,
        text=True,
        check=False,
    )
    os.close(file)
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
