"""Figures of the house: no circles, rooms and files of a readable size, names that stand once.

Which way imports go is in the contracts of ``pyproject.toml``; this counts what those cannot, and
holds the paths that the design names.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from scrutiny.tasks.tasks import every_task

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "scrutiny"
PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "design").glob("*.md"))
MOST_MODULES, LEAST_MODULES, MOST_LINES = 25, 3, 400
#: Longer than that: the one table of everything that is registered, a line each.
TABLES = {"registrations.py"}
#: Packages whose `__init__` runs code, and why.
SURFACES = {
    "": "public names of the library",
    "cli": "the command",
    "core/answers": "types of answers are known once they are imported",
    "perturb/search": "public names of the search engine",
    "testing": "public names for plug-ins",
}
#: Folders whose folders stand by themselves, however small: a family of diagnostics each.
FAMILIES = "diagnostics"
TASKS = {task.name for task in every_task()}
#: A path in a page: of the sources, of the repository, or a name in a file, `core/edit.py:Edit`.
NAMED = re.compile(r"`([\w.-]+(?:/[\w.-]+)+/?|[\w-]+\.(?:py|toml))(?::(\w+))?`")
Trees = Mapping[str, ast.Module]
Nodes = Mapping[str, Sequence[ast.AST]]


@cache
def trees() -> Trees:
    """Syntax of every file, by its path in the sources."""
    return {
        str(path.relative_to(SOURCES)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCES.rglob("*.py"))
    }


def walked(files: Trees) -> Nodes:
    """All that stands in each file."""
    return {path: [*ast.walk(tree)] for path, tree in files.items()}


@cache
def nodes() -> Nodes:
    """All that stands in every file of the sources: tests look through it again and again."""
    return walked(trees())


def module_of(path: str) -> str:
    """Dotted name of a file."""
    return ".".join(["scrutiny", *Path(path).with_suffix("").parts]).removesuffix(".__init__")


def imports_of(inside: Iterable[ast.AST], known: frozenset[str]) -> Iterator[str]:
    """Modules of the house that a file imports anywhere: in functions and for types as well."""
    for node in inside:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else node.module for name in inner)


def circle_in(files: Nodes) -> list[str]:
    """Modules that import one another in a circle; empty if none do."""
    modules = {module_of(path): inside for path, inside in files.items()}
    known = frozenset(modules)
    graph = {name: set(imports_of(inside, known)) - {name} for name, inside in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def classes_twice(files: Nodes) -> dict[str, list[str]]:
    """Files of each name that several classes have."""
    found = defaultdict(list)
    for path, inside in files.items():
        for node in inside:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def named_tasks(inside: Iterable[ast.AST]) -> list[tuple[int, str]]:
    """Names of tasks among the strings of a file, declarations and defaults as well."""
    constants = (node for node in inside if isinstance(node, ast.Constant))
    return [(node.lineno, node.value) for node in constants if node.value in TASKS]


def test_no_modules_import_one_another_in_a_circle() -> None:
    assert circle_in(nodes()) == []


def test_a_circle_would_be_found() -> None:
    odd = {"a.py": "def f():\n    from scrutiny.b import x", "b/__init__.py": "import scrutiny.a"}
    files = {path: ast.parse(text) for path, text in odd.items()}
    assert set(circle_in(walked(files))) == {"scrutiny.a", "scrutiny.b"}


def test_rooms_have_a_readable_number_of_modules() -> None:
    modules = Counter(str(Path(p).parent) for p in trees() if not p.endswith("__init__.py"))
    assert {room: n for room, n in modules.items() if n > MOST_MODULES} == {}
    rooms = Counter(str(Path(p).parent.parent) for p in trees() if p.endswith("__init__.py"))
    small = [
        room
        for room in {str(Path(path).parent) for path in trees()}
        if modules[room] + rooms[room] < LEAST_MODULES and not room.startswith(FAMILIES)
    ]
    assert small == [], "a folder of one or two modules is none: they stand beside their neighbors"


def test_files_are_of_a_readable_size() -> None:
    lines = {p: len((SOURCES / p).read_text(encoding="utf-8").splitlines()) for p in trees()}
    assert {path: n for path, n in lines.items() if n > MOST_LINES and path not in TABLES} == {}


def test_every_folder_says_what_it_is_and_few_run_code() -> None:
    folders = {str(Path(path).parent) for path in trees()}
    inits = {str(Path(p).parent): t for p, t in trees().items() if p.endswith("__init__.py")}
    assert folders == set(inits)
    assert [room for room, tree in inits.items() if not ast.get_docstring(tree)] == []
    surfaces = {"" if room == "." else room for room, tree in inits.items() if len(tree.body) > 1}
    assert surfaces == set(SURFACES)


def test_no_two_classes_have_one_name() -> None:
    assert classes_twice(nodes()) == {}
    twice = {path: ast.parse("class X: ...") for path in ("a.py", "b.py")}
    assert classes_twice(walked(twice)) == {"X": ["a.py", "b.py"]}


def test_no_file_outside_the_tasks_has_the_name_of_one() -> None:
    assert [
        f"{path}:{line} {name}"
        for path, inside in nodes().items()
        if Path(path).parts[0] != "tasks"
        for line, name in named_tasks(inside)
    ] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [('X = ["token-tagging"]', ["token-tagging"]), ('def f(a="passages"): ...', ["passages"])],
)
def test_the_name_of_a_task_would_be_found(text: str, found: list[str]) -> None:
    assert [name for _, name in named_tasks(ast.walk(ast.parse(text)))] == found
    assert named_tasks(ast.walk(ast.parse(f'"""On {found[0]}."""'))) == []


def lost_in(text: str) -> list[str]:
    """Paths and names of a page that are not in the repository."""
    lost = []
    for path, name in NAMED.findall(text):
        places = [root / path for root in (SOURCES, ROOT) if (root / path).exists()]
        has_name = not name or any(
            re.search(rf"^\s*(def |class )?{name}\b", one.read_text(encoding="utf-8"), re.M)
            for one in places
        )
        if not places or not has_name:
            lost.append(f"{path}:{name}" if name else path)
    return lost


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", *PAGES])
def test_paths_that_a_page_names_are_there(page: str) -> None:
    assert lost_in((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_path_that_is_not_there_would_be_found() -> None:
    text = "`core/edit.py` `core/gone.py` `core/edit.py:Edit` `core/edit.py:Gone` `tests/unit` `a`"
    assert lost_in(text) == ["core/gone.py", "core/edit.py:Gone"]


def test_the_design_is_short() -> None:
    assert sum(len((ROOT / page).read_text(encoding="utf-8").split()) for page in PAGES) <= 9_800
