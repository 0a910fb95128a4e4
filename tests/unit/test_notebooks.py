"""The notebooks of examples/ run from top to bottom, and show what is kept in them."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from run_notebooks import NOTEBOOKS, ran  # noqa: E402 (tools are no package)

#: Sizes of outputs that are kept, in bytes.
_LARGEST = 100_000


def shown(notebook):
    """Texts of all outputs, by the number of the cell."""
    return {
        number: ["".join(one.get("text") or one["data"]["text/plain"]) for one in cell["outputs"]]
        for number, cell in enumerate(notebook["cells"], 1)
        if cell["cell_type"] == "code"
    }


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["audit", "compare", "seeds"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_kept_in_it(path):
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert any(shown(kept).values())
    assert shown(ran(path)) == shown(kept)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_kept_is_small_and_of_no_machine(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) < _LARGEST
    assert not re.search(r"/tmp/|/home/|/work/|/root/", text)
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
