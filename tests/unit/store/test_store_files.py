"""Files: a reader never sees half of one, and a refusal is one clear error."""

import errno
import os
import sys
from pathlib import Path

import pytest

from scrutiny.core.errors import StorageError
from scrutiny.store.files import save_text, storage_errors, write_atomically, write_text

needs_devices = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")


def test_a_failure_leaves_the_old_file_and_no_neighbor(tmp_path):
    path = tmp_path / "x.txt"
    write_text(path, "old")

    def fail(temporary):
        temporary.write_text("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_atomically(path, fail)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.parametrize("is_private", [True, False])
def test_a_link_in_the_place_of_the_temporary_file_is_not_followed(tmp_path, is_private):
    (victim := tmp_path / "victim").write_text("precious")
    (tmp_path / f".x.txt.{os.getpid()}.tmp").symlink_to(victim)
    write_text(tmp_path / "x.txt", "new", is_private=is_private)
    assert (tmp_path / "x.txt").read_text() == "new"
    assert victim.read_text() == "precious"


def test_a_full_disk_is_one_storage_error(tmp_path):
    def full(temporary):
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(StorageError, match=r"No space left.*re-issue the same command"):
        write_atomically(tmp_path / "x", full)
    assert list(tmp_path.iterdir()) == []


def test_other_errors_of_the_system_are_not_disguised(tmp_path):
    with pytest.raises(OSError, match="Invalid argument"), storage_errors(tmp_path):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="was refused"):
        save_text(tmp_path / "file" / "deep" / "x.txt", "x")


def test_text_that_utf8_has_no_word_for_is_escaped(tmp_path):
    write_text(tmp_path / "x", "a\ud800é")
    assert (tmp_path / "x").read_bytes() == b"a\\ud800" + "é".encode()


def test_folders_are_made(tmp_path):
    save_text(tmp_path / "a" / "b" / "x.txt", "y")
    assert (tmp_path / "a" / "b" / "x.txt").read_text() == "y"


@needs_devices
def test_devices_are_written_to_plainly():
    save_text(Path("/dev/null"), "x")
    with pytest.raises(StorageError, match="No space left"):
        save_text(Path("/dev/full"), "x" * 100_000)
