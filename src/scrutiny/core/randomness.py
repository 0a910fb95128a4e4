"""Named random streams: each depends on its name only.

A stream is keyed by (run seed, purpose, name, item, draw). Model, replicate and intensity are
left out on purpose: replicates then see the same texts, and a higher intensity changes what a
lower one changed and more.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING, Any, TypeAlias

from scrutiny.core.boundary.json_text import length_prefixed

if TYPE_CHECKING:
    import numpy as np

Rng: TypeAlias = "np.random.Generator"  # loading numpy takes longer than a list of names

_TWO_WORDS = Struct("<QQ")
_PERSON = b"scrutiny.rng.1"


def stream_key(seed: int, purpose: str, name: str, item: str, draw: int = 0) -> int:
    """128-bit key of a named random stream.

    Parameters
    ----------
    seed
        The run's seed.
    purpose
        Purpose of the numbers ("perturb", "bootstrap").
    name
        Versioned name of who draws ("typos@1").
    item
        Identity of the item, or of the resampling.
    draw
        Repetition: 0 for the first.
    """
    data = length_prefixed(str(seed), purpose, name, item, str(draw))
    return int.from_bytes(blake2b(data, digest_size=16, person=_PERSON).digest(), "little")


class StreamKeys:
    """Keys of all streams of one run, purpose and name; the common part is hashed once.

    Examples
    --------
    >>> keys = StreamKeys(0, "perturb", "typos@1")
    >>> keys.key("i1") == stream_key(0, "perturb", "typos@1", "i1")
    True
    """

    __slots__ = ("_begun",)

    def __init__(self, seed: int, purpose: str, name: str) -> None:
        common = length_prefixed(str(seed), purpose, name)
        self._begun = blake2b(common, digest_size=16, person=_PERSON)

    def key(self, item: str, draw: int = 0) -> int:
        """128-bit key of the stream of this item and draw."""
        low, high = self.words(item, draw)
        return high << 64 | low

    def words(self, item: str, draw: int = 0) -> tuple[int, int]:
        """Lower and upper 64 bits of the key, as Philox takes them."""
        data = item.encode("utf-8", "surrogatepass")
        hashed = self._begun.copy()
        hashed.update(len(data).to_bytes(8, "little") + data + _prefixed_number(draw))
        low, high = _TWO_WORDS.unpack(hashed.digest())
        return low, high


@lru_cache(maxsize=64)
def _prefixed_number(number: int) -> bytes:
    return length_prefixed(str(number))


def stream_of(thing: Any, name: str | None = None) -> str:
    """Name of the random stream of a transformation, statistic, search, task or diagnostic.

    It is the ``stream`` that the thing declares, and without one its name. Whoever renames a thing,
    or merges two, declares the old name, and every number that was drawn for it stays.

    Parameters
    ----------
    thing
        Object that draws; it declares a ``stream``, which is empty unless it was renamed.
    name
        Its name, if that is not its ``id``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> stream_of(SimpleNamespace(id="typos@1", stream=""))
    'typos@1'
    >>> stream_of(SimpleNamespace(id="slips@1", stream="typos@1"))
    'typos@1'
    """
    return str(thing.stream or (thing.id if name is None else name))


def pick(options: Sequence[str], share: float) -> str:
    """Random choice among options, by a number that was drawn from [0, 1).

    Examples
    --------
    >>> pick("abcd", 0.5)
    'c'
    """
    return options[int(share * len(options))]


def generator(
    seed: int, purpose: str, *, name: str, item: str, draw: int = 0
) -> "np.random.Generator":
    """Philox generator for a named random stream.

    Examples
    --------
    >>> a = generator(0, "perturb", name="typos@1", item="i1")
    >>> b = generator(0, "perturb", name="typos@1", item="i1")
    >>> bool(a.random() == b.random())
    True
    """
    from numpy.random import Generator, Philox

    from scrutiny.core.arrays import PhiloxKey

    seeded: Any = PhiloxKey(stream_key(seed, purpose, name, item, draw))
    return Generator(Philox(seeded))
