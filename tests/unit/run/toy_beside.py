"""A diagnostic of two models, and models that are right about some words only."""

from dataclasses import dataclass

from scrutiny.core.design import Design, EstimateSpec
from scrutiny.core.diagnostic import ChangesTexts, Failure
from scrutiny.core.edit import Edit, Variant
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.record import Measure, Row
from scrutiny.core.registry import Registration, build
from scrutiny.registrations import REGISTRATIONS
from scrutiny.text.edits import apply_edits

#: Positive where one of its words stands; a file of each model, so that a count of its own asking
#: lasts.
MODEL = """
from pathlib import Path

class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")

    def __init__(self, words="good", seed="0"):
        self.words = [*words.split("+"), f"w{{seed}}"]
        self.log = Path({log!r})

    def fingerprint(self):
        weights = self.log.with_name("weights.txt")
        return " ".join([weights.read_text() if weights.exists() else "toy", *self.words])

    def predict(self, texts):
        with self.log.open("a") as log:
            log.writelines(f"{{self.words[0]}} {{text}}\\n" for text in texts)
        return [self.labels[bool(set(self.words) & set(text.split()))] for text in texts]
"""


@dataclass(frozen=True)
class Params:
    word: str = "good"


class Agreeing(ChangesTexts):
    """Share of items to which both models give one answer; the text is as the reference wants it.

    ``prepare`` puts a word in front where the reference does not say "positive" by itself.
    """

    id, Params = "agreeing@1", Params
    needs = frozenset({"predict"})
    measures = (Measure("hit"),)
    wants_reference = True

    def design(self, params, inputs):
        spec = EstimateSpec("level", "accuracy@1")
        one, two = inputs.subject, inputs.second
        note = f"{one.name} beside {two.name}, {two.n_replicates} times"
        return Design((), (spec,), queries_per_item=1, notes=(note,), search_per_item=2)

    def prepare(self, params, examples, ctx):
        answers = ctx.reference.predict(examples)
        for example, answer in zip(examples, answers, strict=True):
            is_there = answer.answer == "positive"
            edits = () if is_there else (Edit("text", 0, 0, f"{params.word} "),)
            name = f"{ctx.reference.subject} {ctx.reference.replicate}"
            yield Variant(example.id, name, "measured", None, "front", edits, example.gold)

    def measure(self, params, cell, batch, ctx):
        changed = [apply_edits(e, batch.variants[e.id][0].edits) for e in batch.examples]
        names = [batch.variants[e.id][0].name for e in batch.examples]
        own = ctx.predict(changed, variants=names)
        theirs = ctx.reference.predict(changed, variants=names)
        for example, name, a, b in zip(batch.examples, names, own, theirs, strict=True):
            if isinstance(a, Failure) or isinstance(b, Failure):
                yield Row(example.id, name, "measured", "{}", "failed", "model_error", None)
            else:
                hit = (float(a.answer == b.answer),)
                yield Row(example.id, name, "measured", "{}", "ok", None, hit)


def registry():
    """Registry with the toy in it."""
    own = Registration("diagnostic", "agreeing@1", f"{__name__}:Agreeing")
    return build([("scrutiny", [*REGISTRATIONS, own])])


def model(folder, name="toy"):
    """Start of a model string: ``#words=a+b,seed={seed}`` goes behind it."""
    path = folder / f"{name}.py"
    path.write_text(MODEL.format(log=str(folder / "asked.txt")))
    return f"python:{path}:Model"


def asked(folder):
    """What all models were asked so far: their first word, and the text."""
    path = folder / "asked.txt"
    return path.read_text().splitlines() if path.exists() else []


def plan(*models, reference="a", measured=(), **more):
    """Plan of the toy for some models: (name, source, seeds)."""
    return Plan(
        resampling=Resampling(draws=200),
        data=(DataPlan("x", "object:x"),),
        models=tuple(ModelPlan(n, s, seeds=tuple(seeds)) for n, s, seeds in models),
        measure=(
            MeasurePlan(
                "d",
                "agreeing",
                measured or tuple(n for n, _, _ in models),
                ("x",),
                reference=reference,
            ),
        ),
        **more,
    )


def rows(count=40):
    """Texts with words that seeds 1 to 3 know."""
    return [
        {
            "id": f"i{n}",
            "text": f"w{n % 5} film about case {n} {'fine' if n % 7 == 0 else ''}",
            "label": "positive" if n % 2 else "negative",
        }
        for n in range(count)
    ]
