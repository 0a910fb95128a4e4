"""Word segmentation: a text without spaces in, its words out."""

from collections.abc import Mapping, Sequence
from typing import Any

from scrutiny.core.answers.label_and_spans import SEGMENTS, Segments, segments_from
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.tasks.cells import text_of, words_of
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import TEXT, Borders, ByColumns, counted, counts_of

_SEGMENTED = "segmented"


class WordSegmentation(ByColumns):
    """Words of a text, scored strictly: a word counts if both of its borders are right.

    The text is the words without spaces, unless a column has it as it was written. A model without
    skill takes each character for a word.
    """

    name = "word-segmentation"
    roles = (
        TEXT._replace(is_needed=False, names=("text", "raw", "sentence")),
        Role(
            _SEGMENTED,
            "column of the text cut into words: a list of them, or with spaces between them",
            "gold",
            (_SEGMENTED, "words", "tokens"),
        ),
    )
    measures = counted("words")
    answer_type = SEGMENTS
    scored_by = Score(level="word_f1@1", no_skill="the score of taking each character for a word")

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The text of a row, or its words without spaces."""
        if row.get("text") is None and _SEGMENTED in row:
            return {"text": "".join(_words(row))}
        return {"text": text_of(row, "text")}

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Segments | None:
        """Words of a row; None without a column of them.

        Raises
        ------
        DataError
            If they are not the text, one after the other.
        """
        if _SEGMENTED not in row:
            return None
        text = self.texts(row)["text"]
        found = segments_from(_words(row), text)
        if found is None:
            raise DataError(f"{_SEGMENTED}: its words are not the text {text!r:.60}")
        return found

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Words with both borders right, given but wrong, and missed."""
        if gold is None:
            raise DataError("there are no gold words.")
        return counts_of(set(gold.borders), set(prediction.answer.borders))

    def chance(self, examples: Sequence[Example]) -> float:
        """Word F1 of each character for a word."""
        known = [e for e in examples if e.gold is not None]
        each = (segments_from([*"".join(e.text.split())], e.text) for e in known)
        return level_of(self, known, [Prediction(answer) for answer in each])

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever takes each character for a word."""
        return "taking each character for a word"


def _words(row: Mapping[str, Any]) -> list[str]:
    """Words of a cell."""
    value = row[_SEGMENTED]
    if isinstance(value, str):
        value = value.split()
    return words_of({_SEGMENTED: value}, _SEGMENTED)
