"""``scrutiny compare``: two runs, paired."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from scrutiny.cli.narrow import narrowed

if TYPE_CHECKING:
    from scrutiny.core.claim import Finding
    from scrutiny.run.comparing import Comparison

_SAYS: Final = {"supported": "higher", "not supported": "lower", "undecided": "undecided"}


@click.command("compare")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Whether replicate k belongs to replicate k; by default if the models are the same.",
)
@click.option("--all", "show_all", is_flag=True, help="Also print what does not differ.")
@click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout.")
def command(
    first: Path, second: Path, *, paired: bool | None, show_all: bool, as_json: bool
) -> int:
    """Print where the FIRST run differs from the SECOND, item by item paired.

    Differences are first minus second, corrected over all that are compared (Holm).
    """
    from scrutiny.run.comparing import compare_runs
    from scrutiny.store.findings import finding_to_json
    from scrutiny.store.run_folder import RunFolder

    found = compare_runs(RunFolder.open(first), RunFolder.open(second), paired=paired)
    if as_json:
        for finding in found.findings:
            click.echo(json.dumps(finding_to_json(finding), ensure_ascii=False))
        return 0
    differing = [f for f in found.findings if f.verdict != "undecided"]
    click.secho(narrowed(_headline(len(differing), found)), bold=True)
    for finding in found.findings if show_all else differing:
        for line in _lines(finding):
            click.echo(line)
    for text in found.differences:
        click.echo(narrowed(f"The runs also differ in {text}."))
    return 0


def _headline(count: int, found: "Comparison") -> str:
    items = ", ".join(f"{n:,} items of {name}" for name, n in found.n_shared.items())
    if count == 0:
        return f"No difference is shown, of {len(found.findings)} compared on {items}."
    return f"{count} of {len(found.findings)} numbers differ, on {items}."


def _lines(finding: "Finding") -> list[str]:
    """Two lines of at most 80 columns for one difference."""
    name = finding.claim.says.replace(" is higher in the first run", "")
    estimate = finding.estimate
    if estimate is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return [f"  {name}"[:80], f"    {finding.reason}"[:80]]
    counts = estimate.counts
    return [
        f"  {name}"[:80],
        f"    {_SAYS[finding.verdict]:<10} {estimate.value:+.3f} "
        f"[{estimate.low:+.3f}, {estimate.high:+.3f}]  n = {counts.n} of {counts.planned}",
    ]
