"""Examples and the spans that annotate them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scrutiny.core.suites.case import Case


class Span(NamedTuple):
    """Labeled span of one text field: code points ``start`` to ``end``, end excluded."""

    field: str
    start: int
    end: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """Item of a dataset, or that item after edits.

    Parameters
    ----------
    id
        The user's identifier, or a content hash; unique in its dataset.
    fields
        Text fields by name, in the task's order.
    gold
        The gold answer, a value of one of the types of `scrutiny.core.answers`, or None.
    spans
        Annotations that edits must carry and that are not the gold answer.
    tokens
        Segmentation layer: token borders ``(start, end)`` by field, where the data came in tokens.
    protected
        Stretches that no edit may touch.
    source
        ``file:line`` the item came from.
    attributes
        Whatever else the row held: groups (``a_*``) and units of resampling (``u_*``).
    language
        BCP 47 code of the text; ``und`` where it could not be told (`scrutiny.core.languages`).
    case
        What is expected of the answer, in a suite; None elsewhere, and for what cases were made of.
    """

    id: str
    fields: Mapping[str, str]
    gold: Any = None
    spans: tuple[Span, ...] = ()
    tokens: Mapping[str, tuple[tuple[int, int], ...]] | None = None
    protected: tuple[Span, ...] = ()
    source: str = ""
    attributes: Mapping[str, str | float] = field(default_factory=dict)
    language: str = "en"
    case: Case | None = None

    @property
    def text(self) -> str:
        """The first text field."""
        return next(iter(self.fields.values()))

    def is_closed(self, field: str) -> bool:
        """Whether no part of a text field may be changed."""
        whole = len(self.fields[field])
        return any(s.field == field and s.start == 0 and s.end >= whole for s in self.protected)

    def with_fields(self, fields: Mapping[str, str]) -> "Example":
        """Return a copy with these texts and all else unchanged.

        Searches make one for each text that they ask about, and setting the members of a frozen
        class takes longer than the rest of it.
        """
        return self._copy(fields, self.language)

    def with_language(self, language: str) -> "Example":
        """Return a copy in this language and with all else unchanged."""
        return self._copy(self.fields, language)

    def _copy(self, fields: Mapping[str, str], language: str) -> "Example":
        made: Any = _OpenExample()
        made.id = self.id
        made.fields = fields
        made.gold = self.gold
        made.spans = self.spans
        made.tokens = self.tokens
        made.protected = self.protected
        made.source = self.source
        made.attributes = self.attributes
        made.language = language
        made.case = self.case
        made.__class__ = Example
        example: Example = made
        return example


class _OpenExample:
    """Mutable example, while it is being built."""

    __slots__ = Example.__slots__
