"""Fields of a recipe on the command line: ``--set FIELD=VALUE``."""

import tomllib
from collections.abc import Sequence
from typing import Any

from scrutiny.core.errors import PlanError


def stated_fields(given: Sequence[str]) -> dict[str, Any]:
    """Values by field, read as TOML; bare words are strings.

    Raises
    ------
    PlanError
        If one cannot be read.

    Examples
    --------
    >>> stated_fields(["true_share=0.5", "schedule=linear", 'markers=["<", ">"]'])
    {'true_share': 0.5, 'schedule': 'linear', 'markers': ['<', '>']}
    """
    try:
        return tomllib.loads("\n".join(map(_toml, given)))
    except (ValueError, RecursionError) as error:
        said = " ".join(given)[:200]
        raise PlanError(f"--set {said}: {error}. Write --set FIELD=VALUE.") from error


def _toml(text: str) -> str:
    """Line of TOML for ``FIELD=VALUE``."""
    name, _, value = text.partition("=")
    return f'{name} = "{value}"' if value.isalpha() or value in ("bf16", "fp32") else text
