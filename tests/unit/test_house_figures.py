"""The counter of the house: on a small house whose figures can be counted by hand."""

import ast
import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "house_figures.py"
MODULE = '''"""Told.

At length.
"""
# a remark

import json


def one(x):
    """Told."""
    text = """of
two lines"""
    return getattr(x, "stream", None), hasattr(x, text), json
'''


@pytest.fixture(scope="module")
def tool():
    spec = spec_from_file_location("house_figures", TOOL)
    module = module_from_spec(spec)
    sys.modules["house_figures"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def house(tmp_path):
    files = {
        "house/__init__.py": "",
        "house/core/__init__.py": "",
        "house/core/a.py": "from house.core.b import x\n",
        "house/core/b.py": "def f():\n    from house.core import a\n    return a\n",
        "house/core/c.py": "import house.cli.d\n",
        "house/cli/d.py": MODULE,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_docstrings_are_neither_statements_nor_lines_of_code(tool):
    tree = ast.parse(MODULE)
    assert tool.statements(tree) == 4  # import, def, assignment, return
    assert tool.code_lines(MODULE, tree) == 5  # a text over two lines is two


def test_only_members_of_a_literal_name_are_looked_for(tool):
    assert len(tool.looked_for(ast.parse(MODULE))) == 1


def test_members_of_plug_ins_are_those_of_their_base_classes(tool):
    text = "class A(PlugIn, ABC):\n    stream: str\n    def run(self): ...\nclass B:\n    x: int\n"
    assert tool.declared({"scrutiny.core.search": ast.parse(text)}) == {"stream", "run"}


def test_base_classes_of_core_hand_their_members_on(tool):
    core = "class P(Protocol):\n    a: int\nclass M(P):\n    b: int = 0\nclass T:\n    c: int\n"
    models = "class N(M):\n    d: int\nclass Q(PlugIn):\n    e: int\n"
    trees = {"scrutiny.models.n": ast.parse(models), "scrutiny.core.model": ast.parse(core)}
    assert tool.declared(trees) == {"a", "b", "e"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("any(hasattr(x, n) for n in ('a', 'b'))", ["a", "b"]),
        ("[getattr(x, n, None) for n in NAMES]", ["c", "d"]),
        ("[getattr(x, n) for n in NAMES]", []),
        ("filter(partial(hasattr, x), ('a',))", ["a"]),
        ("attrgetter('a')(x)", ["a"]),
        ("getattr(x, 'a', None)", []),
    ],
)
def test_names_in_loops_are_looked_for_in_other_words(tool, line, names):
    tree = ast.parse(f"NAMES = (('c', 1), ('d', 2))\n\ndef f(x):\n    return {line}\n")
    assert tool.in_other_words(tree) == names


def test_no_member_of_a_plug_in_is_looked_for_by_name(tool):
    """Base classes declare all members, with defaults: they are read."""
    trees = tool.parsed(tool.SOURCE)
    assert {"n_samples", "attention_shape", "says", "Params"} <= tool.declared(trees)
    assert tool.members_of_plug_ins(trees) == []


def arrows_of(tool, house):
    known = tool.modules(house)
    return {
        name: tool.imported(name, path, ast.parse(path.read_text()), known)
        for name, path in known.items()
    }


def test_imports_in_functions_close_a_circle(tool, house):
    arrows = arrows_of(tool, house)
    assert arrows["house.core.a"] == {"house.core.b"}
    assert tool.circles(arrows) == [["house.core.a", "house.core.b"]]
    assert tool.circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert tool.circles({"a": {"b"}, "b": set()}) == []


def test_an_import_from_a_higher_floor_runs_back_up(tool, house):
    settings = house / "pyproject.toml"
    contract = '[[tool.importlinter.contracts]]\ntype = "layers"\n'
    settings.write_text(contract + 'layers = ["house.cli | house.run", "house.core"]\n')
    floor = tool.floors(settings)
    assert floor == {"house.cli": 2, "house.run": 2, "house.core": 1}
    assert tool.up(arrows_of(tool, house), floor) == ["house.core.c -> house.cli.d"]
    settings.write_text(contract + 'containers = ["house"]\nlayers = ["cli | run", "core"]\n')
    assert tool.floors(settings) == floor


def test_today_stands_beside_the_beginning(tool, capsys, monkeypatch):
    today = tool.figures(told=json.loads(tool.TENANTS.read_text(encoding="utf-8")))
    assert today["arrows back up"] == today["circles"] == 0
    monkeypatch.setattr(tool, "figures", lambda told: today)
    began = json.loads(tool.BEGINNING.read_text(encoding="utf-8"))
    tool.main([])
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split("  ")[0] for line in lines] == list(today)
    assert [name for name in today if "tenants" not in name and "features" not in name] == [*began]


def test_what_is_new_counts_apart(tool):
    told = {
        "modules": {"a feature": ["house.new"]},
        "features": {"abc": {"what": "grew", "statements": 3}},
        "mends": {"def": {"what": "mended", "statements": 2}},
    }
    assert tool.without_tenants({"house.new": 10, "house.old": 100}, told) == {
        "statements of tenants": 10,
        "statements of features elsewhere": 3,
        "statements without tenants": 97,
        "statements without tenants and mends": 95,
    }


def test_tenants_are_modules_of_today_and_named_once(tool):
    told = json.loads(tool.TENANTS.read_text(encoding="utf-8"))
    names = [name for names in told["modules"].values() for name in names]
    assert len(set(names)) == len(names)
    assert set(names) <= set(tool.modules(tool.SOURCE))


@pytest.mark.parametrize(
    ("code", "is_told"),
    [
        ("isinstance(example.gold, tuple)", True),
        ("isinstance(answer, Failure)", False),
        ("isinstance(words, tuple)", False),
        ("answer.spans is None", True),
        ("type_of(answer) is SPANS", True),
        ("task.gives_labels", True),
        ("load('token-tagging')", True),
        ("TASK = 'token-tagging'", False),
        ("class A:\n    tasks = {'token-tagging'}", False),
        ("def f(task='token-tagging'):\n    '''token-tagging'''", False),
        ("label_in(answer)", False),
    ],
)
def test_modules_that_know_what_an_answer_is_are_told(tool, code, is_told):
    assert tool.tests_answers(ast.parse(code), ["token-tagging@1"], ["SPANS"]) is is_told
