import asyncio
import os
import sys
from pathlib import Path

import pytest

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.models.guests import at_home, errors_named, exits_refused, is_interrupt, message_of


class Odd(BaseException):
    """No ``Exception``, as what cancels tasks is none."""


class Mute(Exception):
    def __str__(self):
        raise ValueError("no words")


def test_interrupts_are_known_alone_and_in_groups():
    within = BaseExceptionGroup("both", [ValueError(), KeyboardInterrupt()])
    assert is_interrupt(KeyboardInterrupt())
    assert is_interrupt(within)
    assert not is_interrupt(ExceptionGroup("one", [ValueError()]))
    assert not is_interrupt(asyncio.CancelledError())


def test_a_message_is_had_of_any_error():
    assert message_of(ValueError("wrong")) == "ValueError: wrong"
    assert message_of(Mute()) == "Mute: its message cannot be had"


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
        pytest.raises(ModelError, match=r"ValueError: bad weights \(at test_models_guests.py:\d+"),
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
    with at_home():
        os.chdir("theirs")
    assert Path.cwd() == tmp_path
    with at_home():
        assert Path.cwd() == tmp_path / "theirs"
    with at_home(is_new=True):
        assert Path.cwd() == tmp_path
        os.chdir("theirs")
    with at_home():
        os.chdir(tmp_path)
    with at_home():
        assert Path.cwd() == tmp_path


def test_a_folder_that_was_removed_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with at_home():
        Path("gone").mkdir()
        os.chdir("gone")
        (tmp_path / "gone").rmdir()
    assert Path.cwd() == tmp_path
    with at_home():
        assert Path.cwd() == tmp_path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_that_runs_on_ends_where_the_users_code_ends(tmp_path: Path):
    import subprocess

    code = (
        "import os\n"
        "from scrutiny.models.guests import at_home\n"
        "with at_home():\n"
        "    child = os.fork()\n"
        "if child:\n"
        "    os.waitpid(child, 0)\n"
        "print('on', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "on\n"
