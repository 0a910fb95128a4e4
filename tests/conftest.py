"""What all tests share: where the real data is, and a cache of their own."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from warm_command import WarmCommand, warm_command

ROOT = Path(__file__).parents[1]

# A busy machine makes no property false: no clock decides, and every run tries the same examples.
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# This process and those that tests start read what the one before them compiled, whatever the
# shell says: pytest rewrites each file of tests, and each of scrutiny, which has a plug-in for it.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# One thread a tester, before anything reads it: a second one waits for the first, and burns what
# other testers need: small networks took up to ten times the CPU.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell starts what runs in its background with interrupts ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


_NUMBERS = count()

gc.disable()  # while tests are collected: nearly all that is made then lives to the end


def pytest_collection_finish() -> None:
    """All of that is old from here on; garbage is looked for, rarely, in what tests make."""
    gc.freeze()
    gc.unfreeze()  # each run asks how many objects are frozen, and they are counted one by one
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """A test is reported once, unless its fixtures fail: three reports cost more than most tests.

    Each is sent from a worker to the process that counts.
    """
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Garbage is looked for once more; pytest, and Python as it ends, then have nothing to search.

    What is found without an end, as an open file, fails the session even so.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's answer cache; the folder is made by who writes there."""
    cache = tmp_path_factory.getbasetemp() / "caches" / f"{next(_NUMBERS)}"
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(cache))


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmCommand]:
    """Process that forks for a command: for those that need one of their own."""
    with warm_command() as found:
        yield found


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """Folder of real data by name; the test is skipped by name where it is not there."""

    def find(name: str) -> Path:
        base = Path(os.environ.get("SCRUTINY_DATA", ROOT.parent / "shared" / "data"))
        if not (base / name).exists():
            pytest.skip(f"{name} is not under SCRUTINY_DATA")
        return base / name

    return find
