"""``scrutiny train``: word models, parsers and taggers from nothing, with several seeds."""

from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import click

from scrutiny.cli import LazyGroup
from scrutiny.cli.options import (
    DISPLAY,
    Folder,
    dev_share,
    reported,
    several,
    task_of_data,
    whole_numbers,
)
from scrutiny.core.boundary.json_text import json_line
from scrutiny.core.errors import DataError

#: Subcommand and the sentence that ``--help`` shows.
SUBCOMMANDS: Final = {
    "attention": "Train small classifiers with one attention layer from nothing.",
    "convolution": "Train small convolutional networks over words from nothing.",
    "finetune": "Fine-tune encoders on a task with labels: classes, pairs, tags.",
    "linear": "Fit logistic regressions over words to samples of the rows.",
    "pretrain": "Pre-train small BERTs from plain text: masked words and next sentence.",
    "recurrent": "Train small LSTMs or GRUs over words from nothing.",
    "self-attention": "Train small networks of self-attention over words from nothing.",
    "task": "Train small parsers and taggers from nothing, with spaCy.",
}
#: Those of them that train encoders.
_ENCODERS: Final = ("finetune", "pretrain")
#: Where each subcommand is; it is imported when it is called.
TRAININGS: Final = {
    name: f"scrutiny.cli.verbs.train{'_encoders' * (name in _ENCODERS)}:{name.replace('-', '_')}"
    for name in SUBCOMMANDS
}


@click.group(
    "train", cls=LazyGroup, table=SUBCOMMANDS, places=TRAININGS, title="Commands", front="train "
)
def command() -> None:
    """Train models: the same recipe with several seeds."""


#: Add the options of data, seeds and output.
word_options = several(
    click.option("--data", required=True, metavar="STRING", help="Data to train on."),
    click.option("--rows", metavar="FROM:TO", help="Rows of it, such as 0:440."),
    click.option(
        "--dev", default="", metavar="STRING", help="Dev data; default: split off from --data."
    ),
    reported,
    click.option("--seeds", default="1,2,3", show_default=True, metavar="A,B"),
    click.option("--out", required=True, type=Folder(path_type=Path), help="Folder."),
    click.option("--limit", type=click.IntRange(1), help="Number of rows, drawn at random."),
    dev_share,
    click.option("--display", **DISPLAY),
    click.option("--json", "as_json", is_flag=True, help="NDJSON: one model a line."),
)
#: Add the option of the vocabulary.
least_option = click.option(
    "--least", type=click.IntRange(1), help="Minimum frequency of a word; 2."
)


def train_family(recipe: Any, scheme: str, flags: dict[str, Any]) -> int:
    """Train the family of a recipe, and report the results."""
    from scrutiny.cli.progress import progress_of
    from scrutiny.data.dataset import load_dataset
    from scrutiny.training.words.trainers import learned, outcome_of, train_words

    stated = flags.get("task") or _told(flags["data"], recipe)
    task = learned(recipe, stated, what=f"{scheme} models")
    found = train_words(
        load_dataset(flags["data"], task=task, limit=flags["rows"]),
        flags["out"],
        recipe=recipe,
        seeds=whole_numbers("seeds", flags["seeds"]),
        dev=flags["dev"],
        reported=flags["reported"],
        progress=progress_of(flags["display"]),
    )
    for one in found:
        line = json_line({"folder": str(one.folder), **one.record})
        click.echo(line if flags["as_json"] else f"{one.folder}: {outcome_of(one.record)}")
    if not flags["as_json"]:
        click.echo(f"model: {scheme}:{flags['out']}/seed-{{seed}}")
    return 0


def _told(data: str, recipe: Any) -> str:
    """Task that a data string tells, if the recipe learns it; none where it learns one alone."""
    from scrutiny.data.opening import open_data

    if len(recipe.tasks) > 1:
        with suppress(DataError):  # told when the data are read for the usual task
            task = open_data(data).task.name
            return task if task in recipe.tasks else ""
    return ""


def given_options(flags: dict[str, Any], recipe: Any) -> dict[str, Any]:
    """Options of a training command that were given, among the fields of a recipe."""
    names = {one.name for one in fields(recipe)}
    return {name: v for name, v in flags.items() if name in names and v is not None}


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
def attention(**flags: Any) -> int:
    r"""Train classifiers with one attention layer, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train attention --out runs/attention --encoder projection \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.attention_classifier import Architecture
    from scrutiny.training.words.network_recipes import AttentionRecipe

    architecture = Architecture(**given_options(flags, Architecture))
    recipe = AttentionRecipe(architecture, **given_options(flags, AttentionRecipe))
    return train_family(recipe, "attention-classifier", flags)


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
def linear(**flags: Any) -> int:
    r"""Fit logistic regressions over words, one for each seed.

    The fit has one optimum, so the seed draws the rows that it is fitted to. Needs scikit-learn;
    the models are integers and need nothing.

    \b
    scrutiny train linear --out runs/words \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.training.words.linear import LinearRecipe

    return train_family(LinearRecipe(**given_options(flags, LinearRecipe)), "linear", flags)


