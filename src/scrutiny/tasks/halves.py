"""Halves of a dataset: choices made on one half are tested on the other."""

from hashlib import blake2b
from typing import Literal

Half = Literal["A", "B"]


def half_of(identity: str) -> Half:
    """Half of a unit of resampling, A or B with equal chances.

    It depends on the identity alone: not on order, other units, limits or runs. All items of a unit
    (the frames of a sentence) share its half.

    Examples
    --------
    >>> [half_of(f"story/{i}") for i in range(1, 7)]
    ['B', 'A', 'A', 'A', 'B', 'B']
    """
    digest = blake2b(identity.encode(), digest_size=8, person=b"scrutiny.half.1").digest()
    return "B" if digest[0] & 1 else "A"
