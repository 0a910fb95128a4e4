"""Constraints that protect words: function words, short words, given phrases."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Constraint, Document
from scrutiny.perturb.engine.word_changes import word_changes
from scrutiny.text.lexicon import STOP_WORDS

_ARTICLES = frozenset({"a", "an"})


@dataclass(frozen=True, slots=True)
class StopWords(Constraint):
    """Refuse edits of function words: they carry grammar and rarely meaning.

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

    id = "stop_words@1"
    reason = "stop_word"

    words: frozenset[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.words, str):  # the letters of "french" are no stop words
            raise PlanError(f"words is a set of lower-case words, not {self.words!r}.")

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether no edit touches a stop word."""
        stop = STOP_WORDS if self.words is None else self.words
        for (start, end), word in zip(document.tokens, document.words, strict=True):
            if word.lower().replace("’", "'") in stop and any(
                _changes(e, start, end, word) for e in edits
            ):
                return False
        return True


def _changes(edit: Edit, start: int, end: int, word: str) -> bool:
    """Whether an edit changes the token, apart from the agreement of its article."""
    if edit.start == edit.end:
        return start < edit.start < end
    if edit.end <= start or edit.start >= end:
        return False
    follows = {word.lower(), edit.text.lower()} <= _ARTICLES
    return not (follows and (edit.start, edit.end) == (start, end))


@dataclass(frozen=True, slots=True)
class MinWordLength(Constraint):
    """Refuse edits of words with few characters.

    Parameters
    ----------
    least
        Smallest number of code points of a word that may change.

    Notes
    -----
    Insertions between words pass.

    Examples
    --------
    >>> MinWordLength(least=6).least
    6
    """

    id = "min_word_length@1"

    least: int = 4

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether all changed words are long enough."""
        changed = word_changes(document, edits).changes
        return all(
            len(word) >= self.least for c in changed for word in document.words[c.start : c.end]
        )


@dataclass(frozen=True, slots=True)
class ProtectedPhrases(Constraint):
    """Refuse edits of given phrases, in any letter case, if they occur as whole words.

    Parameters
    ----------
    phrases
        Words, or several with spaces between them. Stretches of single texts are protected by the
        example itself (``protected``).

    Raises
    ------
    PlanError
        If it is a bare string, whose letters are no phrases, or one of them is blank.

    Examples
    --------
    >>> from scrutiny.perturb.engine.document import document_of
    >>> keep, document = ProtectedPhrases(("new york",)), document_of("In New  York now")
    >>> keep.allows(document, [Edit("text", 8, 12, "Delhi")])
    False
    """

    id = "protected_phrases@1"

    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.phrases, str) or not all(p.strip() for p in self.phrases):
            raise PlanError(
                f"phrases is a sequence of words or phrases, none of them blank, not "
                f"{self.phrases!r}."
            )

    def allows(self, document: Document, edits: Sequence[Edit]) -> bool:
        """Whether no edit touches one of the phrases."""
        if not self.phrases:
            return True
        found = [match.span() for match in _pattern(self.phrases).finditer(document.text)]
        return not any(_touches(edit, *span) for edit in edits for span in found)


@lru_cache(maxsize=64)
def _pattern(phrases: tuple[str, ...]) -> re.Pattern[str]:
    ordered = sorted(phrases, key=lambda p: (-len(p), p))  # of two that begin alike the longer
    written = (r"\s+".join(map(re.escape, phrase.split())) for phrase in ordered)
    return re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)", re.IGNORECASE)


def _touches(edit: Edit, start: int, end: int) -> bool:
    if edit.start == edit.end:
        return start < edit.start < end
    return edit.start < end and edit.end > start
