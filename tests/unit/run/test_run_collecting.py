"""Garbage is looked for seldom while a run makes its objects, and as usual while a model runs."""

import gc

from small_runs import plan, rows, run

from scrutiny.core.long_runs import PATIENCE
from scrutiny.diagnostics.robustness import robustness


class Model:
    is_batch_invariant = True
    labels = ("negative", "positive")

    def __init__(self):
        self.seen = set()

    def predict(self, texts):
        self.seen.add(gc.get_threshold())
        return ["positive" if "good" in text.split() else "negative" for text in texts]


def test_shards_are_made_under_patience_and_models_asked_without(tmp_path, monkeypatch):
    before, inside, model = gc.get_threshold(), set(), Model()
    make = robustness.perturb_draws

    def watched(*args):
        inside.add(gc.get_threshold())
        return make(*args)

    monkeypatch.setattr(robustness, "perturb_draws", watched)
    one = plan(
        "python:object:Model", diagnostic="robustness", params={"transformations": ["typos"]}
    )
    run(one, tmp_path / "out", data={"x": rows()}, models={"m": model})
    assert inside == {(PATIENCE, *before[1:])}
    assert model.seen == {before}
    assert gc.get_threshold() == before
