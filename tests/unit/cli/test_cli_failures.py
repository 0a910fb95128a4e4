import errno

import click
import pytest

from scrutiny.cli.failures import exit_code_of, tell


def outcome(error: BaseException, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    @click.command()
    def command() -> None:
        raise error

    code = exit_code_of(command, [])
    return code, " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "The memory is full"),
        (ImportError("x.so: failed to map segment from shared object"), "The memory is full"),
        (OSError(errno.EMFILE, "Too many open files"), "may not open more files"),
        (OSError(errno.EMFILE, "Too many open files", "out"), "may not open more files"),
        (OSError(errno.ENOSPC, "No space left on device"), "The output cannot be used"),
    ],
)
def test_what_the_machine_has_not_is_said_and_can_be_tried_again(
    error: BaseException, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = outcome(error, capsys)
    assert code == 3
    assert words in said


def test_other_imports_that_fail_keep_their_traceback() -> None:
    with pytest.raises(ImportError, match="nowhere"):
        exit_code_of(click.Command("x", callback=lambda: exec("import nowhere")), [])


def test_a_name_that_no_file_system_takes_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    error = OSError(errno.ENAMETOOLONG, "File name too long", "a" * 5_000)
    code, said = outcome(error, capsys)
    assert code == 2
    assert len(said) < 200


def test_what_cannot_be_said_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(click, "echo", refuse)
    tell("nobody reads this")


def test_a_file_that_ends_too_early_is_no_interrupt(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(EOFError, match="marshal data too short"):
        outcome(EOFError("marshal data too short"), capsys)
    assert outcome(KeyboardInterrupt(), capsys)[0] == 130
