"""``scrutiny train``: training of models, usually with several seeds."""

from importlib import import_module
from typing import Final

import click

from scrutiny.cli.environment import prepared

#: Subcommand and the sentence that ``--help`` shows; the module is ``train/NAME``.
SUBCOMMANDS: Final = {
    "attention": "Train small classifiers with one attention layer from nothing.",
    "finetune": "Fine-tune encoders on a task with labels: classes, pairs, tags.",
    "linear": "Fit logistic regressions over words to samples of the rows.",
    "pretrain": "Pre-train small BERTs from plain text: masked words and next sentence.",
    "recurrent": "Train small LSTMs or GRUs over words from nothing.",
}


class Subcommands(click.Group):
    """A group that imports a subcommand when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All subcommands, in table order."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, imported on demand."""
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = import_module(f"scrutiny.cli.train.{cmd_name}").command
        return prepared(command, f"train {cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.group("train", cls=Subcommands)
def command() -> None:
    """Train models: the same recipe with several seeds."""
