"""Roles of columns that several tasks share, with their well-known names.

A role needs no line anywhere else: its name is an option of data strings, its column is found by
its well-known names, and items carry its value.
"""

from collections.abc import Mapping
from typing import Final

from scrutiny.core.task import Role
from scrutiny.tasks.names import every_task

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


def role_options() -> Mapping[str, str]:
    """Options that name columns by their roles in tasks, with their meanings."""
    return {role.name: role.meaning for task in every_task() for role in task.roles}
