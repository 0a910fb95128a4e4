"""``scrutiny data``: inspection of data."""

import textwrap
from collections.abc import Mapping
from typing import Any

import click

from scrutiny.cli.options import bad_rows, task_of_data
from scrutiny.cli.wrapping import WIDTH, printed_line
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.storable import printable
from scrutiny.core.example import Example
from scrutiny.core.languages import counted
from scrutiny.core.shares import percent


@click.group("data")
def command() -> None:
    """Inspect data: its contents, and what two datasets share."""


@command.command("show")
@click.argument("source")
@task_of_data
@click.option("--limit", default=None, metavar="N|A:B")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@bad_rows
def _show(source: str, task: str, limit: str | None, on_bad_row: Any, *, as_json: bool) -> int:
    """Print rows, bad rows, labels, lengths, duplicates, and the data string to use."""
    from scrutiny.core.boundary.canonical import plain
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.summary import summarize

    data = load_dataset(source, task=task or None, limit=limit, on_bad_row=on_bad_row)
    summary = summarize(data)
    if as_json:
        click.echo(json_line(plain(summary)))
        return 0
    for line in _summary_lines(summary):
        click.echo(line)
    return 0


def _summary_lines(summary: Any) -> list[str]:
    """Lines of a summary, none wider than 80 columns."""
    lines = [
        f"{summary.n:,} items of {summary.task} in {summary.source}",
        f"  fingerprint   {summary.fingerprint}",
        f"  bad rows      {len(summary.bad_rows)}",
    ]
    lines += [f"    {row.source}: {row.reason}" for row in summary.bad_rows[:5]]
    if summary.chance is not None:
        lines.append(f"  no skill      {summary.chance:.3f}")
    labels = summary.labels[:10]
    lines += [f"  label         {c.label}: {c.n:,} ({percent(c.share)})" for c in labels]
    for field in summary.fields:
        w = field.words
        spread = f"median {w.median}, 5-95 % {w.p5}-{w.p95}, most {w.most}"
        lines.append(f"  words         {field.name}: {spread}")
    conflicts = f", {summary.conflicts} with another label" if summary.is_labeled else ""
    lines.append(f"  duplicates    {summary.duplicates} by letters and numbers{conflicts}")
    lines += _wrapped("languages", counted(summary.languages))
    for kind, counts in (("units", summary.units), ("groups", summary.groups)):
        if counts:
            lines += _wrapped(kind, ", ".join(f"{k}: {v}" for k, v in counts.items()))
    lines += [] if summary.is_labeled else _members(summary.members)
    for note in summary.notes:
        lines += _wrapped("note", note)
    for e in summary.examples:
        lines += _example(e)
    lines.append(f"  data string   {summary.data_string}")
    kept = [line if "data string" in line else printed_line(line) for line in lines]
    return [" ".join(printable(line).split("\n")) for line in kept]


def _example(example: Example) -> list[str]:
    """Lines of an example: one, or at most three for each of several fields."""
    if len(example.fields) == 1:
        return [f"  example       {example.id}: {example.text}"]
    lines = []
    for name, text in example.fields.items():
        lines += _wrapped("example", f"{example.id}: {name}: {text}", max_lines=3)
    return lines


def _members(groups: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Lines of how many items each value of each group has; names of single items are left out."""
    lines = []
    for name, counts in groups.items():
        if len(counts) == 1 or max(counts.values(), default=0) > 1:
            shown = ", ".join(f"{value}: {n:,}" for value, n in counts.items())
            lines += _wrapped(f"by {name}", shown)
    return lines


def _wrapped(title: str, text: str, *, max_lines: int | None = None) -> list[str]:
    """Lines of a text after its title."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"  {title:<13} ",
        subsequent_indent=" " * 16,
        max_lines=max_lines,
        placeholder=" …",
        break_on_hyphens=False,
    )


@command.command("overlap")
@click.argument("first")
@click.argument("second")
@click.option("--near", type=click.FloatRange(0.5, 1.0), default=0.8, show_default=True)
@click.option("--exact-only", is_flag=True, help="Ignore near duplicates.")
@click.option("--show", "shown", type=int, default=3, show_default=True, help="Pairs to print.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def _overlap_command(
    first: str, second: str, near: float, shown: int, *, exact_only: bool, as_json: bool
) -> int:
    """Print how many texts of FIRST occur in SECOND: letters only, exact and near."""
    from scrutiny.core.boundary.canonical import plain
    from scrutiny.data.dataset import load_dataset
    from scrutiny.data.overlap import overlap

    one, other = load_dataset(first), load_dataset(second)
    texts = [[" ".join(e.fields.values()) for e in data.examples] for data in (one, other)]
    found = overlap(texts[0], texts[1], near=None if exact_only else near)
    if as_json:
        click.echo(json_line(plain(found)))
        return 0
    click.secho(
        f"{found.n_overlapping:,} of {found.n_a:,} texts ({percent(found.share)}) stand in the "
        f"second set of {found.n_b:,}.",
        bold=True,
    )
    click.echo(f"  exact {found.exact:,}, contained {found.contained:,}, near {found.near or 0:,}")
    for pair in found.pairs[:shown]:
        click.echo(printed_line(f"  {pair.kind}: {texts[0][pair.a]}"))
    return 0
