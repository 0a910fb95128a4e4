"""The table of transformations by task: what its page shows is what the data give."""

import re
import runpy
from collections import Counter
from itertools import takewhile
from pathlib import Path

import pytest

from scrutiny.core.example import Example, Span
from scrutiny.core.languages import speaks
from scrutiny.core.plugin_base import without_versions
from scrutiny.core.registry import registry
from scrutiny.data.dataset import load_dataset
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.tasks.tasks import load_task

ROOT = Path(__file__).parents[3]
TOOL = runpy.run_path(str(ROOT / "tools" / "transformation_table.py"))
PAGE = ROOT / "docs" / "transformations-by-task.md"
CLASSES = runpy.run_path(str(ROOT / "tools" / "textflint_classes.py"))
# How many classes TextFlint 0.1.0 has for each task, and for Chinese ones.
TEXTFLINT = {"ABSA": 3, "COREF": 6, "CWS": 7, "DP": 2, "MRC": 4, "NER": 3, "NLI": 4, "NMT": 3}
TEXTFLINT |= {"POS": 2, "RE": 5, "SA": 3, "SM": 3, "WSC": 4, "WSD": 1}
CHINESE = {"UTCN": 15, "MRCCN": 3, "NERCN": 3, "SACN": 3, "SMCN": 3}
CELL = re.compile(r"|0|refused|\d+\.\d( / (–|\d+\.\d))?")
LEAST = {"insert_adverb": 95.0, "contraction": 95.0, "delete_word": 95.0, "reverse_negation": 95.0}
# the tags that the data state are not always those of the tagger, which a bare text has
LEAST |= {"ambiguous_word": 90.0, "prefix_swap": 90.0, "double_denial": 90.0}


