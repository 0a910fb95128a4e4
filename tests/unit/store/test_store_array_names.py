"""Names of arrays stay inside the run folder, whatever the user called things."""

from pathlib import Path

import numpy as np
import pytest

from scrutiny.store.files import array_file
from scrutiny.store.run_folder import RunFolder

ODD = [
    "../../x.tsv",
    "../../../../../../outside",
    "/etc/passwd",
    "measure/../../../x",
    "measure/a/..",
    "..",
    ".",
    "",
    "/",
    "~/x",
    "a//b",
    "a\\..\\b",
    "nul\0inside",
    "surrogate \ud800",
    "x" * 5_000,
    "é" * 300,
    "csv:dev.csv",
    "100%",
    "%2E%2E",
]


def everything_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("name", ODD)
def test_an_array_is_written_inside_the_run_folder(tmp_path: Path, name: str) -> None:
    place = tmp_path / "a" / "b" / "c" / "run"
    place.mkdir(parents=True)
    outside = everything_in(tmp_path)
    folder = RunFolder(place)
    folder.write_array(name, np.arange(3))
    new = everything_in(tmp_path) - outside
    assert new
    assert all(path.startswith("a/b/c/run/arrays") for path in new)
    assert folder.has_array(name)
    assert folder.array(name).tolist() == [0, 1, 2]


def test_different_names_are_different_files() -> None:
    assert len({array_file(name) for name in ODD}) == len(ODD)
    long = [array_file("x" * 5_000 + end) for end in "ab"]
    assert long[0] != long[1]


@pytest.mark.parametrize("name", ["measure/d/x/0/m/0/lengths", "measure/a b/csv:é.csv/16/m/1/w"])
def test_usual_names_are_as_they_were(name: str) -> None:
    assert str(array_file(name)) == f"arrays/{name}.npy"


def test_arrays_are_listed_under_the_name_they_were_kept_under(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    for start in (0, 16):
        folder.write_array(f"measure/d/../x.tsv/{start}/words", np.zeros(1))
    assert sorted(folder.arrays_under("measure/d/../x.tsv")) == ["0", "16"]
    assert folder.arrays_under("measure/d/other") == []
    assert not folder.has_array("measure/d/../x.tsv/32/words")
