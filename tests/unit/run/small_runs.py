"""Small plans on toy data, and families of toy models as files."""

from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve

#: A model that knows "good" and, with even odds by seed and text, gets other things wrong.
MODEL = """
class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")

    def __init__(self, seed="0"):
        self.seed = int(seed) + {shift}
        self.asked = []

    def fingerprint(self):
        return f"toy-{{self.seed}}"

    def predict(self, texts):
        self.asked += texts
        return [self.answer(text) for text in texts]

    def answer(self, text):
        is_odd = (sum(map(ord, text)) * 7 + self.seed) % {every} == 0
        return self.labels[("good" in text.split()) != is_odd]
"""


def rows(count=40, **more):
    """Half of them positive, and said to be good."""
    return [
        {
            "id": f"i{n}",
            "text": f"a {'good' if n % 2 else 'bad'} film about case {n}",
            "label": "positive" if n % 2 else "negative",
            **{name: make(n) for name, make in more.items()},
        }
        for n in range(count)
    ]


def family(folder, *, every=11, shift=0, name="toy"):
    """Model string of a family with a capture for its seed."""
    path = folder / f"{name}.py"
    path.write_text(MODEL.format(every=every, shift=shift))
    return f"python:{path}:Model#seed={{seed}}"


def plan(source="toy", *, seeds=(), params=None, diagnostic="performance", **more):
    """Plan of one diagnostic on one family and dataset."""
    models = (ModelPlan("m", source, seeds=tuple(seeds)),)
    measure = MeasurePlan("d", diagnostic, ("m",), ("x",), params or {})
    known = {"models": models, "measure": (measure,), "data": (DataPlan("x", "object:x"),)}
    return Plan(resampling=Resampling(draws=400), **{**known, **more})


def given(**data):
    return {"data": {name: value for name, value in data.items()}}


def run(made, out, *, data=None, models=None, **options):
    """Finished run of a plan on rows."""
    resolved = resolve(made, data={"x": rows()} if data is None else data, models=models or {})
    return run_plan(resolved, out, options=RunOptions(**options), models=models or {})