#: Add the options of networks that read words in their context.
network_options = several(
    word_options,
    least_option,
    task_of_data,
    click.option(
        "--pooling", type=click.Choice(["last", "max", "mean"]), help="Pooling; default: max."
    ),
    click.option("--embedding", type=click.IntRange(1), help="Dimension of word vectors; 100."),
    click.option("--layers", type=click.IntRange(1), help="Number of layers; default: 1."),
    click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 6."),
    click.option("--batch", type=click.IntRange(1), help="Batch size; 64."),
    click.option("--lr", type=float, help="Learning rate; 0.001."),
    click.option("--dropout", type=float, help="Dropout of word and text vectors; 0.3."),
)


@click.command("convolution")
@network_options
@click.option("--hidden", type=click.IntRange(1), help="Dimension of the vectors; 100.")
@click.option("--width", type=click.IntRange(1), help="Words that a convolution sees, odd; 3.")
def convolution(**flags: Any) -> int:
    r"""Train convolutional networks over words, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train convolution --out runs/cnn \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.convolution_classifier import ConvolutionArchitecture
    from scrutiny.training.words.network_recipes import ConvolutionRecipe

    architecture = ConvolutionArchitecture(**given_options(flags, ConvolutionArchitecture))
    recipe = ConvolutionRecipe(architecture, **given_options(flags, ConvolutionRecipe))
    return train_family(recipe, "convolution", flags)


@click.command("recurrent")
@network_options
@click.option(
    "--cell", type=click.Choice(["lstm", "gru"]), help="Type of the network; default: lstm."
)
@click.option("--hidden", type=click.IntRange(1), help="Dimension of each direction; 100.")
@click.option(
    "--one-way", "is_bidirectional", flag_value=False, default=None, help="Forward direction only."
)
def recurrent(**flags: Any) -> int:
    r"""Train small LSTMs or GRUs over words, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train recurrent --out runs/lstm \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.recurrent_classifier import RecurrentArchitecture
    from scrutiny.training.words.network_recipes import RecurrentRecipe

    architecture = RecurrentArchitecture(**given_options(flags, RecurrentArchitecture))
    return train_family(
        RecurrentRecipe(architecture, **given_options(flags, RecurrentRecipe)), "recurrent", flags
    )


@click.command("self-attention")
@network_options
@click.option("--heads", type=click.IntRange(1), help="Heads of a layer; 4.")
@click.option("--hidden", type=click.IntRange(1), help="Dimension of the feed-forward part; 100.")
def self_attention(**flags: Any) -> int:
    r"""Train networks of self-attention over words, one for each seed.

    The epoch with the best dev score is kept.

    \b
    scrutiny train self-attention --out runs/attention \
        --data "tsv:train.tsv#text=sentence,label=label"
    """
    from scrutiny.models.words.self_attention_classifier import SelfAttentionArchitecture
    from scrutiny.training.words.network_recipes import SelfAttentionRecipe

    architecture = SelfAttentionArchitecture(**given_options(flags, SelfAttentionArchitecture))
    recipe = SelfAttentionRecipe(architecture, **given_options(flags, SelfAttentionRecipe))
    return train_family(recipe, "self-attention", flags)


@click.command("task")
@word_options
@click.option("--width", type=click.IntRange(1), help="Dimension of words' vectors; 96.")
@click.option("--depth", type=click.IntRange(1), help="Number of convolutions over words; 4.")
@click.option("--hidden", type=click.IntRange(1), help="Dimension of the parser's layer; 64.")
@click.option("--epochs", type=click.IntRange(1), help="Number of epochs; 8.")
@click.option("--batch", type=click.IntRange(1), help="Sentences of a step; 16.")
@click.option("--lr", type=float, help="Learning rate; 0.001.")
@click.option("--dropout", type=float, help="Dropout; 0.2.")
def task(**flags: Any) -> int:
    r"""Train small parsers and taggers with spaCy, one for each seed.

    For data with heads, relations and parts of speech (CoNLL-U). The epoch with the best dev score
    (LAS: words whose head and relation are right) is kept.

    \b
    scrutiny train task --out runs/parser --limit 4000 --data conllu:train.conllu
    """
    from scrutiny.training.words.parser import ParserRecipe

    return train_family(ParserRecipe(**given_options(flags, ParserRecipe)), "spacy", flags)
