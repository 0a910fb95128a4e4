"""Encoders whose vectors are known: a shared meaning of each text, turned, scaled and blurred."""

import re
from functools import cache
from zlib import crc32

import numpy as np

from scrutiny.core.model import Model
from scrutiny.core.plan import DataPlan, MeasurePlan, ModelPlan, Plan, Resampling
from scrutiny.models.answers.checked import AnswerError
from scrutiny.run.driver import RunOptions, run_plan
from scrutiny.run.planning.resolve import resolve

MEANINGS = 6


class ToyEncoder(Model):
    """Vectors of texts: meaning times a matrix of its own, and noise of its own.

    ``meaning`` seeds what texts mean, so that models of one number see the same; ``turn`` seeds an
    orthogonal matrix (nothing: none). Layer k of n blurs with (n - k) times the noise.
    """

    is_batch_invariant = True
    labels = ()
    source, task = "toy:encoder", "passages"

    def __init__(
        self,
        *,
        meaning=0,
        turn=None,
        scale=1.0,
        noise=0.0,
        seed=0,
        n_layers=2,
        causal=False,
        without=(),
        breaks=False,
    ):
        self.capabilities = frozenset(
            {"representations"} | ({"token_logprobs"} if causal else set())
        )
        self.meaning, self.scale, self.noise, self.seed = meaning, scale, noise, seed
        self.n_layers, self.without, self.breaks = n_layers, without, breaks
        self.attention_shape = (n_layers, 0)
        given = np.random.default_rng(turn).standard_normal((MEANINGS, MEANINGS))
        self.matrix = np.eye(MEANINGS) if turn is None else np.linalg.qr(given)[0]
        self.asked = []

    def fingerprint(self):
        return None

    def predict(self, examples):
        raise NotImplementedError

    def representations(self, passages, *, poolings, layers):
        if self.breaks:
            raise AnswerError("out_of_memory", "too much")
        self.asked.append((len(passages), tuple(poolings), tuple(layers)))
        found = [[[self.vector(p.text, k, q) for q in poolings] for k in layers] for p in passages]
        return np.array(found, dtype=np.float32)

    def vector(self, text, layer, pooling):
        if text in self.without:
            return np.full(MEANINGS, np.nan)
        blur = self.noise * (1 + self.n_layers - layer)
        own = blur * _drawn("noise", self.seed, text, layer, pooling)
        return self.scale * _drawn(self.meaning, text) @ self.matrix + own + 3.0


@cache  # nobody changes what is given out
def _drawn(*named):
    return np.random.default_rng([crc32(str(n).encode()) for n in named]).standard_normal(MEANINGS)


def rows(count=80, **columns):
    """Texts by number, with further columns by a function of the number."""
    return [
        {"id": f"i{n}", "text": f"text number {n}", **{k: f(n) for k, f in columns.items()}}
        for n in range(count)
    ]


def run(out, models, data=None, *, reference="a", roles=(), draws=300, source="object:x", **params):
    """Finished run of likeness among encoders; roles of some models by name."""
    of = dict(roles)
    measure = MeasurePlan(
        "s",
        "similarity.representations",
        tuple(models),
        ("x",),
        {"poolings": ["mean"], "exchanges": 4, **params},
        reference=reference,
    )
    plan = Plan(
        resampling=Resampling(draws=draws),
        data=(DataPlan("x", source, "passages"),),
        models=tuple(
            ModelPlan(n, f"python:object:{n}", role=of.get(n, "measured")) for n in models
        ),
        measure=(measure,),
    )
    resolved = resolve(plan, data={"x": rows() if data is None else data}, models=models)
    return run_plan(resolved, out, options=RunOptions(), models=models)


def values(folder, subject="b", **condition):
    """Estimates of a subject by measure, at the last layers unless told."""
    wanted = condition or {"layer": "last"}
    return {
        ("untrained/" if e.key.role == "contrast" else "")
        + re.sub(r"likeness\((\w+)\)|@1", r"\1", e.key.metric): e
        for e in folder.estimates()
        if e.key.subject == subject and wanted.items() <= dict(e.key.condition).items()
    }
