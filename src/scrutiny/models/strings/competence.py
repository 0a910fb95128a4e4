"""Competence record of a checkpoint, stored by its training."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError

#: Gates that a claim about what a language model prefers or associates presupposes.
LANGUAGE_GATES: Final = ("fivegram", "agreement")
#: File beside the weights.
FILE: Final = "competence.json"


def read_competence(folder: Path) -> Mapping[str, Any] | None:
    """Competence record of a checkpoint folder, or `None` if it has none.

    Raises
    ------
    ModelError
        If the file cannot be read, or has no ``gates`` of true and false.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        gates = record["gates"]
        is_sound = all(isinstance(passed, bool) for passed in gates.values())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{str(path)!r} is no competence record: {error!r}.") from error
    if not is_sound:
        raise ModelError(f"{str(path)!r}: gates are true or false, one for each name.")
    return dict(record)
