"""Setup of every verb: environment variables, examples, finite numbers."""

from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from scrutiny.core.boundary.given import refuse_odd_values

#: What `click` marks a paragraph with that is not to be filled; in a raw docstring it is two signs.
_AS_TYPED = "\\b\n"


class LazyGroup(click.Group):
    """A group that imports a command when it is called; ``--help`` imports none.

    Parameters
    ----------
    table
        Sentence of each command.
    room
        Package of ``scrutiny.cli`` whose modules have their names.
    title
        Heading of the table.
    front
        What stands before a command's name in its environment variables.
    """

    def __init__(
        self, *given: Any, table: Mapping[str, str], room: str, title: str, front: str, **more: Any
    ) -> None:
        super().__init__(*given, **more)
        self.table, self._room, self._title, self._front = table, room, title, front

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in table order."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported on demand."""
        if cmd_name not in self.table:
            return None
        name = cmd_name + "_" * iskeyword(cmd_name)
        module = import_module(f"scrutiny.cli.{self._room}.{name}")
        return _prepared(module.command, self._front + cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing any."""
        with formatter.section(self._title):
            formatter.write_dl(list(self.table.items()))


def _prepared(command: click.Command, name: str) -> click.Command:
    """Command whose flag ``--on-bad-row`` is also ``SCRUTINY_<VERB>_ON_BAD_ROW``.

    Parameters
    ----------
    command
        A verb or a group of verbs; changed in place, the same however often.
    name
        Its name, words of a group and a verb with a space between them.
    """
    command.help = (command.help or "").replace(_AS_TYPED, "\b\n")
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.is_eager:
            parameter.envvar = variable_of(name, parameter)
            if isinstance(parameter.type, click.types.FloatParamType):
                parameter.callback = _finite
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _prepared(inner, f"{name} {inner.name}")
    return command


def _finite(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Value of a flag, unless it is NaN or infinite: ranges let NaN pass."""
    refuse_odd_values(value, where=max(parameter.opts, key=len))
    return value


def variable_of(name: str, option: click.Option) -> str:
    """Environment variable of an option of a verb: made of its longest flag.

    Examples
    --------
    >>> variable_of("data show", click.Option(["--on-bad-row"]))
    'SCRUTINY_DATA_SHOW_ON_BAD_ROW'
    """
    flag = max(option.opts, key=len).lstrip("-")
    return f"SCRUTINY_{name}_{flag}".upper().replace(" ", "_").replace("-", "_")
