"""``scrutiny train task``: small parsers and taggers, trained on annotated sentences."""

from typing import Any

import click

from scrutiny.cli.train.words import given_options, train, word_options

_OWN = ("width", "depth", "hidden", "epochs", "batch", "lr", "dropout", "limit", "dev_share")


@click.command("task")
@word_options
@click.option("--width", type=click.IntRange(1), help="Dimension of words' vectors; 96.")
@click.option("--depth", type=click.IntRange(1), help="Number of convolutions over words; 4.")
@click.option("--hidden", type=click.IntRange(1), help="Dimension of the parser's layer; 64.")
@click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 8.")
@click.option("--batch", type=click.IntRange(1), help="Sentences of a step; 16.")
@click.option("--lr", type=float, help="Learning rate; 0.001.")
@click.option("--dropout", type=float, help="Dropout; 0.2.")
def command(**flags: Any) -> int:
    r"""Train small parsers and taggers with spaCy, one for each seed.

    For data with heads, relations and parts of speech (CoNLL-U). The epoch with the best dev score
    (LAS: words whose head and relation are right) is kept.

    \b
    scrutiny train task --out runs/parser --limit 4000 --data conllu:train.conllu
    """
    from scrutiny.training.words.parser import ParserRecipe

    return train(ParserRecipe(**given_options(flags, _OWN)), "spacy", flags)
