"""What `scrutiny list transformations --json` tells of a transformation beside its sentence.

Facts of the built-in ones stand in ``transformations.json`` beside this file, made by
``make docs``: nothing has to be imported to be listed.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from scrutiny.core.registry import Entry, registry

#: Diagnostics that change texts by transformations.
_CHANGING: Final = ("robustness", "invariance.scope", "attack")
FACTS: Final = Path(__file__).with_name("transformations.json")


def transformation_facts(entry: Entry) -> dict[str, Any]:
    """Stored facts of a built-in; what a plug-in brings is imported, and asked."""
    stored = _stored() if entry.origin == "scrutiny" else {}
    return stored.get(entry.registration.name) or facts_of(entry.load())


def facts_of(transformation: Any) -> dict[str, Any]:
    """Tasks, languages, effects and resources of a transformation.

    Returns
    -------
    dict
        ``tasks``: whose texts can be changed. ``languages``: "*" for all. ``effects``: what the
        change does to the gold answer, by task. ``resources``: what it needs.
    """
    from scrutiny.perturb.engine.recipe import effect_of

    names = registry()
    tasks = sorted({task for one in _CHANGING for task in names.load("diagnostic", one).tasks})
    return {
        "tasks": tasks,
        "languages": sorted(transformation.languages),
        "effects": {task: effect_of(transformation, task) for task in tasks},
        "resources": list(transformation.resources),
    }


@cache
def _stored() -> Mapping[str, dict[str, Any]]:
    """Facts of the built-in transformations, by name."""
    found: dict[str, dict[str, Any]] = json.loads(FACTS.read_text(encoding="utf-8"))
    return found
