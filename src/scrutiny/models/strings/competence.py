"""Competence record of a checkpoint, stored by its training."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import ModelError

#: Gates that a claim about what a language model prefers or associates presupposes.
LANGUAGE_GATES: Final = ("fivegram", "agreement")
#: File beside the weights.
FILE: Final = "competence.json"


@dataclass(frozen=True, slots=True)
class Goal:
    """Goal of the training of several families, for those who contrast them.

    Parameters
    ----------
    name
        What was to be shown: "larger above smaller".
    of, beside
        Family that it is about, and those that a contrast with it presupposes it for.
    is_reached
        Whether it was.
    found
        What was measured, in words.
    """

    name: str
    of: str
    beside: tuple[str, ...]
    is_reached: bool
    found: str

    def is_for(self, one: str, other: str) -> bool:
        """Whether a contrast of two families presupposes it.

        Examples
        --------
        >>> goal = Goal("larger above smaller", "large", ("small",), False, "-.01")
        >>> goal.is_for("small", "large"), goal.is_for("small", "student")
        (True, False)
        """
        return (self.of == one and other in self.beside) or (
            self.of == other and one in self.beside
        )

    @classmethod
    def all_in(cls, record: Mapping[str, Any]) -> tuple["Goal", ...]:
        """Goals that a competence record states."""
        stated = record.get("goals", ())
        return tuple(cls(**{**goal, "beside": tuple(goal["beside"])}) for goal in stated)


def read_competence(folder: Path) -> Mapping[str, Any] | None:
    """Competence record of a checkpoint folder, or `None` if it has none.

    Raises
    ------
    ModelError
        If the file cannot be read, or has no ``gates`` of true and false, or odd ``goals``.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        gates = record["gates"]
        passes = [*gates.values(), *(goal.is_reached for goal in Goal.all_in(record))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{str(path)!r} is no competence record: {error!r}.") from error
    if not all(isinstance(passed, bool) for passed in passes):
        raise ModelError(f"{str(path)!r}: gates and goals are true or false, one for each name.")
    return dict(record)
