"""``scrutiny import``: logs of other tools as runs."""

from pathlib import Path
from typing import Any

import click

from scrutiny.cli.failures import tell
from scrutiny.cli.options import DRAWS, Folder, bad_rows, several
from scrutiny.cli.output import narrowed, printed_line

_import_options = several(
    click.argument("paths", nargs=-1, required=True, metavar="PATH..."),
    click.option("-o", "--out", type=Folder(path_type=Path), required=True, help="Run folder."),
    click.option(
        "--each-date",
        is_flag=True,
        help="Runs of one model on one task at several dates are replicates; else the "
        "newest counts.",
    ),
    bad_rows,
    click.option("--draws", type=DRAWS, help="Number of bootstrap resamples."),
    click.option("--seed", type=int, default=0, help="Seed of the resamples."),
    click.option("--json", "as_json", is_flag=True, help="NDJSON on stdout."),
)


@click.group("import")
def command() -> None:
    """Read logs of other tools into run folders, for report, compare and gate."""


@command.command("lm-eval")
@_import_options
def _lm_eval(**flags: Any) -> int:
    r"""Read logs that lm-evaluation-harness wrote with --log_samples.

    A PATH is a samples_*.jsonl, a folder that holds some, or a pattern with captures.

    \b
    scrutiny import lm-eval results/acme__v1 -o runs/v1
    scrutiny import lm-eval "results/seed-{seed}" -o runs/seeds
    """
    return _import("lm-eval", flags)


@command.command("inspect")
@_import_options
def _inspect(**flags: Any) -> int:
    r"""Read logs of inspect: .eval or .json; epochs are replicates.

    \b
    scrutiny import inspect logs/2026-11-21_gsm8k.eval -o runs/v1
    """
    return _import("inspect", flags)


@command.command("promptfoo")
@_import_options
def _promptfoo(**flags: Any) -> int:
    r"""Read results that promptfoo eval wrote with --output results.json; repeats are replicates.

    \b
    scrutiny import promptfoo results.json -o runs/v1
    """
    return _import("promptfoo", flags)


@command.command("deepeval")
@_import_options
def _deepeval(**flags: Any) -> int:
    r"""Read test runs of deepeval, of its results folder or .deepeval/.latest_test_run.json.

    \b
    scrutiny import deepeval results/20261121_090000.json -o runs/v1
    """
    return _import("deepeval", flags)


@command.command("every-eval-ever")
@_import_options
def _every_eval_ever(**flags: Any) -> int:
    r"""Read samples in the format of Every Eval Ever; rows of one sample are replicates.

    \b
    scrutiny import every-eval-ever data/mmlu/acme/v1 -o runs/v1
    """
    return _import("every-eval-ever", flags)


@command.command("table")
@_import_options
def _table(**flags: Any) -> int:
    r"""Read tables of scores: CSV, TSV, JSON, JSON lines, Parquet, Arrow, Excel.

    A row is a case, or a case and a trial, a model. Columns are told by their names; options
    behind # state them.

    \b
    scrutiny import table scores.csv -o runs/v1
    scrutiny import table "scores.csv#case=id,score=acc,trial=run" -o runs/v1
    """
    return _import("table", flags)


def _import(tool: str, flags: dict[str, Any]) -> int:
    """Import, and print the results."""
    from scrutiny.cli.request import command_line
    from scrutiny.core.plan import Resampling
    from scrutiny.run.importing.import_logs import ImportOptions, import_logs

    options = ImportOptions(
        on_bad_row=flags["on_bad_row"],
        resampling=Resampling(**({"draws": flags["draws"]} if flags["draws"] else {})),
        seed=flags["seed"],
        command=command_line(),
    )
    folder = import_logs(
        tool, flags["paths"], flags["out"], each_date=flags["each_date"], options=options
    )
    for sentence in (*folder.manifest["read_as"], *folder.manifest["warnings"]):
        tell(narrowed(sentence))
    for name, data in folder.manifest["data"].items():
        for note in (*data["notes"], *data["doubts"]):
            tell(narrowed(f"{name}: {note}"))
    if flags["as_json"]:
        from scrutiny.report.formats import render_ndjson
        from scrutiny.report.load import load_view

        click.echo(render_ndjson(load_view(folder.path)), nl=False)
        return 0
    from scrutiny.blocks.numbers import out_of

    for one in folder.estimates():
        if one.key.replicate is not None:
            continue
        filters = [str(v) for k, v in one.key.condition.items() if k != "metric"]
        score = " ".join([str(one.key.condition["metric"]), *filters])
        value = "-" if one.value is None else f"{one.value:.3f}"
        limits = "" if one.low is None else f" [{one.low:.3f}, {one.high:.3f}]"
        of = f"{score} · {one.key.subject} · {one.key.dataset}"
        click.echo(printed_line(f"{value}{limits}  {out_of(one)}  {of}"))
    click.echo(f"scrutiny report {flags['out']}")
    return 0
