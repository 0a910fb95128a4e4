"""``scrutiny show``: one name, explained."""

import inspect
import json
import re
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

import click

from scrutiny.cli.narrow import narrowed
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.registry import KINDS, Entry, Registration, registry

#: Code is wider than a terminal, and for people who write some; ``--json`` has it.
_EXAMPLES: Final = re.compile(r"^Examples\n-+\n.*?(?=^\S[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)


@click.command("show")
@click.argument("name")
@click.option("--kind", type=click.Choice(list(KINDS)), metavar="KIND", help="If two share a name.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(name: str, kind: str | None, *, as_json: bool) -> int:
    """Explain one name: what it measures, what it needs, its parameters, when it misleads."""
    found, thing = _metric(name) if "(" in name else _registered(name, kind)
    if as_json:
        click.echo(json.dumps(_object(found, thing), ensure_ascii=False))
        return 0
    click.secho(f"{found.registration.name}  ({found.registration.kind})", bold=True)
    if found.origin != "scrutiny":
        click.echo(f"from {found.origin}")
    doc = _EXAMPLES.sub("", _doc(thing)).rstrip()
    if doc:
        click.echo(f"\n{narrowed(doc)}")
    for title, value in (*facts(thing), *_measured(name)):
        click.echo(narrowed(f"\n{title}: {value}"))
    parameters = _parameters(thing)
    if parameters:
        click.echo("\nParameters:")
    for parameter, default in parameters.items():
        click.echo(narrowed(f"  {parameter} = {default}"))
    return 0


def _registered(name: str, kind: str | None) -> tuple[Entry, Any]:
    found = find(name, kind)
    return found, found.load()


def _metric(name: str) -> tuple[Entry, Any]:
    """A metric that is written with parentheses, as if it were registered."""
    from scrutiny.reliability.metrics import metric_of

    thing = metric_of(name)
    return Entry(Registration("statistic", thing.id, ""), "scrutiny"), thing


def _measured(name: str) -> list[tuple[str, str]]:
    """Which diagnostics record the measure that a metric is of, and what they say it is."""
    from scrutiny.reliability.metrics import in_words, measures_of

    of = name.rpartition("(")[2].partition(")")[0] if "(" in name else ""
    known = {one: measures_of(one) for one in registry().names("diagnostic")} if of else {}
    found = [
        f"{diagnostic} ({in_words(name, measures)})"
        for diagnostic, measures in known.items()
        if any(one.name == of and one.says for one in measures)
    ]
    return [("Recorded by", "; ".join(found))] if found else []


def _object(found: Entry, thing: Any) -> dict[str, Any]:
    """Everything that is known of a name, as plain values."""
    return {
        "kind": found.registration.kind,
        "name": found.registration.name,
        "from": found.origin,
        "doc": _doc(thing),
        "facts": dict([*facts(thing), *_measured(found.registration.name)]),
        "parameters": _parameters(thing),
    }


def _doc(thing: Any) -> str:
    """What an object says of itself; of a value, what its kind says is of no use."""
    if is_dataclass(thing) and not isinstance(thing, type):
        return str(getattr(thing, "doc", "") or getattr(thing, "says", "") or "")
    return inspect.getdoc(thing) or ""


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
    if deviations := (*getattr(thing, "deviations", ()), *getattr(thing, "lacking", {}).values()):
        found.append(("Otherwise than the paper", " ".join(deviations)))
    if getattr(thing, "wants_reference", False):
        found.append(("Second model", "--reference MODEL, or reference = in the [[measure]]"))
    return found


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{'other tasks' if k == '*' else k}: {v}" for k, v in value.items())
    if isinstance(value, (frozenset, set)):
        return ", ".join(sorted(map(str, value)))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parameters(thing: Any) -> dict[str, str]:
    """Default of each parameter by its name, as Python writes it."""
    kind = getattr(thing, "Params", thing)
    if not (is_dataclass(kind) and isinstance(kind, type)):
        return {}
    return {field.name: _default(field) for field in fields(kind)}


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return repr(field.default)
    return "required" if field.default_factory is MISSING else repr(field.default_factory())
