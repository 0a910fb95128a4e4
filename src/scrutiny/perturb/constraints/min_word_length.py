"""No short word may change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scrutiny.core.edit import Edit
from scrutiny.core.transformation import Document
from scrutiny.perturb.engine.word_changes import word_changes


@dataclass(frozen=True, slots=True)
class MinWordLength:
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

    id: ClassVar[str] = "min_word_length@1"
    reason: ClassVar[str] = "min_word_length"
    resources: ClassVar[tuple[str, ...]] = ()

    least: int = 4

    def allows(self, document: Document, edits: Sequence[Edit], context: Any = None) -> bool:
        """Whether all words that change are long enough."""
        del context
        changed = word_changes(document, edits).changes
        return all(
            len(word) >= self.least for c in changed for word in document.words[c.start : c.end]
        )
