"""Counts of simulated attention heads whose worth is known."""

import numpy as np

WORDS = 22  # of a sentence, its cue included


def frames(rng, n):
    """Targets ``(frame,)``: 0 to 14 of the words, 7.4 on average, one scope in eight empty."""
    return rng.binomial(14, 0.6, n) * (rng.random(n) > 0.12)


def attending(rng, gold, fidelity):
    """Counts ``(frame, 2 x head)`` of heads that attend from a target to the cue this often.

    From any other word they attend to a random one.
    """
    fidelity = np.asarray(fidelity)
    shape = gold.size, fidelity.size
    by_chance = (1 - fidelity) / (WORDS - 1)
    tp = rng.binomial(np.broadcast_to(gold[:, None], shape), fidelity + by_chance)
    others = np.broadcast_to(WORDS - gold[:, None], shape)
    return np.column_stack([tp, tp + rng.binomial(others, 1 / (WORDS - 1))])


def baselines(rng, gold):
    """Counts ``(frame, 2 x baseline)``: all words, and the word before or after the cue."""
    beside = rng.random((gold.size, 2)) < np.array([0.8, 0.7]) * (gold[:, None] > 0)
    tp = np.column_stack([gold, beside])
    return np.column_stack([tp, np.full(gold.size, WORDS), np.ones((gold.size, 2))])


def sums(statistic, table, cells=None):
    """Value of counts ``(frame, column)`` in their cells."""
    cells = np.zeros(len(table), int) if cells is None else cells
    by_cell = np.stack([table[cells == c].sum(axis=0) for c in np.unique(cells)]).astype(float)
    return float(statistic.value(by_cell, np.ones(len(by_cell))))
