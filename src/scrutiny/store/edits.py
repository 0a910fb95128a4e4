"""Stored edits: JSON arrays, with pieces only where an edit states any."""

import json
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import Any

from scrutiny.core.boundary.canonical import canonical_json
from scrutiny.core.edit import Edit, Piece
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
    for field, start, end, text, spans, inside, pieces in edits:
        if spans or pieces:
            return canonical_json([edit if edit.pieces else edit[:-1] for edit in edits])
        truth = "true" if inside else "false"
        written.append(
            f"[{encode_basestring(field)},{start},{end},{encode_basestring(text)},[],{truth}]"
        )
    return f"[{','.join(written)}]"


def edits_of(column: Sequence[str]) -> list[tuple[Edit, ...]]:
    """Edits of each text made by `edits_json`, parsed together.

    Examples
    --------
    >>> edits_of(['[["text",0,1,"b",[],false]]', "[]"])
    [(Edit(field='text', start=0, end=1, text='b', spans=(), inside=False, pieces=()),), ()]
    """
    return [tuple([_edit(e) for e in edits]) for edits in json.loads(f"[{','.join(column)}]")]


def _edit(value: list[Any]) -> Edit:
    """Edit from its JSON array."""
    field, start, end, text, spans, inside, *stated = value
    annotated = tuple([Span(*s) for s in spans]) if spans else ()
    pieces = tuple([Piece(a, b, tuple(of), *new) for a, b, of, *new in stated[0]]) if stated else ()
    return Edit(field, start, end, text, annotated, inside, pieces)
