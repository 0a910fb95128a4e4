"""``scrutiny train``: training of models, usually with several seeds."""

from typing import Final

import click

from scrutiny.cli.environment import LazyGroup

#: Subcommand and the sentence that ``--help`` shows; the module is ``train/NAME``.
SUBCOMMANDS: Final = {
    "attention": "Train small classifiers with one attention layer from nothing.",
    "finetune": "Fine-tune encoders on a task with labels: classes, pairs, tags.",
    "linear": "Fit logistic regressions over words to samples of the rows.",
    "pretrain": "Pre-train small BERTs from plain text: masked words and next sentence.",
    "recurrent": "Train small LSTMs or GRUs over words from nothing.",
    "task": "Train small parsers and taggers from nothing, with spaCy.",
}


@click.group(
    "train", cls=LazyGroup, table=SUBCOMMANDS, room="train", title="Commands", front="train "
)
def command() -> None:
    """Train models: the same recipe with several seeds."""
