"""``scrutiny cache``: the cached answers of models."""

import json
import sys
from contextlib import closing

import click

from scrutiny.core.errors import PlanError
from scrutiny.store.cache_folders import cache_file


@click.group("cache")
def command() -> None:
    """Show the answer cache, or clear it."""


@command.command("ls")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def _ls(*, as_json: bool) -> int:
    """Print where the cache is and what it contains."""
    from scrutiny.store.answers import AnswerCache

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


@command.command("clear")
@click.option("--yes", is_flag=True, help="Confirm the action without prompting.")
def _clear(*, yes: bool) -> int:
    """Delete all cached answers."""
    if not yes:
        _must_be_meant()
    from scrutiny.store.answers import AnswerCache

    path = cache_file()
    if not path.is_file():
        click.echo(f"{path}: empty")
        return 0
    with closing(AnswerCache(path)) as cache:
        count = cache.clear()
    click.echo(f"{path}: {count:,} answers forgotten")
    return 0


def _must_be_meant() -> None:
    """Ask whether all answers should be deleted.

    Raises
    ------
    PlanError
        If there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise PlanError(
            "Forgetting every answer is asked about first, and standard input is no terminal: add "
            "--yes. The answers would have to be asked again."
        )
    click.confirm("Forget every answer? They would have to be asked again", abort=True)
