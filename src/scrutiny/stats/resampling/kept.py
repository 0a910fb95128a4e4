"""Cache of item draws: many statistics are computed on the same resamples.

A chunk of draws is determined by the state of its generator, the strata and its number of rows. It
is cached under their digest, as small whole numbers, and drawn again once it was evicted: the cache
changes how long a resample takes, never its result.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.stats.arrays import FloatArray

#: Bytes of draws that are cached in a process.
MOST_BYTES: Final = 32_000_000
_MOST_STATES: Final = 64


class _Chunk(NamedTuple):
    """Counts ``(draw, unit)``, and the generator's state after drawing them."""

    counts: NDArray[np.unsignedinteger[Any]]
    state: Mapping[str, Any]


class KeptDraws:
    """Cache of chunks of draws; the least recently used are evicted first.

    Parameters
    ----------
    most
        Largest size of the cache in bytes.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._chunks: OrderedDict[bytes, _Chunk] = OrderedDict()
        self._bytes = 0

    def holds(self, draws: int, n_units: int) -> bool:
        """Whether all draws of a resample fit; a part would only evict others."""
        return draws * n_units <= self._most

    def chunk(
        self,
        make: Callable[[], FloatArray],
        rng: np.random.Generator,
        *,
        drawn_as: bytes,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> FloatArray:
        """Chunk drawn by ``make()``, or from the cache; the generator ends in the same state.

        ``drawn_as`` identifies all but the generator's state that determines the chunk; ``dtype``
        is the type of the returned counts.
        """
        key = hashlib.blake2b(state_of(rng) + drawn_as, digest_size=16).digest()
        known = self._chunks.get(key)
        if known is None:
            drawn = make()
            small = drawn.astype(np.min_scalar_type(int(drawn.max())))  # counts, and few bytes
            self._keep(key, _Chunk(small, rng.bit_generator.state))
            return drawn.astype(dtype, copy=False)
        self._chunks.move_to_end(key)
        rng.bit_generator.state = known.state
        return known.counts.astype(dtype)

    def _keep(self, key: bytes, chunk: _Chunk) -> None:
        self._chunks[key] = chunk
        self._bytes += chunk.counts.nbytes
        while self._bytes > self._most:
            _, oldest = self._chunks.popitem(last=False)
            self._bytes -= oldest.counts.nbytes


class SaidStates:
    """Cache of generator states as ``repr`` strings, which are slow to compute in NumPy."""

    def __init__(self) -> None:
        self._said: OrderedDict[bytes, str] = OrderedDict()

    def of(self, rng: np.random.Generator) -> str:
        """``repr`` of a generator's state."""
        key = state_of(rng)
        said = self._said.get(key)
        if said is None:
            said = self._said[key] = repr(rng.bit_generator.state)
            if len(self._said) > _MOST_STATES:
                self._said.popitem(last=False)
        return said


def state_of(rng: np.random.Generator) -> bytes:
    """Generator state of a resampling as bytes, for any kind of generator."""
    return repr(_plain(rng.bit_generator.state)).encode()


def _plain(state: Any) -> Any:
    if isinstance(state, Mapping):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state
