"""``scrutiny watch``: whether the model behind an endpoint has changed since a baseline."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.early_checks import OutputFile
from scrutiny.cli.failures import say
from scrutiny.cli.options import load_options, model_options
from scrutiny.cli.output import hanging, narrowed, prints_on_stderr
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.printable import printable
from scrutiny.core.errors import PlanError

if TYPE_CHECKING:
    from scrutiny.run.watching.verdict import Watched

_CODES: Final = {"as before": 0, "changed": 1, "could not find out": 3}
_NAMES: Final = 18  # columns


@click.command("watch")
@click.argument("endpoint")
@click.option(
    "--baseline",
    required=True,
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Finished run of the endpoint as it was.",
)
@click.option(
    "--requests",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    metavar="N",
    help="Requests that are sent at most.",
)
@click.option(
    "--history",
    type=OutputFile(),
    metavar="FILE",
    help="JSONL file that keeps each look; default: beside the baseline.",
)
@click.option("--data", default="", metavar="NAME", help="Dataset, if the baseline has several.")
@click.option("--answers-only", is_flag=True, help="Compare no probabilities.")
@click.option(
    "--level",
    type=click.FloatRange(0.0, 0.2, min_open=True),
    default=0.01,
    show_default=True,
    metavar="P",
    help="Chance of ever a false alarm in one history, however many looks it has.",
)
@model_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def command(endpoint: str, **flags: Any) -> int:
    r"""Ask an endpoint again what a baseline asked, and say whether it has changed.

    \b
    scrutiny audit --model http:endpoint.toml --data csv:dev.csv --out baseline
    scrutiny watch http:endpoint.toml --baseline baseline

    Each call is one look, for a timer: items of the baseline are asked once, and those whose answer
    differs once more. Exit code 0: as before. 1: changed. 3: it could not be found out. 2: a
    mistake in the command.
    """
    from dataclasses import replace

    from scrutiny.models.strings.model_loading import load_model
    from scrutiny.run.watching.baseline import read_baseline
    from scrutiny.run.watching.history import read_history, write_history
    from scrutiny.run.watching.looking import look_at
    from scrutiny.run.watching.verdict import judge, line_of
    from scrutiny.store.run_folder import RunFolder

    folder, answers_only = RunFolder.open(flags["baseline"]), flags["answers_only"]
    baseline = read_baseline(folder, data=flags["data"], answers_only=answers_only)
    options = load_options(flags["device"], flags["batch"], flags["model_settings"])
    with prints_on_stderr():
        model = load_model(endpoint, baseline.task, options)
        if model.n_samples is not None and baseline.by_scores:
            baseline = read_baseline(folder, data=flags["data"], answers_only=True)
        if model.has_stored_answers_only:
            raise PlanError(f"{endpoint!r} has stored answers, which never change: name a model.")
        path = flags["history"] or _beside(folder.path)
        lines = read_history(path, baseline=baseline.run, dataset=baseline.dataset)
        if not lines:
            say(f"Begins a history: {path}")
        look = look_at(
            model,
            baseline,
            requests=flags["requests"],
            retired={item for line in lines for item in line.retired},
            number=len(lines) + 1,
        )
    when = datetime.now(UTC).isoformat(timespec="seconds")
    lines = [*lines, line_of(look, baseline, when=when)]
    found = judge(look, baseline, lines, level=flags["level"])
    lines[-1] = replace(lines[-1], state=found.state)
    write_history(path, lines)
    _print(found, path, as_json=flags["as_json"])
    return _CODES[found.state]


def _beside(run: Path) -> Path:
    """Where the history stands unless it is said: beside the baseline, which is sealed."""
    return run.resolve().with_name(f"{run.resolve().name}-watch.jsonl")


def _print(found: "Watched", path: Path, *, as_json: bool) -> None:
    """Print the sentence, and what it rests on."""
    if as_json:
        given = {"state": found.state, "says": found.says, "history": str(path)}
        click.echo(json_line({**given, **found.numbers}))
        return
    click.echo(narrowed(found.says))
    for name, says in found.details:
        head = f"  {name:<{_NAMES - 2}}"
        click.echo("\n".join(hanging(printable(says), head, indent=" " * _NAMES)))
