"""The history of a watch: one line of JSON a look, from which the evidence is made again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from scrutiny.core.boundary.json_text import json_line, parse_json
from scrutiny.core.errors import PlanError
from scrutiny.stats.significance.odd_one_out import odd_evidence
from scrutiny.store.files import save_text


@dataclass(frozen=True, slots=True)
class LookLine:
    """One look, as the history keeps it.

    Parameters
    ----------
    when
        Date and time, UTC, in ISO 8601.
    baseline, dataset
        Identity of the baseline's plan, and name of its data.
    asked, answered, same
        Items of this look: asked, answered, and with the baseline's answer.
    outcomes
        One digit for each item that counted: 1 where the baseline's answer was the odd one of
        three, 0 where the first new one was.
    retired
        Items that have counted, or can't any more.
    served
        Models that the endpoint said have answered.
    state
        What the look found: "as before", "changed", "could not find out".
    """

    when: str
    baseline: str
    dataset: str
    asked: int
    answered: int
    same: int
    outcomes: str
    retired: tuple[str, ...]
    served: tuple[str, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """Evidence of a history.

    Parameters
    ----------
    evidence
        Largest so far; what it has to reach is one over the chance of a false alarm.
    since
        Place of the look in which a change began, where one is shown; None otherwise.
    found
        Place of the look in which it was shown.
    """

    evidence: float
    since: int | None = None
    found: int | None = None


def trace_of(lines: Sequence[LookLine], *, level: float) -> Trace:
    """Evidence of all looks: whether they show a change, and since when.

    A change is dated by the look behind the last one at which the evidence was lowest before it was
    shown.
    """
    outcomes = [int(digit) for line in lines for digit in line.outcomes]
    path = np.array([1.0, *odd_evidence(outcomes)])
    ends = np.cumsum([0, *(len(line.outcomes) for line in lines)])
    reached = np.flatnonzero(path >= 1.0 / level)
    if not reached.size:
        return Trace(float(path.max()))
    found = int(np.flatnonzero(ends >= reached[0])[0]) - 1
    before = path[ends[: found + 1]]
    lowest = np.flatnonzero(before <= before.min())
    return Trace(float(path.max()), since=int(lowest[-1]), found=found)


def read_history(path: Path, *, baseline: str, dataset: str) -> list[LookLine]:
    """Looks of a history, the oldest first; none where there is no file.

    Raises
    ------
    PlanError
        If a line cannot be read, or is of another baseline.
    """
    if not path.exists():
        return []
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise PlanError(f"The history {str(path)!r} cannot be read: {error}.") from error
    found = []
    for number, text in enumerate(texts, 1):
        line = _line_of(text)
        if line is None:
            raise PlanError(
                f"Line {number} of the history {str(path)!r} is no look of `scrutiny watch`. Take "
                "it out, or name another file with --history; without its history a watch begins "
                "anew."
            )
        if (line.baseline, line.dataset) != (baseline, dataset):
            raise PlanError(
                f"The history {str(path)!r} is of the baseline {line.baseline} on {line.dataset}, "
                f"and this one is {baseline} on {dataset}: name another file with --history."
            )
        found.append(line)
    return found


def _line_of(text: str) -> LookLine | None:
    """Look of a line; None where it is none."""
    try:
        given: Mapping[str, Any] = parse_json(text)
        line = LookLine(
            **{**given, "retired": tuple(given["retired"]), "served": tuple(given["served"])}
        )
    except (json.JSONDecodeError, TypeError, KeyError):
        return None
    counts = (line.asked, line.answered, line.same)
    is_sound = (
        all(type(one) is int and one >= 0 for one in counts)
        and all(isinstance(one, str) for one in (line.when, line.outcomes, *line.retired))
        and not set(line.outcomes) - {"0", "1"}
    )
    return line if is_sound else None


def write_history(path: Path, lines: Sequence[LookLine]) -> None:
    """Write all looks, completely or not at all."""
    save_text(path, "".join(f"{json_line(asdict(line))}\n" for line in lines))
