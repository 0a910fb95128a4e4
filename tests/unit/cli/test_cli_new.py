"""``scrutiny new`` writes a package that passes its own conformance test."""

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.cli.verbs.new import TEMPLATES, files
from scrutiny.core.errors import PlanError, UnknownNameError

DIAGNOSTIC = ("claims", "diagnostic", "metrics", "params", "parts")


#: Runs the commands of its input, a line each, and prints a line of this end after each.
END = "\n----- end -----\n"
SESSION = f"""import sys
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

for line in sys.stdin.read().splitlines():
    assert exit_code_of(group, line.split()) == 0, line
    print({END!r}, end="", flush=True)
"""
AUDIT = (
    "audit --model builtin:sentiment --data builtin:reviews#task=text-classification --limit 40 "
    "--only performance --only a_diagnostic --display none --html page.html"
)


def install(folder: Path) -> Path:
    """Make a source folder as good as installed, its metadata beside it; what goes on the path."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    lines = [f"{k} = {v}" for k, v in project["entry-points"]["scrutiny"].items()]
    info = folder / "src" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text("[scrutiny]\n" + "\n".join(lines) + "\n")
    return folder / "src"


@dataclass(frozen=True)
class Written:
    """Folder with a package of each kind, and a way to run Python where all are installed."""

    folder: Path

    def python(self, *arguments: str, said: str = "") -> str:
        path = [*map(str, sorted(self.folder.glob("*/src"))), os.environ.get("PYTHONPATH", "")]
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            input=said,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("packages")
    for kind in TEMPLATES:
        assert exit_code_of(group, ["new", kind, f"a_{kind}", "-o", str(folder / kind)]) == 0
        install(folder / kind)
    return Written(folder)


@pytest.fixture(scope="module")
def tested(written: Written) -> str:
    """What pytest prints of the tests of all packages."""
    options = ("-v", "-W", "error", "-p", "no:cacheprovider", "--import-mode", "importlib")
    return written.python("-m", "pytest", *options)


@pytest.fixture(scope="module")
def printed(written: Written) -> dict[str, str]:
    """What commands print where all packages are installed."""
    each = (command for kind in TEMPLATES for command in (f"list {kind}s", f"show a_{kind}"))
    commands = [*each, AUDIT]
    done = written.python("-c", SESSION, said="\n".join(commands))
    return dict(zip(commands, done.removesuffix(END).split(END), strict=True))


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_package_passes_its_own_test_and_is_found(
    kind: str, tested: str, printed: dict[str, str]
) -> None:
    assert f"{kind}/tests/test_conformance.py::test_conformance PASSED" in tested
    listed = printed[f"list {kind}s"]
    assert f"a_{kind}@1" in listed
    assert f"[a_{kind}]" in listed
    assert "Misleads when" in printed[f"show a_{kind}"]


def test_written_diagnostic_is_in_the_audit_and_has_its_part_of_the_page(
    written: Written, printed: dict[str, str]
) -> None:
    assert "capitals change fewer than 10% of the answers" in " ".join(printed[AUDIT].split())
    html = (written.folder / "page.html").read_text(encoding="utf-8")
    part = html[html.index('id="a-diagnostic"') : html.index('id="diagnostic-a-diagnostic"')]
    assert "Does it matter how words are written" in part
    assert re.search(r"<td class=.num.>\d\.\d+ \[.*?<td class=.num.>40/40</td>", part, re.S)


def test_files_are_named_after_the_plug_in() -> None:
    paths = {str(path) for path, _ in files("diagnostic", "word_length")}
    assert paths == {
        "README.md",
        "pyproject.toml",
        "src/scrutiny_word_length/__init__.py",
        "docs/word_length.md",
        *(f"src/scrutiny_word_length/{part}.py" for part in DIAGNOSTIC),
        "tests/test_conformance.py",
    }
    texts = dict(files("diagnostic", "word_length"))
    for text in texts.values():
        assert "$" not in text
        assert text.endswith("\n")
    assert (
        "class WordLength(Diagnostic[WordLengthParams]):"
        in texts[Path("src/scrutiny_word_length/diagnostic.py")]
    )


@pytest.mark.parametrize("name", ["WordLength", "word-length", "1st", "class", "_x", "a__b", ""])
def test_name_must_be_one_of_a_module(name: str) -> None:
    with pytest.raises(PlanError, match="cannot be the name of a module"):
        list(files("diagnostic", name))


def test_unknown_kind_has_near_names() -> None:
    with pytest.raises(UnknownNameError, match="'diagnostic'"):
        list(files("diagnostc", "mine"))


def test_nothing_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "README.md"
    kept.write_text("mine")
    assert exit_code_of(group, ["new", "diagnostic", "mine", "-o", str(tmp_path)]) == 2
    assert "is not empty" in " ".join(capsys.readouterr().err.split())
    assert kept.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [kept]
