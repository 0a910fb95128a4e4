"""Gold entities of real, noisy text under every transformation that keeps labels."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scrutiny.core.example import Example, Span
from scrutiny.core.facts import SPANS
from scrutiny.data.dataset import Dataset, load_dataset
from scrutiny.diagnostics.robustness.robustness_recipes import RobustnessParams
from scrutiny.perturb.engine.apply import Setting
from scrutiny.perturb.engine.batch import perturb_stream
from scrutiny.perturb.engine.recipe import Recipe
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

RECIPES = [
    recipe
    for recipe in RobustnessParams().recipes(load_task("token-tagging"), frozenset({"en"}))
    if recipe.effect(SPANS) == "keeps"
]


@pytest.fixture(scope="module")
def comments() -> Callable[[Path], Dataset]:
    found: dict[Path, Dataset] = {}

    def load(folder: Path) -> Dataset:
        if folder not in found:
            found[folder] = load_dataset(f"conll:{folder / 'emerging.dev.conll'}")
        return found[folder]

    return load


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda r: r.name)
def test_entities_outside_edits_stay_and_neighbors_stay_apart(
    recipe: Recipe,
    shared_data: Callable[[str], Path],
    comments: Callable[[Path], Dataset],
) -> None:
    data = comments(shared_data("wnut17"))
    setting = Setting(seed=0, facts=SPANS)
    kept = neighbors = 0
    for example, (variant,) in perturb_stream(data.examples, [recipe], setting):
        if variant.status != "ok":
            continue
        after = apply_edits(example, variant.edits)
        gold, new = spans(example), spans(after)
        assert [s.label for s in new] == [s.label for s in gold]
        for old, moved in zip(gold, new, strict=True):
            if not any(e.start < old.end and old.start < e.end for e in variant.edits):
                inside = [e for e in variant.edits if e.inside and old.start <= e.start <= old.end]
                assert not inside
                assert text_of(after, moved) == text_of(example, old)
                kept += 1
        for (_, left), (_, right) in zip(
            zip(gold, new, strict=True), list(zip(gold, new, strict=True))[1:], strict=False
        ):
            assert left.end <= right.start
            neighbors += 1
    if recipe.name not in {"word_case@1", "number_swap@1"}:
        assert kept > 20
    assert neighbors > 0 or kept < 100


def spans(example: Example) -> list[Span]:
    assert isinstance(example.gold, tuple)
    return list(example.gold)


def text_of(example: Example, span: Span) -> str:
    return example.fields[span.field][span.start : span.end]
