"""Every skip is listed with its reason."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SKIPS = re.compile(r"pytest\.skip\(|importorskip\(|mark\.skip|skipif\(|mark\.xfail")


def test_every_file_that_skips_is_listed() -> None:
    listed = (TESTS / "QUARANTINES.md").read_text(encoding="utf-8")
    unlisted = [
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("*.py"))
        if path != Path(__file__) and SKIPS.search(path.read_text(encoding="utf-8"))
        if path.name not in listed
    ]
    assert unlisted == []


def test_every_listed_file_still_skips() -> None:
    listed = re.findall(r"\w+\.py", (TESTS / "QUARANTINES.md").read_text(encoding="utf-8"))
    found = {
        path.name for path in TESTS.rglob("*.py") if SKIPS.search(path.read_text(encoding="utf-8"))
    }
    assert [name for name in listed if name not in found] == []
