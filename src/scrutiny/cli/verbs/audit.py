"""``scrutiny audit``: the diagnostics of a profile."""

from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli.options import asked_data, asked_models, completed, running_options
from scrutiny.cli.running.output_paths import OutputFile, what_is_wrong
from scrutiny.cli.running.streams import prints_on_stderr
from scrutiny.core.errors import PlanError

_PAGE: Final = "report.html"


def _seconds(context: click.Context, option: click.Parameter, given: str | None) -> float | None:
    """Seconds of a duration; `None` if not given."""
    from scrutiny.run.budgeting.durations import seconds_of

    return None if given is None else seconds_of(given)


@click.command("audit")
@click.argument("plan", required=False, type=click.Path(path_type=Path))
@asked_models
@asked_data
@click.option(
    "--profile",
    type=click.Choice(["ship", "study", "language"]),
    help="ship (the usual): what decides whether it can be shipped; study: all that applies; "
    "language (without data): stereotypes and associations of a language model.",
)
@click.option(
    "--budget",
    metavar="TIME",
    callback=_seconds,
    help="90s, 2m, 1h: items, draws and searches are chosen to fit, before anything is asked.",
)
@click.option(
    "--tolerance",
    multiple=True,
    metavar="METRIC=N",
    help="How much for the worse nobody minds, e.g. accuracy=0.03; repeatable.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("diagnostic"),
    help="Run only this diagnostic; repeatable.",
)
@click.option("--html", type=OutputFile(), help="File of the HTML page; report.html in --out.")
@running_options
def command(**flags: Any) -> int:
    r"""Run the diagnostics of a profile: what hurts, what holds, what can't be told.

    \b
    scrutiny audit --model "hf:./runs/seed-{seed}" \
        --data "csv:dev.csv#text=sentence,label=label"
    scrutiny audit --model "zoo:bert-2x128/seed-{seed}"
    """
    from scrutiny.cli.running.early_checks import must_be_diagnostics, must_lead

    must_be_diagnostics(flags["only"])
    must_lead(flags, flags["plan"])
    from scrutiny.cli.running.plans import audit_from_flags
    from scrutiny.cli.running.request import Request, dry_run, finish, run_request

    request = Request.of(flags)
    if flags["html"] is None and flags["out"] is not None:
        wrong = what_is_wrong(str(flags["out"] / _PAGE)) if flags["out"].is_dir() else ""
        if wrong:
            raise PlanError(f"The page cannot be written: {wrong}")
    with prints_on_stderr():
        plan = audit_from_flags(flags, request.opened)
    if flags["dry_run"]:
        return dry_run(plan, flags, request)
    folder = run_request(plan, flags, request, name="audit")
    return finish(folder, flags, html=flags["html"] or folder.path / _PAGE)
