"""Names: versions, near names, duplicates, plug-ins that break."""

import re

import pytest

from scrutiny.core import registry as module
from scrutiny.core.errors import LISTED, ConformanceError, UnknownNameError
from scrutiny.core.registry import KINDS, Registration, build, registry


def line(name, kind="statistic", target="math:pi"):
    return Registration(kind, name, target)


class Point:
    def __init__(self, name, load, value="plugin:LINES"):
        self.name, self.load, self.value = name, load, value


@pytest.fixture
def with_points(monkeypatch):
    def install(*points):
        monkeypatch.setattr(module, "entry_points", lambda group: list(points))
        registry.cache_clear()

    yield install
    monkeypatch.undo()
    registry.cache_clear()


def test_a_name_without_its_version_is_the_highest_one():
    made = build([("us", [line("mean@2"), line("mean@10"), line("mean@9")])])
    assert made.resolve("statistic", "mean") == "mean@10"
    assert made.resolve("statistic", "mean@9") == "mean@9"


def test_a_version_that_is_not_there_is_unknown_and_near_ones_are_named():
    made = build([("us", [line("typos@1", "transformation")])])
    with pytest.raises(UnknownNameError, match="Did you mean 'typos@1'"):
        made.resolve("transformation", "typos@7")
    with pytest.raises(UnknownNameError) as caught:
        made.resolve("transformation", "typso")
    assert caught.value.near == ["typos@1"]


def test_names_of_another_kind_are_not_found():
    made = build([("us", [line("typos@1", "transformation")])])
    with pytest.raises(UnknownNameError):
        made.entry("statistic", "typos@1")


def test_two_sources_may_not_claim_one_name():
    with pytest.raises(ConformanceError, match="'mean@1', which us has already"):
        build([("us", [line("mean@1")]), ("them", [line("mean@1")])])


@pytest.mark.parametrize("name", ["mean", "mean@", "mean@0", "mean@x", "mean@1.2", "@1", "a b@1"])
def test_names_are_versioned(name):
    with pytest.raises(ConformanceError, match="names are versioned"):
        build([("us", [line(name)])])


def test_an_unknown_kind_is_refused():
    with pytest.raises(ConformanceError, match="registers a 'statistik'"):
        build([("us", [line("mean@1", "statistik")])])


def test_objects_are_imported_when_asked_for():
    import math

    made = build([("us", [line("pi@1"), line("none@1", target="math:nothing")])])
    assert made.load("statistic", "pi") == math.pi
    with pytest.raises(ConformanceError, match="has no 'nothing'"):
        made.load("statistic", "none")


def test_a_plug_in_adds_its_names(with_points):
    with_points(Point("theirs", lambda: [("statistic", "zeta@1", "math:tau")]))
    assert registry().entry("statistic", "zeta").origin == "theirs"
    assert registry().entry("statistic", "mean").origin == "scrutiny"


def broken():
    raise ImportError("no module named 'gone'")


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (broken, "no module named 'gone'"),
        (lambda: [("statistic", "mean@1", "x:y")], "which scrutiny has already"),
        (lambda: [("statistic", "unversioned", "x:y")], "names are versioned"),
        (lambda: [("statistic",)], "missing"),
    ],
)
def test_a_broken_plug_in_is_left_out_with_a_warning(with_points, load, why):
    good = Point("z-good", lambda: [("statistic", "zeta@1", "math:tau")])
    with_points(Point("bad", load), good)
    with pytest.warns(UserWarning, match=f"'bad' was left out.*{re.escape(why)}"):
        made = registry()
    assert "zeta@1" in made.names("statistic")
    assert made.entry("statistic", "mean@1").origin == "scrutiny"


def test_every_built_in_can_be_imported():
    made = registry()
    assert {entry.origin for entry in made.entries.values()} >= {"scrutiny"}
    for (kind, name), entry in made.entries.items():
        if entry.origin == "scrutiny":
            assert made.load(kind, name) is not None, name


def test_kinds_are_those_that_can_be_listed():
    assert KINDS == LISTED
