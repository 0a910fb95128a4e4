from dataclasses import dataclass, replace

import pytest

from scrutiny.core.claim import Claim, Component
from scrutiny.core.design import Design, EstimateSpec
from scrutiny.core.diagnostic import ChangesTexts, Diagnostic, Failure
from scrutiny.core.edit import Edit, Variant
from scrutiny.core.errors import ConformanceError
from scrutiny.core.facts import ONE_TEXT
from scrutiny.core.record import Measure, Row
from scrutiny.core.registry import registry
from scrutiny.models.strings.training_records import with_training_text
from scrutiny.testing import KeywordClassifier, check_diagnostic
from scrutiny.text.edits import apply_edits

DOC = "Hits of shouted texts. Measures hits. Misleads when shouted at. References: none."


@dataclass(frozen=True)
class Params:
    mark: str = "!"


class Shouting(ChangesTexts):
    """A small sound diagnostic: the text, and the text with a mark behind it."""

    __doc__ = DOC
    id, Params = "shouting@1", Params
    wants = (ONE_TEXT,)
    measures = (Measure("hit"), Measure("pred"))

    def design(self, params, inputs):
        spec = EstimateSpec("hits", "accuracy@1")
        return Design(estimates=(spec,), claims=(self.claim("hits"),))

    def claim(self, estimate):
        return Claim("skill", "it hits", "shouting", (Component(estimate, 0.5),))

    def prepare(self, params, examples, ctx):
        for e in examples:
            edit = Edit("text", len(e.text), len(e.text), params.mark)
            yield Variant(e.id, "shout", "measured", None, "shout", (edit,), e.gold)
            yield Variant(e.id, "calm", "control", "shout", "calm", (edit,), e.gold)

    def measure(self, params, cell, batch, ctx):
        for e in batch.examples:
            for v in batch.variants[e.id]:
                (answer,) = ctx.predict([apply_edits(e, v.edits)], variants=[v.name])
                yield self.row(e, v, answer)

    def row(self, example, variant, answer):
        if isinstance(answer, Failure):
            return Row(example.id, variant.name, variant.role, "{}", "failed", answer.reason, None)
        values = (float(answer.answer == example.gold), 1.0)
        return Row(example.id, variant.name, variant.role, "{}", "ok", None, values)


def test_a_sound_one():
    check_diagnostic(Shouting())


def test_one_that_changes_no_text_has_nothing_to_prepare():
    members = {name: value for name, value in vars(Shouting).items() if name != "prepare"}

    def measure(self, params, cell, batch, ctx):
        for example, answer in zip(batch.examples, ctx.predict(batch.examples), strict=True):
            variant = Variant(example.id, None, "measured", None, "", (), example.gold)
            yield self.row(example, variant, answer)

    asking = type("Asking", (Diagnostic,), {**members, "measure": measure})
    check_diagnostic(asking())
    with pytest.raises(ConformanceError, match=r"no diagnostic.*core.diagnostic.Diagnostic"):
        check_diagnostic(type("Stranger", (), dict(vars(Shouting)))())


@pytest.mark.parametrize("name", ["performance@1", "robustness@1"])
def test_built_in_ones_conform(name):
    check_diagnostic(registry().load("diagnostic", name)())


def test_one_that_needs_a_capability():
    leakage = registry().load("diagnostic", "leakage@1")()
    with pytest.raises(ConformanceError, match=r"a model with \['training_hashes'\]"):
        check_diagnostic(leakage)
    import numpy as np

    known = with_training_text(KeywordClassifier(), lambda: np.array([5], dtype=np.uint64))
    check_diagnostic(leakage, model=known)


class BareParams(Shouting):
    __doc__ = DOC
    Params = dict


class NoJson(Shouting):
    __doc__ = DOC

    @dataclass(frozen=True)
    class Params:
        mark: object = object()


class Impure(Shouting):
    __doc__ = DOC
    calls = 0

    def design(self, params, inputs):
        self.calls += 1
        return replace(super().design(params, inputs), queries_per_item=self.calls)


class LacksSide(Shouting):
    __doc__ = DOC

    def design(self, params, inputs):
        return Design(estimates=(EstimateSpec("d", "gap(accuracy)@1"),))


class ClaimsNothing(Shouting):
    __doc__ = DOC

    def claim(self, estimate):
        return super().claim("other")


class RandomVariants(Shouting):
    __doc__ = DOC
    calls = 0

    def prepare(self, params, examples, ctx):
        self.calls += 1
        return [replace(v, draw=self.calls) for v in super().prepare(params, examples, ctx)]


class TwinVariants(Shouting):
    __doc__ = DOC

    def prepare(self, params, examples, ctx):
        return [replace(v, name="x") for v in super().prepare(params, examples, ctx)]


class StrayControl(Shouting):
    __doc__ = DOC

    def prepare(self, params, examples, ctx):
        return [replace(v, control_of="x") for v in super().prepare(params, examples, ctx)]


class TooManyValues(Shouting):
    __doc__ = DOC
    measures = (Measure("hit"),)


class Unexplained(Shouting):
    __doc__ = DOC

    def row(self, example, variant, answer):
        return super().row(example, variant, answer)._replace(status="undefined", values=None)


class NotANumber(Shouting):
    __doc__ = DOC

    def row(self, example, variant, answer):
        return super().row(example, variant, answer)._replace(values=(float("nan"), 1.0))


class ValuesOfFailures(Shouting):
    __doc__ = DOC

    def row(self, example, variant, answer):
        return super().row(example, variant, answer)._replace(status="failed", reason="x")


class LosesItems(Shouting):
    __doc__ = DOC

    def measure(self, params, cell, batch, ctx):
        return list(super().measure(params, cell, batch, ctx))[2:]


class LooksAround(Shouting):
    __doc__ = DOC

    def measure(self, params, cell, batch, ctx):
        for row in super().measure(params, cell, batch, ctx):
            yield row._replace(values=(float(len(batch.examples)), 1.0)) if row.values else row


class DropsFailures(Shouting):
    __doc__ = DOC

    def measure(self, params, cell, batch, ctx):
        return (r for r in super().measure(params, cell, batch, ctx) if r.status == "ok")


class HidesFailures(Shouting):
    __doc__ = DOC

    def row(self, example, variant, answer):
        if isinstance(answer, Failure):
            return Row(example.id, variant.name, variant.role, "{}", "ok", None, (0.0, 0.0))
        return super().row(example, variant, answer)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (BareParams, "Params must be a frozen dataclass"),
        (NoJson, "canonical JSON"),
        (Impure, "it must be a pure function"),
        (LacksSide, r"lacks what gap\(accuracy\)@1 needs: 'first.hit'"),
        (ClaimsNothing, "names no estimate: 'other'"),
        (RandomVariants, "two results for one seed"),
        (TwinVariants, "two variants share a name"),
        (StrayControl, "the control of no variant: 'x'"),
        (TooManyValues, "has 2 values; 1 are declared"),
        (Unexplained, "gives no reason"),
        (NotANumber, "nan"),
        (ValuesOfFailures, "ok rows only have"),
        (LosesItems, "item by item"),
        (LooksAround, "measured one by one give other rows"),
        (DropsFailures, "a failure is a row too"),
        (HidesFailures, r"its rows are \['ok'\]"),
    ],
)
def test_broken_promises_are_said(broken, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_diagnostic(broken())
