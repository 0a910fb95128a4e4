"""Shared steps of ``run`` and ``audit``: from a plan to a finished folder and its page.

The journal keeps what the last page was made of (the run's manifest, which lists its files with
their digests, and this version's code) and the digest of the page. A page that is missing, was
changed, or would be made of something else is made and written.
"""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import count, takewhile
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import click

from scrutiny.blocks.run_view import RunView
from scrutiny.cli.early_checks import must_be_beside
from scrutiny.cli.options import load_options
from scrutiny.cli.output import prints_on_stderr
from scrutiny.cli.progress import progress_of, say_warnings
from scrutiny.core.boundary.printable import storable
from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.errors import DataError, StorageError
from scrutiny.core.plan import Plan
from scrutiny.run.asking.missing_answers import missing_answers
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.executing.executor import Executor
from scrutiny.run.planning.doubtful_data import data_warnings, trained_on_it
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.plan_slices import too_small
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.planning.resolved import Resolved
from scrutiny.store.database import Journal
from scrutiny.store.explained_answers import EXPLAINED_FILE
from scrutiny.store.files import cache_file, hash_file, save_text
from scrutiny.store.guards import is_in_use
from scrutiny.store.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Request:
    """Request of a command: options and workers to run plans with, and what is open already."""

    running: RunOptions
    crew: Executor
    opened: Opened
    begun: float = field(default_factory=perf_counter)

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> "Request":
        """Request from the options of a verb, whose end is that of its workers."""
        loading = load_options(flags["device"], flags["batch"], flags["model_settings"])
        is_run = not flags.get("dry_run")
        running = RunOptions(
            workers=flags["workers"] if is_run else 1,
            executor=flags["executor"] if is_run else "serial",
            cache=None if flags["no_cache"] else cache_file(),
            progress=progress_of(flags["display"], price=flags.get("price") or 0.0),
            command=command_line(),
        )
        crew = running.crew(LoadedModels(loading))
        if context := click.get_current_context(silent=True):
            context.call_on_close(crew.close)
        return cls(running, crew, Opened(crew))


def command_line() -> str:
    """The requested command, as it can be repeated in this folder, without secrets."""
    import shlex

    here = f"{Path.cwd()}{os.sep}"
    words = [redacted(word).replace(here, "") for word in sys.argv[1:]]
    return storable(shlex.join(["scrutiny", *words]))


def dry_run(plan: Plan, flags: Mapping[str, Any], request: Request) -> int:
    """Print the cost of a plan instead of running it; return the exit code."""
    from scrutiny.cli.plans import say_cost

    say_cost(
        plan,
        request.crew.models,
        opened=request.opened,
        price=flags["price"],
        as_json=flags["as_json"],
        budget=flags.get("budget"),
    )
    if not flags["as_json"]:
        click.echo("Nothing was asked but what was timed, and nothing was written.")
    return 0


def run_request(plan: Plan, flags: Mapping[str, Any], request: Request, *, name: str) -> RunFolder:
    """Finished run of a plan, in ``--out`` or in ``runs/NAME-K``; models print on stderr."""
    must_be_beside(flags.get("html"), flags["out"])
    with prints_on_stderr():
        try:
            return _run(plan, flags, request, name=name)
        finally:
            request.running.progress.stop()


def _run(plan: Plan, flags: Mapping[str, Any], request: Request, *, name: str) -> RunFolder:
    tell = request.running.progress.note
    if plan.train:
        from scrutiny.run.training import resolved_when_trained  # trainers are slow to load

        resolved = resolved_when_trained(plan, request.opened, request.running.progress)
    else:
        resolved = resolve(plan, opened=request.opened)
    if flags.get("budget"):
        resolved = _fitting(resolved, flags, request, name=name)
    for dataset in resolved.datasets.values():
        for sentence in dataset.to_look_at:
            tell(f"{dataset.name}: {sentence}")
        if said := dataset.language_note:
            tell(f"{dataset.name}: {said}")
    warned = (*data_warnings(resolved.datasets), *too_small(resolved))
    for sentence in (*trained_on_it(resolved), *warned):
        tell(sentence)
    out = _free_folder(name, resolved.identity) if flags["out"] is None else Path(flags["out"])
    before = {}
    with suppress(DataError, OSError):  # of a finished run in this folder
        before = RunFolder(out).manifest.get("sent", {})
    folder = run_plan(resolved, out, options=request.running, crew=request.crew)
    for sentence in missing_answers(folder):
        tell(sentence)
    for said in folder.manifest.get("failures", ()):
        tell(f"A failure said: {said}")
    if sums := folder.manifest.get("sent"):
        tell(_sent_in_words(sums, is_new=sums != before))
    return folder


