"""Edits as canonical JSON and back, at the price of a table with millions of them."""

import json
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any

from scrutiny.core.canonical import canonical_json
from scrutiny.core.edit import Edit
from scrutiny.core.example import Span


def edits_json(edits: Sequence[Edit]) -> str:
    """Canonical JSON of edits: the bytes of `canonical_json`, written directly.

    Examples
    --------
    >>> edits_json((Edit("text", 0, 1, "b"),))
    '[["text",0,1,"b",[],false]]'
    """
    if not edits:
        return "[]"
    written = []
    for field, start, end, text, spans, inside in edits:
        if spans:
            return canonical_json([list(edit) for edit in edits])
        truth = "true" if inside else "false"
        written.append(
            f"[{encode_basestring(field)},{start},{end},{encode_basestring(text)},[],{truth}]"
        )
    return f"[{','.join(written)}]"


def edits_of(column: Sequence[str]) -> list[tuple[Edit, ...]]:
    """Edits of each text of `edits_json`, read in one go.

    Examples
    --------
    >>> edits_of(['[["text",0,1,"b",[],false]]', "[]"])
    [(Edit(field='text', start=0, end=1, text='b', spans=(), inside=False),), ()]
    """
    return [tuple([_edit(e) for e in edits]) for edits in json.loads(f"[{','.join(column)}]")]


def _edit(value: list[Any]) -> Edit:
    """Edit of its JSON array."""
    field, start, end, text, spans, inside = value
    return Edit(field, start, end, text, tuple([Span(*s) for s in spans]) if spans else (), inside)
