"""Phrases that stay as they are."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.errors import PlanError
from scrutiny.core.transformation import Document


@dataclass(frozen=True, slots=True)
class ProtectedPhrases:
    """Refuse edits of given phrases, in any casing and wherever they stand as whole words.

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

    id: ClassVar[str] = "protected_phrases@1"
    reason: ClassVar[str] = "protected_phrases"
    resources: ClassVar[tuple[str, ...]] = ()

    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.phrases, str) or not all(p.strip() for p in self.phrases):
            raise PlanError(
                f"phrases is a sequence of words or phrases, none of them blank, not "
                f"{self.phrases!r}."
            )

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether no edit touches one of the phrases."""
        del context
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
