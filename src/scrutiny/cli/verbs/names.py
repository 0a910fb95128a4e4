"""``scrutiny list`` and ``show``: the registered names, and one of them explained.

What the built-in names say of themselves stands in ``sentences.json`` a folder above, and facts of
diagnostics and transformations in ``listed_facts.json``, made from the objects by ``make docs``:
nothing has to be imported to be listed.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli.options import completed
from scrutiny.cli.output import hanging, narrowed
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.facts import answers_in_words, wanted_in_words
from scrutiny.core.languages import in_words
from scrutiny.core.plugin_base import PlugIn, at_length, sentence_of
from scrutiny.core.registry import KINDS, Entry, Registration, registry
from scrutiny.core.statistic import Statistic
from scrutiny.core.task import Role

#: Diagnostics that change texts by transformations.
_CHANGING: Final = ("robustness", "invariance.scope", "attack")
#: Kinds of which more is listed than a sentence.
_FACTS_OF: Final = ("diagnostic", "transformation")
FACTS: Final = Path(__file__).parents[1] / "listed_facts.json"


def listed_facts(entry: Entry) -> dict[str, Any]:
    """Facts that ``scrutiny list`` prints of a name; those of a built-in are stored."""
    kind, name = entry.registration.kind, entry.registration.name
    if kind not in _FACTS_OF:
        return {}
    stored = _stored(FACTS).get(kind, {}) if entry.origin == "scrutiny" else {}
    return stored.get(name) or facts_to_list(kind, entry.load())


def facts_to_list(kind: str, thing: Any) -> dict[str, Any]:
    """Facts of a diagnostic or a transformation for ``scrutiny list``.

    Of a diagnostic ``items``: what it measures, in words; ``tasks``: which have such.
    """
    if kind == "transformation":
        # facts of a transformation for ``scrutiny list``: tasks, languages, effects and
        # resources
        from scrutiny.core.diagnostic import fits
        from scrutiny.core.transformation import effect_of
        from scrutiny.tasks.tasks import every_task

        names = registry()
        changing = [names.load("diagnostic", one) for one in _CHANGING]
        answered = [task for task in every_task() if task.must_be_answered]
        tasks = [task for task in answered if any(fits(one, task) for one in changing)]
        return {
            "tasks": [task.name for task in tasks],
            "languages": sorted(thing.languages),
            "effects": {task.name: effect_of(thing, task.facts) for task in tasks},
            "resources": list(thing.resources),
        }
    return {"items": wanted_in_words(thing.wants), "tasks": list(_tasks_of(thing))}


@cache
def _stored(path: Path) -> Mapping[str, dict[str, Any]]:
    """Built-in names as a file keeps them."""
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


SENTENCES: Final = Path(__file__).parents[1] / "sentences.json"


def _row(start: str, said: str) -> str:
    """Lines of one name: what is said of it, hanging under where it begins."""
    return "\n".join(hanging(said, start, break_on_hyphens=True)) or start.rstrip()


@click.command("list")
@click.argument("kind", required=False)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def list_names(kind: str | None, *, as_json: bool) -> int:
    """Print the names of one kind, or of all: diagnostics, transformations, tasks ..."""
    kinds = KINDS if kind is None else (kind.removesuffix("s"),)
    if kind is not None and kinds[0] not in KINDS:
        raise UnknownNameError("kind of names", kind, [f"{k}s" for k in KINDS])
    names = registry()
    for one in kinds:
        if not as_json:
            click.secho(f"{one}s", bold=True)
        width = max((len(name) for name in names.names(one)), default=0)
        for name in names.names(one):
            entry = names.entry(one, name)
            sentence = says(entry)
            if as_json:
                line = {"kind": one, "name": name, "says": sentence, "from": entry.origin}
                line |= listed_facts(entry)
                click.echo(json_line(line))
            else:
                origin = "" if entry.origin == "scrutiny" else f"[{entry.origin}] "
                click.echo(_row(f"  {name:<{width}}  ", origin + _unmarked(sentence)))
                if one == "diagnostic" and (tasks := listed_facts(entry)["tasks"]):
                    click.echo(_row(" " * (width + 4), f"Tasks: {', '.join(tasks)}."))
    return 0


def says(entry: Entry) -> str:
    """Stored summary of a built-in; a plug-in is imported."""
    is_own = entry.origin == "scrutiny"
    stored = _stored(SENTENCES).get(entry.registration.kind, {}) if is_own else {}
    known: str | None = stored.get(entry.registration.name)
    return sentence_of(entry.load()) if known is None else known


#: Code is wider than a terminal, and for people who write some; ``--json`` has it.
_EXAMPLES: Final = re.compile(r"^Examples\n-+\n.*?(?=^\S[^\n]*\n-+\n|\Z)", re.MULTILINE | re.DOTALL)
_MARKS: Final = re.compile(r"``(.+?)``|`([^`\n]+)`|\*\*(.+?)\*\*")
_SECOND: Final = "--reference MODEL, or reference = in the [[measure]]"


@click.command("show")
@click.argument("name", shell_complete=completed())
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    metavar="KIND",
    help="Kind, if several things have this name.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def show(name: str, kind: str | None, *, as_json: bool) -> int:
    """Explain one name: what it measures, what it needs, its parameters, its limitations."""
    is_written = any(mark in name for mark in ("(", " - ", " / "))
    if is_written:
        # A metric of several words, as if it were registered
        from scrutiny.reliability.metrics import metric_of

        thing = metric_of(name)
        found, thing = Entry(Registration("statistic", thing.id, ""), "scrutiny"), thing
    else:
        found = _find(name, kind)
        thing = found.load()
    if as_json:
        told = {
            "kind": found.registration.kind,
            "name": found.registration.name,
            "from": found.origin,
            "doc": at_length(thing),
            "facts": dict([*facts(thing), *_measured(found.registration.name)]),
            "parameters": _parameters(thing),
        }
        click.echo(json_line(told))
        return 0
    click.secho(f"{found.registration.name}  ({found.registration.kind})", bold=True)
    if found.origin != "scrutiny":
        click.echo(f"from {found.origin}")
    doc = _EXAMPLES.sub("", at_length(thing)).rstrip()
    if doc:
        click.echo(f"\n{narrowed(_unmarked(doc))}")
    for title, value in (*facts(thing), *_measured(name)):
        click.echo(narrowed(f"\n{title}: {value}"))
    parameters = _parameters(thing)
    if parameters:
        click.echo("\nParameters:")
    for parameter, default in parameters.items():
        click.echo(narrowed(f"  {parameter} = {default}"))
    return 0


def _unmarked(said: str) -> str:
    """Words without the marks of code and weight, which a terminal does not show."""
    return _MARKS.sub(lambda found: next(filter(None, found.groups())), said)


def _measured(name: str) -> list[tuple[str, str]]:
    """Diagnostics that record the measure of a metric, and its description."""
    from scrutiny.blocks.labels import metric_in_words
    from scrutiny.reliability.statistics import measures_of

    of = name.rpartition("(")[2].partition(")")[0] if "(" in name else ""
    known = {one: measures_of(one) for one in registry().names("diagnostic")} if of else {}
    found = [
        f"{diagnostic} ({metric_in_words(name, measures)})"
        for diagnostic, measures in known.items()
        if any(one.name == of and one.says for one in measures)
    ]
    return [("Recorded by", "; ".join(found))] if found else []


def _find(name: str, kind: str | None) -> Entry:
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
    """Declared facts of an object, as title and text."""
    return [(title, _said(value)) for title, value in _declared(thing) if value]


def _declared(thing: Any) -> Iterator[tuple[str, Any]]:
    """Facts that are shown for a kind, as title and value."""
    kind = _kind(thing)
    if isinstance(thing, Statistic):
        yield from (("Needs", thing.needs), ("Conditional on", thing.conditional_on))
        yield "Higher is", thing.higher_is
    elif kind == "diagnostic":
        yield from (("Needs", thing.needs), ("Items", wanted_in_words(thing.wants)))
        yield "Tasks", _tasks_of(thing)
        yield "Nothing else, for", thing.why_only
        yield "Second model", _SECOND if thing.wants_reference else ""
    elif kind == "attack":
        yield from (("Needs", thing.needs), ("Languages", in_words(thing.languages, most=99)))
        yield "Items", f"labels alone: {thing.only_labels}" if thing.only_labels else ""
        yield "Resources", thing.resources
        yield "Otherwise than the paper", " ".join((*thing.deviations, *thing.lacking.values()))
    elif kind == "goal":
        yield "Items", wanted_in_words(thing.wants)
    elif kind == "transformation":
        yield "Languages", in_words(thing.languages, most=99)
        yield "Resources", thing.resources
        yield from (("Effect on the gold answer", thing.effect), ("Intensity", thing.intensity))
    elif kind == "constraint":
        yield "Resources", thing.resources
    elif kind == "task":
        yield "Columns", "; ".join(map(_column, thing.roles))
        yield "Score", thing.scored_by.level if thing.scored_by else ""
        yield "Diagnostics", _diagnostics_of(thing)


def _column(role: Role) -> str:
    """A task's column: its option in data strings, and other names it is found under."""
    others = [one for one in role.names if one != role.name]
    found = f"found as {', '.join(others)}" if others else ""
    said = ", ".join(filter(None, ["needed" if role.is_needed else "", found]))
    return f"{role.name} ({said})" if said else role.name


