"""The upgrade check on families that ship: a family against itself, and a seed against a run."""

import json
import re
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

pytestmark = pytest.mark.slow

FAMILY = "builtin:sentiment/seed-{seed}"
QUICK = ("--display", "none", "--draws", "400")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with everything that the whole check of a family against itself wrote."""
    folder = tmp_path_factory.mktemp("compare")
    arguments = ("compare", FAMILY, FAMILY, "--data", "builtin:reviews", "--limit", "120", *QUICK)
    more = ("--invariances", "typo", "--margin", "0.3", "--html", str(folder / "page.html"))
    code = exit_code_of(group, [*arguments, *more, "--out", str(folder / "kept")])
    assert code == 0  # nothing is lost, whatever the check asks
    return folder


def test_the_ceiling_of_a_family_is_another_run(place: Path) -> None:
    page = (place / "page.html").read_text()
    assert "another run of the reference" in page
    assert "a loss of invariances of 30 points or more is ruled out." in page
    specs = re.search(r'id="specs">(.*?)</script>', page, re.DOTALL)
    assert specs is not None
    drawn = json.loads(specs[1])["kept-of-the-first-chart"]["data"]["values"]
    kept = {one["series"]: one["value"] for one in drawn}
    assert kept["keeps the answer"] == 1.0
    assert kept["another run of the reference"] < 1.0


def test_no_input_differs(place: Path) -> None:
    page = (place / "page.html").read_text()
    assert "No difference is shown" in page
    assert "no input differs" in page


def test_another_seed_beside_the_run_of_a_family(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = exit_code_of(
        group,
        [
            *("compare", str(place / "kept" / "first"), "builtin:sentiment/seed-2", *QUICK),
            *("--out", str(place / "beside")),
        ],
    )
    out, _ = capsys.readouterr()
    assert code == 0
    assert "between two replicates of the first (10 pairs)" in " ".join(out.split())
    assert all(len(line) <= 80 for line in out.splitlines())
