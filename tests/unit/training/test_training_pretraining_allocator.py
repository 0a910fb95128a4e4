import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
from pathlib import Path
from scrutiny.training.pretraining.loop import keep_memory
kept = keep_memory() if {keeps} else None
def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
before, size = resident(), 200_000_000
b"x" * size
print(kept, resident() - before)
"""


def still_resident(*, keeps):
    """Whether the call says that it works, and kB that are kept of 200 MB that were freed."""
    code = CODE.format(keeps=keeps)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    kept, count = done.stdout.split()
    return kept, int(count)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc is Linux's")
def test_freed_memory_is_kept_where_there_is_glibc():
    kept, with_it = still_resident(keeps=True)
    _, without = still_resident(keeps=False)
    assert without < 20_000
    assert kept in ("True", "False")
    assert (with_it > 180_000) == (kept == "True")
