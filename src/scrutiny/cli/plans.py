"""Plans from command-line options, and what they would cost."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click

from scrutiny.cli.early_checks import is_plan
from scrutiny.cli.options import named_recipes, once_each, pair_of
from scrutiny.cli.output import narrowed, printed_line, prints_on_stderr
from scrutiny.core.boundary.json_text import json_line, parse_json, plain
from scrutiny.core.errors import PlanError
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan
from scrutiny.core.plugin_base import family_name
from scrutiny.core.registry import registry
from scrutiny.models.prompting.wordings import BUILTIN, read_wordings
from scrutiny.run.budgeting.budget import resolved_within
from scrutiny.run.budgeting.cost import cost_of
from scrutiny.run.planning.audit import WHICH_DATA, audit_plan
from scrutiny.run.planning.audit_profiles import (
    SHIP,
    Profile,
    profile_of,
    read_tolerances,
    with_tolerances,
)
from scrutiny.run.planning.loading import LoadedModels, Opened
from scrutiny.run.planning.plan_file import read_plan
from scrutiny.run.planning.plan_slices import with_slices
from scrutiny.run.planning.resolve import resolve
from scrutiny.run.reusing import plan_of_run
from scrutiny.run.training import with_stand_ins
from scrutiny.store.run_folder import RunFolder

_WORDINGS: Final = "wordings@1"
_NO_PROMPT: Final = (
    "Wordings ask in other words what a prompt asks, and none of these models and data have a "
    "prompt whose answer is a label. Models with one are choice:MODEL, written:MODEL, and models "
    "behind a URL with api=chat or api=completions. Leave --wordings out, or name such a model."
)


def plan_from_flags(flags: Mapping[str, Any]) -> Plan:
    """Plan of a file, of one diagnostic with ``--model`` and ``--data``, or of a run.

    Raises
    ------
    PlanError
        If neither is complete.
    """
    what = flags["what"]
    if is_plan(what):
        return with_slices(_adjusted(read_plan(Path(what)), flags), flags.get("where", ()))
    if (Path(what) / "manifest.json").is_file():
        return with_slices(_of_run(flags), flags.get("where", ()))
    name = registry().resolve("diagnostic", what)
    models = models_from_flags(flags["models"], among=flags.get("among", ()))
    beside = _reference(flags.get("reference"), models)
    if beside is not None and beside not in models:
        models = (beside, *models)  # beside itself it says how high the numbers can be
    second = "" if beside is None else beside.name
    data = _named_data(flags)
    params = once_each("-P", map(_parameter, flags["params"]))
    if flags["transformations"]:
        params["transformations"] = named_recipes(flags["transformations"])
    measure = MeasurePlan(
        id=name.partition("@")[0],
        diagnostic=name,
        models=tuple(m.name for m in models),
        data=tuple(d.name for d in data),
        params=params,
        reference=second,
    )
    whole = _adjusted(Plan(data=data, models=models, measure=(measure,)), flags)
    return with_slices(whole, flags.get("where", ()))


def _of_run(flags: Mapping[str, Any]) -> Plan:
    """Plan that asks one model the same as a run.

    Raises
    ------
    PlanError
        If there are more, or something would be passed over.
    """
    models = models_from_flags(flags["models"])
    stated = {"-P": "params", "--with": "transformations", "--reference": "reference"}
    beside = [flag for flag, name in stated.items() if flags.get(name)]
    if len(models) > 1 or beside:
        raise PlanError(
            f"{flags['what']!r} is a run: one model is asked what it asked, with its parameters. "
            f"Leave out {beside[0] if beside else 'all but one --model'}."
        )
    return plan_from_run(RunFolder.open(flags["what"]), models[0], flags)


def plan_from_run(
    folder: RunFolder, model: ModelPlan, flags: Mapping[str, Any], *, only: Collection[str] = ()
) -> Plan:
    """Plan from a run: a model is asked the same, with the flags and data at its current place."""
    data = _named_data(flags) if flags["data"] else ()
    return _adjusted(plan_of_run(folder, model, data=data, only=only), flags)


def audit_from_flags(flags: Mapping[str, Any], opened: Opened) -> Plan:
    """Plan of the audit: of the models and data of a file, or of the flags.

    Raises
    ------
    PlanError
        If there is nothing to audit, or nothing that applies.
    """
    base = _adjusted(_base_of(flags), flags)
    if base.measure:
        beside = [
            f"--{name}"
            for name in ("only", "profile", "reference", "tolerance", "wordings")
            if flags.get(name)
        ]
        if beside:
            raise PlanError(
                f"{str(flags['plan'])!r} says what it measures, so {beside[0]} would be passed "
                "over: leave it out, or take the [[measure]] out of the plan."
            )
        return with_slices(base, flags.get("where", ()))
    passed_over = [name for name in ("limit", "task") if flags.get(name) and not base.data]
    if passed_over:
        raise PlanError(f"There is no data that --{passed_over[0]} would be of. {WHICH_DATA}")
    only = [registry().resolve("diagnostic", name) for name in flags["only"]]
    wordings, profile = flags.get("wordings") or "", flags.get("profile") or ""
    asked = read_wordings(wordings) if wordings else ()
    try:
        plan = audit_plan(
            base.models,
            base.data,
            opened=opened,
            on_bad_row=base.on_bad_row,
            only=only,
            reference=_reference(flags.get("reference"), base.models),
            profile=_with_wordings(profile) if wordings else profile,
        )
    except PlanError as error:
        if base.data and {family_name(name) for name in only} == {family_name(_WORDINGS)}:
            raise PlanError(_NO_PROMPT) from error
        raise
    if wordings:
        plan = _in_wordings(plan, plain(asked) if wordings != "builtin" else BUILTIN)
    plan = with_tolerances(plan, read_tolerances(flags.get("tolerance", ())), opened=opened)
    return replace(plan, seed=base.seed, where=(*base.where, *flags.get("where", ())))


def _with_wordings(profile: str) -> Profile:
    """Profile that also asks in other words."""
    return replace(profile_of(profile or SHIP), also=frozenset({family_name(_WORDINGS)}))


def _in_wordings(plan: Plan, asked: Any) -> Plan:
    """Audit plan with the stated wordings.

    Raises
    ------
    PlanError
        If none of its models can be asked in other words.
    """
    if not any(one.diagnostic == _WORDINGS for one in plan.measure):
        raise PlanError(_NO_PROMPT)
    stated = {"wordings": asked}
    measures = (
        replace(one, params={**one.params, **stated}) if one.diagnostic == _WORDINGS else one
        for one in plan.measure
    )
    return replace(plan, measure=tuple(measures))


def _base_of(flags: Mapping[str, Any]) -> Plan:
    """Models and data to audit."""
    if flags["plan"] is None:
        return Plan(
            models=models_from_flags(flags["models"]), data=_named_data(flags, needed=False)
        )
    plan = read_plan(flags["plan"])
    if plan.train and not plan.measure:
        raise PlanError(
            f"{str(flags['plan'])!r} trains {plan.train[0].name!r}, and an audit measures what is "
            "there. Add a [[measure]] and run the plan, or train first and audit the checkpoints."
        )
    if not plan.models or not plan.data:
        raise PlanError(
            f"{str(flags['plan'])!r} has nothing to audit: it needs [models.NAME] and "
            "[data.NAME] with a source each."
        )
    return plan


def _adjusted(plan: Plan, flags: Mapping[str, Any]) -> Plan:
    """Plan with the options of the command line applied."""
    resampling = plan.resampling
    if flags.get("draws"):
        resampling = replace(resampling, draws=flags["draws"])
    data = plan.data
    if flags["limit"] is not None:
        # what is trained on has a limit of its own: a quick look trains no other model
        data = tuple(
            d if d.name in plan.only_trained else replace(d, limit=flags["limit"]) for d in data
        )
    if flags.get("training"):
        data = tuple(replace(d, training=flags["training"]) for d in data)
    return replace(
        plan,
        data=data,
        resampling=resampling,
        seed=plan.seed if flags["seed"] is None else flags["seed"],
        on_bad_row=flags["on_bad_row"] if flags["on_bad_row"] != "skip" else plan.on_bad_row,
    )


def models_from_flags(
    strings: Sequence[str], *, among: Sequence[str] = ()
) -> tuple[ModelPlan, ...]:
    """Models of ``--model``, under names derived from their strings.

    Two that read one file in two ways keep the options by which they differ ``among`` others.

    Raises
    ------
    PlanError
        If there is none.
    """
    if not strings:
        raise PlanError(
            "Say which model: --model builtin:sentiment, --model hf:./my-model, or --model "
            "python:my_module:my_model."
        )
    return tuple(ModelPlan(name, s) for name, s in _named(strings, among))


def _reference(given: str | None, models: Sequence[ModelPlan]) -> ModelPlan | None:
    """Model of ``--reference``: one of these, by name or string, or an additional one."""
    if not given:
        return None
    known = (model for model in models if given in (model.name, model.source))
    name = _free(given, {model.name for model in models})
    return next(known, None) or ModelPlan(name, given)


def _named_data(flags: Mapping[str, Any], *, needed: bool = True) -> tuple[DataPlan, ...]:
    """Datasets with names derived from their strings.

    Raises
    ------
    PlanError
        If there is none, and some are needed.
    """
    strings = (*flags["data"], *flags.get("suites", ()))
    if needed and not strings:
        raise PlanError(WHICH_DATA)
    task, limit = flags["task"], flags["limit"]
    return tuple(DataPlan(name, s, task, limit=limit) for name, s in _named(strings))


def _named(strings: Sequence[str], among: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Short names for strings, numbered if two are equal."""
    names: dict[str, str] = {}
    for text in strings:
        names[_free(text, names, among)] = text
    return list(names.items())


