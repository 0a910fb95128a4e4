"""The size and shape of the house in figures, beside those that it began with.

    python tools/house_figures.py             print them beside those of the beginning
    python tools/house_figures.py --begin     take today's as those of the beginning

What each figure is:

statements       nodes of the syntax tree that are statements, docstrings not among them
code lines       lines that hold code: no blank ones, comments or docstrings
circles          groups of modules that import one another, whatever the import stands in
arrows back up   imports from a folder to one that stands above it (contract of the layers)
largest folders  modules that stand in one folder, subfolders not counted
small files      modules of under 40 lines, ``__init__`` not among them
metrics          registered statistics; among them those that hold a number, "drop" or "excess"
looked for       calls of getattr and hasattr with a literal name
of plug-ins      those whose name is a member of a base class of plug-ins, or of a protocol of core:
                 declared, and looked for all the same (objects of users may still be asked)
compare          code lines of `scrutiny compare` that are its own
"""

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from scrutiny.core.registry import registry

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
BEGINNING = ROOT / "design" / "house_figures.json"
SMALL = 40
FLAT = 25
_OWN_OF_COMPARE = re.compile(r"/(compare/\w+|comparing/\w+|verbs/compare)\.py$")
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def modules(source: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def documented(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements that are docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first


def statements(tree: ast.AST) -> int:
    """Statements that are no docstrings."""
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - len([*documented(tree)])


def code_lines(text: str, tree: ast.AST) -> int:
    """Lines that hold code."""
    told = {
        line for one in documented(tree) for line in range(one.lineno, (one.end_lineno or 0) + 1)
    }
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            held.update(range(token.start[0], token.end[0] + 1))
    return len(held - told)


def imported(name: str, path: Path, tree: ast.AST, known: Iterable[str]) -> set[str]:
    """Modules of the package that a module imports, lazily or for types too."""
    known, found = set(known), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & known
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found |= {inner if inner in known else node.module} & known
    return found - {name}


def circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach one another (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(one: str) -> None:
        number[one] = low[one] = len(number)
        stack.append(one)
        for other in sorted(arrows[one]):
            if other not in number:
                visit(other)
                low[one] = min(low[one], low[other])
            elif other in stack:
                low[one] = min(low[one], number[other])
        if low[one] == number[one]:
            place = stack.index(one)
            group = stack[place:]
            del stack[place:]
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for one in sorted(arrows):
        if one not in number:
            visit(one)
    return sorted(found)


def floors(settings: Path) -> dict[str, int]:
    """Floor of each folder by the contract of the layers: 0 is the ground."""
    contracts = tomllib.loads(settings.read_text(encoding="utf-8"))["tool"]["importlinter"]
    house = next(one for one in contracts["contracts"] if one["type"] == "layers")
    within = "".join(f"{one}." for one in house.get("containers", ()))
    return {
        within + room.strip(): len(house["layers"]) - place
        for place, layer in enumerate(house["layers"])
        for room in layer.split("|")
    }


def up(arrows: dict[str, set[str]], floor: dict[str, int]) -> list[str]:
    """Imports from a folder to one that stands above it."""

    def of(module: str) -> int | None:
        return floor.get(".".join(module.split(".")[:2]))

    return sorted(
        f"{one} -> {other}"
        for one, others in arrows.items()
        for other in others
        if (here := of(one)) is not None and (there := of(other)) is not None and there > here
    )


def looked_for(tree: ast.AST) -> list[str]:
    """Literal names that getattr and hasattr are called with."""
    return [
        str(node.args[1].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("getattr", "hasattr")
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
    ]


def declared(trees: Mapping[str, ast.AST]) -> set[str]:
    """Members that base classes of plug-ins declare, and protocols of core."""
    found = set()
    for module, tree in trees.items():
        for node in ast.walk(tree):
            bases = {
                n.id
                for b in getattr(node, "bases", ())
                for n in ast.walk(b)
                if isinstance(n, ast.Name)
            }
            is_protocol = "Protocol" in bases and module.startswith("scrutiny.core.")
            if isinstance(node, ast.ClassDef) and ("PlugIn" in bases or is_protocol):
                found |= {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
                found |= {ast.unparse(n.target) for n in node.body if isinstance(n, ast.AnnAssign)}
    return found


def figures(source: Path = SOURCE, settings: Path = ROOT / "pyproject.toml") -> dict[str, int]:
    """All figures by their names."""
    known = modules(source)
    texts = {name: path.read_text(encoding="utf-8") for name, path in known.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    arrows = {name: imported(name, known[name], trees[name], known) for name in known}
    lines = {name: code_lines(texts[name], trees[name]) for name in known}
    sizes: dict[Path, int] = {}
    for path in known.values():
        sizes[path.parent] = sizes.get(path.parent, 0) + 1
    asked = [name for tree in trees.values() for name in looked_for(tree)]
    known_members = declared(trees)
    small = [p for n, p in known.items() if p.stem != "__init__" and _length(texts[n]) < SMALL]
    metrics = registry().names("statistic")
    return {
        "modules": len(known),
        "statements": sum(map(statements, trees.values())),
        "code lines": sum(lines.values()),
        "circles": len(circles(arrows)),
        "arrows back up": len(up(arrows, floors(settings))),
        f"folders of more than {FLAT} modules": sum(size > FLAT for size in sizes.values()),
        "modules in the largest folder": max(sizes.values()),
        f"files of under {SMALL} lines": len(small),
        "metrics": len(metrics),
        "metrics named by a parameter": sum(bool(re.search(r"_\d", m)) for m in metrics),
        "metrics named drop or excess": sum("drop" in m or "excess" in m for m in metrics),
        "members looked for by name": len(asked),
        "members of plug-ins looked for by name": sum(name in known_members for name in asked),
        "code lines of compare alone": sum(
            lines[name] for name, path in known.items() if _OWN_OF_COMPARE.search(path.as_posix())
        ),
    }


def _length(text: str) -> int:
    return len(text.splitlines())


def main(words: list[str]) -> None:
    """Print the figures, or take them for the beginning."""
    found = figures()
    if words == ["--begin"]:
        BEGINNING.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    began = json.loads(BEGINNING.read_text(encoding="utf-8"))
    width = max(map(len, found))
    print(f"{'':<{width}}  {'began':>7}  {'today':>7}")
    for name, value in found.items():
        before = began.get(name)
        change = f"{100 * (value - before) / before:+.1f} %" if before else ""
        print(f"{name:<{width}}  {before if before is not None else '-':>7}  {value:>7}  {change}")


if __name__ == "__main__":
    main(sys.argv[1:])
