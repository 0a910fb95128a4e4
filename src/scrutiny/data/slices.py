"""Slices of items: groups that comparisons evaluate, and which items of a run are in one."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scrutiny.core.answers.answer import label_in
from scrutiny.core.columns.coded import Coded
from scrutiny.core.example import Example
from scrutiny.core.languages import OF_CHARACTERS, UNSPACED, is_english, script_of
from scrutiny.core.registry import registry
from scrutiny.core.slice_syntax import canonical, joined, slice_of_values
from scrutiny.data.attribute import Attribute, Training
from scrutiny.data.item_values import COLUMNS, FEWEST, OF_TRAINING, Items
from scrutiny.store.arrow import coded
from scrutiny.store.item_tables import examples_of
from scrutiny.store.run_folder import RunFolder

#: Values of a label or a column beyond this number are no groups.
MOST_VALUES: Final = 12
#: Share of items in other languages with which attributes of English words are still slices.
_OTHERS: Final = 0.05


@dataclass(frozen=True, slots=True)
class Slice:
    """Group of items that a comparison evaluates separately.

    Parameters
    ----------
    name
        Short and stable ("negation"); random numbers are drawn by it.
    says
        Phrase that follows "inputs" in a sentence ("with a negation").
    where
        Predicate; empty for all items.
    """

    name: str
    says: str
    where: str = ""


def slices_for(
    examples: Sequence[Example],
    *,
    asked: Sequence[str] = (),
    training: Callable[[], Training] | None = None,
    fewest: int = FEWEST,
) -> list[tuple[Slice, NDArray[np.bool_]]]:
    """All slices that divide the items, each with ``(item,)`` whether it is a member.

    Beside the attributes of texts that answer yes or no: slices that the user asks for, thirds by
    length, every gold label, every value of the items' columns ``a_*``. Attributes of English
    words are left out unless nearly all items are in English, and thirds by length where words
    cannot be told apart (Thai).

    Parameters
    ----------
    examples
        The items.
    asked
        Predicates stated by the user.
    training
        The training set, where there is one.
    fewest
        Least number of items inside and outside of a slice.
    """
    if not examples:
        return []
    items = Items.of(examples, training)
    others = sum(not is_english(example.language) for example in examples)
    candidates = [
        *(Slice(joined(text), f"where {joined(text)}", text) for text in asked),
        *_declared(is_english=others <= _OTHERS * len(examples)),
    ]
    items.look_at(["length > 0", *(one.where for one in candidates)])
    candidates += [
        *_by_length(examples, items),
        *_by_value("label", "label", [*filter(None, (label_in(e.gold) for e in examples))]),
    ]
    names = dict.fromkeys(n for e in examples for n in e.attributes if n.startswith("a_"))
    for name in sorted(names):
        values = [str(e.attributes[name]) for e in examples if name in e.attributes]
        candidates += _by_value(name, name.removeprefix("a_"), values)
    found = []
    known: set[bytes] = set()
    for one in candidates:
        members = items.members(one.where)
        inside, written = int(members.sum()), np.packbits(members).tobytes()
        if inside < fewest or len(members) - inside < fewest or written in known:
            continue  # too small, or equal to another slice
        known.add(written)
        found.append((one, members))
    return found


def _declared(*, is_english: bool) -> list[Slice]:
    """Slice of each registered yes-or-no attribute of texts."""
    found = []
    for kind, name in registry().entries:
        if kind != "attribute":
            continue
        one: Attribute = registry().load(kind, name)
        if one.gives == "yes or no" and not one.of_training and (is_english or not one.is_english):
            written = name.partition("@")[0]
            found.append(Slice(one.stream or written.replace("_", " "), one.says, written))
    return found


def _by_value(column: str, name: str, values: Sequence[str]) -> list[Slice]:
    """Slice of each value of a column; none if there are too many."""
    counts = Counter(values)
    if not 2 <= len(counts) <= MOST_VALUES:
        return []
    return [
        Slice(f"{name} {value}", f"of {name} {value!r}", slice_of_values({column: value}))
        for value in sorted(counts)
    ]


def _by_length(examples: Sequence[Example], items: Items) -> list[Slice]:
    """Slices of the shortest and longest third, by words; characters in Chinese and Japanese."""
    scripts = {script_of(example.language) for example in examples}
    if scripts & (UNSPACED - OF_CHARACTERS):
        return []
    unit = "characters" if scripts <= OF_CHARACTERS else "words"
    gives, lengths = items.valued("length")
    if gives != "a number":
        return []  # items have a column of this name, which is not their length
    ordered = sorted(lengths.each())
    low, high = ordered[len(ordered) // 3], ordered[2 * len(ordered) // 3]
    return [
        Slice("short", f"of fewer than {low} {unit}", f"length < {low}"),
        Slice("long", f"of more than {high} {unit}", f"length > {high}"),
    ]


class RunItems:
    """Items of each dataset of a run, with the values that slices need.

    Parameters
    ----------
    items
        Table of the items, with or without their texts.
    texts
        Table with their texts, read once if a slice needs them.
    stated
        Slices of the plan, whose attributes are computed together, each text cut once for all.
    """

    def __init__(
        self,
        items: pa.Table,
        texts: Callable[[], pa.Table] | None = None,
        stated: Sequence[str] = (),
    ) -> None:
        self._items = items
        self._read = texts
        self._stated = dict.fromkeys(map(canonical, stated))
        self._known: dict[str, Items] = {}
        self._inside: dict[tuple[str, str], NDArray[np.bool_]] = {}

    @classmethod
    def of_folder(cls, folder: RunFolder, items: pa.Table | None = None) -> "RunItems":
        """Items of a run folder; ``items`` are those without texts, where they are read already."""
        plan = folder.manifest.get("plan", {})
        stated = [w for one in (plan, *plan.get("measure", ())) for w in one.get("where", ())]
        known = folder.items_without_texts() if items is None else items
        return cls(known, folder.items, stated)

    @cached_property
    def datasets(self) -> list[str]:
        """Names of the datasets, in the order of the run."""
        return list(self._items["dataset"].unique().to_pylist())

    def inside(self, where: str, datasets: tuple[str, ...]) -> NDArray[np.bool_]:
        """Mask of the items of some datasets, concatenated, that are known to be in a slice.

        Raises
        ------
        PlanError, UnknownNameError
            If the slice cannot be read, or names an attribute or column that the items lack.
        """
        for name in datasets:
            if (name, where) not in self._inside:
                if where in self._stated:
                    self.of(name).look_at(self._stated)
                self._inside[name, where] = self.of(name).members(where)
        return np.concatenate([self._inside[name, where] for name in datasets])

    def of(self, dataset: str) -> Items:
        """Items of one dataset."""
        if dataset not in self._known:
            names = [n for n in self._items.column_names if n.startswith((*COLUMNS, OF_TRAINING))]
            own = self._items.select(names)
            if self.datasets != [dataset]:
                own = own.filter(pc.equal(self._items["dataset"], dataset))
            columns = {
                name: Coded(values.to_pylist(), codes.astype(np.int32))
                for name in names
                for values, codes in [coded(own[name])]
            }
            texts = partial(examples_of, self._texts, dataset)
            self._known[dataset] = Items(columns, lambda: list(texts().values()))
        return self._known[dataset]

    @cached_property
    def _texts(self) -> pa.Table:
        return self._items if self._read is None else self._read()
