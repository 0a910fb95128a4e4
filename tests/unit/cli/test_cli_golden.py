"""What must not change unnoticed: help, registry, public names, schemas, dependencies.

``UPDATE_GOLDEN=1 pytest tests/unit/cli/test_cli_golden.py`` writes the files anew; their diff is
part of the change.
"""

import json
import os
import tomllib
from pathlib import Path

import click
import pytest

import scrutiny
from scrutiny.cli import VERBS, group
from scrutiny.cli.failures import exit_code_of
from scrutiny.core.registry import KINDS
from scrutiny.registrations import REGISTRATIONS
from scrutiny.store import run_tables

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"


def commands() -> list[str]:
    """Every verb, and every verb of a group, as it is typed; the group itself is empty."""
    found = [""]
    context = click.Context(group)
    for verb in VERBS:
        found.append(verb)
        command = group.get_command(context, verb)
        if isinstance(command, click.Group):
            found += [f"{verb} {inner}" for inner in command.list_commands(context)]
    return found


def must_equal(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"{name} is missing: run with UPDATE_GOLDEN=1"
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", commands())
def test_help(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert exit_code_of(group, [*command.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    must_equal(f"cli/{command.replace(' ', '-') or 'scrutiny'}.txt", text)


def test_no_help_file_is_left_over() -> None:
    expected = {f"{command.replace(' ', '-') or 'scrutiny'}.txt" for command in commands()}
    assert {path.name for path in (GOLDEN / "cli").iterdir()} == expected


def test_registry() -> None:
    names = {kind: sorted(r.name for r in REGISTRATIONS if r.kind == kind) for kind in KINDS}
    must_equal("registry.json", json.dumps(names, indent=1) + "\n")


def test_public_names() -> None:
    assert dir(scrutiny) == sorted(scrutiny.__all__)
    for name in scrutiny.__all__:
        assert getattr(scrutiny, name) is not None
    must_equal("public_api.txt", "\n".join(scrutiny.__all__) + "\n")


def test_schemas() -> None:
    tables = ("RECORDS", "VARIANTS", "OUTPUTS", "TIMINGS", "ESTIMATES")
    text = "\n\n".join(f"{name}\n{getattr(run_tables, name)}" for name in tables)
    must_equal("schemas.txt", text + "\n")


def test_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {f"[{name}]": lines for name, lines in project["optional-dependencies"].items()}
    lines = [*project["dependencies"]]
    for name, needed in extras.items():
        lines += ["", name, *needed]
    must_equal("dependencies.txt", "\n".join(lines) + "\n")
