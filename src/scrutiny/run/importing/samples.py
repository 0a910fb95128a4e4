"""Samples and tasks of logs, independent of the tool."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scrutiny.core.errors import DataError
from scrutiny.core.task import Prediction
from scrutiny.data.doubts import BadRow
from scrutiny.data.reading import OnBadRow

_TRUTHS: Final[Mapping[str, float]] = {"True": 1.0, "False": 0.0}


@dataclass(frozen=True, slots=True)
class LoggedSample:
    """Result of one item, from one line of a log.

    Parameters
    ----------
    item
        Identity that pairs it with the same item in other logs.
    source
        ``file:line`` it stands at.
    text
        What the model was asked, without examples and instructions where they can be told apart.
    gold
        The right answer, in words.
    scores
        Numbers by condition (canonical JSON of metric and filter); None if there is none.
    answers
        Answer of the model, by condition (canonical JSON of the filter).
    choices
        Answers it could choose from.
    columns
        Other values of the item in the log, as text.
    failure
        Short code of why there is no score at all, or empty.
    """

    item: str
    source: str
    text: str
    gold: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    answers: Mapping[str, Prediction] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""


@dataclass(slots=True)
class Problems:
    """Counts of unreadable lines; each is reported.

    Parameters
    ----------
    on_bad_row
        Whether a bad line is left out and listed, or ends the reading.
    bad_rows
        Lines that were left out.
    skipped
        What else was left out, with how often.
    """

    on_bad_row: OnBadRow = "skip"
    bad_rows: list[BadRow] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def bad(self, source: str, reason: str) -> None:
        """Leave out a line.

        Raises
        ------
        DataError
            If bad lines end the reading.
        """
        if self.on_bad_row == "fail":
            raise DataError(f"{source}: {reason}. Without --on-bad-row fail it is left out.")
        self.bad_rows.append(BadRow(source, reason))


@dataclass(frozen=True, slots=True)
class LoggedTask:
    """One model on one task, from one log.

    Parameters
    ----------
    task, subject
        Their names in the log.
    random
        Factors that tell it from replicates of the same model (epoch, seed, date).
    source
        What it is a log of: model, date and digest; the same for the same file only.
    read
        Samples, one at a time; problems are told.
    printed
        Numbers that the tool computed over all items of the file, by condition.
    file
        The file; several epochs are of one.
    lower_is_better
        Metrics of which less is better.
    notes
        Sentences on how the model was queried.
    replicates_of
        What several of them are replicates of, where the log says.
    """

    task: str
    subject: str
    random: Mapping[str, str]
    source: str
    read: Callable[[Problems], Iterator[LoggedSample]]
    file: Path
    printed: Mapping[str, float] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    replicates_of: str = ""


def number_of(value: Any, words: Mapping[str, float] = _TRUTHS) -> float | None:
    """Number of a JSON value or text; ``None`` if it is not a finite number.

    Examples
    --------
    >>> number_of("True"), number_of("-1.5"), number_of(float("nan")), number_of([1, 2])
    (1.0, -1.5, None, None)
    """
    if isinstance(value, str):
        try:
            value = words[value] if value in words else float(value)
        except ValueError:
            return None
    if not isinstance(value, (bool, int, float)) or not math.isfinite(value):
        return None
    return float(value)


def short_columns(values: Mapping[str, Any], *, longest: int = 40) -> dict[str, str]:
    """Columns of a logged sample that could group items: short words and whole numbers.

    Examples
    --------
    >>> short_columns({"topic": "food", "year": 1999, "score": 0.5, "tags": ["a"], "is_long": True})
    {'topic': 'food', 'year': '1999', 'is_long': 'yes'}
    """
    found = {}
    for name, value in values.items():
        if isinstance(value, bool):
            found[name] = "yes" if value else "no"
        elif isinstance(value, int) or (isinstance(value, str) and 0 < len(value) <= longest):
            found[name] = str(value)
    return found
