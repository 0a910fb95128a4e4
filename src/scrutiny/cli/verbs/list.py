"""``scrutiny list``: the registered names.

What the built-in names say of themselves stands in ``sentences.json`` a folder above, and facts of
the transformations in ``transformations.json``, made from the objects by ``make docs``: nothing has
to be imported to be listed.
"""

import json
import textwrap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli.wrapping import WIDTH
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.plugin import sentence_of
from scrutiny.core.registry import KINDS, Entry, registry

#: Diagnostics that change texts by transformations.
_CHANGING: Final = ("robustness", "invariance.scope", "attack")
FACTS: Final = Path(__file__).parents[1] / "transformations.json"


def listed_facts(entry: Entry) -> dict[str, Any]:
    """Facts that ``scrutiny list`` prints of a transformation; those of a built-in are stored."""
    stored = _stored(FACTS) if entry.origin == "scrutiny" else {}
    return stored.get(entry.registration.name) or facts_to_list(entry.load())


def facts_to_list(transformation: Any) -> dict[str, Any]:
    """Facts of a transformation for ``scrutiny list``: tasks, languages, effects and resources.

    Returns
    -------
    dict
        ``tasks``: whose texts can be changed. ``languages``: "*" for all. ``effects``: what the
        change does to the gold answer, by task. ``resources``: what it needs.
    """
    from scrutiny.core.diagnostic import fits
    from scrutiny.core.transformation import effect_of
    from scrutiny.tasks.names import every_task

    names = registry()
    changing = [names.load("diagnostic", one) for one in _CHANGING]
    answered = [task for task in every_task() if task.must_be_answered]
    tasks = [task for task in answered if any(fits(one, task) for one in changing)]
    return {
        "tasks": [task.name for task in tasks],
        "languages": sorted(transformation.languages),
        "effects": {task.name: effect_of(transformation, task.facts) for task in tasks},
        "resources": list(transformation.resources),
    }


@cache
def _stored(path: Path) -> Mapping[str, dict[str, Any]]:
    """Built-in names as a file keeps them."""
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


SENTENCES: Final = Path(__file__).parents[1] / "sentences.json"


@click.command("list")
@click.argument("kind", required=False)
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def command(kind: str | None, *, as_json: bool) -> int:
    """Print the names of one kind, or of all: diagnostics, transformations, tasks ..."""
    kinds = KINDS if kind is None else (_kind(kind),)
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
                line |= listed_facts(entry) if one == "transformation" else {}
                click.echo(json_line(line))
            else:
                origin = "" if entry.origin == "scrutiny" else f"[{entry.origin}] "
                click.echo(_row(f"  {name:<{width}}  ", origin + sentence))
    return 0


def _row(name: str, says: str) -> str:
    """Name and summary, in columns."""
    indent = " " * len(name)
    lines = textwrap.wrap(says, WIDTH, initial_indent=name, subsequent_indent=indent)
    return "\n".join(lines) or name.rstrip()


def _kind(text: str) -> str:
    singular = text.removesuffix("s")
    if singular not in KINDS:
        raise UnknownNameError("kind of names", text, [f"{k}s" for k in KINDS])
    return singular


def says(entry: Entry) -> str:
    """Stored summary of a built-in; a plug-in is imported."""
    is_own = entry.origin == "scrutiny"
    stored = _stored(SENTENCES).get(entry.registration.kind, {}) if is_own else {}
    known: str | None = stored.get(entry.registration.name)
    return sentence_of(entry.load()) if known is None else known
