"""Ways to split: as it stands, at random, by length, by random lengths, and adversarially."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scrutiny.core.errors import DataError
from scrutiny.core.randomness import Rng
from scrutiny.data.splits.adversarial import as_released, farthest
from scrutiny.data.splits.bags import (
    Array,
    BagDistance,
    Bags,
    JensenShannon,
    TotalVariation,
    along_lines,
    latent_vectors,
    text_bags,
)

PARTS: Final = ("train", "dev", "test")
_TRAIN, _DEV, _TEST = range(3)
#: How far the size of a part of random lengths may be off, and how often it is tried.
_SIZE_WITHIN: Final = 0.01
_TRIES: Final = 100
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Texts:
    """What a way looks at.

    Parameters
    ----------
    texts, bags
        Text of each item, and its words.
    labels
        Label of each item; empty where there are none.
    groups
        Items of one group stay together; empty where each stands for itself.
    stated
        Part of each item that the data states; empty where it states none.
    vectors
        ``(item, dimension)``; None for those that the data itself gives.
    min_df
        As in `as_released`.
    """

    texts: Sequence[str]
    bags: Bags
    labels: Sequence[str] = ()
    groups: Sequence[Hashable] = ()
    stated: Sequence[str] = ()
    vectors: Array | None = None
    min_df: int = 2


@dataclass(frozen=True, slots=True)
class Made:
    """A split: the part of each item, and the distance that it was made for, if it was.

    Parameters
    ----------
    parts
        ``(item,)`` place in `PARTS`.
    far
        Distance and bags that it was made far by; None where no distance was looked at.
    says
        What was decided on the way: a threshold.
    """

    parts: Array
    far: tuple[BagDistance, Bags] | None = None
    says: str = ""


Way = Callable[[Texts, int, int, Rng], Made]


def as_it_stands(data: Texts, dev: int, test: int, rng: Rng) -> Made:
    """The parts that a column states; else in file order, the test part last."""
    n = len(data.texts)
    if data.stated:
        unknown = sorted(set(data.stated) - set(_STATED))
        if unknown:
            raise DataError(
                f"The column of parts says {unknown[0]!r}; it may say {', '.join(_STATED)}."
            )
        return Made(np.array([_STATED[one] for one in data.stated]))
    return Made(np.repeat(range(3), (n - dev - test, dev, test)))


_STATED: Final = {
    "train": _TRAIN,
    "training": _TRAIN,
    "dev": _DEV,
    "validation": _DEV,
    "valid": _DEV,
    "test": _TEST,
}


def at_random(data: Texts, dev: int, test: int, rng: Rng) -> Made:
    """Items, or whole groups, at random; with labels, each in its share in every part.

    Groups are dealt out in random order, the largest first, to the part that lacks most of what
    they hold among those with room for all of it; what fits nowhere is for training. So no other
    part is larger than asked; one may be smaller.
    """
    n = len(data.texts)
    groups = list(data.groups) or list(range(n))
    number: dict[Hashable, int] = {}
    owner = np.array([number.setdefault(one, len(number)) for one in groups])
    names = {label: j for j, label in enumerate(dict.fromkeys(data.labels))} or {"": 0}
    labels = np.array([names[one] for one in data.labels] if data.labels else [0] * n)
    held = np.zeros((len(number), len(names)))
    np.add.at(held, (owner, labels), 1)
    wanted = np.array([n - dev - test, dev, test])[:, None] / n * held.sum(axis=0)
    order = rng.permutation(len(number))
    if not data.groups and not data.labels:
        parts = np.empty(n, dtype=np.int64)
        parts[order] = np.repeat(range(3), (n - dev - test, dev, test))
        return Made(parts)
    order = order[np.argsort(-held[order].sum(axis=1), kind="stable")]
    lacking = wanted.astype(np.float64)
    part_of = np.zeros(len(number), dtype=np.int64)
    for group in order:
        share = (held[group] * lacking / np.maximum(wanted, 1e-9)).sum(axis=1)
        has_room = lacking.sum(axis=1) > held[group].sum() - _ROUNDING
        share[~has_room | (wanted.sum(axis=1) == 0)] = -np.inf  # training is first where none has
        part_of[group] = int(share.argmax())
        lacking[part_of[group]] -= held[group]
    parts = part_of[owner]
    asked, reached = (n - dev - test, dev, test), tuple(np.bincount(parts, minlength=3).tolist())
    said = ["{:,}, {:,} and {:,}".format(*sizes) for sizes in (asked, reached)]
    says = f"{said[0]} items were asked, and groups allowed {said[1]}" if asked != reached else ""
    return Made(parts, says=says)


def by_length(data: Texts, dev: int, test: int, rng: Rng) -> Made:
    """The longest texts as test part: those longer than a threshold, no more than were asked.

    Raises
    ------
    DataError
        If more texts have the largest length than the test part may hold.
    """
    tokens = data.bags.tokens
    lengths, counts = np.unique(tokens, return_counts=True)  # the shortest first
    longer = counts[::-1].cumsum()[::-1]  # texts of each length or more
    threshold = lengths[longer > test].max()
    if threshold == lengths[-1]:
        raise DataError(
            f"{counts[-1]:,} texts have the largest length, {threshold} words, and the test part "
            f"may hold {test:,}: make it larger."
        )
    made = _with_dev(tokens > threshold, dev, rng)
    return Made(made, says=f"test texts have more than {threshold} words")


def by_random_lengths(data: Texts, dev: int, test: int, rng: Rng) -> Made:
    """All texts of some lengths as test part, which are drawn until it is as large as asked.

    Raises
    ------
    DataError
        If no draw of a hundred comes within 1 %.
    """
    tokens = data.bags.tokens
    lengths, counts = np.unique(tokens, return_counts=True)
    slack = _SIZE_WITHIN * test
    for _ in range(_TRIES):
        order = rng.permutation(len(lengths))
        sizes = np.cumsum(counts[order])
        near = np.flatnonzero(np.abs(sizes - test) <= slack)
        if len(near):
            chosen = lengths[order[: near[0] + 1]]
            said = ", ".join(map(str, sorted(chosen.tolist())))
            made = _with_dev(np.isin(tokens, chosen), dev, rng)
            return Made(made, says=f"test texts have these numbers of words: {said}")
    raise DataError(
        f"No {_TRIES} draws of lengths gave a test part of {test:,} texts within 1 %: ask for "
        "another size, or for more texts."
    )


def released(data: Texts, dev: int, test: int, rng: Rng) -> Made:
    """Adversarial as Søgaard et al. released it, which is a split by length under another name."""
    chosen = as_released(data.texts, test, rng, min_df=data.min_df)
    said = "as released: blind to which words they are, so these are the texts of the most words"
    return Made(_with_dev(chosen, dev, rng), (TotalVariation(), data.bags), said)


def _far_by(distance: Callable[[Texts, Rng], tuple[BagDistance, Bags]], doc: str) -> Way:
    """Way to the test part that is farthest from the rest by a distance."""

    def way(data: Texts, dev: int, test: int, rng: Rng) -> Made:
        far = distance(data, rng)
        return Made(_with_dev(farthest(*far, test, rng), dev, rng), far)

    way.__doc__ = doc
    return way


def _by_words(data: Texts, rng: Rng) -> tuple[BagDistance, Bags]:
    """Wasserstein distance of words, along lines through their vectors."""
    _, words = latent_vectors(data.bags, rng)
    return along_lines(words, rng, says="sliced Wasserstein distance of words"), data.bags


def _by_vectors(data: Texts, rng: Rng) -> tuple[BagDistance, Bags]:
    """Wasserstein distance of texts, along lines through their vectors."""
    vectors = latent_vectors(data.bags, rng)[0] if data.vectors is None else data.vectors
    own = along_lines(vectors, rng, says="sliced Wasserstein distance of texts")
    return own, text_bags(vectors, data.bags.tokens)


def _with_dev(is_test: Array, dev: int, rng: Rng) -> Array:
    """Parts, with a development part drawn from what is not in the test part."""
    parts = np.where(is_test, _TEST, _TRAIN)
    rest = np.flatnonzero(~is_test)
    parts[rng.permutation(rest)[: min(dev, len(rest))]] = _DEV
    return parts


#: Ways by name.
WAYS: Final[dict[str, Way]] = {
    "standard": as_it_stands,
    "random": at_random,
    "length": by_length,
    "random-lengths": by_random_lengths,
    "released-wasserstein": released,
    "word-wasserstein": _far_by(_by_words, "Far by words that mean other things."),
    "total-variation": _far_by(
        lambda data, rng: (TotalVariation(), data.bags), "Far by how often words occur."
    ),
    "jensen-shannon": _far_by(
        lambda data, rng: (JensenShannon(), data.bags), "Far by words that one part alone has."
    ),
    "sliced-wasserstein": _far_by(_by_vectors, "Far by vectors of the texts."),
}
#: Those whose test part is the same whatever the seed.
FIXED: Final = ("standard", "length", "released-wasserstein")
