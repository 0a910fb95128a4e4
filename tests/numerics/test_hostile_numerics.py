"""Mutated files of every kind: bad rows or an error with words, and never a traceback."""

from pathlib import Path

import pytest
from hostile_files import fuzz, survives
from hostile_samples import KINDS

from scrutiny.core.registry import registry

#: Files of each kind in the suite.
N = 60


@pytest.mark.parametrize("name", KINDS)
def test_the_file_itself_reads(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kind = KINDS[name]
    for other, content in kind.beside.items():
        (tmp_path / other).write_bytes(content)
    assert survives(kind, kind.content, tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_mutations_end_in_words(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    read = fuzz(name, KINDS[name], N, tmp_path)
    assert read > 0  # some mutations do no harm


def test_every_reader_of_files_is_tried() -> None:
    schemes = {name.partition("@")[0] for name in registry().names("reader")}
    cells = {
        cell.cell_contents
        for kind in KINDS.values()
        for cell in kind.read.__closure__ or ()
        if isinstance(cell.cell_contents, str)
    }
    # these read folders, pairs of files, or what ships
    assert schemes - cells == {"aspects", "builtin", "eraser", "hf", "senses"}
