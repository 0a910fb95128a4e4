"""``scrutiny train attention``: classifiers with one attention layer, trained from scratch."""

from typing import Any

import click

from scrutiny.cli.train.words import given_options, least_option, train, word_options

_OF_NETWORK = ("encoder", "attention", "embedding", "hidden")
_OWN = ("epochs", "lr", "limit", "dev_share", "least")


@click.command("attention")
@word_options
@least_option
@click.option("--encoder", type=click.Choice(["bilstm", "projection", "conv"]), help="bilstm.")
@click.option(
    "--attention", type=click.Choice(["tanh", "dot"]), help="Type of attention; default: tanh."
)
@click.option("--embedding", type=click.IntRange(1), help="Dimension of word vectors; 64.")
@click.option("--hidden", type=click.IntRange(2), help="Dimension of the encoder; 64.")
@click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 12.")
@click.option("--lr", type=float, help="Learning rate; 0.001.")
def command(**flags: Any) -> int:
    r"""Train classifiers with one attention layer, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train attention --out runs/attention --encoder projection \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.attention_network import Architecture
    from scrutiny.training.words.attention_recipe import AttentionRecipe

    architecture = Architecture(**given_options(flags, _OF_NETWORK))
    recipe = AttentionRecipe(architecture, **given_options(flags, _OWN))
    return train(recipe, "attention-classifier", flags)
