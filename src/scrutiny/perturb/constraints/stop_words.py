"""No edit may change a stop word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Document
from scrutiny.text.lexicon import STOP_WORDS

_ARTICLES = frozenset({"a", "an"})


@dataclass(frozen=True, slots=True)
class StopWords:
    """Refuse edits of function words: they carry the grammar, and seldom the meaning.

    Parameters
    ----------
    words
        Lower-case words that may not change; nothing takes the package's list.

    Notes
    -----
    Insertions between words pass, and so does an article that only follows its neighbor's new
    sound ("a bad" to "an awful").

    Examples
    --------
    >>> StopWords().id
    'stop_words@1'
    """

    id: ClassVar[str] = "stop_words@1"
    reason: ClassVar[str] = "stop_word"
    resources: ClassVar[tuple[str, ...]] = ()

    words: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.words, str):  # the letters of "french" are no stop words
            raise PlanError(f"words is a set of lower-case words, not {self.words!r}.")

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether no edit touches a stop word."""
        del context
        stop = STOP_WORDS if self.words is None else self.words
        for (start, end), word in zip(document.tokens, document.words, strict=True):
            if word.lower().replace("’", "'") in stop and any(
                _changes(e, start, end, word) for e in edits
            ):
                return False
        return True


def _changes(edit: Edit, start: int, end: int, word: str) -> bool:
    """Whether an edit changes the token there, beyond the agreement of its article."""
    if edit.start == edit.end:
        return start < edit.start < end
    if edit.end <= start or edit.start >= end:
        return False
    follows = {word.lower(), edit.text.lower()} <= _ARTICLES
    return not (follows and (edit.start, edit.end) == (start, end))
