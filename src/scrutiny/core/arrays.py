"""Arrays: type aliases, named by content; and the key of a random stream, as numpy takes seeds."""

from typing import Any, TypeAlias

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]


class PhiloxKey(ISeedSequence):
    """Seed whose state is the key of a Philox generator.

    For ``Philox(key=...)`` numpy asks the system for entropy that is never used, which takes longer
    than all the rest.

    Examples
    --------
    >>> from numpy.random import Generator, Philox
    >>> key = 2**64 + 5
    >>> bool(Generator(Philox(PhiloxKey(key))).random() == Generator(Philox(key=key)).random())
    True
    """

    def __init__(self, key: int) -> None:
        self._words = np.frombuffer(key.to_bytes(16, "little"), np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint64) -> NDArray[np.uint64]:
        """Lower and upper 64 bits of the key: what Philox asks for."""
        return self._words
