"""Fixtures of the report's tests: made-up runs, and golden files with a way to renew them."""

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def golden():
    """Compare a text with a golden file; ``SCRUTINY_UPDATE_GOLDEN=1`` writes it instead."""

    def check(name, text):
        path = GOLDEN / name
        if os.environ.get("SCRUTINY_UPDATE_GOLDEN"):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{path} is missing: SCRUTINY_UPDATE_GOLDEN=1 writes it"
        assert text == path.read_text(encoding="utf-8")

    return check
