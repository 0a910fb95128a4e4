"""Docs are tested: reference pages are current, examples run, links lead somewhere."""

import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrutiny.cli import group
from scrutiny.cli.failures import exit_code_of
from warm_command import USUAL, WarmCommand, warm_command

ROOT = Path(__file__).parents[2]
#: Exit code, stdout and stderr of a command.
Printed = tuple[int, str, str]
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
WRITTEN = [p for p in PAGES if "reference" not in p.parts]
BLOCK = re.compile(r"^```(\w*)( [^\n]*)?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def fences(page: Path) -> list[tuple[int, str, str, str]]:
    """Fenced blocks of a page: number, language, what stands behind it, code."""
    found = enumerate(BLOCK.finditer(page.read_text(encoding="utf-8")))
    return [(number, match[1], match[2] or "", match[3]) for number, match in found]


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)}:{number}", code)
        for page in WRITTEN
        for number, own, note, code in fences(page)
        if own == language and "no-run" not in note
    ]


def test_reference_pages_are_current(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = ROOT / "tools" / "build_docs.py"
    monkeypatch.setattr(sys, "argv", [str(tool), "--check"])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(tool), run_name="__main__")
    assert ended.value.code == 0, f"run `make docs`: {capsys.readouterr().out}"


@pytest.mark.parametrize(("where", "code"), blocks("python"), ids=lambda v: v[:40])
def test_python_examples_run(
    where: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    exec(compile(code, where, "exec"), {"__name__": "__main__"})


def examples(lines: str) -> list[tuple[str, list[str]]]:
    """Commands of a block, which begin with ``$``, each with the lines that it prints below."""
    found: list[tuple[str, list[str]]] = []
    for line in lines.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def agrees(shown: list[str], printed: list[str]) -> bool:
    """Whether lines are those that were printed; a line of ``…`` stands for any number of them."""
    if not shown:
        return not any(printed)
    if shown[0] == "…":
        return any(agrees(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0].rstrip() and agrees(shown[1:], printed[1:])


#: Commands that ask all messages, half a minute each.
ASKS_ALL = re.compile(r"builtin:messages (?!--limit)")
CONSOLE = [
    pytest.param(*one, marks=pytest.mark.slow) if ASKS_ALL.search(one[1]) else one
    for one in blocks("console")
]
SHELL = re.compile(r"[|<>;&*`]|\$\(|^(?!scrutiny )")


def needs_a_shell(command: str) -> bool:
    """Whether a command is more than the words of one call of scrutiny."""
    return bool(SHELL.search(re.sub(r'"[^"$`]*"', "", command)))


def asked_first() -> set[str]:
    """The first command of each verb: these run in a process of their own, as one that is typed."""
    first: dict[str, str] = {}
    for _, lines in blocks("console"):
        for command, _ in examples(lines):
            first.setdefault(command.split()[1], command)
    return set(first.values())


FRESH = asked_first()


#: Most of the verbs that pages show change texts, measure and report.
REGISTERED = """
from scrutiny.core.registry import registry
for kind in ("transformation", "diagnostic", "part"):
    for name in registry().names(kind): registry().load(kind, name)
"""


@pytest.fixture(scope="module")
def warm() -> Iterator[WarmCommand]:
    with warm_command(USUAL + REGISTERED) as command:
        yield command


def typed(command: str) -> Printed:
    """What a command prints in a shell."""
    binary = Path(sys.executable).parent
    line = f'export PATH="{binary}:$PATH" COLUMNS=80; {command}'
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, timeout=300
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def printed() -> dict[str, Printed]:
    """What the first command of each block printed: one that two pages show runs once."""
    return {}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cache that all examples share: nobody who reads on pays for the same answer twice."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture
def desk(tmp_path: Path, answers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folder, terminal and cache of one who types the examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(answers))


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(("where", "lines"), CONSOLE, ids=lambda v: v[:40])
def test_console_examples_run_and_print_what_is_shown(
    where: str,
    lines: str,
    printed: dict[str, Printed],
    warm: WarmCommand,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A command exits with 0, or with what ``# exit 4`` behind it states."""
    commands = examples(lines)
    for at, (stated, shown) in enumerate(commands):
        command, _, note = stated.partition("  # exit ")
        if len(commands) == 1 and command in printed:
            code, out, err = printed[command]
        elif needs_a_shell(command):
            code, out, err = typed(command)
        elif stated in FRESH:
            done = warm.run(*shlex.split(command)[1:])
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            code = exit_code_of(group, shlex.split(command)[1:])
            out, err = capfd.readouterr()
        if at == 0:
            printed[command] = code, out, err
        assert code == int(note or 0), f"{where}: {command}\n{out}{err}"
        assert not shown or agrees(shown, out.splitlines()), f"{where}:\n{out}"


def test_a_command_with_signs_of_the_shell_goes_to_the_shell() -> None:
    assert needs_a_shell("printf 'a' > b")
    assert needs_a_shell("scrutiny list | head")
    assert needs_a_shell("cd runs")
    assert not needs_a_shell('scrutiny gate runs/a --rule "accuracy >= 0.5"')


def test_shown_lines_are_held_to_the_printed_ones() -> None:
    assert agrees(["a", "…", "d"], ["a", "b", "c", "d"])
    assert agrees(["a", "…"], ["a"])
    assert not agrees(["a", "d"], ["a", "b", "d"])
    assert not agrees(["a", "…", "e"], ["a", "b", "d"])
    assert examples("$ x\n1\n$ y  # exit 4") == [("x", ["1"]), ("y  # exit 4", [])]


def test_every_command_is_run_or_says_why_not() -> None:
    """A command on any page stands in a console block that runs, or behind ``no-run: reason``."""
    command = re.compile(r"(\$ )?(scrutiny|make|pip|python) \S")
    wrong = []
    for page in WRITTEN:
        for _, language, note, code in fences(page):
            is_told = re.search(r"no-run: \w.{5,}", note) is not None
            if "no-run" in note and not is_told:
                wrong.append(f"{page.name}: no-run without a reason")
            start = "$ " if language == "console" else "no line"
            commands = filter(command.match, () if is_told else code.splitlines())
            wrong += [f"{page.name}: {line}" for line in commands if not line.startswith(start)]
    assert wrong == []


def test_the_demo_is_what_the_readme_shows() -> None:
    """`make demo` runs the commands with output that the README has, also with workers."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndemo:")[2]
    recipe = recipe.partition("\n\n")[0].replace("\\\n", " ").replace("$(RUNS)", "runs")
    made = [line.partition("scrutiny ")[2].split() for line in recipe.splitlines()[1:]]
    page = [code for page, code in blocks("console") if page.startswith("README.md")]
    shown = [
        shlex.split(command, comments=True)[1:] for code in page for command, _ in examples(code)
    ]
    assert [words[0] for words in shown] == ["compare", "audit", "judge"]
    assert all(set(own) <= set(words) for own, words in zip(shown, made, strict=True))


def test_a_door_of_the_readme_is_one_command_with_at_most_six_lines() -> None:
    """Lines that it prints, without those that say that some are left out."""
    page = [code for page, code in blocks("console") if page.startswith("README.md")]
    doors = [examples(code) for code in page]
    assert [len(door) for door in doors] == [1, 1, 1]
    assert all(0 < sum(line != "…" for line in below) <= 6 for ((_, below),) in doors)


def test_the_readme_opens_with_a_short_headline_and_is_short() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (headline,) = re.findall(r"^\*\*(.+)\*\*$", "\n".join(lines[:4]), re.MULTILINE)
    assert len(headline.split()) <= 12
    assert len(lines) <= 150


#: What the README says in other words, and where it stands.
QUOTED = {
    "docs/compare.md": "In 200 pairs of an unchanged model each (200 and 1,000 items, 8 slices, "
    "margin of 2 points), the rule called none worse: with 0, 2 and 15 % flips, and with three "
    "seeds and 5 %",
    "docs/verdicts-simulated.md": "at most 2.5 % of studies have a wrong limit on a side in most "
    "families, and up to 3.3 % in the worst",
    "docs/papers/zhao2020.md": "236 agree to the last digit, and two are misprints",
    "docs/reproductions.md": "the 55 official rows of StereoSet",
}


@pytest.mark.parametrize("page", QUOTED)
def test_a_figure_of_the_readme_stands_on_the_page_that_it_links(page: str) -> None:
    assert f"({page}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert QUOTED[page] in " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_a_loss_that_the_readme_says_is_found_is_that_of_the_table() -> None:
    table = (ROOT / "docs" / "verdicts-simulated.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| 3 seeds, 2,000 items \|(.+)\|$", table, re.MULTILINE)
    found, _, by_holm = (cell.split(" / ") for cell in row.split("|"))
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"found in [{float(found[1]):.0%}".rstrip("%") in said
    assert f"Holm's correction in {round(100 * float(by_holm[1]))} of 100" in said


def test_findings_of_the_readme_are_those_of_their_page() -> None:
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    said = said.partition("## What we found")[2].partition("\n## ")[0]
    page = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    limits = re.findall(r"\[[−\d.]+, [−\d.]+\]", said)
    assert len(re.findall(r"^- ", said, re.MULTILINE)) >= 5
    assert limits
    assert [one for one in limits if one not in page] == []


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
