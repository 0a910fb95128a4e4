"""Judged answers: an answer to a question, or two of them, and what people said of it.

The model under test is the judge. Its labels are its verdicts: ``A``, ``B`` and ``tie`` of two
answers, whatever labels or scores there are of one.
"""

from collections.abc import Mapping
from math import isnan
from typing import Any, Final

from scrutiny.core.task import Role
from scrutiny.tasks.cells import label_of
from scrutiny.tasks.classification import Classification
from scrutiny.tasks.tasks import Borders, text_role

#: What items of both tasks hold.
HOLDS: Final = "judged answers"
#: Stored verdicts: the first, the one with the answers exchanged, and when asked again.
STORED: Final = ("verdict", "swapped", "again")
_HUMAN: Final = Role(
    "human",
    "column of the verdict of people",
    "gold",
    ("human", "human_label", "human_score", "preference", "winner", "label"),
)
_QUESTION: Final = text_role(
    "question", "column of the question", "prompt", "instruction", "input", may_change=False
)
_STORED: Final = (
    Role("verdict", "column of a stored verdict", names=("verdict",)),
    Role("swapped", "column of a stored verdict on the answers exchanged", names=("swapped",)),
    Role("again", "column of a stored verdict on the same, asked again", names=("again",)),
)


class _Judged(Classification):
    """Items that people judged, or some of them: an empty cell is no verdict."""

    identifying_columns = ()
    holds = HOLDS

    def gold(self, row: Mapping[str, Any], borders: Borders) -> str | None:
        """Verdict of people; None where they gave none."""
        given = row.get(self.answer)
        is_nan = isinstance(given, float) and isnan(given)
        is_empty = given is None or is_nan or (isinstance(given, str) and not given.strip())
        return None if is_empty else label_of(row, self.answer)


class JudgedAnswers(_Judged):
    """An answer to a question, with a label or a score of people: what a judge is tested on."""

    name = "judged-answers"
    roles = (
        _QUESTION,
        text_role("answer", "column of the answer", "response", "output", "completion"),
        _HUMAN,
        Role("author", "column of the model that wrote the answer", names=("author",)),
        *_STORED,
    )


class JudgedPairs(_Judged):
    """Two answers to a question, with the preference of people: what a judge is tested on."""

    name = "judged-pairs"
    roles = (
        _QUESTION,
        text_role("answer_a", "column of the first answer", "response_a", "output_a", "answer_1"),
        text_role("answer_b", "column of the second answer", "response_b", "output_b", "answer_2"),
        _HUMAN,
        Role("author_a", "column of the model that wrote the first", names=("author_a", "model_a")),
        Role("author_b", "column of the model that wrote the other", names=("author_b", "model_b")),
        *_STORED,
    )
