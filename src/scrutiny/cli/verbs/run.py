"""``scrutiny run``: a plan, or one diagnostic."""

from pathlib import Path
from typing import Any

import click

from scrutiny.cli.options import DRAWS, asked_data, asked_models, completed, running_options
from scrutiny.cli.running.output_paths import OutputFile


@click.command("run")
@click.argument("what", metavar="PLAN|DIAGNOSTIC|RUN", shell_complete=completed("diagnostic"))
@asked_models
@asked_data
@click.option(
    "-P", "params", multiple=True, metavar="K=V", help="Parameter of the diagnostic; JSON or text."
)
@click.option(
    "--with",
    "transformations",
    default="",
    metavar="A,B",
    shell_complete=completed("transformation"),
    help="Transformations, for diagnostics that use them.",
)
@click.option("--draws", type=DRAWS, help="Number of bootstrap resamples.")
@click.option("--html", type=OutputFile(), help="Also write an HTML page.")
@running_options
def command(**flags: Any) -> int:
    r"""Run a plan file, one diagnostic on a model and data, or the plan of a run.

    \b
    scrutiny run plan.toml
    scrutiny run robustness --model builtin:sentiment --data builtin:reviews
    scrutiny run runs/v1 --model hf:./v2
    """
    from scrutiny.cli.running.early_checks import is_plan, must_be_diagnostics, must_lead

    plan_file = Path(flags["what"]) if is_plan(flags["what"]) else None
    if plan_file is None and not (Path(flags["what"]) / "manifest.json").is_file():
        must_be_diagnostics([flags["what"]])
    must_lead(flags, plan_file, has_reference=True)
    from scrutiny.cli.running.plans import plan_from_flags
    from scrutiny.cli.running.request import Request, dry_run, finish, run_request

    request = Request.of(flags)
    plan = plan_from_flags(flags)
    if flags["dry_run"]:
        return dry_run(plan, flags, request)
    folder = run_request(plan, flags, request, name=Path(flags["what"]).stem)
    return finish(folder, flags, html=flags["html"])