def _diagnostics_of(task: Any) -> tuple[str, ...]:
    """Names of the diagnostics that measure a task's items."""
    names, base = registry(), task.name.partition("@")[0]
    every = {
        name: listed_facts(names.entry("diagnostic", name)) for name in names.names("diagnostic")
    }
    return tuple(name for name, facts in every.items() if base in facts["tasks"])


def _tasks_of(diagnostic: Any) -> tuple[str, ...]:
    """Names of the tasks whose items a diagnostic measures: scored ones, if it asks for answers."""
    from scrutiny.core.diagnostic import fits
    from scrutiny.tasks.tasks import base_name, every_task

    fitting = [task for task in every_task() if fits(diagnostic, task)]
    is_any = "predict" not in diagnostic.needs
    return tuple(base_name(task) for task in fitting if is_any or task.scored_by is not None)


def _kind(thing: Any) -> str:
    """Kind of an object by its plug-in base class."""
    made = thing if isinstance(thing, type) else type(thing)
    return made.kind if issubclass(made, PlugIn) else ""


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{answers_in_words(k)}: {v}" for k, v in value.items())
    if isinstance(value, (frozenset, set)):
        return ", ".join(sorted(map(str, value)))
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _parameters(thing: Any) -> dict[str, str]:
    """Default of each parameter by its name, as Python writes it."""
    kind = thing.Params if _kind(thing) in {"diagnostic", "trainer"} else thing
    if not (is_dataclass(kind) and isinstance(kind, type)):
        return {}
    return {field.name: _default(field) for field in fields(kind)}


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return repr(field.default)
    return "required" if field.default_factory is MISSING else repr(field.default_factory())
