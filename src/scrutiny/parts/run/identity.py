"""Identity of estimates in a report: groups that differ in one field only, and anchors."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from scrutiny.core.boundary.canonical import canonical_json, value_digest
from scrutiny.core.estimate import Estimate, EstimateKey
from scrutiny.core.grouping import grouped

FIELDS: Final = tuple(field.name for field in fields(EstimateKey))


def identity(key: EstimateKey, *, without: Iterable[str] = ()) -> str:
    """Text by which parts of a page tell estimates apart: the key, without some fields.

    ``condition`` leaves the whole condition out, ``condition.step`` that part of it.

    Examples
    --------
    >>> key = EstimateKey("d@1", "m@1", "s", "data", condition={"step": 1, "draw": 0})
    >>> identity(key, without=["condition.step"]) == identity(key)
    False
    """
    left_out = set(without)
    parts: dict[str, Any] = {name: getattr(key, name) for name in FIELDS if name not in left_out}
    if "condition" in parts:
        parts["condition"] = {
            name: value
            for name, value in key.condition.items()
            if f"condition.{name}" not in left_out
        }
    return json.dumps(parts, sort_keys=True, default=str)  # asked thousands of times: no frills


def by_identity(
    estimates: Iterable[Estimate], *, without: Iterable[str]
) -> dict[str, list[Estimate]]:
    """Estimates that differ only in these fields, grouped."""
    left_out = tuple(without)
    return grouped((identity(e.key, without=left_out), e) for e in estimates)


def varying(keys: Sequence[EstimateKey]) -> list[str]:
    """Conditions by which estimates of a run differ: their names, sorted."""
    names = sorted({name for key in keys for name in key.condition})
    return [name for name in names if len({_text(key.condition, name) for key in keys}) > 1]


def anchor(part: str, key: EstimateKey, *, without: Sequence[str] = ()) -> str:
    """Anchor of a chart of a run's estimates: its part, and a digest of their key."""
    return f"reliability-{part}-{value_digest(identity(key, without=without), size=4)}"


def slug(text: str) -> str:
    """Anchor from a name of a run, in lower-case ASCII; the same text always gives the same.

    Examples
    --------
    >>> slug("robustness@1#5f3a9c"), slug("Does a < b?")
    ('robustness-1-5f3a9c', 'does-a-b')
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "x"


def _text(condition: Mapping[str, object], name: str) -> str:
    return canonical_json(condition[name]) if name in condition else ""
