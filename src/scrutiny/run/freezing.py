"""Freezing: the changed texts of a run as a suite, which any model can be measured on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow.compute as pc

from scrutiny.core.boundary.listing import in_all
from scrutiny.core.edit import Edit, Variant
from scrutiny.core.errors import DataError, PlanError, UnknownNameError
from scrutiny.core.estimate import says
from scrutiny.core.example import Example
from scrutiny.core.plan import DataPlan
from scrutiny.core.plugin import title_of, without_versions
from scrutiny.core.suites.case import Case
from scrutiny.core.task import Task
from scrutiny.data.dataset import load_dataset
from scrutiny.parts.run.view import Found
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.recipes.attack import parse_attack
from scrutiny.store.blocks import variants_of
from scrutiny.store.edits import edits_json
from scrutiny.store.portable import located
from scrutiny.store.run_folder import RunFolder
from scrutiny.tasks.names import load_task
from scrutiny.text.edits.apply import apply_edits

_NOT_FOUND: Final = "search_found_nothing"


def frozen(
    folder: RunFolder, found: Iterable[Found], *, data: str = "", changes: Sequence[str] = ()
) -> tuple[str, list[Example]]:
    """Task and items of a suite: those of a run, and a case for each of their changed texts.

    What was made before the run asked a model (changes, and the random changes beside them) expects
    the gold answer where it is known, and the same answer elsewhere. What a search found for one
    replicate expects that a right answer stays right; a search that found nothing is a case, too,
    which is not asked.

    Parameters
    ----------
    folder
        The run.
    found
        Texts that its searches ended with.
    data
        Name of one of its datasets; needed where it has several.
    changes
        Names of changes and attacks, with or without versions; all of them by default.

    Raises
    ------
    PlanError
        If the run changed no texts, or measured several datasets and none is named.
    UnknownNameError
        If it has no such dataset or change.
    DataError
        If its data has changed, or is not where it was.
    """
    plan = _data_of(folder, data)
    examples = _examples(folder, plan)
    task = load_task(folder.manifest["data"][plan.name]["task"])
    table = folder.variants()
    made = variants_of(table.filter(pc.equal(table["dataset"], plan.name)))
    variants = [variant for several in made.values() for variant in several]
    searched = [one for one in found if one.dataset == plan.name]
    known = {v.recipe for v in variants} | {one.change for one in searched}
    if not known:
        raise PlanError(
            f"{folder.path} has no changed texts of {plan.name!r} that could be frozen: run "
            "robustness or attack first."
        )
    lost = next((name for name in changes if not any(says(one, name) for one in known)), None)
    if lost is not None:
        raise UnknownNameError("change in this run", lost, map(without_versions, known))

    def is_wanted(recipe: str) -> bool:
        return not changes or any(says(recipe, name) for name in changes)

    cases = [
        *_of_variants([v for v in variants if is_wanted(v.recipe)], examples, task),
        *_of_searches([one for one in searched if is_wanted(one.change)], examples),
    ]
    bases = dict.fromkeys(one.case.of for one in cases if one.case is not None)
    return task.name, [*(examples[name] for name in bases), *cases]


def _data_of(folder: RunFolder, name: str) -> DataPlan:
    """Data of a run: the one that is named, or its only one."""
    plans = {one["name"]: DataPlan(**one) for one in folder.manifest["plan"]["data"]}
    if name and name not in plans:
        raise UnknownNameError("dataset in this run", name, plans)
    if not name and len(plans) > 1:
        raise PlanError(
            f"{folder.path} measured {len(plans)} datasets ({in_all(list(plans), 6)}), and a suite "
            "is of one: name it with --data."
        )
    return plans[name or next(iter(plans))]


def _examples(folder: RunFolder, plan: DataPlan) -> Mapping[str, Example]:
    """Items of a run by name, as its data has them today.

    Raises
    ------
    DataError
        If they are others.
    """
    source = located(plan.source, folder.path)
    data = load_dataset(source, task=plan.task or None, limit=plan.limit)
    if data.fingerprint != folder.manifest["data"][plan.name]["fingerprint"]:
        raise DataError(
            f"{source} has changed since {folder.path} measured it, so the changes do not fit its "
            "texts any more. Freeze the suite from a run on the data as it is now."
        )
    return {example.id: example for example in data.examples}


def _of_variants(
    variants: Sequence[Variant], examples: Mapping[str, Example], task: Task
) -> Iterator[Example]:
    """Cases of texts that were made before a model was asked."""
    for variant in variants:
        base = examples[variant.item]
        recipe = parse_recipe(variant.recipe)
        is_made, is_known = variant.status == "ok", recipe.is_scored(task.facts)
        yield replace(
            apply_edits(base, variant.edits) if is_made else base,
            id=f"{variant.name}/{base.id}",
            gold=(variant.gold if is_made else base.gold) if is_known else None,
            case=Case(
                "gold" if is_known else "same",
                recipe.title,
                of=base.id,
                role="control" if variant.role == "control" else "measured",
                twin_of=f"{variant.control_of}/{base.id}" if variant.control_of else "",
                edits=edits_json(variant.edits),
                draw=variant.draw,
                status=variant.status,
                reason=variant.reason or "",
            ),
        )


def _of_searches(found: Sequence[Found], examples: Mapping[str, Example]) -> Iterator[Example]:
    """Cases of texts that searches ended with, each for one replicate."""
    reached = {_name_of(one) for one in found if one.role == "measured"}
    for one in found:
        name = _name_of(one)
        if one.role == "control" and name not in reached:
            continue  # the search itself ended without a text
        base = examples[one.item]
        edits = [Edit(*edit[:4]) for edit in one.edits]
        asked = one.is_success or one.role == "control"
        yield replace(
            apply_edits(base, edits) if asked else base,
            id=f"{name}/control" if one.role == "control" else name,
            case=Case(
                "stays_right",
                title_of(parse_attack(one.change), without_versions(one.change)),
                of=base.id,
                role="control" if one.role == "control" else "measured",
                twin_of=name if one.role == "control" else "",
                edits=edits_json(edits),
                draw=one.draw,
                made_for=" ".join(filter(None, (one.model, one.replicate))),
                status="ok" if asked else "skipped",
                reason="" if asked else _NOT_FOUND,
                facts=dict(one.facts),
            ),
        )


def _name_of(one: Found) -> str:
    """Name of a search's case: what it was searched with, on which item, for which replicate."""
    parts: tuple[Any, ...] = (one.change, one.draw, one.item, one.model, one.replicate or "")
    return "/".join(map(str, parts))
