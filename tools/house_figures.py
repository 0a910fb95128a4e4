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
of plug-ins      those whose name is a member of a base class of plug-ins or models, or of a
                 protocol of core: declared, and looked for all the same; names that a loop runs
                 over, and those of attrgetter and methodcaller, are counted, too
of answers       modules that test an answer's type or name a task: `isinstance` of an answer,
                 comparing with a type of answers or asking whether a task gives labels, parts of
                 an answer that are None, and names of tasks; declarations (assignments of classes
                 and modules, defaults), core/answers, tasks, and adapters (models and readers
                 of files) aside
compare          code lines of `scrutiny compare` that are its own

What is new since the beginning counts apart (``design/house_tenants.json``): modules that are
wholly a new feature, each with its reason, and what a commit of a feature, or of a mend that
belongs to no move of the house, added to other modules. A module that was moved, split or merged
is none.
"""

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scrutiny.core.registry import registry

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
BEGINNING = ROOT / "design" / "house_figures.json"
TENANTS = ROOT / "design" / "house_tenants.json"
SMALL = 40
FLAT = 25
_LOOKS = ("getattr", "hasattr")
_CORE = "scrutiny.core."
_OWN_OF_COMPARE = re.compile(r"/(compare/\w+|comparing/\w+|verbs/compare)\.py$")
_OF_ANSWERS = (
    *("scrutiny.core.answers", "scrutiny.tasks", "scrutiny.data.tasks"),
    *("scrutiny.models", "scrutiny.data.readers"),  # adapters of models and of files
)
_ANSWER = re.compile(r"\b(gold|golds|answer|answers|prediction|predictions)\b")
_VALUES = {"str", "tuple", "list", "Span", "Text", "Words", "AnyOf", "Clusters"}
_PARTS = {"label", "spans", "text"}
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


@cache
def parsed(source: Path) -> dict[str, ast.Module]:
    """Syntax tree of every module, each read once."""
    found = modules(source).items()
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in found}


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree: every figure looks at them, and walking takes longer than looking."""
    return [*ast.walk(tree)]


