"""Whether a response is right: all criteria, those of a language and of a function among them.

A function of the user's is called with the response, a mapping of what is known of it (``prompt``,
``references``, ``outcome``) and nothing else. It returns whether the response is right, or a number
from 0 to 1, of which .5 and more is right. Whoever judges answers with a model is such a function.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from scrutiny.core.answers.criteria import Criteria
from scrutiny.core.answers.responses import Response
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.boundary.user_code import named_object
from scrutiny.core.errors import DataError
from scrutiny.text.language_detection import evidence

_RIGHT: Final = 0.5
PYTHON: Final = "python:"


def outcomes_of(criteria: Criteria, response: Response) -> Iterator[tuple[str, bool]]:
    """Each criterion in words, and whether a response meets it; how it ended is the first.

    What is expected of the words of an answer is asked of answers alone.
    """
    said = response.outcome
    yield f"is {criteria.outcome}", said == criteria.outcome
    if said != "answered":
        return
    yield from criteria.held(response)
    if criteria.language:
        yield f"is in {criteria.language}", not other_language(response, criteria.language)
    if criteria.scorer:
        yield f"is right by {criteria.scorer}", _scored(criteria, response) >= _RIGHT


def is_right(criteria: Criteria, response: Response) -> bool:
    """Whether a response meets all criteria.

    Examples
    --------
    >>> is_right(Criteria(contains=(("Paris",),)), Response("It is paris."))
    True
    >>> is_right(Criteria(lacks=("Rome",)), Response(""))
    False
    """
    return all(is_met for _, is_met in outcomes_of(criteria, response))


@lru_cache(maxsize=1 << 14)
def other_language(text: str, code: str) -> str:
    """Language that a text is in beyond doubt, if it is another one; empty if none is told.

    Examples
    --------
    >>> other_language("Der Film ist leider nicht sehr gut gewesen.", "en")
    'de'
    >>> other_language("OK, 42.", "de")
    ''
    """
    return evidence(text).clearly(unless=code)


@lru_cache(maxsize=1 << 14)
def _scored(criteria: Criteria, response: Response) -> float:
    """What a function of the user's says of a response: 1 for right, 0 for wrong."""
    known = {
        "prompt": criteria.prompt,
        "references": list(criteria.references),
        "outcome": response.outcome,
    }
    function = scorer_of(criteria.scorer)
    try:
        given = function(str(response), known)
    except Exception as error:
        said = f"the scorer {criteria.scorer} raised {type(error).__name__}: {error}"
        raise DataError(f"{said}, of the answer {str(response)!r:.80}") from error
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value <= 1:
        raise DataError(
            f"the scorer {criteria.scorer} returned {given!r:.60}; it returns True, False, or a "
            "number from 0 to 1."
        )
    return value


@lru_cache(maxsize=64)
def version_of(name: str) -> str:
    """Digest of the file that a function of the user's stands in; empty for one of a module."""
    path = Path(name.rpartition(":")[0]).expanduser()
    return digest(path.read_bytes()) if path.suffix == ".py" and path.is_file() else ""


@lru_cache(maxsize=64)
def scorer_of(name: str) -> Callable[[str, dict[str, Any]], Any]:
    """Function of the user's by its name, ``FILE.py:OBJECT`` or ``MODULE:OBJECT``.

    Raises
    ------
    DataError
        If it is not there, or cannot be called.
    """
    found = named_object(name, said=f"scorer={PYTHON}{name}", error=DataError)
    if not callable(found):
        raise DataError(f"scorer={PYTHON}{name} is a {type(found).__name__}, and no function.")
    function: Callable[[str, dict[str, Any]], Any] = found
    return function
