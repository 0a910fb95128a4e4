"""Hashes of items: the key of their content, their half of a dataset, and who is held out.

Choices made on one half are tested on the other. A fifth of all sentences is held out, decided by
each sentence alone: trainings, probes and estimates use the same function, so they agree on what
was held out. More data does not move a sentence from one side to the other, and the same letters
are always on one side.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Final, Literal

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.boundary.json_text import length_prefixed
from scrutiny.core.columns.coded import Coded
from scrutiny.core.example import Example
from scrutiny.text.letters import letters


def content_key(example: Example) -> bytes:
    r"""Canonical hash of all that an item holds: fields, gold and annotation; sixteen bytes.

    Line ends of Windows count as others do: copies of a file may differ in them.

    Examples
    --------
    >>> one, other = (Example("", {"text": f"a{end}b"}) for end in ("\r\n", "\n"))
    >>> content_key(one) == content_key(other)
    True
    """
    parts = [part.replace("\r\n", "\n") for field in example.fields.items() for part in field]
    if example.spans:  # without any, the key is what it was before there were annotations
        parts += SPANS.key(example.spans)
    parts += ("",) if example.gold is None else type_of(example.gold).key(example.gold)
    return blake2b(length_prefixed(*parts), digest_size=16).digest()


def content_keys(fields: Mapping[str, Sequence[str]], golds: Coded) -> list[bytes]:
    """Content keys of plain items side by side: texts by field, and labels or None.

    Examples
    --------
    >>> from scrutiny.core.columns.coded import coded
    >>> one = Example("", {"text": "It is."}, "no")
    >>> content_keys({"text": ["It is."]}, coded(["no"])) == [content_key(one)]
    True
    """
    before = [length_prefixed(name) for name in fields]
    after = [
        length_prefixed(*(("",) if gold is None else type_of(gold).key(gold)))
        for gold in golds.values
    ]
    keys = []
    for texts, code in zip(zip(*fields.values(), strict=True), golds.codes.tolist(), strict=True):
        parts = []
        for name, text in zip(before, texts, strict=True):
            data = text.replace("\r\n", "\n").encode()
            parts += [name, len(data).to_bytes(8, "little"), data]
        keys.append(blake2b(b"".join([*parts, after[code]]), digest_size=16).digest())
    return keys


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
