"""``scrutiny new`` writes a package that passes its own conformance test."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from scrutiny.cli.verbs.new import TEMPLATES, files
from scrutiny.core.errors import PlanError, UnknownNameError

DIAGNOSTIC = ("claims", "diagnostic", "metrics", "params", "parts")


BETWEEN = "\n-- shown --\n"
BOTH = f"""import sys
from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of

assert exit_code_of(group, ["list", sys.argv[1]]) == 0
print({BETWEEN!r})
assert exit_code_of(group, ["show", "long_words"]) == 0
"""


def write(kind: str, name: str, folder: Path) -> None:
    assert exit_code_of(group, ["new", kind, name, "-o", str(folder)]) == 0


def installed(folder: Path) -> dict[str, str]:
    """Environment in which a source folder is as good as installed: its metadata lies beside it."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    lines = [f"{k} = {v}" for k, v in project["entry-points"]["scrutiny"].items()]
    info = folder / "src" / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    (info / "entry_points.txt").write_text("[scrutiny]\n" + "\n".join(lines) + "\n")
    known = os.pathsep.join([str(folder / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": known, "OMP_NUM_THREADS": "1"}


def run(arguments: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_package_passes_its_own_test_and_is_found(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write(kind, "long_words", folder)
    environment = installed(folder)
    tested = run(
        ["-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"], folder, environment
    )
    assert " passed" in tested
    listed, _, shown = run(["-c", BOTH, f"{kind}s"], folder, environment).partition(BETWEEN)
    assert "long_words@1" in listed
    assert "[long_words]" in listed
    assert "Misleads when" in shown


def test_written_diagnostic_is_in_the_audit_and_has_its_part_of_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    write("diagnostic", "all_capitals", folder)
    given = ["--model", "builtin:sentiment", "--data", "builtin:reviews", "--limit", "40"]
    only = ["--only", "performance", "--only", "all_capitals", "--display", "none"]
    page = ["--html", "page.html"]
    printed = run(["-m", "scrutiny", "audit", *given, *only, *page], folder, installed(folder))
    assert "capitals change fewer than 10% of the answers" in " ".join(printed.split())
    html = (folder / "page.html").read_text(encoding="utf-8")
    part = html[html.index('id="all-capitals"') : html.index('id="diagnostic-all-capitals"')]
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
