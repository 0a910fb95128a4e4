"""``--cases`` and ``--explain``: cases, and the words that the answers to the first hang on."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from scrutiny.blocks.run_view import RunView
from scrutiny.blocks.terminal_and_markdown import write_lines
from scrutiny.cli.failures import say
from scrutiny.cli.output import prints_on_stderr
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.model import LoadOptions
from scrutiny.report.cases.changed_texts import case_rows, shown_columns
from scrutiny.report.cases.evidence import found_texts
from scrutiny.report.cases.shown import cases_lines
from scrutiny.report.load import load_view
from scrutiny.run.explaining import WantedCase, explain_cases, explain_rows, unexplained
from scrutiny.run.planning.loading import LoadedModels
from scrutiny.store.run_folder import RunFolder

#: Cases of each finding that are explained on a page.
MOST_OF_FINDING: Final = 6


def explain_findings(
    view: RunView, path: str | Path, options: LoadOptions | None = None
) -> RunView:
    """The run with the first cases of its findings explained, which its page shows from then on."""
    wanted = [
        WantedCase(key.subject, told.replicate, key.dataset, case.item, case.edits, told.after)
        for one in view.findings
        if one.estimate is not None
        for key in (one.estimate.key,)
        for case in view.evidence[one.claim.id].cases[:MOST_OF_FINDING]
        for told in (case.told,)
    ]
    models = LoadedModels() if options is None else LoadedModels(options)
    with prints_on_stderr():
        known = explain_cases(RunFolder.open(path), wanted, models)
    tell_unexplained(unexplained(known[one.key] for one in wanted))
    return load_view(path)


def print_cases(run: Path, change: str, *, explain: bool, as_json: bool) -> None:
    """Print the cases of one change, with their explanations if they are wanted."""
    folder = RunFolder.open(run)
    rows = case_rows(folder, change, found_texts(folder.path, folder.estimates()))
    if explain:
        with prints_on_stderr():
            why = explain_rows(folder, rows, LoadedModels())
        tell_unexplained(why)
    if not as_json:
        write_lines(cases_lines(change, rows))
    for row in rows if as_json else ():
        click.echo(json_line(shown_columns(row)))


def tell_unexplained(why: Iterable[str]) -> None:
    """Say why some answers have no explanation."""
    for reason in why:
        say(f"Not every answer could be explained: {reason}.")
