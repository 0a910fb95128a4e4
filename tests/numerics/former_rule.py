"""Verdicts as they were before limits of families: Holm over claims, half of alpha a direction."""

from scrutiny.stats.significance.combined_tests import holm


def outcomes(tests, *, alpha=0.05):
    """Outcome of each claim of a family, of the tests that `intersection_union` gives."""
    plus, minus = holm([t.p_plus for t in tests]), holm([t.p_minus for t in tests])
    return [
        "supported"
        if p <= alpha / 2 < m
        else "not supported"
        if m <= alpha / 2 < p
        else "undecided"
        for p, m in zip(plus, minus, strict=True)
    ]
