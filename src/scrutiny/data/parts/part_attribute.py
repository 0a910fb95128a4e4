"""Attribute of a part: a function of it and of what stands around it, and how it is divided."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import getdoc
from typing import Any, Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example, Span
from scrutiny.core.plugin_base import Told
from scrutiny.core.registry import registry
from scrutiny.data.attribute import Attribute, Training, Value
from scrutiny.data.parts.buckets import Buckets, Groups, Numbers, groups_of
from scrutiny.data.parts.part_counts import (
    Part,
    PartCounts,
    borders_in,
    fifth_largest,
    parts_of,
    tokens_in,
    words_in,
)
from scrutiny.data.source import OF_MODELS

_COLUMN: Final = "a_"


@dataclass(frozen=True)
class Surroundings:
    """Data around a part of an answer, which its attributes look at.

    Parameters
    ----------
    gold
        The items that are measured, with their gold parts.
    training
        The training set; None without one.
    known_words
        Words that count as seen, instead of those of the training set.
    """

    gold: PartCounts
    training: Training | None = None
    known_words: frozenset[str] = frozenset()

    @cached_property
    def counts(self) -> PartCounts:
        """Counts of the training set."""
        return PartCounts(() if self.training is None else self.training.examples)

    @cached_property
    def usual_gold_part(self) -> int:
        """Count in training texts of the fifth most frequent of the gold parts of these items."""
        return fifth_largest(
            self.counts.as_pattern(w).total() // len(w) for w in self.gold.part_words
        )

    @property
    def seen_words(self) -> frozenset[str]:
        """Words that count as seen, as they are written."""
        return self.known_words or self.counts.written


@dataclass(frozen=True, slots=True)
class TextPart:
    """Part of an answer, with the item that it is of and what stands around it.

    ``whole`` is the part that it is a word of, where words of parts are looked at one by one.
    """

    example: Example
    span: Part
    beside: Surroundings
    whole: Part | None = None

    @property
    def text(self) -> str:
        """Its text."""
        return self.example.fields[self.span.field][self.span.start : self.span.end]

    @property
    def words(self) -> tuple[str, ...]:
        """Its words as they are written."""
        return words_in(self.example, self.span)

    @property
    def tokens(self) -> Sequence[tuple[int, int]]:
        """Borders of the tokens of its text field."""
        return tokens_in(self.example, self.span.field)


@dataclass(frozen=True, slots=True)
class PartAttribute(Told):
    """Attribute of a part: a function of it, and how its values are divided.

    Parameters
    ----------
    function
        Value of a `TextPart`: a number or a word; None for a part without one.
    says
        Phrase that follows "parts by" ("their length in tokens").
    buckets
        How values are divided, unless a plan says otherwise.
    scale
        What its numbers can be.
    groups
        Names of its words, in order; empty for numbers and open sets of words.
    of_training
        Whether it needs a training set.
    of_words
        Whether it is of each word of a part, and words with their labels are what is counted.
    column
        Column of the items that it reads; empty for others.
    """

    function: Callable[[TextPart], Value | None]
    says: str
    buckets: Buckets = field(default_factory=Buckets)
    scale: Numbers = field(default_factory=Numbers)
    groups: tuple[str, ...] = ()
    of_training: bool = False
    of_words: bool = False
    column: str = ""

    def units(self, answer: Any, example: Example, beside: Surroundings) -> dict[Part, TextPart]:
        """Parts of an answer, or their words, each with the data around it: what is counted."""
        parts = sorted(parts_of(answer, example))
        if not self.of_words:
            return {part: TextPart(example, part, beside) for part in parts}
        return {
            (word := Span(part.field, start, end, part.label)): TextPart(
                example, word, beside, part
            )
            for part in parts
            for start, end in borders_in(example, part)
        }

    def groups_of(self, examples: Sequence[Example], beside: Surroundings) -> Groups:
        """Groups of its values on the gold parts of items."""
        if self.groups:
            return Groups(self.groups)
        values = [
            self.function(one)
            for example in examples
            for one in self.units(example.gold, example, beside).values()
        ]
        if self.column and not any(self.column in e.attributes for e in examples):
            known = sorted({n for e in examples for n in e.attributes if n.startswith(_COLUMN)})
            own = self.column.removeprefix(_COLUMN)
            option = f"{own}=MODEL" if own in OF_MODELS else f"group={own}"
            raise PlanError(
                f"by = {self.column!r}: no item has a column {own!r}. "
                + (f"There are {', '.join(known)}. " if known else "")
                + f"A column becomes an attribute in the data string: #{option}."
            )
        return groups_of(self.buckets, values, self.scale)

    def counted(
        self, gold: Any, answer: Any, example: Example, beside: Surroundings, groups: Groups
    ) -> Mapping[str, tuple[int, int, int]]:
        """Numbers of parts by group: found, given but wrong, and missed."""
        counts = {name: [0, 0, 0] for name in groups.names}
        wanted, got = (self.units(one, example, beside) for one in (gold, answer))
        for part in wanted.keys() | got.keys():
            own = groups.place(self.function(wanted[part])) if part in wanted else None
            given = None
            if part in got:
                given = groups.place(self.function(got[part]), is_gold=False)
            if own is not None and own == given:
                counts[own][0] += 1
                continue
            if given is not None:
                counts[given][1] += 1
            if own is not None:
                counts[own][2] += 1
        return {name: (found, wrong, missed) for name, (found, wrong, missed) in counts.items()}

    def at_length(self) -> str:
        """Docstring of its function."""
        return getdoc(self.function) or self.sentence()

    def sentence(self) -> str:
        """One line for a list of attributes."""
        return f"Parts by {self.says}" + " (needs training data)" * self.of_training


def part_attribute(says: str, **more: Any) -> Callable[[Callable[..., Any]], PartAttribute]:
    """Decorator that makes an attribute of parts of a function of a `TextPart`.

    Examples
    --------
    >>> @part_attribute("whether they are long", groups=("long", "short"))
    ... def is_long(part: TextPart) -> str:
    ...     return "long" if len(part.text) > 20 else "short"
    >>> is_long.sentence()
    'Parts by whether they are long'
    """
    return lambda function: PartAttribute(function, says, **more)


def load_part_attribute(name: str, buckets: Buckets | None = None) -> PartAttribute:
    """Attribute of parts by its name; that of their items, where parts have none of that name.

    A name that begins with ``a_`` is a column of the items.

    Raises
    ------
    UnknownNameError
        If there is none.
    """
    kinds = ("part_attribute", "attribute")
    names = {kind: {n.partition("@")[0]: n for n in registry().names(kind)} for kind in kinds}
    short = name.partition("@")[0]
    if name.startswith(_COLUMN):
        said = f"the column {name.removeprefix(_COLUMN)} of their items"
        column = PartAttribute(lambda part: part.example.attributes.get(name), said, column=name)
        return column if buckets is None else replace(column, buckets=buckets)
    if short not in names["part_attribute"]:
        known(
            "attribute of parts",
            (short,),
            [*names["part_attribute"], *names["attribute"]],
            where="by",
        )
    if short in names["part_attribute"]:
        found: PartAttribute = registry().load("part_attribute", short)
    else:
        of_item: Attribute = registry().load("attribute", short)
        gives = of_item.gives
        found = PartAttribute(
            lambda part: of_item(part.example, part.beside.training),
            f"{of_item.says} (of their item)" if gives != "yes or no" else f"items {of_item.says}",
            Buckets("mass") if gives == "a number" else Buckets("discrete", count=12),
            groups=("no", "yes") if gives == "yes or no" else (),
            of_training=of_item.of_training,
            column=f"{_COLUMN}{short}" if of_item.of_all else "",
        )
    if buckets is None:
        return found
    if found.groups:
        raise PlanError(f"{short} has groups of its own: {', '.join(found.groups)}.")
    return replace(found, buckets=buckets)
