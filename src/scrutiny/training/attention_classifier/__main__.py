"""``python -m scrutiny.training.attention_classifier``: a family from a data string.

::

    python -m scrutiny.training.attention_classifier --data "tsv:train.tsv#text=text,label=label" \
        --out runs/attention --seeds 1,2,3 --encoder bilstm --attention tanh
"""

from pathlib import Path
from typing import Any, get_args

import click

from scrutiny.core.errors import ScrutinyError
from scrutiny.models.words.attention_network import Architecture, AttentionName, EncoderName
from scrutiny.training.attention_classifier.recipe import AttentionRecipe, train_family
from scrutiny.training.words.job import SEEDS

_DEFAULT = AttentionRecipe()


@click.command()
@click.option("--data", required=True, metavar="STRING", help="Data string to train on.")
@click.option("--rows", metavar="FROM:TO", help="Rows of it, such as 0:440; all by default.")
@click.option("--dev", default="", metavar="STRING", help="To choose the epoch by; else split off.")
@click.option("--reported", multiple=True, metavar="STRING", help="Data to be reported on.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the family.")
@click.option("--seeds", default=",".join(map(str, SEEDS)), show_default=True, metavar="A,B")
@click.option("--encoder", type=click.Choice(get_args(EncoderName)), default="bilstm")
@click.option("--attention", type=click.Choice(get_args(AttentionName)), default="tanh")
@click.option("--embedding", type=int, default=64, help="Dimension of a word; 64.")
@click.option("--hidden", type=int, default=64, help="Dimension of the encoder; 64.")
@click.option("--epochs", type=int, default=_DEFAULT.epochs, help="Passes over the data; 12.")
@click.option("--lr", type=float, default=_DEFAULT.lr, help="Learning rate; 0.001.")
def command(**given: Any) -> None:
    """Train classifiers with one layer of attention, one for each seed."""
    try:
        _train(given)
    except ScrutinyError as error:
        raise click.ClickException(str(error)) from error


def _train(given: dict[str, Any]) -> None:
    from scrutiny.data.dataset import load_dataset

    names = ("encoder", "attention", "embedding", "hidden")
    architecture = Architecture(**{name: given[name] for name in names})
    recipe = AttentionRecipe(architecture, epochs=given["epochs"], lr=given["lr"])
    parts = [part.strip() for part in given["seeds"].split(",")]
    if not all(part.isdecimal() for part in parts):
        raise click.BadParameter("whole numbers with commas, 1,2,3", param_hint="--seeds")
    train_family(
        load_dataset(given["data"], limit=given["rows"]),
        given["out"],
        recipe=recipe,
        seeds=[int(part) for part in parts],
        dev=given["dev"],
        reported=given["reported"],
        tell=click.echo,
    )
    click.echo(f"model: attention-classifier:{given['out']}/seed-{{seed}}")


if __name__ == "__main__":
    command()
