"""The page of reproductions lists the tests that carry the marker, and no others."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproductions.md"
MARKER = "pytest.mark.reproduces"


def marked() -> set[str]:
    """Tests with the marker, and modules of which all have it."""
    found = set()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if MARKER not in text or path == Path(__file__):
            continue
        name = path.relative_to(ROOT).as_posix()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef):
                marks = [ast.unparse(one) for one in node.decorator_list]
                found |= {f"{name}::{node.name}"} if MARKER in marks else set()
            elif isinstance(node, ast.Assign) and MARKER in ast.unparse(node.value):
                found.add(name)
    return found


def test_page_and_markers_agree() -> None:
    listed = re.findall(r"\| `(tests/[\w/.:]+)` \|", PAGE.read_text(encoding="utf-8"))
    assert len(listed) == len(set(listed)) > 30
    assert set(listed) == marked()
