"""Items with their attribute values, and which of them satisfy a predicate.

A name in a predicate is a column of the items (``topic`` for ``a_topic``) or a registered
attribute; a column comes first, since the user gave it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.boundary.parameters import known
from scrutiny.core.columns.coded import Coded, coded, together
from scrutiny.core.columns.item_columns import attribute_columns, fields_of
from scrutiny.core.errors import PlanError, UnknownNameError
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.core.slice_syntax import Term, parse_predicate, share_of, terms_of, truth
from scrutiny.data.attribute import (
    Attribute,
    Gives,
    Tokens,
    Training,
    Value,
    lower_of,
    tokens_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A slice of fewer items, or one that leaves fewer, has no number.
FEWEST: Final = 20
#: Beginnings of the names of columns of the items: groups, and units of resampling.
COLUMNS: Final = ("a_", "u_")
#: Beginning of the names of columns in which a run keeps the values of attributes of its training
#: set, which it does not keep: ``t_unseen_words``, ``t_unseen_words(hypothesis)``.
OF_TRAINING: Final = "t_"
_HAS: Final = "has"
_YES: Final = frozenset({"yes", "true", "1"})
_NO: Final = frozenset({"no", "false", "0"})
_ORDERS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_SHOWN: Final = 8
_EPSILON: Final = 1e-9


class Items:
    """Items of one dataset, with attribute values that are computed once.

    Parameters
    ----------
    columns
        Coded values of the items by the full names of their columns (``a_topic``).
    examples
        The items with their texts; read if a slice needs them.
    training
        Training set, read if a slice needs it; None without one.
    """

    def __init__(
        self,
        columns: Mapping[str, Coded],
        examples: Callable[[], Sequence[Example]],
        training: Callable[[], Training] | None = None,
    ) -> None:
        self._columns = {n: v for n, v in columns.items() if n.startswith(COLUMNS)}
        self._kept = {n: v for n, v in columns.items() if n.startswith(OF_TRAINING)}
        self._read = examples
        self._training = training
        self._values: dict[tuple[str, str, str], tuple[Gives, Coded]] = {}

    @classmethod
    def of(
        cls, examples: Sequence[Example], training: Callable[[], Training] | None = None
    ) -> "Items":
        """Items from examples in memory."""
        return cls(attribute_columns(examples), lambda: examples, training)

    @property
    def names(self) -> list[str]:
        """Names that slices may use: columns without ``a_``, then attributes."""
        known = [n.partition("@")[0] for n in registry().names("attribute")]
        return list(dict.fromkeys([*(n.removeprefix("a_") for n in self._columns), *known]))

    @property
    def has_training(self) -> bool:
        """Whether attributes of a training set have values."""
        return self._training is not None or bool(self._kept)

    def of_training(self) -> dict[str, list[Value | None]]:
        """Values of every attribute of the training set, as a run keeps them; none without one.

        Examples
        --------
        >>> training = Training([Example("t", {"text": "It is fine."})])
        >>> items = Items.of([Example("1", {"text": "It is grim"})], lambda: training)
        >>> items.of_training()["t_in_training"], items.of_training()["t_in_training(text)"]
        ([False], [False])
        """
        if self._training is None:
            return {}
        named = {name.partition("@")[0]: name for name in registry().names("attribute")}
        terms = [
            Term(short, field)
            for short, name in named.items()
            if registry().load("attribute", name).of_training
            for field in ["", *fields_of(self.examples)]
        ]
        return {f"{OF_TRAINING}{term.text}": self._valued(term)[1].each() for term in terms}

    @cached_property
    def examples(self) -> Sequence[Example]:
        """The items with their texts."""
        return self._read()

    def inside(self, text: str) -> list[bool | None]:
        """Whether each item is in a slice, as `which` says it; ``None`` without a value."""
        return self.which(text).each()

    def members(self, text: str) -> "NDArray[np.bool_]":
        """Mask ``(item,)`` of those that are known to be in a slice, as `which` says it."""
        import numpy as np

        said = self.which(text)
        return np.array([one is True for one in said.values], dtype=np.bool_)[said.codes]

    def which(self, text: str) -> Coded:
        """Whether each item is in a slice: True, False, or None for items without a value.

        Raises
        ------
        PlanError, UnknownNameError
            If the slice cannot be read, or names an attribute or column that the items lack.
        """
        whole = parse_predicate(text)
        found = {term: self._said(term) for term in dict.fromkeys(terms_of(whole))}
        rows, codes = together(found.values())
        said = [truth(whole, dict(zip(found, row, strict=True)).__getitem__) for row in rows]
        return Coded(said, codes)

    def values(self, name: str) -> list[str]:
        """Values of an attribute or column that are slices with items enough for a number.

        Raises
        ------
        PlanError, UnknownNameError
            If there are none: the items lack it, it is a number, or each value has few items.
        """
        gives, values = self.valued(name)
        answers = {"True": "yes", "False": "no"} if gives == "yes or no" else {}
        counts: Counter[str] = Counter()
        for v, n in values.counts().items():
            counts[answers.get(str(v), str(v))] += n
        found = sorted(value for value, count in counts.items() if count >= FEWEST)
        if gives == "a number" or not found:
            why = "is a number" if found else f"has no value with {FEWEST} items"
            raise PlanError(
                f"each({name}, ...) is of the values of a column or attribute, and {name} {why}. "
                "Write a slice instead: where length > 20."
            )
        return found

    def valued(self, name: str) -> tuple[Gives, Coded]:
        """Kind of an attribute or column, and its value for each item; None without one.

        Raises
        ------
        PlanError, UnknownNameError
            If the items lack it.
        """
        return self._valued(Term(name))

    def must_have(self, text: str, *, where: str) -> None:
        """Raise if a slice compares a column or attribute with a value that no item has.

        Raises
        ------
        PlanError, UnknownNameError
            With the values that there are; or as `inside` does.
        """
        for term in terms_of(parse_predicate(text)):
            gives, values = self._valued(term)
            if gives != "a word" or term.operator not in ("=", "!="):
                continue
            there = {str(value) for value in values.counts()}
            if not any(_is_same(value, term.value) for value in there):
                shown = ", ".join(sorted(there)[:_SHOWN])
                raise PlanError(f"{where} has {term.name} = {term.value}; there are {shown}.")

    def look_at(self, slices: Iterable[str]) -> None:
        """Compute the attributes that slices name item by item: each text is cut once for all."""
        terms = [term for text in slices for term in terms_of(parse_predicate(text))]
        own = {name.partition("@")[0] for name in registry().names("attribute")}
        loaded: dict[str, Attribute] = {}
        for term in terms:
            is_column = any(f"{p}{term.name}" in self._columns for p in ("", "a_", "u_"))
            is_known = (term.name, "", "") in self._values
            if not (is_column or is_known or term.field) and term.name in own:
                loaded[term.name] = registry().load("attribute", term.name)
        plain = {n: one for n, one in loaded.items() if not (one.of_training or one.of_all)}
        if not plain:
            return
        whole = {name: one for name, one in plain.items() if not one.of_token}
        tokens = Tokens()
        rows = []
        for example in self.examples:
            rows.append([one(example) for one in whole.values()])
            tokens.add(tokens_of(example), example.language)
        for column, (name, one) in enumerate(whole.items()):
            self._values[name, "", ""] = one.gives, coded(row[column] for row in rows)
        for name in plain.keys() - whole.keys():
            self._values[name, "", ""] = plain[name].gives, tokens.valued(plain[name])

    def _said(self, term: Term) -> Coded:
        """Whether a term is true for each item."""
        gives, column = self._valued(term)
        present = column.counts()
        values = [value if value in present else None for value in column.values]
        return Coded(self._said_of(term, gives, values, present), column.codes)

    def _said_of(
        self, term: Term, gives: Gives, values: Sequence[Value | None], counts: Mapping[Any, int]
    ) -> list[bool | None]:
        """Whether a term is true for each distinct value, of which there are so many items."""
        if not term.operator:
            return [_as_truth(value, term, gives) for value in values]
        if term.operator in ("=", "!="):
            wanted = term.operator == "="
            return [None if v is None else _is_same(v, term.value) == wanted for v in values]
        numbers = [None if value is None else _as_number(value, term, gives) for value in values]
        if term.operator == "in":
            # limits of the values that a share of the items has; equal values stay together
            pairs = zip(numbers, values, strict=True)
            times = [(number, counts[value]) for number, value in pairs if number is not None]
            ordered = [number for number, n in sorted(times) for _ in range(n)]
            low, high = share_of(term.value)
            first, last = (int(len(ordered) * rank + _EPSILON) for rank in (low, high))
            low, high = (
                ordered[first] if 0 < first < len(ordered) else float("-inf"),
                ordered[last] if last < len(ordered) else float("inf"),
            )
            return [None if n is None else low <= n < high for n in numbers]
        try:
            limit = float(term.value)
        except ValueError:
            raise PlanError(f"{term.text}: {term.value!r} is not a number.") from None
        order = _ORDERS[term.operator]
        return [None if n is None else order(n, limit) for n in numbers]

    def _valued(self, term: Term) -> tuple[Gives, Coded]:
        """Kind of a term's attribute or column, and its value for each item."""
        key = (term.name, term.field, term.value if term.name == _HAS else "")
        if key not in self._values:
            self._values[key] = self._computed(term)
        return self._values[key]

    def _computed(self, term: Term) -> tuple[Gives, Coded]:
        for name in (term.name, f"a_{term.name}", f"u_{term.name}"):
            if name in self._columns:
                own = self._columns[name]
                words = [None if v is None else str(v) for v in own.values]
                return "a word", Coded(words, own.codes)
        if term.name == _HAS:
            wanted = f" {' '.join(lower_of(Example('', {'': term.value})))} "
            return "yes or no", coded(
                None if one is None else wanted in f" {' '.join(lower_of(one))} "
                for one in self._looked_at(term)
            )
        known("attribute or column of the items", [term.name], self.names)
        attribute: Attribute = registry().load("attribute", term.name)
        kept = f"{OF_TRAINING}{Term(term.name, term.field).text}"
        if kept in self._kept:
            return attribute.gives, self._kept[kept]
        if attribute.of_all:
            raise PlanError(
                f"The slice uses {term.name}, which a language model gives, and none is named. "
                f"Name it behind the data string: #{term.name}=MODEL, where MODEL is smollm2, "
                "hf:CHECKPOINT of a causal model, or ngram:TEXT FILE. Its values are then a column "
                "of the items, which a run keeps."
            )
        looked = self._looked_at(term)
        if attribute.of_training and self._training is None:
            raise PlanError(
                f"The slice uses {term.name}, which needs training data, and none is given: "
                "name it in the plan (training = under [data.NAME]) or with --training STRING "
                "when the run is made."
            )
        training = self._training() if attribute.of_training and self._training else None
        values = (None if one is None else attribute(one, training) for one in looked)
        return attribute.gives, coded(values)

    def _looked_at(self, term: Term) -> Sequence[Example | None]:
        """Items, reduced to one field if the term names it."""
        if not term.field:
            return self.examples
        name = term.field
        found = [
            replace(one, fields={name: one.fields[name]}) if name in one.fields else None
            for one in self.examples
        ]
        if not any(found):
            raise UnknownNameError("text field of the items", term.field, fields_of(self.examples))
        return found


def _as_truth(value: Value | None, term: Term, gives: Gives) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    written = str(value).lower()
    if gives == "a word" and written in _YES | _NO:
        return written in _YES
    example = f"{term.name} > 20" if gives == "a number" else f"{term.name} = {value}"
    raise PlanError(f"{term.name} is {gives}, so a slice compares it with a value: {example}.")


def _as_number(value: Value, term: Term, gives: Gives) -> float:
    try:
        if gives != "yes or no":
            return float(value)
    except ValueError:
        pass
    raise PlanError(
        f"{term.name} {term.operator} {term.value}: {term.name} is {gives} ({value}), not a number."
    )


def _is_same(value: Value, text: str) -> bool:
    """Whether a value equals a written one: 2.0 is 2, and True is yes."""
    if isinstance(value, bool):
        return text.lower() in (_YES if value else _NO)
    if isinstance(value, str) and value == text:
        return True
    try:
        return float(value) == float(text)
    except ValueError:
        return False
