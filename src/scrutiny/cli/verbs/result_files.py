"""``scrutiny doctor`` of a file of results or a run: what it supports."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from scrutiny.cli.output import hanging
from scrutiny.core.boundary.printable import printable

if TYPE_CHECKING:
    from scrutiny.run.importing.supported import Support

_COLUMNS: Final = (15, 9)  # of a name and of its state


def is_result_file(given: str) -> bool:
    """Whether an argument of the doctor is a file, a folder or a pattern, and no endpoint.

    Examples
    --------
    >>> is_result_file("http://localhost:8000/v1#api=chat"), is_result_file("scores.csv#score=acc")
    (False, True)
    """
    place = given.partition("#")[0]
    return Path(place).expanduser().exists() or ":" not in place


def examine_file(given: str, *, as_json: bool) -> int:
    """Print what a file of results or a run supports; exit code 0.

    Parameters
    ----------
    given
        Path of a log, a table of scores or a run folder; options behind ``#`` are of a table.
    as_json
        Whether to print one JSON object.

    Raises
    ------
    DataError
        If it cannot be read as any of these.
    """
    from scrutiny.core.errors import DataError
    from scrutiny.models.strings.model_strings import captures
    from scrutiny.run.importing.import_logs import ImportOptions, import_logs, tool_of
    from scrutiny.run.importing.supported import supports
    from scrutiny.store.run_folder import RunFolder

    is_run = (Path(given).expanduser() / "manifest.json").is_file()
    tool = None if is_run else tool_of(given)
    if not is_run and tool is None:
        place = given.partition("#")[0]
        if not Path(place).expanduser().exists() and not captures(place):
            raise DataError(
                f"There is no {place!r}: give a file of results, a run folder, or an endpoint "
                "(http://host/v1#api=chat)."
            )
        raise DataError(
            f"{given!r} is neither a run folder nor results that are known: logs of lm-eval "
            "(samples_*.jsonl, written with --log_samples), inspect (.eval, .json), promptfoo and "
            "deepeval (.json), Every Eval Ever (_samples.jsonl), or a table of scores (CSV, TSV, "
            "JSON, JSON lines, Parquet, Excel). "
            "An endpoint begins with http:."
        )
    with TemporaryDirectory(prefix="scrutiny-doctor-") as kept:
        if tool is None:
            folder = RunFolder.open(Path(given).expanduser())
        else:
            options = ImportOptions(is_estimated=False)
            folder = import_logs(tool, [given], Path(kept) / "run", options=options)
        found, manifest = supports(folder), folder.manifest
    what = _called(given, tool, manifest)
    works = _works(given, tool, found)
    if as_json:
        plain = [one.plain() for one in found]
        click.echo(json.dumps({"is": what, "supports": plain, "works": [*works]}))
        return 0
    _print(what, manifest, found, works)
    return 0


def _called(given: str, tool: str | None, manifest: Mapping[str, Any]) -> str:
    """Kind of a result file or run, as the first sentence of its report."""
    name = given.partition("#")[0]
    if tool is None:
        by = manifest.get("imported")
        return f"{name} is a run folder{f', imported from {by}' if by else ''}."
    return f"{name} is {'a table of scores' if tool == 'table' else f'a log of {tool}'}."


def _works(given: str, tool: str | None, found: Sequence["Support"]) -> dict[str, str]:
    """Commands that work on it, each with what it can say."""
    there = {one.check: one.state != "missing" for one in found}
    if not there["scores"]:
        return {}
    path = f'"{given}"' if "#" in given or " " in given else given
    said = ["paired difference", "flips"]
    said += ["noise floor"] * there["repeats"]
    said += ["slices"] * (there["texts"] or there["groups"])
    said += ["agreement"] * there["answers"] + ["distances"] * there["probabilities"]
    first = f"scrutiny compare {path} OTHER --margin 0.02"
    if tool is None:
        return {first: ", ".join(said), f"scrutiny report {path}": "all numbers, with intervals"}
    return {
        first: ", ".join(said),
        f"scrutiny import {tool} {path} -o runs/v1": "then report, and gate by a rule",
    }


def _print(
    what: str, manifest: Mapping[str, Any], found: Sequence["Support"], works: Mapping[str, str]
) -> None:
    """Table of what is there, then what works, then what would unlock more."""
    for sentence in (what, *manifest.get("read_as", ())):
        click.echo("\n".join(hanging(printable(sentence))))
    click.echo("")
    for one in found:
        head = f"{one.check:<{_COLUMNS[0]}}{one.state:<{_COLUMNS[1]}}"
        click.echo("\n".join(hanging(printable(one.says), head)))
    if works:
        click.echo("\nworks now")
    for command, says in works.items():
        click.echo(f"  {printable(command)}")
        click.echo("\n".join(hanging(says, "    ")))
    more = [one for one in found if one.unlocks]
    if more:
        click.echo("\nwould unlock more")
    for one in more:
        click.echo("\n".join(hanging(one.unlocks, f"  {one.check:<{_COLUMNS[0]}}")))
