"""``scrutiny cache``: the answers that models gave."""

import click

from scrutiny.cli.options import cache_file


@click.group("cache")
def command() -> None:
    """Look at the answer cache, or clear it."""


@command.command("ls")
def ls() -> int:
    """Print where the cache is and what it holds."""
    from scrutiny.store.answers import AnswerCache

    path = cache_file()
    if not path.is_file():
        click.echo(f"{path}: empty")
        return 0
    cache = AnswerCache(path)
    count, size = cache.size()
    cache.close()
    click.echo(f"{path}: {count:,} answers, {size / 1e6:,.1f} MB")
    return 0


@command.command("clear")
@click.confirmation_option(prompt="Forget every answer? They would have to be asked again")
def clear() -> int:
    """Forget all answers."""
    from scrutiny.store.answers import AnswerCache

    path = cache_file()
    if not path.is_file():
        click.echo(f"{path}: empty")
        return 0
    cache = AnswerCache(path)
    count = cache.clear()
    cache.close()
    click.echo(f"{path}: {count:,} answers forgotten")
    return 0
