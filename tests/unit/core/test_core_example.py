"""Examples with other texts."""

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from scrutiny.core.example import Example, Span

SPANS = (Span("text", 0, 1, "X"),)
FULL = Example(
    "i", {"text": "a"}, SPANS, SPANS, {"text": ((0, 1),)}, SPANS, "f:1", {"a_x": 1}, "de"
)


@pytest.mark.parametrize("example", [FULL, Example("i", {"text": "a"})])
def test_other_texts_leave_everything_else(example):
    made = example.with_fields({"text": "b"})
    assert type(made) is Example
    assert made == replace(example, fields={"text": "b"})
    assert [f.name for f in fields(made)] == list(Example.__slots__)  # none is forgotten
    with pytest.raises(FrozenInstanceError):
        made.gold = "x"
