"""The word sets of an association test in a dataset, and the vectors of their items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scrutiny.core.arrays import Booleans, Floats
from scrutiny.core.diagnostic import Context
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.queries.language import Passage
from scrutiny.diagnostics.association.params import Layers, layers_of_vectors
from scrutiny.models.answers.vectors import ItemVectors, answered_vectors
from scrutiny.text.casing import lowered

SETS: Final = ("X", "Y", "A", "B")


@dataclass(frozen=True, slots=True, eq=False)
class WordSets:
    """One test: positions of its items ``(item,)`` by set."""

    name: str
    members: dict[str, NDArray[np.int64]]


def word_sets(examples: Sequence[Example]) -> list[WordSets]:
    """Tests of the examples, in the order of their first items.

    Raises
    ------
    DataError
        If an item names no set.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for position, example in enumerate(examples):
        which = example.attributes.get("a_set")
        if which not in SETS:
            raise DataError(
                f"{example.source or example.id}: a_set is {which!r}; it is X or Y for targets, A "
                "or B for attributes."
            )
        test = str(example.attributes.get("a_test", "all"))
        found.setdefault(test, {name: [] for name in SETS})[str(which)].append(position)
    return [
        WordSets(name, {s: np.array(places, dtype=np.int64) for s, places in members.items()})
        for name, members in found.items()
    ]


def words_of(examples: Sequence[Example], places: NDArray[np.int64]) -> NDArray[np.str_]:
    """Target word of each item ``(item,)``; an item without one is its own."""
    return np.array(
        [str(examples[i].attributes.get("u_word", examples[i].id)) for i in places.tolist()]
    )


def passages_of(
    examples: Sequence[Example], *, lower: bool, needs_word: bool
) -> tuple[list[Passage], NDArray[np.int64]]:
    """Distinct passages of the word sets' examples, and the index of each example's passage.

    A text that stands in several tests is there once; where words are asked for, once for each of
    its words. Where a text has no word, the passage with one serves it too.
    """
    spans = [_span(e) if needs_word else None for e in examples]
    texts = [lowered(e.text) if lower else e.text for e in examples]
    worded = {text: span for text, span in zip(texts, spans, strict=True) if span is not None}
    wanted = [
        Passage(text, worded.get(text) if span is None else span)
        for text, span in zip(texts, spans, strict=True)
    ]
    index = {passage: i for i, passage in enumerate(dict.fromkeys(wanted))}
    return list(index), np.array([index[passage] for passage in wanted], dtype=np.int64)


def _span(example: Example) -> tuple[int, int] | None:
    start, end = example.attributes.get("a_start"), example.attributes.get("a_end")
    return None if start is None or end is None else (int(start), int(end))


def word_set_vectors(
    examples: Sequence[Example],
    ctx: Context,
    *,
    representations: tuple[str, ...],
    layers: Layers,
    as_published: bool = False,
) -> ItemVectors:
    """Vectors of the words or sentences of all sets, from one query to the model.

    As published: texts in lower case, one forward pass for each. Vectors of one text in several
    batches differ in their last digits, which shows where associations hardly vary.
    """
    passages, places = passages_of(
        examples, lower=as_published, needs_word="word" in representations
    )
    found = answered_vectors(
        ctx.model,
        passages,
        layers=layers_of_vectors(layers, ctx.model.n_layers),
        poolings=representations,
        one_by_one=as_published,
    )
    return replace(found, passage=places)


def has_direction(vectors: Floats) -> Booleans:
    """Whether a word's vector ``(item, dimension)`` can be associated: there, and not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(np.isfinite(lengths) & (lengths > 0))