def documented(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements that are docstrings."""
    for node in nodes(tree):
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
    return sum(isinstance(node, ast.stmt) for node in nodes(tree)) - len([*documented(tree)])


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
    for node in nodes(tree):
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
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _LOOKS
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
    ]


def in_other_words(tree: ast.AST) -> list[str]:
    """Names that are looked for without standing in the call: in a loop, or handed on.

    ``hasattr(x, name)`` or ``getattr(x, name, None)`` for every name of a tuple, ``partial(hasattr,
    x)`` beside one, and ``attrgetter("name")``. ``getattr(x, name)`` without a default reads what
    must be there (fields of a value, a capability that a model claims).
    """
    constants = {
        target.id: _texts(node.value)
        for node in ast.iter_child_nodes(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    found = set()
    for function in nodes(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= {(*place, name) for place, name in _handed_on(function, constants)}
    return [name for *_, name in sorted(found)]


def _texts(node: ast.AST) -> set[str]:
    """Texts that stand in an expression."""
    return {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and type(n.value) is str}


def _known(node: ast.AST, constants: Mapping[str, set[str]]) -> set[str]:
    """Texts of an expression, those of the module's constants that it names among them."""
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return _texts(node).union(*(constants.get(name, set()) for name in names))


def _runs_over(function: ast.AST, constants: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Texts that each variable of a function's loops takes."""
    found: dict[str, set[str]] = {}
    for node in nodes(function):
        if isinstance(node, ast.For | ast.comprehension):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(_known(node.iter, constants))
    return found


def _handed_on(
    function: ast.AST, constants: Mapping[str, set[str]]
) -> Iterator[tuple[tuple[int, int], str]]:
    """Names that a function looks for otherwise than in a literal call, with their places."""
    for node in nodes(function):
        if not isinstance(node, ast.Call):
            continue
        asks = node.func.id if isinstance(node.func, ast.Name) else ""
        names: set[str] = set()
        is_asked = asks == "hasattr" or (asks == "getattr" and len(node.args) > 2)
        if is_asked and isinstance(node.args[1], ast.Name):
            names = _runs_over(function, constants).get(node.args[1].id, set())
        elif asks in ("attrgetter", "methodcaller"):
            names = set().union(*map(_texts, node.args[:1]))
        elif any(isinstance(a, ast.Name) and a.id in _LOOKS for a in node.args):
            names = _known(function, constants)
        yield from (((node.lineno, node.col_offset), name) for name in names)


def declared(trees: Mapping[str, ast.AST]) -> set[str]:
    """Members that base classes of plug-ins and models declare, and protocols of core."""
    found: set[str] = set()
    roots = {"PlugIn", "Told"}
    for module, tree in sorted(trees.items(), key=lambda one: not one[0].startswith(_CORE)):
        for node in nodes(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            bases = {n.id for b in node.bases for n in ast.walk(b) if isinstance(n, ast.Name)}
            is_base = bool(module.startswith(_CORE) and bases & {*roots, "Protocol", "ABC"})
            if is_base:
                roots.add(node.name)
            if is_base or bases & {"PlugIn"} or node.name in ("PlugIn", "Told"):
                found |= {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
                found |= {ast.unparse(n.target) for n in node.body if isinstance(n, ast.AnnAssign)}
    return found


def members_of_plug_ins(trees: Mapping[str, ast.AST]) -> list[str]:
    """Declared members that are looked for by name all the same, each with its module."""
    known = declared(trees)
    return [
        f"{module}: {name}"
        for module, tree in trees.items()
        for name in (*looked_for(tree), *in_other_words(tree))
        if name in known
    ]


def tests_answers(tree: ast.AST, tasks: Iterable[str], types: Iterable[str]) -> bool:
    """Whether a module tests the type of an answer, or names a task outside of a declaration."""
    names, kinds = {name.partition("@")[0] for name in tasks}, set(types)
    aside = (*documented(tree), *_declarations(tree))
    left_out = {id(node) for one in aside for node in ast.walk(one)}
    return any(
        _tests_answer(node, names, kinds) for node in nodes(tree) if id(node) not in left_out
    )


def _tests_answer(node: ast.AST, tasks: set[str], types: set[str]) -> bool:
    """Whether an expression asks what an answer is, or is the name of a task."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.partition("@")[0] in tasks
    if isinstance(node, ast.Attribute):
        return node.attr == "gives_labels"
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
        told = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
        return bool(_ANSWER.search(ast.unparse(node.args[0])) and told & _VALUES)
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        is_part = any(isinstance(s, ast.Attribute) and s.attr in _PARTS for s in sides)
        is_none = any(isinstance(s, ast.Constant) and s.value is None for s in sides)
        named = {n.id for s in sides for n in ast.walk(s) if isinstance(n, ast.Name)}
        is_one = is_part and is_none and bool(_ANSWER.search(ast.unparse(node)))
        return bool(named & types) or is_one
    return False


def _declarations(tree: ast.AST) -> Iterator[ast.AST]:
    """Assignments of modules and classes, defaults of functions, and decorators."""
    for node in nodes(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from (n for n in node.body if isinstance(n, ast.Assign | ast.AnnAssign))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)


def types_of_answers(trees: Mapping[str, ast.AST]) -> set[str]:
    """Constants that name the types of answers."""
    return {
        target.id
        for module, tree in trees.items()
        if module.startswith("scrutiny.core.answers.")
        for node in ast.iter_child_nodes(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.isupper()
    }


def without_tenants(sizes: Mapping[str, int], told: Mapping[str, Any]) -> dict[str, int]:
    """Statements of what is new, and those of all else."""
    tenants = sum(sizes[name] for names in told["modules"].values() for name in names)
    grown = {
        kind: sum(commit["statements"] for commit in told[kind].values())
        for kind in ("features", "mends")
    }
    rest = sum(sizes.values()) - tenants - grown["features"]
    return {
        "statements of tenants": tenants,
        "statements of features elsewhere": grown["features"],
        "statements without tenants": rest,
        "statements without tenants and mends": rest - grown["mends"],
    }


def figures(
    source: Path = SOURCE,
    settings: Path = ROOT / "pyproject.toml",
    told: Mapping[str, Any] | None = None,
) -> dict[str, int]:
    """All figures by their names; those without tenants where it is told which they are."""
    known = modules(source)
    texts = {name: path.read_text(encoding="utf-8") for name, path in known.items()}
    trees = parsed(source)
    arrows = {name: imported(name, known[name], trees[name], known) for name in known}
    lines = {name: code_lines(texts[name], trees[name]) for name in known}
    said = {name: statements(tree) for name, tree in trees.items()}
    sizes: dict[Path, int] = {}
    for path in known.values():
        sizes[path.parent] = sizes.get(path.parent, 0) + 1
    asked = [name for tree in trees.values() for name in looked_for(tree)]
    small = [p for n, p in known.items() if p.stem != "__init__" and _length(texts[n]) < SMALL]
    metrics = registry().names("statistic")
    return {
        "modules": len(known),
        "statements": sum(said.values()),
        **(without_tenants(said, told) if told else {}),
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
        "members of plug-ins looked for by name": len(members_of_plug_ins(trees)),
        "modules that test answers or name tasks": sum(
            tests_answers(tree, registry().names("task"), types_of_answers(trees))
            for name, tree in trees.items()
            if not name.startswith(_OF_ANSWERS)
        ),
        "code lines of compare alone": sum(
            lines[name] for name, path in known.items() if _OWN_OF_COMPARE.search(path.as_posix())
        ),
    }


def _length(text: str) -> int:
    return len(text.splitlines())


def main(words: list[str]) -> None:
    """Print the figures, or take them for the beginning."""
    found = figures(told=json.loads(TENANTS.read_text(encoding="utf-8")))
    if words == ["--begin"]:
        BEGINNING.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    began = json.loads(BEGINNING.read_text(encoding="utf-8"))
    width = max(map(len, found))
    print(f"{'':<{width}}  {'began':>7}  {'today':>7}")
    for name, value in found.items():
        before = began.get("statements" if "without tenants" in name else name)
        change = f"{100 * (value - before) / before:+.1f} %" if before else ""
        print(f"{name:<{width}}  {before if before is not None else '-':>7}  {value:>7}  {change}")


if __name__ == "__main__":
    main(sys.argv[1:])
