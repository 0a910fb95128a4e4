"""Nothing outside the tasks names one: whoever cares asks a task for its facts."""

import ast
from pathlib import Path

from scrutiny.tasks.tasks import every_task

SOURCES = Path(__file__).parents[2] / "src" / "scrutiny"
NAMES = {task.name for task in every_task()}


def literals(path: Path) -> list[tuple[int, str]]:
    """Names of tasks among the strings of a file, declarations and defaults as well."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]


def test_no_file_outside_the_tasks_has_the_name_of_one() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line} {name}"
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[0] != "tasks"
        for line, name in literals(path)
    ]
    assert not found


def test_a_name_would_be_found(tmp_path: Path) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text('X = ["token-tagging"]\ndef f(a="passages"): ...\n"""translation of it"""\n')
    assert literals(odd) == [(1, "token-tagging"), (2, "passages")]
