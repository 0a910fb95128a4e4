"""Draws of items are drawn once, and a generator moves on as if they were drawn again."""

from importlib import import_module

import numpy as np
import pytest

from scrutiny.stats.resampling import weights
from scrutiny.stats.resampling.resample import resample
from scrutiny.stats.resampling.sums import CollapsedUnits
from scrutiny.stats.resampling.weights import KeptDraws, SaidStates, Units, draw_weights, state_of

keeping = import_module("scrutiny.stats.resampling.weights")
resampling = import_module("scrutiny.stats.resampling.resample")


@pytest.fixture
def filled(monkeypatch):
    """Numbers of blocks that were drawn, with nothing kept before."""
    monkeypatch.setattr(weights, "_KEPT", KeptDraws())
    drawn, fill = [], weights._fill

    def counted(block, members, rng):
        drawn.append(len(block))
        fill(block, members, rng)

    monkeypatch.setattr(weights, "_fill", counted)
    return drawn


def drawn_with(units, rng, draws=300):
    return np.concatenate(list(draw_weights(units, draws=draws, rng=rng)))


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.Philox, np.random.MT19937])
def test_the_same_draws_are_drawn_once(filled, kind):
    units = Units.of(400, strata=np.arange(400) % 3)
    one, other = np.random.Generator(kind(5)), np.random.Generator(kind(5))
    first = drawn_with(units, one)
    blocks = len(filled)
    second = drawn_with(units, other)
    assert blocks > 1
    assert len(filled) == blocks
    assert np.array_equal(first, second)
    assert first.dtype == second.dtype
    assert one.random() == other.random()


def test_other_seeds_strata_and_numbers_of_draws_are_drawn(filled):
    units = Units.of(100)
    drawn_with(units, np.random.default_rng(1))
    for changed in (
        lambda: drawn_with(units, np.random.default_rng(2)),
        lambda: drawn_with(Units.of(100, strata=np.arange(100) % 2), np.random.default_rng(1)),
        lambda: drawn_with(units, np.random.default_rng(1), draws=200),
    ):
        before = len(filled)
        changed()
        assert len(filled) > before


def test_a_generator_that_is_used_between_chunks_gives_what_it_gave(filled, monkeypatch):
    monkeypatch.setattr(weights, "CHUNK_BYTES", 1)
    units = Units.of(400)

    def interleaved(is_used):
        rng = np.random.default_rng(7)
        found = []
        for chunk in draw_weights(units, draws=700, rng=rng):
            found.append(chunk)
            if is_used:
                found.append(rng.random((1, 400)))
        return np.concatenate(found)

    plain, used = interleaved(False), interleaved(True)
    blocks = len(filled)
    assert np.array_equal(interleaved(False), plain)
    assert np.array_equal(interleaved(True), used)
    assert len(filled) == blocks


def test_what_is_handed_out_can_be_changed_without_harm(filled):
    units = Units.of(50)
    first = drawn_with(units, np.random.default_rng(0))
    for chunk in draw_weights(units, draws=300, rng=np.random.default_rng(0)):
        chunk[:] = -1.0
    assert np.array_equal(drawn_with(units, np.random.default_rng(0)), first)


def test_no_more_is_kept_than_the_bound(filled, monkeypatch):
    kept = KeptDraws(most=100_000)
    monkeypatch.setattr(weights, "_KEPT", kept)
    for seed in range(10):
        drawn_with(Units.of(100), np.random.default_rng(seed))
    assert 0 < sum(c.counts.nbytes for c in kept._chunks.values()) <= 100_000
    blocks = len(filled)
    drawn_with(Units.of(100), np.random.default_rng(9))
    assert len(filled) == blocks
    assert not kept.holds(draws=300, n_units=1000)
    drawn_with(Units.of(1000), np.random.default_rng(0))  # nothing that is kept gives way to it
    blocks = len(filled)
    drawn_with(Units.of(100), np.random.default_rng(9))
    assert len(filled) == blocks


def test_counts_beyond_a_byte_are_kept_whole(filled):
    kept = KeptDraws()
    rng = np.random.default_rng(0)
    large = np.array([[0.0, 300.0, 70_000.0]])
    for _ in range(2):
        rng.bit_generator.state = np.random.default_rng(0).bit_generator.state
        assert np.array_equal(kept.chunk(large.copy, rng, drawn_as=b""), large)


def test_statistics_of_one_dataset_share_their_draws(filled):
    values = np.random.default_rng(3).random((2, 200, 1))
    for power in (1, 2, 3):
        found = resample(
            values**power, lambda s, w: s[..., 0, 0] / 200, rng=np.random.default_rng(11), draws=500
        )
        if power == 1:
            blocks = len(filled)
    assert len(filled) == blocks > 0
    assert found.draws.shape == (500, 2)


def test_states_of_generators_differ_as_they_do():
    one, other = np.random.default_rng(1), np.random.default_rng(2)
    assert state_of(one) == state_of(np.random.default_rng(1)) != state_of(other)
    before = state_of(one)
    one.random()
    assert state_of(one) != before


def test_counts_come_in_the_type_that_is_wanted(filled):
    units = Units.of(100)
    for _ in ("drawn", "kept"):
        (whole,) = draw_weights(units, draws=300, rng=np.random.default_rng(1))
        (single,) = draw_weights(units, draws=300, rng=np.random.default_rng(1), dtype=np.float32)
        assert single.dtype == np.float32
        assert np.array_equal(whole, single)
    assert len(filled) == 1


def test_a_state_is_said_as_repr_says_it(monkeypatch):
    monkeypatch.setattr(keeping, "_MOST_STATES", 2)
    states = SaidStates()
    for kind in (np.random.PCG64, np.random.Philox, np.random.MT19937):
        for seed in (1, 2, 1):
            rng = np.random.Generator(kind(seed))
            for _ in range(3):
                assert states.of(rng) == repr(rng.bit_generator.state)
                rng.random()
    assert len(states._said) == 2


def test_patterns_of_equal_counts_are_drawn_once(monkeypatch):
    monkeypatch.setattr(resampling, "_KEPT", KeptDraws())
    drawn, draw = [], CollapsedUnits.draw
    monkeypatch.setattr(CollapsedUnits, "draw", lambda *given: drawn.append(1) or draw(*given))
    hits = (np.arange(300) % 4 == 0).astype(float)[None, :, None]

    def found(values, strata=None):
        units = Units.of(300, strata=strata)
        mean = lambda sums, _: sums[..., 0, 0] / 300  # noqa: E731
        rng = np.random.default_rng(3)
        return resample(values, mean, rng=rng, draws=50, units=units).draws, rng.random()

    first, second = found(hits), found(2 * hits)
    assert len(drawn) == 1
    assert np.array_equal(2 * first[0], second[0])
    assert first[1] == second[1]
    found(hits, strata=np.arange(300) % 4 == 0)
    assert len(drawn) == 2
