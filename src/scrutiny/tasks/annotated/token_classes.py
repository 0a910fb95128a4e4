"""Sentences whose words have classes: parts of speech, cue or not, kinds of punctuation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.errors import DataError
from scrutiny.core.facts import WORD_CLASSES
from scrutiny.tasks.annotated.annotated import Annotated, Labeled
from scrutiny.tasks.columns.roles import OF_SENTENCES, WORDS, list_role
from scrutiny.tasks.columns.word_cells import list_of


class TokenClasses(Annotated):
    """Class of each word; ``None`` or empty for words without."""

    name = "token-classes"
    holds = WORD_CLASSES.holds
    identifying_columns = ("classes",)
    roles = (
        WORDS,
        list_role("classes", "column of the list of the words' classes", "upos", "pos"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """One label for each word that has a class."""
        for i, label in enumerate(list_of(row, "classes", n=len(words))):
            if label is None or label == "":
                continue
            if not isinstance(label, str):
                raise DataError(f"classes[{i}] is {label!r}, no name of a class")
            yield Labeled(i, i, label)
