import subprocess
import sys
from pathlib import Path

import pytest

#: Prints kB that are kept of 200 MB that were freed, whether the call says that it works, and
#: what is kept then. The first use teaches glibc nothing: its own threshold ends at 32 MB.
CODE = """
from pathlib import Path
from scrutiny.training.pretraining.kept_memory import keep_memory
def resident():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
def still_resident():
    before, size = resident(), 200_000_000
    b"x" * size
    return resident() - before
print(still_resident(), keep_memory(), still_resident())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc is Linux's")
def test_freed_memory_is_kept_where_there_is_glibc():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, check=True, text=True)
    without, kept, with_it = done.stdout.split()
    assert int(without) < 20_000
    assert kept in ("True", "False")
    assert (int(with_it) > 180_000) == (kept == "True")