def _free(text: str, taken: Collection[str], among: Sequence[str] = ()) -> str:
    """Short name for a string: that of the model behind a URL; numbered if it is taken."""
    served = re.search(r"[#,]model=([^,]+)", text) if "://" in text else None
    short = served[1] if served else text.partition("#")[0]
    if "://" not in text:  # where options may be secrets
        read, *rivals = (one.partition("#")[2].split(",") for one in _alike(text, among))
        own = [one for one in read if rivals and one not in chain(*rivals)]
        short += f"#{','.join(own)}" if any(own) else ""
    numbered = (f"{short} ({number})" for number in count(2))
    return next(name for name in chain([short], numbered) if name not in taken)


def _alike(text: str, among: Sequence[str]) -> list[str]:
    """The string, then others that read the same file otherwise."""
    file = text.partition("#")[0]
    return [text, *(one for one in among if one != text and one.partition("#")[0] == file)]


def _parameter(text: str) -> tuple[str, Any]:
    """Name and value of ``-P name=value``; the value is JSON, or otherwise text."""
    name, value = pair_of("-P", text)
    try:
        return name, parse_json(value)
    except ValueError:
        return name, value


def say_cost(
    plan: Plan,
    models: LoadedModels,
    *,
    opened: Opened | None = None,
    price: float,
    as_json: bool,
    budget: float | None = None,
    named: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print the cost of a plan, as lines or as one JSON object; nothing is written.

    Parameters
    ----------
    plan
        Read, not resolved; what it trains is stood in for.
    models
        Models of this process.
    opened
        What the command has open already.
    price
        Money for each text.
    as_json
        Whether as an object.
    budget
        Seconds that it has to fit into, if any.
    named
        Further members of the object.
    """
    left_out: tuple[str, ...] = ()
    opened = opened or Opened(models)
    with prints_on_stderr(), with_stand_ins(plan, options=models.options) as (made, trainings):
        resolved = resolve(made, opened=opened)
        if budget is not None:
            resolved = resolved_within(resolved, budget, models=models)
            left_out = resolved.plan.budget.left_out if resolved.plan.budget else ()
        left_out = (*resolved.plan.left_out, *left_out)
        cost = cost_of(resolved, models=models, price=price)
    if as_json:
        train = [plain(training) for training in trainings]
        found = {**named, "train": train, **cost.to_json(), "left_out": left_out}
        click.echo(json_line(found))
        return
    if "plan" in named:
        click.echo(f"{named['plan']} is a valid plan.")
    for line in (*(line for training in trainings for line in training.lines()), *cost.lines()):
        click.echo(printed_line(line))
    for sentence in left_out:
        click.echo(narrowed(sentence))
