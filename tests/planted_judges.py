"""Judges with planted biases, and pairs of answers of which one is good."""

import random


class PlantedJudge:
    """Judge that is right with a chance, and now and then yields to a bias instead.

    ``first``, ``longer`` and ``noise`` are the shares of items on which it says that the first
    answer is better, the longer one, and the opposite of what it said before; ``odd`` of those on
    which it says what is no verdict.
    """

    labels = ("A", "B", "tie")

    def __init__(self, *, right=1.0, first=0.0, longer=0.0, noise=0.0, odd=0.0, seed=0):
        self.shares = (right, first, longer, noise, odd)
        self.seed, self.asked = seed, 0

    def __call__(self, items):
        return [self.verdict(*item) for item in items]

    def _below(self, share, *of):
        return random.Random(repr((self.seed, *of))).random() < share

    def verdict(self, question, a, b):
        right, first, longer, noise, odd = self.shares
        self.asked += 1
        is_first = ("good" in a) == self._below(right, question, "right")
        if self._below(first, question, "first"):
            is_first = True
        if len(a) != len(b) and self._below(longer, question, "longer"):
            is_first = len(a) > len(b)
        if self._below(noise, question, self.asked):
            is_first = not is_first
        if self._below(odd, question, "odd"):
            return "I would rather not say"
        return "A" if is_first else "B"


def pairs(n, *, seed=0, labeled=1.0, ties=0.0):
    """Rows of pairs: one answer is good, the other poor, of random lengths."""
    draw = random.Random(seed)
    rows = []
    for number in range(n):
        is_first = draw.random() < 0.5
        one, other = ("very " * draw.randint(0, 12) for _ in range(2))
        answers = (f"A {one}good answer. It is here.", f"A {other}poor answer. It is here.")
        a, b = answers if is_first else answers[::-1]
        human = "A" if is_first else "B"
        human = "tie" if draw.random() < ties else human
        row = {"id": str(number), "question": f"Which, {seed} {number}?"}
        row |= {"answer_a": a, "answer_b": b}
        row["human"] = human if draw.random() < labeled else None
        rows.append(row)
    return rows
