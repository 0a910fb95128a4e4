"""Benchmarks run: each at its smallest size, on what is shipped; numbers are not looked at."""

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
MAIN = runpy.run_path(str(FOLDER / "__main__.py"))
SMALLEST, RUN = MAIN["SMALLEST"], MAIN["run"]


@pytest.fixture(autouse=True)
def _nothing_beside_what_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    for name in ("TEXTATTACK_PYTHON", "NLPAUG_PYTHON"):
        monkeypatch.delenv(f"SCRUTINY_{name}", raising=False)
    monkeypatch.setenv("SCRUTINY_DATA", str(tmp_path))
    yield
    own = [
        n for n, m in sys.modules.items() if Path(getattr(m, "__file__", "") or "").parent == FOLDER
    ]
    for name in own:
        del sys.modules[name]


@pytest.mark.parametrize("name", sorted(SMALLEST))
def test_its_smallest_size_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    assert RUN(name, SMALLEST[name].split()), capsys.readouterr().err
    printed = capsys.readouterr().out
    if lacks := re.search(r"^not run: (two workers|no tokenizer).*", printed, re.M):
        pytest.skip(lacks[0])
    assert len(re.findall(r"\d[\d.,]*", printed)) >= 3


def test_one_that_fails_is_told_and_stops_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert not RUN("statistics_speed", ["--items", "none"])
    assert not RUN("no_such_benchmark", [])
    assert "FileNotFoundError" in capsys.readouterr().err
    assert RUN("attack_table", ["--part", "network"])  # it lacks a model, and says which
    assert "not run: --part network needs the folder of a model" in capsys.readouterr().out


def test_every_benchmark_is_run() -> None:
    found = {path.stem for path in FOLDER.glob("*.py") if not path.stem.endswith("_peers")}
    assert found - {"__main__", "inputs"} == set(SMALLEST)
