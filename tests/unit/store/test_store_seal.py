"""Damage to a finished run is told in one sentence that names the file; nothing is read over it."""

import json
import random
import sqlite3
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from scrutiny.core.errors import DataError, ScrutinyError, StorageError
from scrutiny.store.database import Journal
from scrutiny.store.files import remove_leftovers
from scrutiny.store.guards import only_one
from scrutiny.store.run_folder import RunFolder

SCHEMA = pa.schema([pa.field("x", pa.int64())])
FILES = ("records.parquet", "estimates.parquet", "findings.json", "arrays/measure/0/words.npy")


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    for name in ("records", "estimates"):
        folder.write_table(name, [pa.table({"x": range(1_000)}, schema=SCHEMA)], schema=SCHEMA)
    folder.write_findings([])
    folder.write_array("measure/0/words", np.arange(10))
    folder.finish({"status": "done"})
    return folder


def test_a_whole_run_opens_and_lists_its_files(run: RunFolder) -> None:
    assert set(RunFolder.open(run.path).manifest["files"]) == set(FILES)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("how", ["cut", "lost", "flipped"])
def test_damage_is_named(run: RunFolder, name: str, how: str) -> None:
    path = run.path / name
    data = bytearray(path.read_bytes())
    if how == "lost":
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    words = {"lost": "is missing, so the run is not finished"}.get(how, "is damaged: ")
    with pytest.raises(DataError) as error:
        RunFolder.open(run.path)
    assert f"{path} {words}" in str(error.value)
    assert "Re-issue its command" in str(error.value)


def test_no_flipped_byte_of_a_manifest_passes(run: RunFolder) -> None:
    path = run.path / "manifest.json"
    before, data = run.manifest, path.read_bytes()
    for place in range(len(data)):
        for bit in (1, 32):  # another letter or digit, another case
            path.write_bytes(data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :])
            with suppress(DataError):
                assert RunFolder.open(run.path).manifest == before  # only what JSON skips


def test_a_run_whose_manifest_says_that_it_runs_is_not_read(run: RunFolder) -> None:
    run.write_manifest({**run.manifest, "status": "running"})
    with pytest.raises(DataError, match=r"is not finished\. Re-issue its command"):
        RunFolder.open(run.path)
    with (
        only_one(run.path),
        pytest.raises(DataError, match="Wait: a process is working on it now, or re-issue"),
    ):
        RunFolder.open(run.path)


@pytest.mark.parametrize("form", [99, 2, "1", None])
def test_a_manifest_of_another_format_is_not_read(run: RunFolder, form: object) -> None:
    run.write_manifest({"format": form})
    with pytest.raises(
        DataError, match=r"of format .*, and this version of scrutiny reads format 1"
    ):
        RunFolder.open(run.path)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 5_000,
        b'{"a": "' + b"x" * 5_000,
        b"[" * 100_000,
        b'["x"]',
        b'{"a": ' + b"9" * 5_000,
    ],
)
@pytest.mark.parametrize("name", ["manifest.json", "findings.json", "published.json"])
def test_damaged_json_is_said_and_not_shown(tmp_path: Path, name: str, data: bytes) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / name).write_bytes(data)
    read = {"findings.json": folder.findings, "published.json": folder.published}
    with pytest.raises(DataError) as error:
        read.get(name, lambda: folder.manifest)()
    assert name in str(error.value)
    assert len(str(error.value)) < 500 + len(str(tmp_path))


def test_what_a_kill_left_half_written_goes(tmp_path: Path) -> None:
    kept = tmp_path / "arrays" / "records.npy"
    kept.parent.mkdir()
    for path in (kept, tmp_path / ".records.parquet.12.tmp", kept.parent / ".a.npy.7.tmp"):
        path.touch()
    remove_leftovers(tmp_path)
    assert [p.name for p in tmp_path.rglob("*") if p.is_file()] == ["records.npy"]


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in (".notes.txt.tmp", ".draft.1.tmp", "mine/.records.parquet.12.tmp"):
        (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == 3


def journal_of(path: Path) -> None:
    journal = Journal(path)
    rng = np.random.default_rng(0)
    for n in range(20):
        journal.finish(f"t{n}", {"records": pa.table({"x": rng.random(500)})})
        journal.set_memo(f"m{n}", [n])
    journal.set_meta("identity", "i")
    journal.close()


def read_all(path: Path) -> list[object]:
    journal = Journal(path)
    try:
        found: list[object] = [journal.meta("identity"), sorted(journal.done())]
        for n in range(20):
            found += [journal.memo(f"m{n}"), journal.parts(f"t{n}")]
            part = journal.part(f"t{n}", "records")
            found.append(None if part is None else part.to_pydict())
        return found
    finally:
        journal.close()


@pytest.mark.parametrize("seed", range(16))
def test_flipped_bytes_of_a_journal_are_never_a_traceback(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "journal.sqlite"
    journal_of(path)
    data = bytearray(path.read_bytes())
    rng = random.Random(seed)
    for _ in range(rng.choice([1, 8, 200])):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    path.write_bytes(data)
    said = "journal.sqlite: move it away"  # where the flipped bytes are not in use
    try:
        read_all(path)
    except ScrutinyError as error:
        said = str(error)
    assert "journal.sqlite" in said
    assert "move it away" in said.lower()


def test_a_flipped_byte_of_a_shard_is_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal_of(path)
    with sqlite3.connect(path) as connection:
        (data,) = connection.execute("SELECT data FROM part WHERE task = 't3'").fetchone()
        flipped = bytearray(data)
        flipped[-100] ^= 1
        connection.execute("UPDATE part SET data = ? WHERE task = 't3'", (bytes(flipped),))
    connection.close()
    with pytest.raises(StorageError, match=r"the shard 't3' cannot be read. Move it away"):
        read_all(path)


def test_the_manifest_is_plain_json(run: RunFolder) -> None:
    assert json.loads((run.path / "manifest.json").read_text())["status"] == "done"
