"""Base class of tasks that declare their columns, and the reader of their items."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import Task
from scrutiny.tasks.columns.cells import attributes_of, id_of, label_of, language_of, text_of
from scrutiny.tasks.columns.tags import placed
from scrutiny.tasks.columns.word_cells import words_of

#: Characters that show that a file was read in the wrong encoding.
_REPLACED = "\ufffd"

Borders = tuple[tuple[int, int], ...]


class ByColumns(Task):
    """Task declared by its columns: texts or words, the answer, attributes.

    Only ``roles`` has to be stated: the fields of an item are the texts among them, or
    one field ``text``, the words joined by single spaces; their borders are its ``tokens`` layer.
    A column of kind ``gold`` holds a label. Tasks without one have no score, and use other
    capabilities of models.
    """

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row."""
        has_words = self.words in row or (self.words and "text" not in row)
        words = words_of(row, self.words) if has_words else []
        text, borders = placed(words, row.get("raw"))
        texts = {"text": text} if words else {n: text_of(row, n) for n in self.fields}
        return Example(
            id=id_of(row),
            fields=texts,
            gold=self.gold(row, borders),
            spans=self.spans(row, words, borders),
            tokens={"text": borders} if words else None,
            protected=self.closed(texts),
            source=source,
            attributes=self.kept(row, texts, words),
            language=language_of(row),
        )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Any:
        """Gold answer of a row, a label; ``None`` if it has none."""
        return label_of(row, self.answer)

    def spans(
        self, row: Mapping[str, Any], words: Sequence[str], borders: Borders
    ) -> tuple[Span, ...]:
        """Spans annotated on the words; none here."""
        return ()

    def closed(self, texts: Mapping[str, str]) -> tuple[Span, ...]:
        """Parts of an item's texts that no change may touch: closed ones, and anchors in others."""
        if not self.closed_fields:
            return ()
        shut = [Span(name, 0, len(texts[name])) for name in self.closed_fields]
        anchors = [texts[role.name] for role in self.roles if role.is_anchor]
        places = [(name, a) for name in self.open_fields for a in anchors]
        named = [Span(name, *at.span()) for name, a in places for at in _mentions(a, texts[name])]
        return (*shut, *named)

    def kept(
        self, row: Mapping[str, Any], texts: Mapping[str, str], words: Sequence[str]
    ) -> dict[str, str | float]:
        """Attributes of a row: numbers for numeric roles, and defaults of missing ones.

        Raises
        ------
        DataError
            If a number cannot be read, or a cell cannot be an attribute.
        """
        found = dict(row)
        for role in self.roles:
            value = found.get(role.key)
            if role.kind == "number" and isinstance(value, str) and value:
                try:
                    found[role.key] = float(value)
                except ValueError:
                    raise DataError(f"{role.name} is {value!r}, not a number") from None
        attributes = attributes_of(found)
        for role in self.roles:
            if role.default:
                attributes.setdefault(role.key, role.default)
        return attributes

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: texts read in the wrong encoding, and two texts that are the same."""
        texts = example.fields
        if any(_REPLACED in text for text in texts.values()):
            yield (
                "hold the replacement character U+FFFD: some text was lost where the file was "
                "read in another encoding than written"
            )
        for a, b in combinations(texts, 2):
            if texts[a] == texts[b]:
                yield f"have the same text as {a} and {b}"


def _mentions(anchor: str, text: str) -> Iterator[re.Match[str]]:
    """Places of an anchor in a text, in any case; as whole words where writing has capitals.

    Examples
    --------
    >>> [found.span() for found in _mentions("staff", "Staff was rude, staffing poor.")]
    [(0, 5)]
    """
    words = r"\s+".join(map(re.escape, anchor.split()))
    start, end = (
        border if edge.upper() != edge.lower() else ""
        for border, edge in ((r"(?<!\w)", words[:1]), (r"(?!\w)", words[-1:]))
    )
    return re.finditer(rf"{start}{words}{end}", text, re.IGNORECASE) if words else iter(())
