"""Two processes never work on one run folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from scrutiny.core.errors import StorageError
from scrutiny.store.guards import is_in_use, only_one

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no flock")
HOLDS = """
import sys, time
from pathlib import Path
from scrutiny.store.guards import only_one
with only_one(Path(sys.argv[1])):
    print("holds", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_second_process_is_told_who_holds_it(tmp_path: Path, holder) -> None:
    assert is_in_use(tmp_path)
    wanted = rf"is in use: process {holder.pid} on .* choose another --out"
    with pytest.raises(StorageError, match=wanted), only_one(tmp_path, patience_s=0):
        pass
    assert is_in_use(tmp_path)


def test_a_killed_process_holds_nothing(tmp_path: Path, holder) -> None:
    holder.kill()
    holder.wait()
    assert (tmp_path / ".lock").exists()
    assert not is_in_use(tmp_path)
    with only_one(tmp_path, patience_s=0):
        assert is_in_use(tmp_path)


def test_nothing_stays_behind(tmp_path: Path) -> None:
    with only_one(tmp_path):
        assert [p.name for p in tmp_path.iterdir()] == [".lock"]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyError), only_one(tmp_path):
        raise KeyError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_can_be_held_once_in_a_process_too(tmp_path: Path) -> None:
    with (
        only_one(tmp_path),
        pytest.raises(StorageError, match="is in use"),
        only_one(tmp_path, patience_s=0),
    ):
        pass


def test_a_lock_that_is_given_up_is_waited_for(tmp_path: Path, holder) -> None:
    holder.kill()
    with only_one(tmp_path):
        assert is_in_use(tmp_path)
