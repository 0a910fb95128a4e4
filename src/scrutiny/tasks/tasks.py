"""Tasks: found by name, and the base class of those that are declared by their columns.

Columns have roles (`scrutiny.core.task.Role`), which several tasks share with their well-known
names. A role needs no line anywhere else: its name is an option of data strings, its column is
found by its well-known names, and items carry its value.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Any, Final

from scrutiny.core.answers.choices import OPTION, option_fields
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span, new_example
from scrutiny.core.record import Measure
from scrutiny.core.registry import registry
from scrutiny.core.task import ClassCounts, Role, Task
from scrutiny.tasks.cells import (
    attributes_of,
    id_of,
    label_of,
    language_of,
    text_of,
    texts_of,
    words_of,
)
from scrutiny.tasks.tags import placed


def load_task(name: str) -> Task:
    """Task by name, with or without its version.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> load_task("text-classification").fields
    ('text',)
    """
    task: Task = registry().load("task", name)()
    return task


def every_task() -> list[Task]:
    """All tasks, built-in and plugged in, by name."""
    return [load_task(name) for name in registry().names("task")]


def base_name(task: Task) -> str:
    """Name of a task without its version.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> base_name(SimpleNamespace(name="token-tagging@1"))
    'token-tagging'
    """
    return task.name.partition("@")[0]


TEXT: Final = Role(
    "text",
    "column of the text",
    "text",
    (
        "text", "sentence", "review", "content", "document", "body", "tweet", "comment",
        "utterance", "message", "passage", "question", "headline", "title", "sentence1", "premise",
    ),
    is_needed=True,
)  # fmt: skip
#: Names of two texts, side by side.
TWO_TEXTS: Final = (
    ("text", "text_pair"), ("sentence1", "sentence2"), ("premise", "hypothesis"),
    ("question1", "question2"), ("text1", "text2"), ("text_a", "text_b"),
    ("sentence_a", "sentence_b"), ("question", "sentence"),
)  # fmt: skip
TEXT_PAIR: Final = Role(
    "text_pair",
    "column of the second text",
    "text",
    tuple(second for _, second in TWO_TEXTS),
    is_needed=True,
)
LABEL: Final = Role(
    "label",
    "column of the gold label",
    "gold",
    ("label", "target", "class", "gold", "gold_label", "sentiment", "category", "polarity", "y"),
)
TOKENS: Final = Role(
    "tokens", "column that holds lists of tokens", "words", ("tokens", "words"), is_needed=True
)
TAGS: Final = Role(
    "tags",
    "column that holds lists of tags",
    "gold",
    ("tags", "ner_tags", "ner", "entity_tags", "bio"),
)
RAW: Final = Role("raw", "column of the text as it was written", "list")
WORDS: Final = Role(
    "words", "column of the list of words", "words", ("words", "tokens"), is_needed=True
)
#: Columns of annotated words that locate them in their source.
OF_SENTENCES: Final = (
    Role(
        "sentence",
        "column of the sentence that items share",
        "unit",
        ("sentence_id", "sent_id", "sentence"),
    ),
    Role("document", "column of the document of a sentence", "unit", ("document", "doc_id")),
    Role("half", "column of the half of the data, A or B", names=("half",)),
)


def text_role(
    name: str, meaning: str, *names: str, may_change: bool = True, is_anchor: bool = False
) -> Role:
    """Role of a required text; what changes may do to it, see `Role`."""
    return Role(
        name,
        meaning,
        "text",
        (name, *names),
        is_needed=True,
        may_change=may_change,
        is_anchor=is_anchor,
    )


def list_role(name: str, meaning: str, *names: str) -> Role:
    """Role of a required list about the words of a row."""
    return Role(name, meaning, "list", (name, *names), is_needed=True)


def counted(unit: str) -> tuple[Measure, ...]:
    """Measures of a task that counts parts of answers: right, given but wrong, missed."""
    return tuple(Measure(name, unit=unit) for name in ClassCounts._fields)


def counts_of(gold: Set[Any], given: Set[Any]) -> ClassCounts:
    """Counts of a set of parts that were given, against the right ones."""
    right = len(gold & given)
    return ClassCounts(float(right), float(len(given) - right), float(len(gold) - right))


def counts_by_class(
    right: Counter[str], given: Counter[str], wanted: Counter[str]
) -> dict[str, ClassCounts]:
    """Counts of each class, from those of its right parts, of all that were given, and of gold."""
    return {
        name: ClassCounts(right[name], given[name] - right[name], wanted[name] - right[name])
        for name in wanted | given
    }


def role_options() -> Mapping[str, str]:
    """Options that name columns by their roles in tasks, with their meanings."""
    return {role.name: role.meaning for task in every_task() for role in task.roles}


#: Characters that show that a file was read in the wrong encoding.
REPLACED: Final = "\ufffd"
Borders = tuple[tuple[int, int], ...]


class ByColumns(Task):
    """Task declared by its columns: texts or words, the answer, attributes.

    Only ``roles`` has to be stated: the fields of an item are the texts among them, or
    one field ``text``, the words joined by single spaces; their borders are its ``tokens`` layer.
    A column of kind ``gold`` holds a label. Tasks without one have no score, and use other
    capabilities of models.
    """

    #: Whether each cell of a row is read by itself, where the row has no more than texts, a label
    #: and attributes: then a table is read by columns.
    has_cells_apart: bool = False

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row."""
        has_words = self.words in row or (self.words and "text" not in row)
        words = words_of(row, self.words) if has_words else []
        text, borders = placed(words, row.get("raw"))
        texts = {"text": text} if words else self.texts(row)
        return new_example(
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

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """Texts of a row by field, those that it may lack where it has them; then its options."""
        found: dict[str, str] = {}
        for role in self.roles:
            if role.kind == "text" and (role.is_needed or row.get(role.name) is not None):
                found[role.name] = text_of(row, role.name)
        for role in self.roles:
            if role.kind == "texts":
                found |= option_fields(texts_of(row, role.name))
        return found

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
        closed = [name for name in self.closed_fields if name in texts]
        if any(role.kind == "texts" and not role.is_open for role in self.roles):
            closed += [name for name in texts if name.startswith(OPTION)]
        if not closed:
            return ()
        shut = [Span(name, 0, len(texts[name])) for name in closed]
        anchors = [texts[role.name] for role in self.roles if role.is_anchor]
        places = [(name, a) for name in self.open_fields if name in texts for a in anchors]
        named = [Span(name, *at.span()) for name, a in places for at in mentions(a, texts[name])]
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
        if any(REPLACED in text for text in texts.values()):
            yield (
                "hold the replacement character U+FFFD: some text was lost where the file was "
                "read in another encoding than written"
            )
        for a, b in combinations(texts, 2):
            if texts[a] == texts[b]:
                yield f"have the same text as {a} and {b}"


def mentions(anchor: str, text: str) -> Iterator[re.Match[str]]:
    """Places of an anchor in a text, in any case; as whole words where writing has capitals.

    Examples
    --------
    >>> [found.span() for found in mentions("staff", "Staff was rude, staffing poor.")]
    [(0, 5)]
    """
    words = r"\s+".join(map(re.escape, anchor.split()))
    start, end = (
        border if edge.upper() != edge.lower() else ""
        for border, edge in ((r"(?<!\w)", words[:1]), (r"(?!\w)", words[-1:]))
    )
    return re.finditer(rf"{start}{words}{end}", text, re.IGNORECASE) if words else iter(())