def rows():
    """Cells of each transformation, by column."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| transformation |"))
    own = takewhile(lambda line: line[:1] == "|", lines[start:])
    header, _, *table = [[cell.strip() for cell in line[1:-1].split("|")] for line in own]
    return {cells[0]: dict(zip(header[1:], cells[1:], strict=True)) for cells in table}


def test_the_table_has_every_transformation_and_every_task():
    shown = rows()
    names = [without_versions(name) for name in registry().names("transformation")]
    missing = sorted({*names} ^ {name.rstrip("*") for name in shown})
    assert not missing, (
        f"{PAGE.relative_to(ROOT)}: add the rows that `python tools/transformation_table.py "
        f"{' '.join(missing)}` prints, or take out those of names that are gone"
    )
    assert [*shown] == sorted(shown, key=lambda name: name.rstrip("*"))
    for name, cells in shown.items():
        recipe = parse_recipe(name.rstrip("*"))
        assert name.endswith("*") == TOOL["is_slow"](recipe)
        assert [*cells] == [*(column.title for column in TOOL["COLUMNS"]), "lost"]
        for column in TOOL["COLUMNS"]:
            cell = cells[column.title]
            assert CELL.fullmatch(cell), (name, cell)
            is_known = recipe.is_scored(load_task(column.task).facts) and recipe.keeps(column.layer)
            assert cell == "" or (cell == "refused") != TOOL["suits"](recipe, column.task)
            assert cell in ("", "0", "refused") or cell.endswith("–") != is_known, (
                name,
                column.title,
            )


def test_trees_outlive_what_replaces_words():
    for name, cells in rows().items():
        changed, _, carried = cells["arcs"].partition(" / ")
        if carried not in ("", "–"):
            assert float(carried) >= LEAST.get(name, 99.0), (name, changed)


@pytest.mark.data("sst2", "wnut17", "ud_pud")
def test_rows_are_what_the_data_give(shared_data):
    """Two rows of the page, made again from the data of three tasks."""
    home = shared_data("sst2").parent
    shown, recipes = rows(), [parse_recipe(name) for name in ("contraction", "number_swap")]
    for column in TOOL["COLUMNS"]:
        if column.task not in ("text-classification", "token-tagging", "translation"):
            continue
        examples = load_dataset(column.data.format(home)).examples
        for name, one in TOOL["found"](column.task, examples, recipes, {}).items():
            is_known = parse_recipe(name).is_scored(load_task(column.task).facts)
            cell = shown[without_versions(name)][column.title]
            assert one.cell(is_known=is_known) == cell, (name, column.title)


def test_what_goes_by_the_answer_alone_is_counted_with_it():
    gold = (Span("text", 0, 4, "LOC"),)
    items = [Example(str(i), {"text": f"Rome is {i} ."}, gold) for i in range(3)]
    items.append(Example("x", {"text": "It rained ."}, ()))
    people = [Example("y", {"text": "Ada Lovelace sang ."}, (Span("text", 0, 12, "PER"),))]
    recipe = parse_recipe("entity_type_swap")
    (found,) = TOOL["found"]("token-tagging", [*items, *people], [recipe], {}).values()
    assert (found.n, found.changed, found.carried) == (5, 4, 4)


def shown_coverage():
    """Rows of the table of classes of TextFlint, as cells."""
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    lines = page.partition("| class of TextFlint |")[2].splitlines()[2:]
    own = takewhile(lambda line: line[:1] == "|", lines)
    return [[c.strip() for c in line[1:-1].split("|")] for line in own]


def test_each_class_of_textflint_has_a_recipe_or_says_that_it_has_none():
    classes, missing = CLASSES["TASKS"], CLASSES["MISSING"]
    rows, fit = shown_coverage(), CLASSES["fit_shares"]()
    assert [cells[:3] for cells in rows[len(classes) :]] == [
        [names, "none", why] for names, why in missing.items()
    ]
    assert len({one.name for one in classes}) == len({one.recipe for one in classes})
    for cells, one in zip(rows, classes, strict=False):
        assert cells[:3] == [one.name, f"`{one.recipe}`", ", ".join(one.data)]
        if one.recipe.startswith("--suite "):
            pairs = load_dataset(one.recipe.removeprefix("--suite ")).examples
            assert one.data[0].startswith(f"{len(pairs)} pairs"), one.name
            continue
        facts = [load_task(CLASSES["DATA"][data][0]).facts for data in one.data]
        made = parse_recipe(one.recipe)
        effects = {made.effect(of) for of in facts}
        assert effects == {cells[4].partition(": ")[0]}, one.name
        assert cells[4:] == [CLASSES["effect_on"](one), fit.get(one.recipe, "not read")]
        assert len(cells[3].split(", ")) == len(one.data), one.name
        share = fit.get(one.recipe, "100").partition(",")[0]
        assert int(share) >= 85 or not made.is_default, one.recipe


def test_no_class_of_textflint_is_left_out_or_named_twice():
    named = Counter[str]()
    for name in {one.name.partition(", ")[0] for one in CLASSES["TASKS"]} | {*CLASSES["MISSING"]}:
        named[name.split()[0]] += len(name.split(", "))
    assert named == TEXTFLINT
    others = Counter[str]()
    for name in CLASSES["CHINESE"]:
        others[name.split()[0]] += len(name.split(", "))
    assert others == CHINESE
    assert sum([*TEXTFLINT.values(), *CHINESE.values(), len(CLASSES["UNIVERSAL"])]) == 97


def test_the_other_classes_have_a_recipe_or_a_reason():
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert page.rstrip("\n").endswith("\n".join(CLASSES["rows_of_others"]()))
    english = [parse_recipe(recipe) for recipe in CLASSES["UNIVERSAL"].values()]
    assert all(speaks(one.languages, "en") for one in english)
    said = [re.findall("`([a-z_]+)`", one) for one in CLASSES["CHINESE"].values()]
    chinese = [parse_recipe(recipe) for recipes in said for recipe in recipes]
    assert len(chinese) == 5
    assert all(speaks(one.languages, "zh") for one in chinese)


@pytest.mark.data("sst2", "wnut17")
@pytest.mark.usefixtures("shared")
def test_what_the_table_says_is_what_the_data_give():
    for cells in shown_coverage():
        recipe, data = cells[1].strip("`"), cells[2].split(", ")[0]
        if recipe.startswith(("double_denial", "known_name", "entity_type")):
            share = CLASSES["changed_share"](recipe, data)
            assert f"{share:.1f}" == cells[3].split(", ")[0], recipe
