"""Data sets read as they did: our own always, those beside the repository by the tool."""

import json
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOOL = runpy.run_path(str(ROOT / "tools" / "golden_items.py"))
FROZEN = json.loads((ROOT / "tests" / "golden" / "items.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("source", [s for s in FROZEN if s.startswith("builtin:")])
def test_our_own_data_read_as_they_did(source):
    assert TOOL["digest"](source) == FROZEN[source]


@pytest.mark.data("snli")
@pytest.mark.parametrize("source", [s for s in FROZEN if "uner_" in s or "snli/dev" in s])
def test_some_of_the_shared_data_read_as_they_did(source, shared, monkeypatch):
    monkeypatch.setenv("SCRUTINY_DATA", str(shared))
    assert TOOL["digest"](source) == FROZEN[source]


def test_what_differs_is_said(tmp_path, monkeypatch, capsys):
    frozen = tmp_path / "items.json"
    frozen.write_text(json.dumps({"builtin:pairs": "refused", "builtin:nothing": "x 1 0 y"}))
    monkeypatch.setitem(TOOL["main"].__globals__, "PLACE", frozen)
    monkeypatch.setattr(sys, "argv", ["golden_items.py", "check", "pairs"])
    assert TOOL["main"]() == 1
    said = capsys.readouterr().out
    assert "was refused\n  is  text-pair-classification " in said
    assert "1 of 2 data sets read, 1 differ" in said
    monkeypatch.setattr(sys, "argv", ["golden_items.py", "freeze", "pairs"])
    assert TOOL["main"]() == 0
    kept = json.loads(frozen.read_text())
    assert kept["builtin:pairs"].startswith("text-pair-classification ")
    assert kept["builtin:nothing"] == "x 1 0 y"
    monkeypatch.setattr(sys, "argv", ["golden_items.py"])
    with pytest.raises(SystemExit, match="freeze anew"):
        TOOL["main"]()
