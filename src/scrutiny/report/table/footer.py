"""Footer of every report: location of the run, method of the intervals, next steps."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scrutiny.core.shares import whole_percent
from scrutiny.parts.run.view import RunView

_PROGRAM: Final = "scrutiny"
#: What replicates share, by what they are replicates of.
SHARED: Final[Mapping[str, str]] = {
    "fine-tuning": ": they share one pre-trained model",
    "initialization": ": nothing was trained",
}


def report_command(path: object) -> str:
    """Command that reports a run, as it can be typed here.

    A program that is on no path of the shell, as that of a virtual environment which was not
    activated, is named by where it lies.
    """
    started = Path(sys.argv[0])
    is_ours = started.stem == _PROGRAM and started.is_file()
    if not is_ours or shutil.which(_PROGRAM):
        return f"{_PROGRAM} report {path}"
    place, here = started.absolute(), Path.cwd()
    return f"{place.relative_to(here) if place.is_relative_to(here) else place} report {path}"


def footer_lines(view: RunView) -> list[str]:
    """Sentences under the table, each short enough to read at a glance."""
    facts = view.facts
    lines = [f"run: {facts.path}" + ("" if facts.status == "complete" else f" ({facts.status})")]
    lines.append(f"more: {report_command(facts.path)} -o report.html")
    is_single = len(facts.replicates) <= 1
    lines.append(f"{'run seed' if is_single else 'seeds'}: {seeds(view)}")
    method = (
        f"draws: {facts.draws:,} · {facts.method or 'no interval'} · {whole_percent(facts.level)}"
    )
    lines.append(method)
    if view.findings:
        lines.append("signs: yes/no passed or failed the check · ? undecided · \N{EN DASH} not run")
    return lines


def seeds(view: RunView) -> str:
    """Replicates and seed in the footer of a table; of a single one, the seed alone."""
    seed = view.facts.seed
    return f"{replicates(view)} · run seed {seed}" if len(view.facts.replicates) > 1 else f"{seed}"


def replicates(view: RunView) -> str:
    """Replicates in the footer of a table: number, kind, and what they share."""
    facts = view.facts
    count = len(facts.replicates)
    kinds = set(facts.replicates_of.values())
    ends = (*facts.replicates[:1], *facts.replicates[-1:])
    names = f"({', '.join(facts.replicates) if count <= 3 else ' … '.join(ends)})"
    if len(kinds) == 1 and len(facts.replicates_of) == max(1, len(facts.subjects)):
        kind = kinds.pop()
        return f"{count} {kind} replicates {names}{SHARED.get(kind, '')}"
    said = [f"{who}: {kind}{SHARED.get(kind, '')}" for who, kind in facts.replicates_of.items()]
    return "; ".join([f"{count} replicates {names}", *said])
