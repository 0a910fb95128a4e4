"""Draws of items, kept: many statistics are computed on the very same resamples.

A chunk of draws is decided by the state of its generator, the strata and its number of rows. It is
kept under their digest, as small whole numbers, and drawn anew where it has left the memory: what
is kept changes how long a resample takes and nothing else.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scrutiny.stats.arrays import FloatArray

#: Bytes of draws that are kept in a process.
MOST_BYTES: Final = 32_000_000
_MOST_STATES: Final = 64


class _Chunk(NamedTuple):
    """Counts ``(draw, unit)``, and the generator's state behind them."""

    counts: NDArray[np.unsignedinteger[Any]]
    state: Mapping[str, Any]


class KeptDraws:
    """Chunks of draws, the least recently used let go first.

    Parameters
    ----------
    most
        Bytes that are kept.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._chunks: OrderedDict[bytes, _Chunk] = OrderedDict()
        self._bytes = 0

    def holds(self, draws: int, n_units: int) -> bool:
        """Whether all draws of a resample fit; a part of them would only push others out."""
        return draws * n_units <= self._most

    def chunk(
        self,
        make: Callable[[], FloatArray],
        rng: np.random.Generator,
        *,
        drawn_as: bytes,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> FloatArray:
        """Chunk that ``make()`` draws from a generator, which is left as ``make()`` leaves it.

        ``drawn_as`` says all that decides the chunk beside the generator's state; ``dtype`` is the
        type of numbers that the counts are wanted in.
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
    """States of generators in the words of ``repr``, which NumPy takes long to find."""

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
    """Bytes of a generator's state, whatever its kind."""
    return repr(_plain(rng.bit_generator.state)).encode()


def _plain(state: Any) -> Any:
    if isinstance(state, Mapping):
        return {name: _plain(value) for name, value in state.items()}
    return state.tolist() if isinstance(state, np.ndarray) else state
