"""However the process that asks a model ends, the command says so, with the right exit code."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from warm_command import WarmCommand

DATA = "csv:x.csv#labels=p:positive|n:negative"
ARGUMENTS = (
    *("run", "performance", "--model", "python:./model.py:Model", "--data", DATA),
    *("--out", "out", "--display", "none"),
)
MODEL = """
import os, signal, sys, time
from pathlib import Path

class Model:
    labels = ("negative", "positive")
    is_batch_invariant = True
    def fingerprint(self):
        return "always the same"
    def predict(self, texts):
        if not Path("once").exists():
            Path("once").touch()
            {ends}
        return ["positive" if "good" in text else "negative" for text in texts]
"""
LONG = 'print("asked", file=sys.stderr, flush=True); time.sleep(60)'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [f"a {'good' if n % 2 else 'bad'} film {n},{'np'[n % 2]}" for n in range(40)]
    Path("x.csv").write_text("\n".join(["text,label", *lines]) + "\n")
    return tmp_path


def write_model(ends: str) -> None:
    Path("model.py").write_text(MODEL.format(ends=ends))


def start(*more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "scrutiny", *ARGUMENTS, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(warm: WarmCommand) -> tuple[int, str, str]:
    done = warm.run(*ARGUMENTS)
    return done.returncode, done.stdout, " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("ends", "code", "words"),
    [
        ("os._exit(0)", 2, "ended by itself, with exit code 0, before the command was done"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 3, "was ended by SIGKILL (somebody killed it"),
    ],
)
def test_an_end_without_a_word_is_said_and_the_run_goes_on(
    here: Path, warm: WarmCommand, ends: str, code: int, words: str
) -> None:
    write_model(ends)
    first = ended(warm)
    assert first[:2] == (code, "")
    assert words in first[2]
    found, out, err = ended(warm)
    assert found == 0, err
    assert "holds an unfinished run whose process ended without a word" in err
    assert "accuracy" in out


def test_a_worker_that_leaves_is_a_failure_of_the_model(here: Path) -> None:
    write_model("os._exit(0)")
    process = start("--workers", "2")
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert "A worker process ended by itself, with exit code 0" in " ".join(err.split())


def test_sys_exit_is_a_failed_row(here: Path, warm: WarmCommand) -> None:
    write_model("pass")
    exits = "if any('film 7' in text for text in texts): sys.exit(0)\n        return ["
    Path("model.py").write_text(Path("model.py").read_text().replace("return [", exits))
    code, _, err = ended(warm)
    assert code == 0, err
    assert "failed on 1 of the 40 rows" in err
    assert "SystemExit: 0" in err


def test_a_second_command_is_told_that_the_folder_is_in_use(here: Path, warm: WarmCommand) -> None:
    write_model(LONG)
    process = start()
    assert process.stderr is not None
    assert process.stderr.readline() == "asked\n"
    code, out, err = ended(warm)
    assert (code, out) == (3, "")
    assert "'out' is in use: process" in err
    process.kill()
    process.communicate()


def test_a_kill_of_the_command_ends_the_child_that_asks(here: Path, warm: WarmCommand) -> None:
    write_model(LONG)
    process = start()
    assert process.stderr is not None
    assert process.stderr.readline() == "asked\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)  # the child holds the pipe until it ends
    code, _, err = ended(warm)
    assert code == 0, err


@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_an_interrupt_is_one_sentence_and_its_exit_code(
    here: Path, warm: WarmCommand, whole_group: bool
) -> None:
    write_model(LONG)
    process = start()
    assert process.stderr is not None
    assert process.stderr.readline() == "asked\n"
    if whole_group:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert err.count("Interrupted.") == 1
    assert "unfinished run whose process" not in ended(warm)[2]


def test_a_wish_to_terminate_ends_both(here: Path) -> None:
    write_model(LONG)
    process = start()
    assert process.stderr is not None
    assert process.stderr.readline() == "asked\n"
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize(
    ("arguments", "code"), [(["check", "nowhere.toml"], 2), (["run", "--help"], 0)]
)
def test_exit_codes_pass_through(here: Path, arguments: list[str], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrutiny", *arguments], capture_output=True, check=False
    )
    assert done.returncode == code
    assert b"ended by itself" not in done.stderr


def test_the_exit_code_that_was_said_counts_where_python_ends_by_the_interrupt() -> None:
    code = (
        "import os, signal\n"
        "from scrutiny.cli.failures import watched\n"
        "number = watched(lambda: 130)\n"
        "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
