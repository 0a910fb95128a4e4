"""Orders drawn at random, at the price of one bulk draw."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from numpy.random import Generator

T = TypeVar("T")


def in_random_order(options: Sequence[T], rng: "Generator") -> Iterator[T]:
    """All options in a random order; the first costs one draw, the others one bulk draw."""
    if not options:
        return
    first = int(rng.random() * len(options))
    yield options[first]
    rest = [*options[:first], *options[first + 1 :]]
    keys = rng.random(len(rest)).tolist()
    for i in sorted(range(len(rest)), key=keys.__getitem__):
        yield rest[i]
