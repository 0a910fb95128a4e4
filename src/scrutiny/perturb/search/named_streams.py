"""Random streams of many names in turn."""

from threading import local
from typing import TYPE_CHECKING

from scrutiny.core.randomness import StreamKeys
from scrutiny.perturb.streams import Streams

if TYPE_CHECKING:
    from numpy.random import Generator


_LOW = (1 << 64) - 1


class NamedStreams(Streams):
    """Streams that remember the common part of every name, not of the last one alone.

    A search asks several transformations about each word.
    """

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        super().__init__()
        self._keys: dict[tuple[int, str, str], StreamKeys] = {}

    def stream(
        self, seed: int, purpose: str, *, name: str, item: str, draw: int = 0
    ) -> "Generator":
        """Generator at the start of this stream; the one before it ends here."""
        asked = seed, purpose, name
        begun = self._keys.get(asked)
        if begun is None:
            begun = self._keys[asked] = StreamKeys(*asked)
        key = begun.key(item, draw)
        self._key[0] = key & _LOW
        self._key[1] = key >> 64
        self._bits.state = self._state
        return self._generator


_OWN = local()


def named_streams() -> NamedStreams:
    """Streams of this thread."""
    found: NamedStreams | None = getattr(_OWN, "streams", None)
    if found is None:
        found = _OWN.streams = NamedStreams()
    return found
