"""Random streams for one item after the other, without making a generator for each.

Making a Philox generator takes nine microseconds, longer than a typo. Setting the state of one that
is there takes one. The numbers are those of `scrutiny.core.randomness.generator`; the price is that
a stream ends when the next one begins, so nobody may keep it.
"""

from threading import local
from typing import TYPE_CHECKING, Any

from scrutiny.core.randomness import StreamKeys

if TYPE_CHECKING:
    from numpy.random import Generator

_LOW = (1 << 64) - 1


class Streams:
    """One generator that becomes any stream by its name.

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
        self._state: Any = self._bits.state  # a copy, fresh: counter and buffer are zero
        self._key = self._state["state"]["key"]
        self._begun: tuple[tuple[int, str, str], StreamKeys] | None = None

    def stream(
        self, seed: int, purpose: str, *, name: str, item: str, draw: int = 0
    ) -> "Generator":
        """Generator at the start of this stream; the one before it ends here."""
        asked = seed, purpose, name
        if self._begun is None or self._begun[0] != asked:
            self._begun = asked, StreamKeys(*asked)
        key = self._begun[1].key(item, draw)
        self._key[0] = key & _LOW
        self._key[1] = key >> 64
        self._bits.state = self._state
        return self._generator


_OWN = local()


def streams() -> Streams:
    """Streams of this thread."""
    found: Streams | None = getattr(_OWN, "streams", None)
    if found is None:
        found = _OWN.streams = Streams()
    return found
