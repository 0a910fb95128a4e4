from collections import Counter
from itertools import product

import numpy as np
import pytest

from scrutiny.training.competence.perplexity import KneserNey, histories

V = 6
BORDER = V


@pytest.fixture(scope="module")
def documents():
    draw = np.random.default_rng(0)
    return [draw.integers(0, V - 1, size=n) for n in (12, 1, 7, 30, 3)]  # piece 5 never occurs


def flat(documents):
    owner = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
    return np.concatenate(documents), owner


def brute_force(documents, order):
    """Interpolated Kneser-Ney written as in Chen & Goodman (1999), one n-gram at a time."""
    seen = {k: Counter() for k in range(1, order + 1)}
    for document in documents:
        text = [BORDER] * (order - 1) + document.tolist()
        for end in range(order - 1, len(text)):
            for k in seen:
                seen[k][tuple(text[end - k + 1 : end + 1])] += 1
    counts = {k: Counter(gram[1:] for gram in seen[k + 1]) for k in range(1, order)}
    counts[order] = seen[order]

    def discount(k):
        once, twice = (sum(n == wanted for n in counts[k].values()) for wanted in (1, 2))
        return once / (once + 2 * twice) if once and twice else 0.5

    def probability(history, piece, k=order):
        if k == 0:
            return 1 / V
        before = tuple(history[len(history) - k + 1 :])
        follows = {g: n for g, n in counts[k].items() if g[:-1] == before}
        lower = probability(history, piece, k - 1)
        if not follows:
            return lower
        own = max(follows.get((*before, piece), 0) - discount(k), 0)
        return (own + discount(k) * len(follows) * lower) / sum(follows.values())

    return probability


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_it_is_the_textbook_formula_and_sums_to_one(documents, order):
    model = KneserNey.train(*flat(documents), order=order, vocabulary=V)
    wanted = brute_force(documents, order)
    text, owner = flat(documents)
    met = histories(text, owner, width=order - 1, border=BORDER).tolist()
    unmet = [list(h) for h in product(range(V + 1), repeat=order - 1)][:60]
    for history in met + unmet:
        found = np.exp(model.log_probabilities(np.tile(history, (V, 1)), np.arange(V)))
        assert found.sum() == pytest.approx(1.0, abs=1e-12)
        assert found == pytest.approx([wanted(history, piece) for piece in range(V)], abs=1e-12)


def test_probabilities_do_not_depend_on_what_they_are_asked_with(documents):
    model = KneserNey.train(*flat(documents), order=3, vocabulary=V)
    text, owner = flat(documents)
    before = histories(text, owner, width=2, border=BORDER)
    whole = model.log_probabilities(before, text)
    backwards = model.log_probabilities(before[::-1], text[::-1])[::-1]
    assert (whole == backwards).all()
    assert (np.diff(whole[:5]) == np.diff(model.log_probabilities(before[:5], text[:5]))).all()


def test_more_history_tells_more_of_the_text_it_was_counted_on(documents):
    text, owner = flat(documents)
    means = [
        KneserNey.train(text, owner, order=order, vocabulary=V)
        .log_probabilities(histories(text, owner, width=order - 1, border=BORDER), text)
        .mean()
        for order in (1, 2, 3)
    ]
    assert means == sorted(means)
    assert means[0] < means[2] - 0.1


def test_histories_stop_at_the_border_of_a_document():
    found = histories(np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1]), width=2, border=9)
    assert found.tolist() == [[9, 9], [9, 1], [9, 9], [9, 3]]
