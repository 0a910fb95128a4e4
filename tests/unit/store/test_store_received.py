"""Run folders and caches of others: no link is followed, no text is anybody's to read."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

import scrutiny
from scrutiny.core.errors import DataError, StorageError
from scrutiny.store.database import AnswerCache
from scrutiny.store.files import save_text
from scrutiny.store.guards import only_one
from scrutiny.store.run_folder import RunFolder
from scrutiny.testing import KeywordClassifier

ROWS = [{"text": f"a {w} film {n}", "label": k} for n in range(6) for w, k in
        (("good", "positive"), ("bad", "negative"))]  # fmt: skip


def run(out: Path, **how: object) -> scrutiny.Run:
    return scrutiny.run("performance", KeywordClassifier(), ROWS, out=out, **how)


WRITTEN = (
    *(".lock", "manifest.json", "journal.sqlite", "journal.sqlite-wal", "report.html"),
    *("records.parquet", "findings.json", "published.json", "arrays", "arrays/a/b.npy"),
)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_run_writes_through_no_planted_link(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.mkdir() if name == "arrays" else victim.write_text("mine")
    place = tmp_path / "run" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(victim)
    with pytest.raises(StorageError, match=r"is a link, to .*victim.*Remove the link, or choose"):
        run(tmp_path / "run")
    assert victim.is_dir() or victim.read_text() == "mine"
    assert not victim.is_dir() or [*victim.iterdir()] == []


def test_a_link_that_leads_nowhere_is_refused_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / ".lock").symlink_to(tmp_path / "made")
    with pytest.raises(StorageError, match="is a link"), only_one(folder):
        pass
    assert not (tmp_path / "made").exists()


def test_a_folder_that_is_a_link_and_other_links_beside_are_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "real")
    (tmp_path / "notes").write_text("n")
    (tmp_path / "real" / "notes.md").symlink_to(tmp_path / "notes")
    assert run(tmp_path / "run").estimate("accuracy").value == 1.0
    assert (tmp_path / "real" / "manifest.json").is_file()


def test_a_report_follows_links_everywhere_but_in_a_run(tmp_path: Path) -> None:
    made, victim = run(tmp_path / "run"), tmp_path / "victim.html"
    victim.write_text("mine")
    (tmp_path / "page.html").symlink_to(victim)
    made.report(tmp_path / "page.html")
    assert victim.read_text().startswith("<!doctype")
    planted = tmp_path / "run" / "own.html"
    planted.symlink_to(victim)
    with pytest.raises(StorageError, match="is a link in the folder of a run"):
        save_text(planted, "x")
    assert victim.read_text() != "x"


@pytest.mark.parametrize("text", ["{}", '{"status": "done"}', '{"format": 1, "digest": ""}'])
def test_a_manifest_without_its_digest_is_no_finished_run(tmp_path: Path, text: str) -> None:
    run(tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="is damaged: it is not as it was written"):
        RunFolder.open(tmp_path / "run")
    with pytest.raises(DataError, match="is damaged"):
        scrutiny.load(tmp_path / "run")


@pytest.mark.skipif(os.name != "posix", reason="modes of files are of POSIX")
def test_what_holds_texts_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        made = run(tmp_path / "run", cache=tmp_path / "cache" / "answers.sqlite")
        made.report(tmp_path / "run" / "report.html")
        made.report(tmp_path / "shared.html")
    finally:
        os.umask(before)
    held = [*(tmp_path / "run").rglob("*"), *(tmp_path / "cache").rglob("*")]
    assert len(held) > 8
    for path in (tmp_path / "run", tmp_path / "cache", *held):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE((tmp_path / "shared.html").stat().st_mode) == 0o644  # as others asked


@pytest.mark.skipif(os.name != "posix", reason="modes of files are of POSIX")
def test_a_cache_of_an_earlier_version_is_closed_and_taken_over(tmp_path: Path) -> None:
    path, old = tmp_path / "answers.sqlite", tmp_path / "old.sqlite"
    with closing(AnswerCache(path)) as new:
        new.put_many({b"k1": b"one", b"k2": b"two" * 9000})
    with closing(sqlite3.connect(old)) as made, made:
        made.execute(
            "CREATE TABLE checked (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
        )
        made.execute("ATTACH ? AS other", (str(path),))
        made.execute("INSERT INTO checked SELECT key, value FROM other.kept")
    old.chmod(0o644)
    with closing(AnswerCache(old)) as cache:
        assert cache.get_many([b"k1", b"k2", b"k3"]) == {b"k1": b"one", b"k2": b"two" * 9000}
        cache.put_many({b"k1": b"new"})
        assert cache.get_many([b"k1"]) == {b"k1": b"new"}
        assert cache.size()[0] == 2
    assert stat.S_IMODE(old.stat().st_mode) == 0o600
    with closing(AnswerCache(old)) as cache:
        assert cache.size()[0] == 2


def test_keys_are_compared_without_reading_replies(tmp_path: Path) -> None:
    """Keys have a tree of their own, which holds no reply."""
    query = "EXPLAIN QUERY PLAN SELECT key, value FROM kept WHERE key IN (?, ?)"
    with closing(AnswerCache(tmp_path / "answers.sqlite")) as cache:
        plan = cache._connection.execute(query, (b"a", b"b")).fetchall()
        sql = cache._connection.execute("SELECT sql FROM sqlite_master").fetchall()
    assert "USING INDEX" in plan[0][-1]
    assert not any("WITHOUT ROWID" in (one or "") for (one,) in sql)
