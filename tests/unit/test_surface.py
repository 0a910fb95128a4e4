"""Nothing public without a use (a caller, a page, a plan); overviews name what is there."""

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from test_house import nodes, trees

from scrutiny.registrations import REGISTRATIONS

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "scrutiny"
#: Public functions that nothing in the package calls and no page offers, by why they are here.
LISTED = {
    "hooks that pytest calls": "pytest_addoption pytest_collect_file pytest_configure "
    "pytest_runtest_logreport pytest_runtest_setup pytest_runtest_teardown "
    "pytest_terminal_summary",
    "planned": "tost",
    "statistics for analyses of one's own": "accuracy_bounds benjamini_hochberg crossed_power "
    "kept_components mean_scope_distance scope_pairs "
    "variance_ratio_power workable_margin",
    "transformations from Python and in plug-ins": "document_of recipe_of",
    "conformance of plug-ins": "check_adapter check_diagnostic check_statistic "
    "check_transformation usual_metrics tagged_examples",
}


@cache
def public_functions():
    """Names of functions at the top of modules, without those that a decorator registers."""
    return {
        node.name
        for module in trees().values()
        for node in module.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and not any("command" in ast.unparse(one) for one in node.decorator_list)
    }


@cache
def uses():
    """How often each name is read, or named as ``module:attribute``; handing it on is no use."""
    found = Counter(line.target.rpartition(":")[2] for line in REGISTRATIONS)
    for inside in nodes().values():
        for node in inside:
            if isinstance(node, ast.Name):
                found[node.id] += 1
            elif isinstance(node, ast.Attribute):
                found[node.attr] += 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"^[\w.{}]+:(\w+)$", node.value))
    return found


def offered():
    """Names in code that pages for users mention."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    texts = (page.read_text(encoding="utf-8") for page in pages)
    return {
        name
        for text in texts
        for code in re.findall(r"```.*?```|`[^`]+`", text, re.DOTALL)
        for name in re.findall(r"\w+", code)
    }


def listed():
    return {name for names in LISTED.values() for name in names.split()}


def test_every_public_function_is_called_offered_or_planned():
    used = uses()
    called = {name for name in public_functions() if used[name]}
    assert public_functions() - called - offered() - listed() == set()


def test_the_list_holds_nothing_that_is_called_or_gone():
    used = uses()
    assert listed() <= public_functions()
    assert not {name for name in listed() if used[name]}


def test_every_package_of_an_extra_is_imported_or_a_model():
    """An extra without an importer promises what nothing does."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    modules_of = {"scikit-learn": "sklearn", "huggingface-hub": "huggingface_hub"}
    modules_of |= {"mlflow-skinny": "mlflow"}
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    for extra, packages in extras.items():
        for package in packages if extra not in ("dev", "all") else ():
            name = re.split(r"[<>=\[]", package)[0]
            module = modules_of.get(name, name.removesuffix("-py").replace("-", "_"))
            assert re.search(rf"\b{module}\b", code), (extra, package)


def test_every_folder_of_the_package_has_code():
    for folder in (path for path in SOURCE.rglob("*") if path.is_dir()):
        files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        assert not files or any(path.stat().st_size > 120 for path in files), folder


#: The one overview that lists classes and functions by topic.
BY_TOPIC = {"testing"}
PACKAGES = sorted(path for path in SOURCE.rglob("__init__.py") if path.parent.name not in BY_TOPIC)


def named_by(overview):
    """First words of the lines of an overview's lists, where they are names of modules."""
    inside = False
    for line in (ast.get_docstring(ast.parse(overview)) or "").splitlines():
        inside = line.endswith("::") or (inside and (not line or line.startswith(" ")))
        found = re.match(r" {4}([a-z_]+)  ", line) if inside else None
        if found:
            yield found[1]


@pytest.mark.parametrize("path", PACKAGES, ids=lambda p: str(p.relative_to(SOURCE).parent))
def test_overviews_of_packages_name_what_is_there(path):
    text = path.read_text(encoding="utf-8")
    there = {one.stem for one in path.parent.rglob("*")} | set(re.findall(r"import (\w+)", text))
    assert set(named_by(text)) <= there
