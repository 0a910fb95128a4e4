"""``scrutiny show``: one name, explained."""

import inspect
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import click

from scrutiny.core.errors import UnknownNameError
from scrutiny.core.registry import KINDS, Entry, registry


@click.command("show")
@click.argument("name")
@click.option("--kind", type=click.Choice(list(KINDS)), help="Where two kinds share a name.")
def command(name: str, kind: str | None) -> int:
    """Explain one name: what it measures, what it needs, its parameters, when it misleads."""
    found = find(name, kind)
    thing = found.load()
    click.secho(f"{found.registration.name}  ({found.registration.kind})", bold=True)
    if found.origin != "scrutiny":
        click.echo(f"from {found.origin}")
    doc = inspect.getdoc(thing)
    if (doc and not is_dataclass(thing)) or (doc and isinstance(thing, type)):
        click.echo(f"\n{doc}")
    for title, value in facts(thing):
        click.echo(f"\n{title}: {value}" if value else "")
    parameters = getattr(thing, "Params", thing)
    if is_dataclass(parameters) and isinstance(parameters, type):
        _parameters(parameters)
    return 0


def find(name: str, kind: str | None) -> Entry:
    """Entry of a name in one kind or any.

    Raises
    ------
    UnknownNameError
        If no kind has it; near names of all kinds are given.
    """
    names = registry()
    if kind is not None:
        return names.entry(kind, name)
    for one in KINDS:
        try:
            return names.entry(one, name)
        except UnknownNameError:
            continue
    raise UnknownNameError("thing", name, [n for k in KINDS for n in names.names(k)])


def facts(thing: Any) -> list[tuple[str, str]]:
    """What an object declares, as title and text."""
    found = []
    for attribute, title in (
        ("needs", "Needs"),
        ("tasks", "Tasks"),
        ("languages", "Languages"),
        ("resources", "Resources"),
        ("effect", "Effect on the gold answer"),
        ("intensity", "Intensity"),
        ("conditional_on", "Conditional on"),
        ("higher_is", "Higher is"),
    ):
        value = getattr(thing, attribute, None)
        if value:
            found.append((title, _said(value)))
    return found


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{'other tasks' if k == '*' else k}: {v}" for k, v in value.items())
    if isinstance(value, (frozenset, set)):
        return ", ".join(sorted(map(str, value)))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parameters(kind: type[Any]) -> None:
    click.echo("\nParameters:")
    for field in fields(kind):
        default = field.default
        if default is MISSING:
            make = field.default_factory
            default = "required" if make is MISSING else make()
        click.echo(f"  {field.name} = {default!r}")
