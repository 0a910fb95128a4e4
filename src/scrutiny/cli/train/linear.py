"""``scrutiny train linear``: logistic regressions over words, each fitted to a sample of rows."""

from typing import Any

import click

from scrutiny.cli.train.words import given_options, least_option, train, word_options

_OWN = ("draw", "share", "strength", "has_pairs", "limit", "dev_share", "least")


@click.command("linear")
@word_options
@least_option
@click.option(
    "--draw",
    type=click.Choice(["bootstrap", "subsample"]),
    help="How each seed draws its training rows.",
)
@click.option("--share", type=float, help="Share of the rows in a subsample; 0.8.")
@click.option("--strength", type=float, help="Inverse of the L2 penalty; 1.")
@click.option(
    "--pairs", "has_pairs", is_flag=True, default=None, help="Also use pairs of adjacent words."
)
def command(**flags: Any) -> int:
    r"""Fit logistic regressions over words, one for each seed.

    The fit has one optimum, so the seed draws the rows that it is fitted to. Needs scikit-learn;
    the models are integers and need nothing.

    \b
    scrutiny train linear --out runs/words \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.training.words.linear import LinearRecipe

    return train(LinearRecipe(**given_options(flags, _OWN)), "linear", flags)
