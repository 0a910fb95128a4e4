"""Split of a dataset: what each part holds, how far the test part lies off, and the files."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scrutiny.core.boundary.json_text import plain
from scrutiny.core.errors import DataError, PlanError
from scrutiny.core.example import Example
from scrutiny.core.randomness import generator
from scrutiny.data.dataset import Dataset
from scrutiny.data.overlap import KINDS, overlap
from scrutiny.data.splits.bags import (
    Array,
    BesideRandom,
    TotalVariation,
    beside_random,
    random_parts,
    word_bags,
)
from scrutiny.data.splits.ways import PARTS, WAYS, Texts

_NAME: Final = "split@1"
#: Random splits that a split stands beside.
RANDOM: Final = 1_000
_MIN_DF: Final = 2


@dataclass(frozen=True, slots=True)
class SplitWanted:
    """How a dataset is to be split.

    Parameters
    ----------
    by
        Name of a way (`WAYS`).
    dev, test
        Shares of the items below 1, or numbers of items.
    seed
        Of all that is random.
    is_stratified
        Whether each label has its share in every part.
    group_by, column
        Column or text whose values stay together; and the column that states the part of each item.
    vectors
        ``(item, dimension)`` vectors of the items, for sliced Wasserstein.
    min_df
        Least number of texts of a word, as released.
    """

    by: str = "random"
    dev: float = 0.1
    test: float = 0.1
    seed: int = 0
    is_stratified: bool = False
    group_by: str = ""
    column: str = ""
    vectors: Array | None = None
    min_df: int = _MIN_DF

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise PlanError(f"A split is by {', '.join(WAYS)}, not by {self.by!r}.")
        stated = {
            "stratify": ("random", self.is_stratified),
            "group-by": ("random", bool(self.group_by)),
            "column": ("standard", bool(self.column)),
            "vectors": ("sliced-wasserstein", self.vectors is not None),
            "min-df": ("released-wasserstein", self.min_df != _MIN_DF),
        }
        for option, (way, is_stated) in stated.items():
            if is_stated and self.by != way:
                raise PlanError(
                    f"The option {option} is for splits by {way}, and this one is by {self.by}: "
                    "leave the option out, or split by the other way."
                )
        if not (self.test > 0 and self.dev >= 0):
            raise PlanError("The test part has to hold something, and no part less than nothing.")

    def sizes(self, n: int) -> tuple[int, int]:
        """Numbers of items of the development and the test part.

        Raises
        ------
        DataError
            If nothing is left for training.
        """
        dev, test = (round(size * n) if size < 1 else round(size) for size in (self.dev, self.test))
        if test < 1 or dev + test >= n:
            raise DataError(
                f"Of {n:,} items, {dev:,} are for development and {test:,} for the test: each part "
                "needs some, and so does training. State shares below 1, or smaller numbers."
            )
        return dev, test


@dataclass(frozen=True, slots=True)
class PartRecord:
    """What a part holds: items, words, mean words of a text, and shares of labels."""

    name: str
    n_items: int
    n_words: int
    mean_words: float
    labels: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Split:
    """A split of a dataset, with what shifted.

    Parameters
    ----------
    by, seed, source, fingerprint
        How it was made, and of what.
    says
        What was decided on the way; empty for nothing.
    parts
        Items of each part, by place in the data.
    records
        What each part holds.
    distances
        How far the test part lies from all else, beside random test parts of as many texts and
        words: total variation, and the distance that it was made for.
    label_shift
        Total variation of the labels of test part and training part; None without labels.
    copies
        Texts of the test part that stand in the training part, by kind: exact, contained, near.
    """

    by: str
    seed: int
    source: str
    fingerprint: str
    says: str
    parts: Mapping[str, tuple[int, ...]]
    records: tuple[PartRecord, ...]
    distances: tuple[BesideRandom, ...]
    label_shift: float | None
    copies: Mapping[str, int]

    def record(self) -> dict[str, Any]:
        """Plain JSON of what there is to say, without the places of items."""
        found: dict[str, Any] = plain(self)
        del found["parts"]
        return found


def split_dataset(data: Dataset, wanted: SplitWanted, *, n_random: int = RANDOM) -> Split:
    """Split a dataset, and hold the test part against random ones.

    Raises
    ------
    DataError
        If sizes, groups or lengths do not fit the data.

    Notes
    -----
    **Measures**: how much harder a test part is made than a random one. A model's score on a random
    split is about more of the same; a hard one is a step towards other data.

    **Misleads when**: a score fell on a hard split and is read as that of new data: nature does not
    choose the farthest texts. What shifted along (lengths, labels) may be all there is to it, and
    stands in the record. Copies across parts make any split easier than it looks.

    **References**: Gorman & Bedrick (2019), We need to talk about standard splits; Søgaard et al.
    (2021), We need to talk about random splits. The word-aware ways, and random splits of as many
    words, are ours.
    """
    examples = data.examples
    texts = [" ".join(e.fields.values()) for e in examples]
    bags = word_bags(texts)
    golds = [_label(e) for e in examples]
    has_labels = all(golds)
    if wanted.is_stratified and not has_labels:
        raise DataError("To keep the shares of labels, every item needs a label.")
    if wanted.vectors is not None and wanted.vectors.shape[:1] != (len(examples),):
        raise DataError(
            f"There are {len(examples):,} items and vectors of the shape {wanted.vectors.shape}: "
            "they are (item, dimension), in the order of the items."
        )
    made = WAYS[wanted.by](
        Texts(
            texts,
            bags,
            labels=golds if wanted.is_stratified else (),
            groups=_values(data, wanted.group_by),
            stated=[str(v).lower() for v in _values(data, wanted.column)],
            vectors=wanted.vectors,
            min_df=wanted.min_df,
        ),
        *((0, 0) if wanted.column else wanted.sizes(len(examples))),  # a column states them
        generator(wanted.seed, "split", name=_NAME, item=wanted.by),
    )
    parts = {name: tuple(np.flatnonzero(made.parts == i).tolist()) for i, name in enumerate(PARTS)}
    if not parts["train"] or not parts["test"]:
        raise DataError("Nothing is left for training, or for the test: groups are too large.")
    is_test = made.parts == PARTS.index("test")
    rng = generator(wanted.seed, "random splits", name=_NAME, item=wanted.by)
    others = random_parts(
        bags.tokens, int(is_test.sum()), int(bags.tokens[is_test].sum()), n_random, rng
    )
    of, own_bags = (TotalVariation(), bags) if made.far is None else made.far
    further = [of] if of.says != TotalVariation.says else []
    if own_bags is bags:
        distances = beside_random([TotalVariation(), *further], bags, is_test, others)
    else:
        distances = beside_random([TotalVariation()], bags, is_test, others)
        distances += beside_random(further, own_bags, is_test, others)
    records = tuple(_record(name, own, texts, golds, bags.tokens) for name, own in parts.items())
    found = overlap([texts[i] for i in parts["test"]], [texts[i] for i in parts["train"]])
    copied = Counter(pair.kind for pair in found.pairs)
    shares = {one.name: one.labels for one in records}
    return Split(
        by=wanted.by,
        seed=wanted.seed,
        source=data.source,
        fingerprint=data.fingerprint,
        says=made.says,
        parts=parts,
        records=records,
        distances=tuple(distances),
        label_shift=_shift(shares["train"], shares["test"]) if has_labels else None,
        copies={kind: copied[kind] for kind in KINDS},
    )


def _label(example: Example) -> str:
    """Label of an item; empty for none, and for answers of another type."""
    return example.gold if isinstance(example.gold, str) else ""


def _values(data: Dataset, name: str) -> list[Hashable]:
    """Values of a column, unit or text of the items; none without a name.

    Raises
    ------
    DataError
        If no item has it.
    """
    if not name:
        return []
    roles = {column: role for role, column in data.columns.items()}
    name = roles.get(name, name)  # as the file calls it, or as the task does
    found: list[Hashable] = []
    for e in data.examples:
        known: Mapping[str, Any] = {**e.fields, **e.attributes}
        keys = [key for key in (name, f"u_{name}", f"a_{name}") if key in known]
        if not keys:
            columns = dict.fromkeys(k.removeprefix("u_").removeprefix("a_") for k in known)
            raise DataError(
                f"{e.source or e.id} has no {name!r}; it has {', '.join(columns)}. Other columns "
                f"are kept where the data string names them: #unit={name} or #group={name}."
            )
        found.append(known[keys[0]])
    return found


def _record(
    name: str, own: Sequence[int], texts: Sequence[str], golds: Sequence[str], tokens: Array
) -> PartRecord:
    """What a part holds."""
    words = int(tokens[list(own)].sum()) if own else 0
    counts = Counter(golds[i] for i in own if golds[i])
    shares = {label: n / counts.total() for label, n in sorted(counts.items())}
    return PartRecord(name, len(own), words, words / len(own) if own else 0.0, shares)


def _shift(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Total variation of shares of labels."""
    return sum(abs(one.get(k, 0.0) - other.get(k, 0.0)) for k in {*one, *other}) / 2
