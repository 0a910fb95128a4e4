import asyncio
import builtins
import os
import sys
from pathlib import Path

import pytest

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.models.answers.isolation import (
    errors_named,
    exits_refused,
    is_interrupt,
    isolated,
)
from scrutiny.store.guards import hold, numbers_of, release

THEIRS = "python:./theirs.py:Model#seed=1"


class Odd(BaseException):
    """No ``Exception``, as what cancels tasks is none."""


def test_interrupts_are_known_alone_and_in_groups():
    within = BaseExceptionGroup("both", [ValueError(), KeyboardInterrupt()])
    assert is_interrupt(KeyboardInterrupt())
    assert is_interrupt(within)
    assert not is_interrupt(ExceptionGroup("one", [ValueError()]))
    assert not is_interrupt(asyncio.CancelledError())


@pytest.mark.parametrize("error", [SystemExit(3), Odd("odd"), GeneratorExit()])
def test_what_would_end_the_run_is_an_error_of_the_model(error):
    with pytest.raises(ModelError, match="python:m:M") as caught, exits_refused("python:m:M"):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("ours"), PlanError("said")])
def test_everything_else_passes(error):
    with pytest.raises(type(error)), exits_refused("python:m:M"):
        raise error


def test_an_error_of_the_users_code_names_its_line():
    with (
        pytest.raises(
            ModelError, match=r"ValueError: bad weights \(at test_models_isolation.py:\d+"
        ),
        errors_named("python:m:M"),
    ):
        raise ValueError("bad weights")


def test_an_error_of_ours_stays_as_it_is():
    code = "with errors_named('python:m:M'):\n    raise KeyError('ours')"
    with pytest.raises(KeyError):
        exec(code, {"__name__": "scrutiny.x", "errors_named": errors_named})


def test_each_has_its_own_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "theirs").mkdir()
    monkeypatch.chdir(tmp_path)
    with isolated(THEIRS):
        os.chdir("theirs")
    assert Path.cwd() == tmp_path
    with isolated(THEIRS):
        assert Path.cwd() == tmp_path / "theirs"
    with isolated(THEIRS, is_new=True):
        assert Path.cwd() == tmp_path
        os.chdir("theirs")
    with isolated(THEIRS):
        os.chdir(tmp_path)
    with isolated(THEIRS):
        assert Path.cwd() == tmp_path


def test_each_model_has_the_folder_of_its_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs").mkdir()
    with isolated(THEIRS, is_new=True):
        os.chdir("theirs")
    with isolated("python:./other.py:Model"):
        assert Path.cwd() == tmp_path
    with isolated("python:./theirs.py:another#seed=2"):
        assert Path.cwd() == tmp_path / "theirs"
    with isolated(THEIRS):
        os.chdir(tmp_path)


def test_what_is_built_in_is_ours_again_and_theirs_for_them():
    with isolated("python:./replaces.py:Model", is_new=True):
        builtins.open = None
        del builtins.repr
    assert builtins.open is open is not None
    assert repr(1) == "1"
    with isolated("python:./replaces.py:Model"):
        assert builtins.open is None
    with isolated("python:./other.py:Model"):
        assert builtins.open is not None


def test_files_of_ours_that_were_closed_end_the_run(tmp_path: Path):
    (tmp_path / "theirs").write_text("kept")
    file = os.open(tmp_path / "ours", os.O_CREAT | os.O_RDWR)
    numbers = numbers_of(tmp_path / "ours")
    assert numbers == [file]
    hold(numbers)
    with isolated(THEIRS):
        pass

    def close() -> None:
        with isolated(THEIRS):
            os.close(file)
            assert os.open(tmp_path / "theirs", os.O_RDONLY) == file

    with pytest.raises(ModelError, match="has closed files that it had not opened"):
        close()
    release(numbers)
    os.close(file)
    with isolated(THEIRS):
        pass


def test_a_folder_that_was_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with isolated(THEIRS):
        Path("gone").mkdir()
        os.chdir("gone")
        (tmp_path / "gone").rmdir()
    assert Path.cwd() == tmp_path
    with isolated(THEIRS):
        assert Path.cwd() == tmp_path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_that_runs_on_ends_where_the_users_code_ends(tmp_path: Path):
    import subprocess

    code = (
        "import os\n"
        "from scrutiny.models.answers.isolation import isolated\n"
        "with isolated('python:m:M'):\n"
        "    child = os.fork()\n"
        "if child:\n"
        "    os.waitpid(child, 0)\n"
        "print('on', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "on\n"
