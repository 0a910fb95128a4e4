"""``scrutiny list``: what exists."""

import json
import textwrap

import click

from scrutiny.cli.narrow import WIDTH
from scrutiny.core.errors import UnknownNameError
from scrutiny.core.registry import KINDS, registry


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
            says = sentence_of(entry.load())
            if as_json:
                line = {"kind": one, "name": name, "says": says, "from": entry.origin}
                click.echo(json.dumps(line, ensure_ascii=False))
            else:
                origin = "" if entry.origin == "scrutiny" else f"[{entry.origin}] "
                click.echo(_row(f"  {name:<{width}}  ", origin + says))
    return 0


def _row(name: str, says: str) -> str:
    """Name and what it says of itself, in a column of its own."""
    indent = " " * len(name)
    lines = textwrap.wrap(says, WIDTH, initial_indent=name, subsequent_indent=indent)
    return "\n".join(lines) or name.rstrip()


def _kind(text: str) -> str:
    singular = text.removesuffix("s")
    if singular not in KINDS:
        raise UnknownNameError("kind of names", text, [f"{k}s" for k in KINDS])
    return singular


def sentence_of(thing: object) -> str:
    """What a registered object says of itself, in one sentence."""
    for name in ("summary", "says"):
        said = getattr(thing, name, None)
        if isinstance(said, str):
            return said
    lines = (getattr(thing, "__doc__", None) or "").strip().splitlines()
    return lines[0] if lines else ""
