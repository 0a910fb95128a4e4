"""Longest match: a text cut into the longest words of a list, from its beginning on.

The usual baseline of word segmentation. What begins no word of the list is a word of one
character; letters of a script with capitals, and digits, stay together.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scrutiny.core.answers.label_and_spans import Segments
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import SEGMENTS
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import ModelSource

_RUN: Final = re.compile(r"[A-Za-z\uff21-\uff3a\uff41-\uff5a]+|[\d.\uff0e%\uff05]*\d[%\uff05]?|\S")


class LongestMatch(IdentifiedModel):
    """Words of a text, by a list of words."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})
    labels: tuple[str, ...] = ()

    def __init__(self, task: Task, source: ModelSource, words: frozenset[str]) -> None:
        self._words = words
        self._longest = max(map(len, words))
        super().__init__(source.text, task.name, digest("longest-match@1", *sorted(words)))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Words of the first text of each example."""
        return [Prediction(self._cut(e.text, next(iter(e.fields)))) for e in examples]

    def _cut(self, text: str, field: str) -> Segments:
        borders, at = [], 0
        while (found := _RUN.search(text, at)) is not None:
            start, end = found.span()
            longest = min(len(text), start + self._longest)
            ends = (k for k in range(longest, end, -1) if text[start:k] in self._words)
            at = next(ends, end)
            borders.append((start, at))
        return Segments(field, tuple(borders))


def load_longest_match(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Longest words of a list, from the beginning on.

    Raises
    ------
    ModelError
        If the task's answers are no words, or ``words=`` names no file of them.
    """
    del options
    source.refuse_unknown_options(("words",))
    must_answer_task(task, (SEGMENTS,), source=source.text)
    name = source.options.get("words", "")
    try:
        words = frozenset(Path(name).expanduser().read_text(encoding="utf-8").split())
    except (OSError, ValueError) as error:
        said = f" ({error})" if name else ""
        raise ModelError(
            f"{source.text!r} has to name a file of words, or of a text cut into words, in UTF-8: "
            f"rules:longest-match#words=words.txt{said}."
        ) from None
    if not words:
        raise ModelError(f"{source.text!r}: {name} holds no words.")
    return LongestMatch(task, source, words)
