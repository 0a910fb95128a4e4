"""Attributes of parts of an answer, an entity or a word: what F1 is taken apart by.

A part that is right or wrong by itself is a stretch of the text (`AnswerType.parts`). Gold parts
have their attribute from where they stand in the text, and so have those that a model gives.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.parameters import known
from scrutiny.core.example import Example, Span
from scrutiny.data.attribute import Training
from scrutiny.text.tokens import token_spans


class TextPart(NamedTuple):
    """Part of an answer, with the item that it is of."""

    example: Example
    span: Span

    @property
    def text(self) -> str:
        """Its words."""
        return self.example.fields[self.span.field][self.span.start : self.span.end]


@dataclass(frozen=True, slots=True)
class PartAttribute:
    """Attribute of a part: a function of it, whose values are groups of parts.

    Parameters
    ----------
    function
        Group of a part, one of ``groups``; it is given the training set as well.
    says
        Phrase that follows "parts by" ("their length in tokens").
    groups
        Names of the groups, in order.
    of_training
        Whether it needs a training set.
    """

    function: Callable[[TextPart, Training | None], str]
    says: str
    groups: tuple[str, ...]
    of_training: bool = False

    def counted(
        self, parts: Sequence[Span], example: Example, training: Training | None
    ) -> Mapping[str, int]:
        """Number of parts of an answer to an item in each group."""
        counts = dict.fromkeys(self.groups, 0)
        for span in parts:
            counts[self.function(TextPart(example, span), training)] += 1
        return counts


def parts_of(answer: Any) -> frozenset[Span]:
    """Parts of an answer that are right or wrong by themselves; None has none."""
    return frozenset() if answer is None else frozenset(type_of(answer).parts(answer))


_MOST: Final = 4  # tokens of a part, beyond which lengths are one group


def _length(part: TextPart, training: Training | None) -> str:
    """Number of tokens: those of the data where they came in tokens, else ours."""
    tokens = (part.example.tokens or {}).get(part.span.field)
    if tokens is None:
        found = len(token_spans(part.text))
    else:
        found = sum(part.span.start <= start and end <= part.span.end for start, end in tokens)
    return str(max(1, found)) if found < _MOST else f"{_MOST} or more"


def _unseen(part: TextPart, training: Training | None) -> str:
    """Whether a part of the training set has the same words, in any case."""
    return "seen" if training and part.text.casefold() in training.parts else "unseen"


PART_ATTRIBUTES: Final[Mapping[str, PartAttribute]] = {
    "length": PartAttribute(
        _length, "their length in tokens", (*map(str, range(1, _MOST)), f"{_MOST} or more")
    ),
    "unseen": PartAttribute(
        _unseen, "whether the training data has them", ("seen", "unseen"), of_training=True
    ),
}


def part_attribute(name: str) -> PartAttribute:
    """Attribute of parts by its name.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    known("attribute of parts", (name,), PART_ATTRIBUTES, where="by")
    return PART_ATTRIBUTES[name]
