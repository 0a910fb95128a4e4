"""What people see when something goes wrong: one paragraph, and the right exit code."""

import os
import sys
import textwrap
import warnings
from collections.abc import Sequence

import click

from scrutiny.core.errors import ScrutinyError

INTERRUPTED = 130


def exit_code_of(command: click.Command, arguments: Sequence[str] | None) -> int:
    """Exit code of a command; user mistakes print a paragraph, bugs keep their traceback."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return _exit_code(command, arguments)


def _exit_code(command: click.Command, arguments: Sequence[str] | None) -> int:
    try:
        result = command.main(
            args=None if arguments is None else list(arguments),
            prog_name="scrutiny",
            standalone_mode=False,
            auto_envvar_prefix="SCRUTINY",
        )
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted. What is done is kept: re-issue the same command to go on.")
        return INTERRUPTED
    except ScrutinyError as error:
        say(str(error))
        return error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno is None or (error.filename is None and error.errno not in _OUTPUT_ERRORS):
            raise
        say(f"{error.filename or 'The output'} cannot be used: {error.strerror}.")
        return 3 if error.errno in _OUTPUT_ERRORS else 2
    return result if isinstance(result, int) else 0


_OUTPUT_ERRORS = {27, 28, 122}  # EFBIG, ENOSPC, EDQUOT


def say(text: str) -> None:
    """Print one paragraph on stderr, wrapped at 80 columns."""
    lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
    click.echo("\n".join(lines), err=True)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    say(f"Note: {message}")
