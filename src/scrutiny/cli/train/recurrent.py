"""``scrutiny train recurrent``: LSTMs and GRUs over words, from fresh weights for each seed."""

from typing import Any

import click

from scrutiny.cli.train.words import given_options, least_option, train, word_options

_OF_NETWORK = ("cell", "pooling", "embedding", "hidden", "layers", "is_bidirectional")
_OWN = ("epochs", "batch", "lr", "dropout", "limit", "dev_share", "least")


@click.command("recurrent")
@word_options
@least_option
@click.option(
    "--cell", type=click.Choice(["lstm", "gru"]), help="Type of the network; default: lstm."
)
@click.option(
    "--pooling", type=click.Choice(["last", "max", "mean"]), help="Pooling; default: max."
)
@click.option("--embedding", type=click.IntRange(1), help="Dimension of word vectors; 100.")
@click.option("--hidden", type=click.IntRange(1), help="Dimension of each direction; 100.")
@click.option("--layers", type=click.IntRange(1), help="Number of layers; default: 1.")
@click.option(
    "--one-way", "is_bidirectional", flag_value=False, default=None, help="Forward direction only."
)
@click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 6.")
@click.option("--batch", type=click.IntRange(1), help="Batch size; 64.")
@click.option("--lr", type=float, help="Learning rate; 0.001.")
@click.option("--dropout", type=float, help="Dropout of word and text vectors; 0.3.")
def command(**flags: Any) -> int:
    r"""Train small LSTMs or GRUs over words, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train recurrent --out runs/lstm \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.recurrent_network import RecurrentArchitecture
    from scrutiny.training.words.network_recipe import RecurrentRecipe

    architecture = RecurrentArchitecture(**given_options(flags, _OF_NETWORK))
    return train(RecurrentRecipe(architecture, **given_options(flags, _OWN)), "recurrent", flags)
