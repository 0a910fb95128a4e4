"""What a checkpoint is known to be able to do: the record that its training left beside it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from scrutiny.core.errors import ModelError
from scrutiny.core.model import Model

#: Gates that a claim about what a language model prefers or associates presupposes.
LANGUAGE_GATES: Final = ("fivegram", "agreement")
#: File beside the weights.
FILE: Final = "competence.json"


@runtime_checkable
class KnowsCompetence(Protocol):
    """A model whose checkpoint carries a competence record."""

    def competence(self) -> Mapping[str, Any]:
        """Record: ``gates`` maps names to whether they are passed; the rest are its numbers."""
        ...


def failed_gates(model: object) -> tuple[str, ...]:
    """Names of the gates that a model's own record says it is below; none where nothing is known.

    Examples
    --------
    >>> failed_gates(object())
    ()
    """
    if not isinstance(model, KnowsCompetence):
        return ()
    return tuple(name for name, passed in model.competence()["gates"].items() if not passed)


def read_competence(folder: Path) -> Mapping[str, Any] | None:
    """Competence record of a checkpoint folder, or nothing where it has none.

    Raises
    ------
    ModelError
        If the file does not read, or has no ``gates`` of true and false.
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


def with_competence(model: Model, folder: Path) -> Model:
    """Return the model, which from now on knows the record of its checkpoint if there is one.

    It is the same object: a wrapper would have to repeat every capability.
    """
    record = read_competence(folder)
    if record is not None:
        vars(model)["competence"] = lambda: record
    return model
