"""Names, model and data strings of a command, checked before heavy imports.

A mistyped model is answered at once, wherever it stands: behind ``--model`` and ``--reference``, or
in a plan. Flags that a plan would pass over are refused.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import PlanError
from scrutiny.core.registry import registry
from scrutiny.models.strings.family import must_lead_somewhere

_PLANS: Final = (".toml", ".json", ".yaml", ".yml")
#: What a name of a model gets where two strings have the same name.
_NUMBERED: Final = re.compile(r" \(\d+\)$")
#: Flags by name, which a plan has its own of.
_OF_PLANS: Final = {
    "models": "--model",
    "data": "--data",
    "suites": "--suite",
    "task": "--task",
    "params": "-P",
    "transformations": "--with",
}


def is_plan(what: str) -> bool:
    """Whether what a command is to run is the file of a plan, not a diagnostic's name."""
    return what.endswith(_PLANS) or Path(what).is_file()


def must_be_diagnostics(names: Iterable[str]) -> None:
    """Refuse a mistyped diagnostic, before anything heavy is imported.

    Raises
    ------
    UnknownNameError
        For the first; near names are in the message.
    """
    for name in names:
        registry().resolve("diagnostic", name)


def must_lead(flags: Mapping[str, Any], plan: Path | None, *, has_reference: bool = False) -> None:
    """Refuse models that are not there, and flags beside a plan that it would pass over.

    Parameters
    ----------
    flags
        Of the command.
    plan
        The plan that it names, or nothing.
    has_reference
        Whether the plan says what its references are, so that another is none of it.

    Raises
    ------
    ScrutinyError
        For the first.
    """
    names = {text.partition("#")[0] for text in flags.get("models", ())}
    if plan is not None:
        own = {**_OF_PLANS, **({"reference": "--reference"} if has_reference else {})}
        beside = [flag for name, flag in own.items() if flags.get(name)]
        if beside:
            raise PlanError(
                f"{str(plan)!r} is a plan with its own models, data and parameters, so {beside[0]} "
                "would be passed over: write it into the plan, or leave it out."
            )
        names = _models_of_plan(plan)
    reference = flags.get("reference") or ""
    asked = {*names, *flags.get("models", ())}  # a reference may be one that is asked anyway
    if reference and not asked & {reference, _NUMBERED.sub("", reference)}:
        must_lead_somewhere(reference)


def _models_of_plan(path: Path) -> set[str]:
    """Names and strings of the models of a plan, every one of which leads somewhere."""
    from scrutiny.run.planning.file import read_plan

    plan = read_plan(path)
    for model in plan.models:
        must_lead_somewhere(model.source, random=model.random, seeds=model.seeds)
    trained = (node.name for node in plan.train)
    return {*trained, *(text for model in plan.models for text in (model.name, model.source))}
