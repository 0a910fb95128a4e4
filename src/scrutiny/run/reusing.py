"""A finished run, used again: its plan for another model, its changed texts as a suite of cases."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pyarrow.compute as pc

from scrutiny.blocks.cases import SearchedText
from scrutiny.core.answers.answer import label_in
from scrutiny.core.boundary.printable import in_all
from scrutiny.core.edit import Edit, Variant
from scrutiny.core.errors import DataError, PlanError, UnknownNameError
from scrutiny.core.estimate import says
from scrutiny.core.example import Case, Example
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.plugin_base import title_of, without_versions
from scrutiny.core.registry import registry
from scrutiny.core.task import Task
from scrutiny.data.dataset import load_dataset
from scrutiny.data.source import handed_over
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.perturb.engine.recipe_syntax import write_value
from scrutiny.perturb.recipes.attack import parse_attack
from scrutiny.store.run_folder import RunFolder
from scrutiny.store.run_tables import variants_of
from scrutiny.store.sealed_manifests import located
from scrutiny.store.stored_forms import edits_json
from scrutiny.tasks.tasks import load_task
from scrutiny.text.edits import apply_edits

_INSTEAD: Final = "name what is measured on which data instead (--data)."


def plan_of_run(
    folder: RunFolder,
    model: ModelPlan,
    *,
    data: Sequence[DataPlan] = (),
    only: Collection[str] = (),
) -> Plan:
    """Plan of a finished run for another model: same data, diagnostics, seed and draws.

    Parameters
    ----------
    folder
        The run.
    model
        The other model.
    data
        Where the run's data lies now, in its order; else where the run read it.
    only
        Versioned names of diagnostics that are wanted; all of the run's that look at one model,
        by default.

    Raises
    ------
    PlanError
        If it cannot be asked again: a log of another tool, a run of several models, data that was
        handed over as an object.
    """
    manifest, name = folder.manifest, str(folder.path)
    if "imported" in manifest:
        raise PlanError(
            f"{name} is a log of another tool, and {model.source!r} is a model: what a log asked "
            f"cannot be asked again. Evaluate the model with that tool, too, or {_INSTEAD}"
        )
    kept = manifest["plan"]
    own = _own_model(kept["models"], name)
    measures = tuple(
        MeasurePlan(**{**as_tuples(one), "models": (model.name,)})
        for one in kept["measure"]
        if own in one["models"] and not one["reference"]
        if not only or registry().resolve("diagnostic", one["diagnostic"]) in only
    )
    if not measures:
        wanted = f" by {', '.join(sorted(only))}" if only else ""
        raise PlanError(
            f"{name} has nothing{wanted} that looks at one model: measure performance of both, or "
            f"{_INSTEAD}"
        )
    return Plan(
        seed=kept["seed"],
        data=_data_again(folder, {one for measure in measures for one in measure.data}, given=data),
        models=(model,),
        measure=measures,
        resampling=Resampling(**kept["resampling"]),
        on_bad_row=kept["on_bad_row"],
    )


def as_tuples(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Part of a plan as a manifest keeps it, with tuples again."""
    return {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}


def _own_model(models: Sequence[Mapping[str, Any]], name: str) -> str:
    """Name of the one model that a run measured, controls aside."""
    measured = [str(one["name"]) for one in models if one["role"] == "measured"]
    if len(measured) == 1:
        return measured[0]
    raise PlanError(
        f"{name} measured {len(measured)} models ({', '.join(measured[:4])}), so it does not say "
        f"which one is meant: add the other model to its plan and run that, or {_INSTEAD}"
    )


def _data_again(
    folder: RunFolder, wanted: Collection[str], *, given: Sequence[DataPlan]
) -> tuple[DataPlan, ...]:
    """Data of the run with these names, from their current location."""
    found = [DataPlan(**one) for one in folder.manifest["plan"]["data"] if one["name"] in wanted]
    if given and len(given) != len(found):
        raise PlanError(
            f"{folder.path} measured on {len(found)} datasets "
            f"({', '.join(d.name for d in found)}), and --data names {len(given)}: name as many, "
            "in this order, or none."
        )
    if given:
        return tuple(
            replace(one, source=own.source, task=own.task or one.task)
            for one, own in zip(found, given, strict=True)
        )
    lost = next((one for one in found if handed_over(one.source)), None)
    if lost is not None:
        raise PlanError(
            f"{folder.path} was given {lost.name!r} as an object in Python, which cannot be read "
            f"again: say where it lies with --data, or {_INSTEAD}"
        )
    return tuple(replace(one, source=located(one.source, folder.path)) for one in found)


_NOT_FOUND: Final = "search_found_nothing"


def frozen(
    folder: RunFolder, found: Iterable[SearchedText], *, data: str = "", changes: Sequence[str] = ()
) -> tuple[str, list[Example]]:
    """Task and items of a suite: those of a run, and a case for each of their changed texts.

    What was made before the run asked a model (changes, and the random changes beside them) expects
    the gold answer where it is known, and the same answer elsewhere. What a search found for one
    replicate expects that a right answer stays right, and what it found because the answer stayed,
    that it does not; a search that found nothing is a case, too, which is not asked.

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
    plan = _only_data_of(folder, data)
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


def _only_data_of(folder: RunFolder, name: str) -> DataPlan:
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


def _of_searches(
    found: Sequence[SearchedText], examples: Mapping[str, Example]
) -> Iterator[Example]:
    """Cases of texts that searches ended with, each for one replicate."""
    reached = {_name_of(one) for one in found if one.role == "measured"}
    for one in found:
        name = _name_of(one)
        if one.role == "control" and name not in reached:
            continue  # the search itself ended without a text
        base, attack = examples[one.item], parse_attack(one.change)
        edits = [Edit(*edit[:4]) for edit in one.edits]
        asked = one.is_success or one.role == "control"
        expected = "stays_right"
        if attack.is_risk and not attack.is_fooling and one.role == "measured":
            if label_in(base.gold) is None:
                continue  # nobody can say what else is right
            expected = f"is_not(label={write_value(base.gold)})"
        yield replace(
            apply_edits(base, edits) if asked else base,
            id=f"{name}/control" if one.role == "control" else name,
            case=Case(
                expected,
                title_of(attack, without_versions(one.change)),
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


def _name_of(one: SearchedText) -> str:
    """Name of a search's case: what it was searched with, on which item, for which replicate."""
    parts: tuple[Any, ...] = (one.change, one.draw, one.item, one.model, one.replicate or "")
    return "/".join(map(str, parts))
