"""Random streams for a sequence of items, and random orders.

Making a Philox generator takes nine microseconds, longer than a typo. Setting the state of one that
is there takes half a one, if the state is made of lists: numpy reads it number by number, and
numbers of an array cost more. The numbers are those of `scrutiny.core.randomness.generator`; the
price is that a stream ends when the next one begins, so nobody may keep it.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from threading import local
from typing import Any, Final, TypeVar

from scrutiny.core.randomness import Rng, StreamKeys

_NAMES: Final = 1024


class Streams:
    """A generator that can become any stream by name; common prefixes are hashed once.

    Examples
    --------
    >>> from scrutiny.core.randomness import generator
    >>> name = dict(name="typos@1", item="i1", draw=0)
    >>> again = Streams().stream(0, "perturb", **name)
    >>> bool(again.random() == generator(0, "perturb", **name).random())
    True
    """

    __slots__ = ("_begun", "_bits", "_generator", "_key", "_state")

    def __init__(self) -> None:
        from numpy.random import Generator, Philox

        self._bits = Philox(key=0)
        self._generator = Generator(self._bits)
        fresh: Any = self._bits.state  # counter and buffer are zero
        self._key = [0, 0]
        self._state: Any = {
            **fresh,
            "state": {"counter": fresh["state"]["counter"].tolist(), "key": self._key},
            "buffer": fresh["buffer"].tolist(),
        }
        self._begun: dict[tuple[int, str, str], StreamKeys] = {}

    def stream(self, seed: int, purpose: str, *, name: str, item: str, draw: int = 0) -> Rng:
        """Generator at the start of this stream; it replaces the previous stream."""
        asked = seed, purpose, name
        keys = self._begun.get(asked)
        if keys is None:
            if len(self._begun) >= _NAMES:
                self._begun.clear()  # seeds without end must not fill the memory
            keys = self._begun[asked] = StreamKeys(*asked)
        self._key[:] = keys.words(item, draw)
        self._bits.state = self._state
        return self._generator


class OwnStreams(local):
    """Random streams of each thread, created on first use."""

    @cached_property
    def streams(self) -> Streams:
        """Streams of this thread."""
        return Streams()


_OWN = OwnStreams()


def streams() -> Streams:
    """Streams of this thread."""
    return _OWN.streams


T = TypeVar("T")


def in_random_order(options: Sequence[T], rng: Rng) -> Iterator[T]:
    """All options in a random order; the first costs one draw, the others one bulk draw."""
    if not options:
        return
    first = int(rng.random() * len(options))
    yield options[first]
    rest = [*options[:first], *options[first + 1 :]]
    for i in sorted(range(len(rest)), key=rng.random(len(rest)).tolist().__getitem__):
        yield rest[i]
