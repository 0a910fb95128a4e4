"""Candidates of a search for slices: one condition, or two of different attributes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import isfinite
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.example import Example
from scrutiny.core.languages import is_english
from scrutiny.core.registry import registry
from scrutiny.core.slice_syntax import Term, complement, joined, parse_predicate, terms_of
from scrutiny.data.attribute import Attribute, Training
from scrutiny.data.item_values import FEWEST, Items
from scrutiny.data.slices import MOST_VALUES, slices_for

#: Attributes of which another one says nearly the same.
_AS_LENGTH: Final = frozenset({"length", "longest_text", "label_share"})
#: What a third is called in a slice.
_ENDS: Final = ("lowest third", "highest third")
#: A second condition that leaves out less than this share of a slice, or keeps less, is none.
_LEAST: Final = 0.1


class Candidates(NamedTuple):
    """Slices as they are written, who is in each ``(slice, item)``, and how many conditions."""

    written: tuple[str, ...]
    masks: NDArray[np.bool_]
    conditions: tuple[int, ...]


def slice_candidates(
    examples: Sequence[Example], training: Callable[[], Training] | None = None
) -> Candidates:
    """Slices that a search looks at, with items enough in both halves of the data.

    Those that a comparison tests (attributes of texts that answer yes or no, thirds by length,
    labels, columns) and thirds by every attribute that is a number; the items outside of each; and
    all two of different attributes.

    Parameters
    ----------
    examples
        The items.
    training
        Their training set, where there is one.
    """
    fewest = 2 * FEWEST
    asked = _thirds(examples, has_training=Items.of(examples, training).has_training)
    first = {
        one.where: members
        for one, members in slices_for(examples, asked=asked, training=training, fewest=fewest)
    }
    masks = {**first, **dict(_outside(first, examples))}
    conditions = dict.fromkeys(masks, 1)
    names = {where: {term.name for term in terms_of(parse_predicate(where))} for where in first}
    for a, b in combinations(first, 2):
        if names[a] & names[b]:
            continue
        both = first[a] & first[b]
        inside = int(both.sum())
        parents = [int(first[one].sum()) for one in (a, b)]
        if inside >= fewest and all(_LEAST * n <= inside <= (1 - _LEAST) * n for n in parents):
            where = joined(a, b)
            masks[where], conditions[where] = both, 2
    return Candidates(
        tuple(masks),
        np.array([*masks.values()], dtype=np.bool_).reshape(len(masks), len(examples)),
        tuple(conditions.values()),
    )


def _thirds(examples: Sequence[Example], *, has_training: bool) -> list[str]:
    """Lowest and highest thirds by each attribute or column of numbers; not by length."""
    in_english = all(is_english(example.language) for example in examples)
    found = []
    for name in registry().names("attribute"):
        one: Attribute = registry().load("attribute", name)
        short = name.partition("@")[0]
        is_known = (in_english or not one.is_english) and (has_training or not one.of_training)
        is_known &= not one.of_all  # a column, where it is asked
        if one.gives == "a number" and is_known and short not in _AS_LENGTH:
            found += [f"{short} in {end}" for end in _ENDS]
    columns = dict.fromkeys(name for e in examples for name in e.attributes if name[:2] == "a_")
    for name in columns:
        values = [e.attributes[name] for e in examples if name in e.attributes]
        if len(set(values)) > MOST_VALUES and all(map(_is_number, values)):
            found += [Term(name, "", "in", end).text for end in _ENDS]
    return found


def _is_number(value: str | float) -> bool:
    """Whether a value of a column is a number; a run keeps it as it is written."""
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def _outside(
    first: Mapping[str, NDArray[np.bool_]], examples: Sequence[Example]
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Items outside of slices by attributes that answer yes or no, of which each item has one."""
    in_english = all(is_english(example.language) for example in examples)
    known = {name.partition("@")[0]: name for name in registry().names("attribute")}
    for where, inside in first.items():
        if where in known:
            one: Attribute = registry().load("attribute", where)
            if in_english or not one.is_english:
                yield complement(where), ~inside
