"""Docs are tested: reference pages are current, examples run, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
WRITTEN = [p for p in PAGES if "reference" not in p.parts]
BLOCK = re.compile(r"^```(\w+)( [^\n]*)?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in WRITTEN:
        for number, match in enumerate(BLOCK.finditer(page.read_text(encoding="utf-8"))):
            if match[1] == language and "no-run" not in (match[2] or ""):
                found.append((f"{page.relative_to(ROOT)}:{number}", match[3]))
    return found


def test_reference_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "build_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize(("where", "code"), blocks("python"), ids=lambda v: v[:40])
def test_python_examples_run(
    where: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    exec(compile(code, where, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize(("where", "lines"), blocks("console"), ids=lambda v: v[:40])
def test_console_examples_run(where: str, lines: str, tmp_path: Path) -> None:
    """Lines that begin with ``$`` are commands; ``# exit 4`` behind one states its code."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    binary = Path(sys.executable).parent
    for line in lines.splitlines():
        if not line.startswith("$ "):
            continue
        command, _, note = line[2:].partition("  # exit ")
        done = subprocess.run(
            ["bash", "-c", f'export PATH="{binary}:$PATH"; {command}'],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == int(note or 0), f"{where}: {command}\n{done.stdout}{done.stderr}"


def test_links_between_pages_lead_somewhere() -> None:
    link = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in PAGES
        for target in link.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_verb_transformation_and_diagnostic_is_in_the_docs() -> None:
    from scrutiny.cli import VERBS
    from scrutiny.core.registry import KINDS, registry

    text = "\n".join(p.read_text(encoding="utf-8") for p in PAGES)
    names = registry()
    missing = [verb for verb in VERBS if f"scrutiny {verb}" not in text]
    for kind in KINDS:
        missing += [n for n in names.names(kind) if n not in text and n.split("@")[0] not in text]
    assert missing == []
