"""Content of an item as a hash: its fields, its gold answer and its annotation."""

from hashlib import blake2b

from scrutiny.core.boundary.canonical import length_prefixed
from scrutiny.core.example import Example, Span


def content_key(example: Example) -> bytes:
    """Sixteen-byte hash of an item's fields, gold and annotation."""
    parts = [part for field in example.fields.items() for part in field]
    if example.spans:  # without any, the key is what it was before there were annotations
        parts.append(_gold_key(example.spans))
    return blake2b(length_prefixed(*parts, _gold_key(example.gold)), digest_size=16).digest()


def _gold_key(gold: str | tuple[Span, ...] | None) -> str:
    if gold is None:
        return ""
    if isinstance(gold, str):
        return f"={gold}"
    return "".join(f"/{s.field} {s.start} {s.end} {s.label}" for s in gold)
