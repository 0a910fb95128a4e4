"""Thirteen commands give the records, variants, estimates and verdicts that are frozen."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "golden_runs.py"


def _loaded():
    spec = spec_from_file_location("golden_runs", TOOL)
    module = module_from_spec(spec)
    sys.modules["golden_runs"] = module
    spec.loader.exec_module(module)
    return module


tool = _loaded()
GOLDENS = {golden.name: golden for golden in tool.goldens()}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Cache of all commands: what two ask of one network, as whether it knows grammar, is kept."""
    return tmp_path_factory.mktemp("answers")


@pytest.mark.parametrize("name", GOLDENS)
def test_a_command_gives_what_is_frozen(name, tmp_path, answers, monkeypatch):
    monkeypatch.setenv("SCRUTINY_CACHE_DIR", str(answers))
    golden = GOLDENS[name]
    if any(word.startswith(("hf:", "attention-classifier:")) for word in golden.command):
        pytest.importorskip("torch")
        pytest.importorskip("transformers")
    found = tool.found(golden, tmp_path / "run", tool.names())
    assert tool.differences(tool.frozen(golden), found, close=golden.close) == []


def test_every_frozen_folder_has_its_command():
    folders = {path.parent.name for path in tool.PLACE.glob("*/estimates.jsonl")}
    assert folders == set(GOLDENS)


@pytest.fixture(scope="module")
def before():
    return tool.frozen(GOLDENS["robustness_pair"])


def changed(tables, name, column, value):
    key, first = next(iter(tables[name].items()))
    row = first | {column: value(first[column]) if callable(value) else value}
    made = tables | {name: tables[name] | {key: row}}
    return tool.differences(tables, made, close=0.0)


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("records", "status", "failed"),
        ("records", "values", lambda values: {k: v + 1e-9 for k, v in values.items()}),
        ("records", "values", lambda values: {f"new {k}": v for k, v in values.items()}),
        ("variants", "gold", '"other"'),
        ("variants", "edits", lambda edits: [*edits, ["text", 0, 0, "x"]]),
        ("estimates", "value", lambda value: value + 1e-9),
        ("estimates", "n", lambda n: n + 1),
        ("estimates", "low", None),
        ("claims", "verdict", "supported, or so"),
    ],
)
def test_a_change_is_found(before, name, column, value):
    (line,) = changed(before, name, column, value)
    assert line.startswith(name)
    assert f": {column} was " in line


def test_rows_that_are_lost_or_new_are_found(before):
    after = before | {"estimates": dict(before["estimates"])}
    key = next(iter(after["estimates"]))
    row = after["estimates"].pop(key)
    assert tool.differences(before, after, close=0.0) == [f"estimates lost: {key}"]
    after["estimates"][("new", *key[1:])] = row
    assert f"estimates new: {('new', *key[1:])}" in tool.differences(before, after, close=0.0)
    del after["records"]
    assert len(tool.differences(before, after, close=0.0)) == 2 + len(before["records"])


def test_numbers_are_alike_to_within_a_bound():
    assert tool.alike(0.1, 0.1, 0.0)
    assert not tool.alike(0.1, 0.1 + 1e-12, 0.0)
    assert tool.alike([0.1, {"a": 2}], [0.1 + 1e-7, {"a": 2.0}], 1e-6)
    assert tool.alike(float("nan"), float("nan"), 0.0)
    assert not tool.alike(float("nan"), 1.0, 1.0)
    assert not tool.alike(None, 0.0, 1.0)


def test_a_renamed_thing_is_told_in_the_map():
    known = tool.Names({"metric": {"drop(accuracy)": "drop(accuracy)@1"}, "recipe": {"a@1": "b@1"}})
    assert known.old("metric", "drop(accuracy)") == "drop(accuracy)@1"
    assert known.old("metric", "accuracy@1") == "accuracy@1"
    assert tool._condition('{"draw":0,"recipe":"a@1"}', known) == '{"draw": 0, "recipe": "b@1"}'
