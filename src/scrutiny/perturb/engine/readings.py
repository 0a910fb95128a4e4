"""How many changed texts of a recipe were read, and how many of them kept their right answer."""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

from scrutiny.perturb.engine.recipe import Recipe


class BlindReading(NamedTuple):
    """Changed texts that were read without knowing the change, and how many of them were fit."""

    read: int = 0
    fit: int = 0


def reading_of(recipe: Recipe) -> BlindReading:
    """BlindReading of a recipe as it is written; nothing where it was not read in this form.

    Other parameters may change other texts, and several changes at once more of one text: they have
    readings of their own, or none.

    Examples
    --------
    >>> from scrutiny.perturb.engine.recipe import parse_recipe
    >>> reading_of(parse_recipe("typos")), reading_of(parse_recipe("typos(share=1)"))
    (BlindReading(read=100, fit=100), BlindReading(read=0, fit=0))
    """
    return _readings().get(recipe.name, BlindReading())


@cache
def _readings() -> dict[str, BlindReading]:
    text = (files("scrutiny.perturb.engine") / "readings.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {recipe: BlindReading(int(read), int(fit)) for recipe, read, fit in rows}
