"""Parts of families are found in the registry: neither the report nor generic parts name one."""

import ast
from pathlib import Path

import pytest

import scrutiny
from scrutiny.blocks import section as parts_of_report
from scrutiny.blocks.run_view import RunFacts, RunView
from scrutiny.blocks.section import Part, ReportPart
from scrutiny.core.estimate import Counts, Estimate, EstimateKey
from scrutiny.core.registry import Entry, Registration, build
from scrutiny.registrations import REGISTRATIONS

SOURCE = Path(scrutiny.__file__).parent
WORDS = {"labels"}  # a word before it is the name of a family, as "head" is one of a metric
FAMILIES = {path.stem for path in (SOURCE / "diagnostics").iterdir()} - WORDS
TARGETS = {r.name.partition("@")[0]: r.target for r in REGISTRATIONS if r.kind != "part"}
OF_FAMILIES = {  # "head", "flips" are words before they are names of metrics
    name
    for name, target in TARGETS.items()
    if target.startswith("scrutiny.diagnostics.") and ("_" in name or "." in name)
}


def written(path):
    """Texts in the code of a module; docstrings are for people, who may read of examples."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    constants = (n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in said)
    return {n.value.partition("@")[0] for n in constants if isinstance(n.value, str)}


@pytest.mark.parametrize("room", ["blocks", "report"])
def test_no_diagnostic_and_no_metric_of_a_family_is_named(room):
    assert {"attention", "leakage"} < FAMILIES
    assert {"attack_success", "similarity.drift"} < OF_FAMILIES
    paths = sorted((SOURCE / room).rglob("*.py"))
    paths = [p for p in paths if p.parent.name != "compare"]  # runs: families compare them
    named = {path.name: written(path) & (OF_FAMILIES | FAMILIES) for path in paths}
    assert len(paths) > 10
    assert {name: found for name, found in named.items() if found} == {}


ONE = Part("one", "A question?", "How to read it.", ())
PART = ReportPart("What one shows.", lambda view: ONE)


def estimate(key):
    return Estimate(key, 0.5, None, None, 0.95, "", Counts(n=4), 4)


def test_parts_are_loaded_where_their_line_s_needs_are_met(monkeypatch):
    needs = ("", "leakage", "share", "mean_tau", "condition.layer", "condition.recipe", "attack")
    lines = [Registration("part", f"p{i}@1", f"{__name__}:PART", n) for i, n in enumerate(needs)]
    loaded = []
    found = build([("own", lines)])
    monkeypatch.setattr(parts_of_report, "registry", lambda: found)
    monkeypatch.setattr(Entry, "load", lambda entry: loaded.append(entry.registration.needs))
    keys = (
        EstimateKey("leakage@1#ab", "share@1", "m", "x"),
        EstimateKey("d@1", "mean_tau(gradient)@1", "m", "x", condition={"layer": 2}),
    )
    list(parts_of_report.registered([estimate(key) for key in keys]))
    assert loaded == ["", "leakage", "share", "mean_tau", "condition.layer"]


def test_a_plug_in_s_part_stands_on_the_page(monkeypatch):
    target = f"{__name__}:PART"
    found = build([("own", [Registration("part", "one@1", target)])])
    monkeypatch.setattr(parts_of_report, "registry", lambda: found)
    assert parts_of_report.parts(RunView(RunFacts("x"))) == (ONE,)
