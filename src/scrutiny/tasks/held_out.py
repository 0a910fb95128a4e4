"""Held-out sentences: a fifth of all, decided by each sentence alone.

Trainings, probes and estimates use the same function, so they agree on what was held out. More data
does not move a sentence from one side to the other, and the same letters are always on one side.
"""

from hashlib import blake2b
from typing import Final

from scrutiny.text.letters import letters

#: Share of the sentences that is held out.
SHARE: Final = 0.2
#: Column of the items that marks them, ``yes`` or ``no``.
COLUMN: Final = "a_heldout"

_PERSON: Final = b"scrutiny.part.1"
_BITS: Final = 53  # exact in a float, and below 1


def sentence_place(text: str) -> float:
    """Place of a sentence in [0, 1), from its letters; those at the end are held out of training.

    Examples
    --------
    >>> sentence_place("He did not go.") == sentence_place("He did not go !")
    True
    """
    kept = (letters(text) or text).encode("utf-8", "surrogatepass")
    found = blake2b(kept, digest_size=8, person=_PERSON).digest()
    place: float = (int.from_bytes(found, "little") >> (64 - _BITS)) / 2**_BITS
    return place


def is_held_out(text: str) -> bool:
    """Whether a sentence is held out of all trainings."""
    return sentence_place(text) >= 1 - SHARE


def held_out_column(text: str) -> dict[str, str]:
    """Column that marks an item's sentence as held out."""
    return {COLUMN: "yes" if is_held_out(text) else "no"}
