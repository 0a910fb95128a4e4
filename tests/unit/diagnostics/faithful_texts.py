"""Texts whose keyword decides, and toy classifiers asked about them."""

import random

from scrutiny.core.diagnostic import Batch, Cell
from scrutiny.core.example import Example
from scrutiny.core.registry import registry
from scrutiny.testing.checking import ToyContext

FILLERS = "a day in rain with some old friends near harbor and then home again by bus".split()
TASK = registry().load("task", "text-classification")()


def rows(n=40, *, seed=0):
    """Rows of a keyword and "the" among fillers; lengths are 4 to 8."""
    rng = random.Random(seed)
    made = []
    for number in range(n):
        label = ("positive", "negative")[number % 2]
        words = ["the", {"positive": "good", "negative": "bad"}[label]]
        words += rng.sample(FILLERS, rng.randint(2, 6))
        rng.shuffle(words)
        made.append({"id": f"i{number}", "text": " ".join(words), "label": label})
    return made


def examples(given):
    return tuple(Example(r["id"], {"text": r["text"]}, gold=r["label"]) for r in given)


def measured(diagnostic, params, model, given, *, seed=0):
    """Rows of a diagnostic on a model, and the context."""
    ctx = ToyContext(TASK, model, seed=seed)
    found = diagnostic.measure(params, Cell("m", None, "d"), Batch(examples(given)), ctx)
    return list(found), ctx


def values(found, diagnostic, name, **condition):
    """Values of one measure in the rows of one condition, in the order of the items."""
    import json

    place = [m.name for m in diagnostic.measures].index(name)
    return [
        row.values[place]
        for row in found
        if row.status == "ok" and condition.items() <= json.loads(row.condition).items()
    ]