def _sent_in_words(sums: Mapping[str, Any], *, is_new: bool = True) -> str:
    """Sentence about what was sent for a run; ``is_new`` unless all of it was sent before.

    Examples
    --------
    >>> _sent_in_words(
    ...     {"requests": 1200, "requests_again": 8, "tokens_in": 9000, "tokens_out": 0, "cost": 1.5}
    ... )
    'Sent for this run: 1,200 requests (8 of them again), 9,000 tokens read and 0 written; cost: \
1.50.'
    """
    again = f" ({sums['requests_again']:,} of them again)" if sums["requests_again"] else ""
    cost = "" if sums["cost"] is None else f"; cost: {sums['cost']:,.2f}"
    first = "Sent for this run" if is_new else "This command sent nothing. Sent for this run before"
    return (
        f"{first}: {sums['requests']:,} requests{again}, {sums['tokens_in']:,} tokens read and "
        f"{sums['tokens_out']:,} written{cost}."
    )


def _fitting(
    resolved: Resolved, flags: Mapping[str, Any], request: Request, *, name: str
) -> Resolved:
    """Plan that fits into ``--budget``; an earlier selection of the same command is reused."""
    from scrutiny.run.budgeting.budget import REDUCED, resolved_within

    folders = [] if flags["out"] is None else [Path(flags["out"])]
    if not folders:
        numbered = (Path("runs", f"{name}-{number}") for number in count(1))
        folders = list(takewhile(Path.exists, numbered))[::-1]
    spent, is_cached = perf_counter() - request.begun, request.running.cache is not None
    fitting = resolved_within(
        resolved,
        flags["budget"],
        folders=folders,
        spent=spent,
        is_cached=is_cached,
        models=request.crew.models,
    )
    if fitting.plan.budget and fitting.plan.budget.left_out:
        request.running.progress.note(REDUCED)
    return fitting


def _free_folder(name: str, identity: str) -> Path:
    """First of ``runs/NAME-K`` that is free, or has the same plan interrupted."""
    for number in count(1):
        folder = Path("runs", f"{name}-{number}")
        if not folder.exists():
            break
        if (folder / "manifest.json").is_file() and not is_in_use(folder):
            with suppress(DataError):  # damaged: somebody else's, for all that is known
                manifest = RunFolder(folder).manifest
                if manifest.get("status") != "done" and manifest.get("identity") == identity:
                    break
    return folder


def finish(folder: RunFolder, flags: Mapping[str, Any], *, html: Path | None) -> int:
    """Print the summary, write the requested page; return the exit code."""
    from scrutiny.report.formats import render_ndjson
    from scrutiny.report.load import load_view
    from scrutiny.report.text import write_first_screen

    view = load_view(folder.path)
    if flags.get("explain"):
        from scrutiny.cli.explaining import explain_findings

        options = load_options(flags["device"], flags["batch"], flags["model_settings"])
        view = explain_findings(view, folder.path, options)
    if flags.get("no_texts"):
        view = view.without_texts()
    if html is not None:
        write_page(Path(html), view, folder.path)
    if flags["as_json"]:
        say_warnings(view.manifest)
        click.echo(render_ndjson(view), nl=False)
    else:
        write_first_screen(view, page=html)
    return 0


_KEY: Final = "page"
_PACKAGE: Final = Path(__file__).parents[1]


def write_page(path: Path, view: RunView, folder: Path) -> bool:
    """Write the page of a finished run unless it is current; return whether it was written.

    Parameters
    ----------
    path
        Where the page goes.
    view
        The run.
    folder
        Its folder, whose journal remembers the page.

    Raises
    ------
    PlanError
        If the path is a folder.
    StorageError
        If the disk refuses.
    """
    # digest of everything that determines a page: the run, its results, and the code
    files = json.dumps(view.manifest, sort_keys=True)
    explained = folder / EXPLAINED_FILE
    more = [hash_file(explained)] if explained.is_file() else []
    parts = [view.facts.path, str(view.has_texts), files, *more, *_code()]
    made_of = blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
    if path.is_file() and _kept(folder) == [made_of, hash_file(path)]:
        return False
    from scrutiny.report.page import render_html  # templates and charts are slow to load

    save_text(path, render_html(view))
    if path.is_file():
        # without the note the page is written again
        with suppress(StorageError), closing(Journal(folder / "journal.sqlite")) as journal:
            journal.set_meta(_KEY, json.dumps([made_of, hash_file(path)]))
    return True


def _code() -> list[str]:
    """Files of this package with their sizes and times, to notice edited code."""
    found = []
    for path in sorted(_PACKAGE.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            stat = path.stat()
            found.append(f"{path.relative_to(_PACKAGE)} {stat.st_size} {stat.st_mtime_ns}")
    return found


def _kept(folder: Path) -> object:
    """Note about the last page in the journal; `None` if there is no valid one."""
    with suppress(ValueError), closing(Journal(folder / "journal.sqlite")) as journal:
        return json.loads(journal.meta(_KEY) or "null")
    return None
