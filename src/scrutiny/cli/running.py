"""What ``run`` and ``audit`` share: from a plan to a finished folder and its summary."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from scrutiny.cli.options import cache_file, load_options
from scrutiny.cli.progress import progress_of
from scrutiny.core.model import LoadOptions
from scrutiny.core.plan import Plan
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.resolve import resolve
from scrutiny.store.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Request:
    """How the user wants a plan to be run."""

    options: LoadOptions
    running: RunOptions

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> "Request":
        """Request of the flags of a verb."""
        return cls(
            load_options(flags["device"], flags["batch"], flags["model_settings"]),
            RunOptions(
                workers=flags["workers"],
                executor=flags["executor"],
                cache=None if flags["no_cache"] else cache_file(),
                progress=progress_of(flags["display"]),
                command=command_line(),
            ),
        )


def command_line() -> str:
    """The command as it can be typed again."""
    import shlex

    return shlex.join(["scrutiny", *sys.argv[1:]])


def out_folder(flags: Mapping[str, Any], name: str) -> Path:
    """Folder given by ``--out``, or the first free ``runs/NAME-K``."""
    if flags["out"] is not None:
        return Path(flags["out"])
    number = 1
    while Path("runs", f"{name}-{number}").exists():
        number += 1
    return Path("runs", f"{name}-{number}")


def run_request(plan: Plan, out: Path, request: Request) -> RunFolder:
    """Finished run of a plan."""
    resolved = resolve(plan, options=request.options)
    for dataset in resolved.datasets.values():
        if dataset.bad_rows:
            first = dataset.bad_rows[0]
            request.running.progress.note(
                f"{dataset.name}: {len(dataset.bad_rows)} rows do not read and were left out; "
                f"the first is {first.source}: {first.reason}"
            )
    return run_plan(resolved, out, options=request.running)


def finish(folder: RunFolder, flags: Mapping[str, Any], *, html: Path | None) -> int:
    """Print the summary, write the page where one is wanted; gives the exit code."""
    from scrutiny.report.load import load_view
    from scrutiny.report.ndjson import render_ndjson
    from scrutiny.report.terminal import write_terminal

    view = load_view(folder.path)
    if html is not None:
        from scrutiny.report.html import render_html
        from scrutiny.store.files import save_text

        save_text(Path(html), render_html(view))
    if flags["as_json"]:
        click.echo(render_ndjson(view), nl=False)
    else:
        write_terminal(view)
        if html is not None:
            click.echo(f"Page: {html}")
    return 0
