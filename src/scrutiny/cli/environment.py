"""Setup of every verb: environment variables, examples, finite numbers."""

from typing import Any

import click

from scrutiny.core.boundary.given import refuse_odd_values

#: What `click` marks a paragraph with that is not to be filled; in a raw docstring it is two signs.
_AS_TYPED = "\\b\n"


def prepared(command: click.Command, name: str) -> click.Command:
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
            prepared(inner, f"{name} {inner.name}")
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
