"""How lines of a comparison are set: a name, and what is said under it."""

import textwrap
from typing import TYPE_CHECKING, Final

from scrutiny.cli.narrow import WIDTH

if TYPE_CHECKING:
    from scrutiny.core.estimate import Estimate
    from scrutiny.run.comparing.kept import Outcome

#: Stands for a space at which no line ends.
KEPT: Final = "\N{NO-BREAK SPACE}"
_WORDS: Final = {
    "no regression": "PASS  the loss is shown to lie within",
    "regression": "FAIL  a loss is shown to lie beyond",
    "undecided": "UNDECIDED  nothing is shown about a loss of",
}


def wrapped(name: str, words: str) -> list[str]:
    """A name and what is said under it, hanging."""
    lines = textwrap.wrap(words, WIDTH, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15)
    return [line.replace(KEPT, " ") for line in lines]


def bounds(found: "Estimate") -> str:
    """Value with its interval."""
    if found.value is None:
        return "–"
    if found.low is None or found.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def outcome_words(outcome: "Outcome") -> str:
    """Outcome of a comparison in words: whether a loss beyond the margin is shown."""
    return _WORDS[outcome]
