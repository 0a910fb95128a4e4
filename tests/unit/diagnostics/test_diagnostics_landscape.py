"""The landscape diagnostic: a row for each text and property, on a model that states them."""

import numpy as np
import pytest
from design_inputs import inputs_of

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.diagnostics.landscape import PROPERTIES, Landscape, LandscapeParams
from scrutiny.tasks.tasks import load_task
from scrutiny.testing.checking import ToyContext

TASK = load_task("passages")
EXAMPLES = tuple(Example(f"p{n}", {"text": text}) for n, text in enumerate(["one", "two", ""]))
CELL = Cell("m", None, "x")


class Stated(Model):
    """A model whose surroundings are what its texts' lengths say."""

    source, task, labels, is_batch_invariant = "toy", "passages", (), True
    capabilities = frozenset({"landscape"})

    def fingerprint(self):
        return "toy"

    def predict(self, examples):
        raise AssertionError("nothing is predicted")

    def landscape(self, texts, *, probe):
        self.probe = probe
        sizes = np.array([len(t) or np.nan for t in texts], dtype=float)
        return {name: sizes * 10**n for n, name in enumerate(PROPERTIES)}


def rows(params=None, model=None):
    model = model or Stated()
    params = params or LandscapeParams()
    context = ToyContext(TASK, model, seed=7)
    return list(Landscape().measure(params, CELL, Batch(EXAMPLES), context)), model


def test_each_text_has_a_row_for_each_property():
    found, model = rows(LandscapeParams(radius=0.1, directions=2, iterations=5))
    assert len(found) == 3 * 4
    values = {(r.item, r.condition): r.values for r in found}
    assert values["p0", '{"property":"loss"}'] == (3.0,)
    assert values["p1", '{"property":"curvature"}'] == (3000.0,)
    probe = model.probe
    assert (probe.seed, probe.radius, probe.directions, probe.iterations) == (7, 0.1, 2, 5)


def test_a_text_without_anything_to_guess_is_undefined():
    found, _ = rows()
    empty = [r for r in found if r.item == "p2"]
    assert {(r.status, r.reason, r.values) for r in empty} == {
        ("undefined", "nothing_to_guess", None)
    }


def test_there_is_an_estimate_of_each_property_and_no_claim():
    inputs = inputs_of(TASK, capabilities=frozenset({"landscape"}))
    design = Landscape().design(LandscapeParams(), inputs)
    assert [spec.id for spec in design.estimates] == list(PROPERTIES)
    assert not any(spec.sides for spec in design.estimates)
    assert design.claims == ()
    assert "both ways" in design.notes[0]


def test_a_model_whose_weights_cannot_be_moved_is_refused():
    class Fixed(Stated):
        landscape = None

    with pytest.raises((PlanError, TypeError)):
        rows(model=Fixed())


@pytest.mark.parametrize(
    "bad", [{"radius": 0}, {"radius": 1.5}, {"directions": 0}, {"iterations": 0}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(PlanError):
        LandscapeParams(**bad)
