"""How much of a cost is the model's where some changed texts may have lost their answer."""

from dataclasses import replace

import pytest

from scrutiny.core.claim import Claim, Component, Finding, Risk, Touched
from scrutiny.core.estimate import Counts, Estimate, EstimateKey
from scrutiny.perturb.engine.readings import BlindReading, _readings, reading_of
from scrutiny.perturb.engine.recipe import parse_recipe
from scrutiny.reliability.verdicts.validity import models_part, most_unfit, part_in_words
from scrutiny.report.findings.risks import risks_of

LEAST_FIT = 0.85  # of a change that audits ask by default


def found(cost, *, read=100, fit=100, touched=(1000, 1000), verdict="hurts"):
    risk = Risk("typos", 0.02, "costs {} points", read=read, fit=fit)
    claim = Claim("c", "typos hurt", "robustness@1", (Component("drop", 0.0),), risk=risk)
    key = EstimateKey("robustness@1", "drop(accuracy@1)", "m", "d")
    drop = Estimate(key, cost, cost / 2, 2 * cost, 0.95, "crossed@1", Counts(1000), 1000, 3)
    return Finding(claim, drop, verdict, "items", "", touched=Touched(*touched))


@pytest.mark.parametrize(
    ("read", "fit", "most"), [(100, 100, 1 - 0.025 ** (1 / 100)), (1, 1, 0.975), (10, 0, 1.0)]
)
def test_what_may_be_unfit_is_the_exact_limit(read, fit, most):
    assert most_unfit(Risk("x", 0.02, "", read=read, fit=fit)) == pytest.approx(most)


def test_what_is_left_of_a_cost_is_the_models():
    assert models_part(found(0.1)) == pytest.approx(0.1 - 0.0362, abs=1e-4)
    # a change of one text in ten can explain a tenth as much
    assert models_part(found(0.1, touched=(100, 1000))) == pytest.approx(0.1 - 0.00362, abs=1e-4)
    assert models_part(found(0.02)) == 0.0
    assert models_part(found(0.1, read=0, fit=0)) is None


def test_it_is_said_in_words_where_something_hurts():
    assert part_in_words(found(0.1)) == (
        "At least 6.4 of the 10.0 points are the model's: of 100 such texts that were read 100 "
        "kept their right answer, so at most 3.6 % may not."
    )
    assert part_in_words(found(0.02)).startswith(
        "Texts that lost their answer could explain it (of"
    )
    assert part_in_words(found(0.1, verdict="holds")) == ""
    assert part_in_words(found(0.1, read=0, fit=0)) == ""


def test_of_a_reason_it_is_the_last_clause():
    (line,) = risks_of([replace(found(0.02), reason="more than nothing")])
    assert line.reason.startswith("more than nothing; texts that lost their answer could explain")
    assert line.reason.endswith(": read the cases")
    (line,) = risks_of([replace(found(0.1, read=0, fit=0), reason="more than nothing")])
    assert line.reason == "more than nothing"


def test_readings_are_of_recipes_as_they_are_written():
    assert reading_of(parse_recipe("antonym_swap(plain=true)")).read == 30
    assert reading_of(parse_recipe("typos+contraction")) == BlindReading()


def test_defaults_are_fit_often_enough():
    """As they are, and in the fields or beside the spans to which a reading was confined."""
    of_defaults = {name: one for name, one in _readings().items() if parse_recipe(name).is_default}
    assert len(of_defaults) > 12
    for name, own in of_defaults.items():
        assert own.fit / own.read >= LEAST_FIT, f"{name}: is_default = False"
