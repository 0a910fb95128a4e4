"""Random numbers survive renames: each thing that draws declares the name of its numbers."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrutiny.core import registry as module
from scrutiny.core.estimate import EstimateKey
from scrutiny.core.example import Example
from scrutiny.core.plan import Resampling
from scrutiny.core.randomness import stream_of
from scrutiny.core.record import Measure
from scrutiny.core.registry import Registration, registry
from scrutiny.perturb.characters.typos import Typos
from scrutiny.perturb.engine.apply import perturb
from scrutiny.perturb.engine.controls import Controls
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.reliability.estimate import estimate
from scrutiny.reliability.metrics import metric_of, usual_metrics
from scrutiny.reliability.panel import Panel, Side
from scrutiny.reliability.statistics import ACCURACY, measures_of

FROZEN = Path(__file__).parents[1] / "golden" / "streams.json"
TEXT = Example("1", {"text": "a wonderful little film about growing up in a small town"})


class Slips(Typos):
    """The same under another name."""

    id = "slips@1"
    stream = "typos@1"


class Strays(Typos):
    """The same under another name, which draws other numbers."""

    id = "strays@1"


class Point:
    name, value = "renamed", "renamed:LINES"

    def load(self):
        names = {"slips@1": "Slips", "strays@1": "Strays"}
        return tuple(
            Registration("transformation", name, f"{__name__}:{made}")
            for name, made in names.items()
        )


@pytest.fixture
def renamed(monkeypatch):
    monkeypatch.setattr(module, "entry_points", lambda group: [Point()])
    registry.cache_clear()
    parse_recipe.cache_clear()
    yield
    monkeypatch.undo()
    registry.cache_clear()
    parse_recipe.cache_clear()


def declared(kind):
    """Names of the random numbers of all built-in things of a kind."""
    found = registry()
    if kind == "statistic":
        streams = {metric_of(name).drawn_as for name in usual_metrics()}
        return sorted(streams | {metric.drawn_as for metric in of_measures()})
    return sorted({stream_of(found.load(kind, name), name) for name in found.names(kind)})


def of_measures():
    """Metrics of a measure whose random numbers have another name, and gaps of them."""
    for diagnostic in registry().names("diagnostic"):
        measures = measures_of(diagnostic)
        for measure in measures:
            for kind, _ in measure.drawn_as:
                yield metric_of(f"{kind}({measure.name})", measures)
    for kind, name in (
        ("erasure", "share(flip)"),
        ("erasure", "mean(js)"),
        ("agreement", "mean(tau)"),
    ):
        yield metric_of(f"gap({name})", measures_of(f"faithfulness.{kind}@1"))


@pytest.mark.parametrize("kind", json.loads(FROZEN.read_text(encoding="utf-8")))
def test_no_stream_is_lost(kind):
    """Whoever renames or merges declares the old stream, or says here that its numbers change.

    New ones are added by ``UPDATE_GOLDEN=1``, which takes none away.
    """
    frozen = json.loads(FROZEN.read_text(encoding="utf-8"))
    if os.environ.get("UPDATE_GOLDEN"):
        frozen[kind] = sorted({*frozen[kind], *declared(kind)})
        FROZEN.write_text(json.dumps(frozen, indent=1) + "\n", encoding="utf-8")
    assert declared(kind) == frozen[kind]


@pytest.mark.usefixtures("renamed")
def test_a_transformation_keeps_its_variants_and_controls_under_another_name():
    one, other, stray = (perturb(TEXT, name, seed=3) for name in ("typos@1", "slips@1", "strays@1"))
    assert other.edits == one.edits
    assert stray.edits != one.edits
    first, second, third = (Controls(TEXT).of(v, seed=3) for v in (one, other, stray))
    assert second.edits == first.edits
    assert third.edits != first.edits


def test_a_statistic_keeps_its_interval_under_another_name():
    levels = np.random.default_rng(5).normal(size=(3, 40))
    names = tuple(f'{{"seed":"{r}"}}' for r in range(3))
    panel = Panel((Measure("level"),), names, tuple(f"i{i}" for i in range(40)))
    side = {"": Side(levels[..., None], np.zeros(levels.shape, np.int8))}

    def limits(statistic):
        found = estimate(
            panel,
            side,
            statistic=statistic,
            key=EstimateKey("d@1#0", statistic.id, "m", "x"),
            resampling=Resampling(draws=400),
            seed=7,
        ).estimate
        return found.low, found.high

    level = replace(ACCURACY, id="level@1", needs=("level",), scale="identity", row_range=None)
    assert limits(replace(level, id="height@1", stream="level@1")) == limits(level)
    assert limits(replace(level, id="height@1")) != limits(level)
