"""Content of an item as a hash: its fields, its gold answer and its annotation."""

from hashlib import blake2b

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.spans import SPANS
from scrutiny.core.boundary.canonical import length_prefixed
from scrutiny.core.example import Example


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
