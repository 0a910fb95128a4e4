"""Linear models of words, a transformation among their words, and small runs of two models."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scrutiny.core.edit import Edit
from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.core.task import Prediction
from scrutiny.core.transformation import Intensity, Transformation
from scrutiny.perturb.engine.changes import word_sites
from scrutiny.perturb.search.moves import Move
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve

WORDS = tuple(f"{a}{b}" for a in "bdfglmnprs" for b in ("an", "el", "ip", "ok", "um"))


@dataclass(frozen=True, slots=True)
class WordSwap(Transformation):
    """Another word of the vocabulary."""

    id: ClassVar[str] = "word_swap@1"
    languages: ClassVar = frozenset({"*"})
    resources: ClassVar = ()
    effect: ClassVar = {"*": "keeps"}
    intensity: ClassVar = Intensity()

    words: tuple[str, ...] = WORDS

    def sites(self, document):
        return word_sites(document)

    def candidates(self, document, site, rng):
        for word in rng.permutation(self.words).tolist():
            yield (Edit(document.field, site.start, site.end, word),)


class Linear(Model):
    """Sum of word weights through a logistic; the same weights for the same seed.

    ``share`` mixes the weights with those of ``other``: 1 is a copy of it.
    """

    is_batch_invariant = True
    capabilities = frozenset({"predict"})
    task = "text-classification"

    def __init__(
        self, seed, *, like=None, share=0.0, scale=1.0, labels=("negative", "positive"), **more
    ):
        own = dict(zip(WORDS, np.random.default_rng(seed).normal(size=len(WORDS)), strict=True))
        theirs = own if like is None else like.weights
        self.weights = {
            w: share * theirs[w] + math.sqrt(max(0.0, 1 - share**2)) * own[w] for w in WORDS
        }
        self.source = f"toy:{seed}"
        self.labels = labels
        self._scale = scale
        self.asked = []
        for name, value in more.items():
            setattr(self, name, value)

    def fingerprint(self):
        return None

    def probability(self, text):
        total = self._scale * sum(self.weights.get(word, 0.0) for word in text.split())
        return 1 / (1 + math.exp(-total))

    def predict(self, examples):
        self.asked += [example.text for example in examples]
        return [self.answer(example.text) for example in examples]

    def answer(self, text):
        p = {"positive": self.probability(text)}
        p["negative"] = 1 - p["positive"]
        scores = tuple(p[label] for label in self.labels)
        return Prediction(max(self.labels, key=p.__getitem__), scores=scores)


class Constant(Linear):
    """Always the same, with a probability that moves a little."""

    def probability(self, text):
        return 0.9 + 0.05 * super().probability(text)


class LabelsOnly(Linear):
    """No probabilities."""

    def answer(self, text):
        return super().answer(text)._replace(scores=None)


def rows(like, count=60, words=6, seed=0, noise=0.0):
    """Texts of random words, labeled as a model would, but for a share of noise."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, size=words).tolist()) for _ in range(count)]
    golds = [like.answer(text).answer for text in texts]
    turned = rng.random(count) < noise
    other = {"negative": "positive", "positive": "negative"}
    return [
        {"id": f"i{n}", "text": text, "label": other[gold] if turn else gold}
        for n, (text, gold, turn) in enumerate(zip(texts, golds, turned, strict=True))
    ]


def swapping(monkeypatch, words=WORDS, *, most=8):
    """Let every capability swap words of the toy vocabulary, each for so many of them."""
    move = Move(WordSwap(tuple(words)), most=most)
    monkeypatch.setattr(
        "scrutiny.diagnostics.invariance.scope_capabilities._moves", lambda name: (name, (move,))
    )


def run(out, models, data, *, reference="a", measured=(), draws=200, task="", **params):
    """Finished run of shared invariances among objects, or models by their strings."""
    known = {"capabilities": ["word"], "trials": 2, "candidates": 12, **params}
    names = tuple(measured or models)
    plan = Plan(
        resampling=Resampling(draws=draws),
        data=(DataPlan("x", "object:x", task=task),),
        models=tuple(
            ModelPlan(name, given if isinstance(given, str) else f"python:object:{name}")
            for name, given in models.items()
        ),
        measure=(MeasurePlan("s", "invariance.scope", names, ("x",), known, reference=reference),),
    )
    given = {name: model for name, model in models.items() if not isinstance(model, str)}
    resolved = resolve(plan, data={"x": data}, models=given)
    return run_plan(resolved, out, options=RunOptions(), models=given)


def values(folder, subject="b", **key):
    """Estimates of a subject by their metric's short name; "/control" behind those of controls."""
    found = {}
    for e in folder.estimates():
        fits = all(e.key.condition.get(name) == value for name, value in key.items())
        if e.key.subject == subject and fits:
            name = e.key.metric.partition("@")[0]
            of = "" if e.key.role in ("measured", "contrast") else f"/{e.key.role}"
            of = "" if of == "/baseline" and name != "soft_scope" else of
            found.setdefault(name + of, e)
    return found
