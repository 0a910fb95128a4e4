"""Variants of treatments, made quickly."""

import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from scrutiny.core.edit import Edit, Variant, measured_variant

EDITS = (Edit("text", 0, 1, "x"),)


def test_a_quick_variant_is_a_variant_like_any_other():
    made = measured_variant("i", "ocr@1", EDITS, "good", "ok", None, 2)
    usual = Variant("i", "ocr@1#2", "measured", None, "ocr@1", EDITS, "good", "ok", None, 2)
    assert type(made) is Variant
    assert made == usual
    assert hash(made) == hash(usual)
    assert repr(made) == repr(usual)
    assert pickle.loads(pickle.dumps(made)) == usual
    assert replace(made, draw=0) == replace(usual, draw=0)
    assert measured_variant("i", "ocr@1", EDITS, "good", "ok", None, 0).name == "ocr@1"
    with pytest.raises(FrozenInstanceError):
        made.status = "failed"
