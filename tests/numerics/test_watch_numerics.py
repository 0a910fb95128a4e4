"""Watches of simulated endpoints: false alarms over years, and changes that are found."""

import numpy as np
import pytest

from scrutiny.stats.significance.odd_one_out import odd_evidence, share_found

LEVEL = 0.01
N_VALUES = 4


def sums_of(chances):
    """Chances of each answer or an earlier one; that of any is 1."""
    return chances.cumsum(-1)[..., :-1]


def drawn(rng, sums):
    """One answer to each item, ``(history, item)``."""
    return (rng.random(sums.shape[:-1])[..., None] > sums).sum(-1)


def noise(rng, histories, items, share):
    """Chances of the answers to each item, ``(history, item, value)``; the last is never given."""
    chances = np.zeros((histories, items, N_VALUES))
    chances[..., 0] = 1
    varies = rng.random((histories, items)) < share
    own = rng.dirichlet((1.0, 0.6, 0.4), size=(histories, items))
    chances[varies, :-1] = own[varies]
    return chances


def alarms(rng, chances, looks, *, changed=None, when=0):
    """Whether each history calls a change by its last look, ``(history,)``.

    From look ``when`` on, the chances are ``changed``.
    """
    before, after = (sums_of(one) for one in (chances, chances if changed is None else changed))
    reference = drawn(rng, before)
    counts_on = np.ones(reference.shape, dtype=bool)
    found = []
    for look in range(looks):
        now = after if look >= when else before
        first, second = drawn(rng, now), drawn(rng, now)
        differs = counts_on & (first != reference)
        counts_on &= ~differs
        outcomes = np.full(reference.shape, -1)
        outcomes[differs & (second == first)] = 1
        outcomes[differs & (second == reference)] = 0
        order = np.argsort(outcomes < 0, axis=1, kind="stable")
        most = int((outcomes >= 0).sum(axis=1).max())
        found.append(np.take_along_axis(outcomes, order, axis=1)[:, :most])
    whole = np.concatenate(found, axis=1)
    return (
        np.zeros(len(whole), dtype=bool)
        if not whole.size
        else (odd_evidence(whole).max(axis=1) >= 1 / LEVEL)
    )


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.02, 0.15, 1.0])
def test_an_unchanged_endpoint_raises_no_more_alarms_than_stated(share):
    """In 200 weeks of 200 items, 400 times: at most the level, but for errors of simulation."""
    rng = np.random.default_rng(7)
    wrong = alarms(rng, noise(rng, 400, 200, share), 200).mean()
    assert wrong <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / 400)


@pytest.mark.parametrize(
    ("share", "flips", "when", "least"),
    [
        (0.0, 0.05, 0, 0.8),
        (0.0, 0.05, 50, 0.8),
        (0.0, 0.10, 0, 0.99),
        (0.05, 0.10, 0, 0.8),
        (0.05, 0.20, 20, 0.95),
        (0.15, 0.30, 20, 0.95),
    ],
)
def test_other_answers_are_found_in_one_look(share, flips, when, least):
    """Answers to 190 items, of which some are others than ever from one look on."""
    rng = np.random.default_rng(11)
    before = noise(rng, 200, 190, share)
    after = before.copy()
    after[rng.random(after.shape[:2]) < flips] = np.eye(N_VALUES)[-1]
    assert alarms(rng, before, when + 1, changed=after, when=when).mean() >= least


@pytest.mark.parametrize(("share", "most"), [(0.0, 0.9), (0.05, 0.92), (0.15, 0.95), (0.4, 1)])
def test_what_a_look_would_find_is_not_too_hopeful(share, most):
    """Some items vary here, and all alike where `share_found` simulates looks, which costs more.

    A changed item has its chances at other answers, so that it is as noisy as before.
    """
    rng = np.random.default_rng(13)
    before = noise(rng, 400, 190, share)
    varies = (drawn(rng, sums_of(before)) != drawn(rng, sums_of(before))).mean()
    reach = share_found([], LEVEL, items=190, noise=varies, rng=rng)
    is_changed = rng.random(before.shape[:2]) < reach
    after = np.where(is_changed[..., None], np.roll(before, 1, axis=-1), before)
    assert 0.75 <= alarms(rng, before, 1, changed=after).mean() <= most
