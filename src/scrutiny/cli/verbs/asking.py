"""``scrutiny audit``, ``run``, ``check`` and ``compare``: verbs that ask models."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli.early_checks import OutputFile, must_be_beside, what_is_wrong
from scrutiny.cli.failures import say
from scrutiny.cli.options import (
    DRAWS,
    EXPLAIN,
    PRICE,
    TRANSFORMATIONS,
    Versioned,
    asked_data,
    asked_models,
    completed,
    load_options,
    model_options,
    running_options,
    task_of_data,
)
from scrutiny.cli.output import prints_on_stderr
from scrutiny.cli.progress import say_warnings
from scrutiny.core.errors import PlanError
from scrutiny.core.long_runs import seldom_collected

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
    type=Versioned(["ship", "study", "language"]),
    help="ship (the usual): what decides whether it can be shipped; study: all that applies; "
    "language (without data): stereotypes and associations of a language model. With the version "
    "of its changes, as in ship@1, or the newest.",
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
@click.option(
    "--wordings",
    metavar="builtin|FILE",
    help="Also ask everything in other words: those that ship, or [[wording]] tables of a file.",
)
@click.option("--explain", **EXPLAIN)
@click.option("--html", type=OutputFile(), help="File of the HTML page; report.html in --out.")
@running_options
def audit(**flags: Any) -> int:
    r"""Run the diagnostics of a profile: what hurts, what holds, what can't be told.

    \b
    scrutiny audit --model "hf:./runs/seed-{seed}" \
        --data "csv:dev.csv#text=sentence,label=label"
    scrutiny audit --model "zoo:bert-2x128/seed-{seed}"
    """
    from scrutiny.cli.early_checks import must_be_diagnostics, must_lead

    must_be_diagnostics(flags["only"])
    must_lead(flags, flags["plan"])
    from scrutiny.cli.plans import audit_from_flags
    from scrutiny.cli.request import Request, dry_run, finish, run_request

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
    **TRANSFORMATIONS,
    shell_complete=completed("transformation"),
    help="Transformations, for diagnostics that use them.",
)
@click.option("--draws", type=DRAWS, help="Number of bootstrap resamples.")
@click.option("--explain", **EXPLAIN)
@click.option("--html", type=OutputFile(), help="Also write an HTML page.")
@running_options
def run(**flags: Any) -> int:
    r"""Run a plan file, one diagnostic on a model and data, or the plan of a run.

    \b
    scrutiny run plan.toml
    scrutiny run robustness --model builtin:sentiment --data builtin:reviews
    scrutiny run runs/v1 --model hf:./v2
    """
    from scrutiny.cli.early_checks import is_plan, must_be_diagnostics, must_lead

    plan_file = Path(flags["what"]) if is_plan(flags["what"]) else None
    if plan_file is None and not (Path(flags["what"]) / "manifest.json").is_file():
        must_be_diagnostics([flags["what"]])
    must_lead(flags, plan_file, has_reference=True)
    from scrutiny.cli.plans import plan_from_flags
    from scrutiny.cli.request import Request, dry_run, finish, run_request

    request = Request.of(flags)
    plan = plan_from_flags(flags)
    if flags["dry_run"]:
        return dry_run(plan, flags, request)
    folder = run_request(plan, flags, request, name=Path(flags["what"]).stem)
    return finish(folder, flags, html=flags["html"])


@click.command("check")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--price", **PRICE)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@model_options
def check(plan: Path, price: float, *, as_json: bool, **loading: Any) -> int:
    """Check a plan and estimate what it would ask; only a few items are asked."""
    from scrutiny.cli.early_checks import must_lead

    must_lead({}, plan)
    from scrutiny.cli.plans import say_cost
    from scrutiny.run.planning.loading import LoadedModels
    from scrutiny.run.planning.plan_file import read_plan

    models = LoadedModels(load_options(**loading))
    say_cost(read_plan(plan), models, price=price, as_json=as_json, named={"plan": str(plan)})
    return 0


_GATES: Final = {"no regression": "pass", "regression": "fail"}
_CODES: Final = {"pass": 0, "fail": 1, "undecided": 4}


@click.command("compare")
@click.argument("first", metavar="A", required=False)
@click.argument("second", metavar="B", required=False)
@click.argument("others", metavar="C...", nargs=-1)
@click.option(
    "--margin",
    type=click.FloatRange(0.0),
    help="Largest accepted loss (e.g. 0.02); decides the exit code.",
)
@click.option(
    "--undecided",
    type=click.Choice(["undecided", "pass", "fail"]),
    default="undecided",
    show_default=True,
    help="Result if neither a loss nor its absence is shown.",
)
@click.option(
    "--plan",
    is_flag=True,
    help="Ask nothing: how many items and repeats decide, given the baseline A or its --accuracy.",
)
@click.option(
    "--accuracy", type=click.FloatRange(0.0, 1.0), help="Accuracy of the baseline, for --plan."
)
@click.option(
    "--noise",
    type=click.FloatRange(0.0, 0.5),
    help="Share of items that flip when the baseline is asked again, for --plan.",
)
@click.option(
    "--again", metavar="RUN", help="Another run or log of the first model, for the noise floor."
)
@click.option(
    "--top", default=5, show_default=True, help="Number of inputs that differ most to list."
)
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Whether replicate k belongs to replicate k; by default if the models are the same.",
)
@click.option("--all", "show_all", is_flag=True, help="Also print numbers that do not differ.")
@click.option(
    "--data",
    "data",
    multiple=True,
    metavar="STRING",
    help="Data string, if A and B are models; repeatable.",
)
@task_of_data
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    shell_complete=completed("diagnostic"),
    help="Diagnostic, if A and B are models; default: performance.",
)
@click.option(
    "--with",
    "transformations",
    **TRANSFORMATIONS,
    shell_complete=completed("transformation"),
    help="Transformations, for --measure robustness.",
)
@click.option(
    "--invariances",
    metavar="A,B",
    help="Of two models: also ask whether changes (synonym,typo) that keep one's answers keep the "
    "other's.",
)
@click.option(
    "--invariance-margin",
    type=click.FloatRange(0.0, 1.0, max_open=True),
    metavar="M",
    help="Largest loss of those that does not matter; that of --margin, or 0.02.",
)
@click.option(
    "--representations",
    is_flag=True,
    help="Of two models: also how alike their vectors of the last layers are.",
)
@click.option("--html", type=OutputFile(), metavar="PAGE", help="Write a page.")
@click.option("--junit", type=OutputFile(), help="Write JUnit XML of what --margin judges.")
@click.option("--draws", type=DRAWS, help="Number of bootstrap resamples.")
@running_options
@seldom_collected()
def compare(**flags: Any) -> int:
    r"""Compare B with A: two runs, two logs or tables of scores, or two models on data; or many.

    \b
    scrutiny compare runs/v1 runs/v2
    scrutiny compare results/acme__v1 results/acme__v2 --margin 0.02
    scrutiny compare v1.csv v2.csv#case=id,score=correct,trial=run
    scrutiny compare hf:./v1 hf:./v2 --data csv:dev.csv#text=sentence,label=label

    More than two runs, logs or tables: a leaderboard, with the ranks that the items leave open.

    \b
    scrutiny compare runs/v1 runs/v2 scores.csv

    A model beside a run folder is asked what the run asked.

    \b
    scrutiny compare runs/v1 hf:./v2 --html upgrade.html

    Before anything is asked: which design would decide.

    \b
    scrutiny compare runs/v1 --plan --margin 0.02
    scrutiny compare --plan --margin 0.02 --accuracy 0.85 --noise 0.1

    The exit code is 0. With --margin: 0 no regression, 1 a regression shown, 4 undecided
    (--undecided pass: 0; fail: 1).
    """
    if flags["plan"]:
        written = next((f"--{name}" for name in ("junit", "html") if flags[name] is not None), "")
        if written:
            raise PlanError(f"--plan asks nothing yet, so that there is nothing for {written}.")
        from scrutiny.cli.comparison_plans import say_plan

        return say_plan(flags)
    if flags["others"]:
        from scrutiny.cli.many_sides import say_leaderboard

        return say_leaderboard(flags)
    from scrutiny.cli.comparing import opened, printed, write_junit, write_page
    from scrutiny.core.slice_syntax import canonical
    from scrutiny.data.item_values import FEWEST
    from scrutiny.run.comparing.comparison_results import CompareOptions
    from scrutiny.run.comparing.whole_comparison import compare_side_by_side

    missing = next((name for name in ("first", "second") if flags[name] is None), None)
    if missing is not None:
        context = click.get_current_context()
        raise click.MissingParameter(
            ctx=context, param=next(p for p in context.command.params if p.name == missing)
        )
    must_be_beside(flags["html"], flags["out"])
    if flags["undecided"] != "undecided" and flags["margin"] is None:
        raise PlanError(
            f"--undecided {flags['undecided']} says what becomes of a loss that is neither shown "
            "nor excluded: say which loss, as in --margin 0.02."
        )
    if flags["junit"] is not None and flags["margin"] is None:
        raise PlanError("--junit writes what a margin decides: say which, as in --margin 0.02.")
    with prints_on_stderr(), opened(flags) as sides:
        for side in (sides.first, sides.second):
            say_warnings(side.manifest)
        options = CompareOptions(
            paired=flags["paired"],
            margin=flags["margin"],
            where=flags["where"],
            training=flags["training"],
            noise=sides.noise,
            baseline_rerun=sides.baseline_rerun,
            asked_again=sides.asked_again,
        )
        found = compare_side_by_side(sides.first, sides.second, options)
        found = replace(found, shared=sides.shared)
        if flags["html"] is not None:
            write_page(found, sides, flags)
        if flags["junit"] is not None:
            write_junit(found, flags)
    looked_at = {change.name for level in found.levels for change in level.changes}
    for where in map(canonical, flags["where"]):
        if where not in looked_at:
            say(f"The slice {where!r} has fewer than {FEWEST} items, or leaves fewer: no number.")
    gate = None if found.outcome is None else _GATES.get(found.outcome, flags["undecided"])
    printed(found, flags, gate)
    return 0 if gate is None else _CODES[gate]
