"""``scrutiny --help`` is there at once: nothing heavy is imported until a verb needs it."""

import resource
import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "scipy", "sklearn", "pyarrow", "numpy", "pydantic", "rich")
PROBE = """
import sys
from scrutiny.cli import main
try:
    main({arguments!r})
finally:
    print(sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)
"""


def imported_by(*arguments: str) -> list[str]:
    """Heavy modules that a command has imported when it is done."""
    script = PROBE.format(arguments=list(arguments), heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    found: list[str] = eval(done.stderr.splitlines()[-1])
    return found


@pytest.mark.parametrize("verb", [(), ("run",), ("audit",), ("report",), ("gate",), ("perturb",)])
def test_help_imports_nothing_heavy(verb: tuple[str, ...]) -> None:
    assert imported_by(*verb, "--help") == []


def test_version_imports_nothing_heavy() -> None:
    assert imported_by("--version") == []


def test_help_takes_less_than_three_tenths_of_a_second() -> None:
    """CPU time, the best of three: the machine may be busy."""

    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "scrutiny", "--help"], capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(3)) < 0.3
