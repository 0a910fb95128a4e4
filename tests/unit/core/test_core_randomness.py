"""Streams depend on their name alone."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrutiny.core.randomness import StreamKeys, generator, stream_key


def test_keys_are_fixed_for_ever():
    assert stream_key(0, "perturb", "typos@1", "i1") == 85014464773265278790492397776022047329
    assert (
        stream_key(7, "bootstrap", "reviews", "items", 3) == 219155169369314190653156353212558255336
    )


def test_numbers_of_a_stream_are_fixed_for_ever():
    drawn = generator(0, "perturb", name="typos@1", item="i1").random(3)
    assert drawn.tolist() == [0.6040348933708758, 0.23890429198267915, 0.04084017197042222]


def test_the_order_in_which_streams_are_made_does_not_matter():
    names = [f"i{n}" for n in range(5)]
    forward = {i: generator(0, "p", name="n@1", item=i).random(4).tolist() for i in names}
    backward = {i: generator(0, "p", name="n@1", item=i).random(4).tolist() for i in names[::-1]}
    assert forward == backward


def test_one_stream_does_not_move_another():
    one, other = (generator(0, "p", name="n@1", item=i) for i in "ab")
    mixed = [g.random() for _ in range(3) for g in (one, other)]
    alone = generator(0, "p", name="n@1", item="a").random(3).tolist()
    assert mixed[::2] == alone


def test_every_part_of_the_name_counts():
    parts = product([0, 1], ["p", "q"], ["n@1", "n@2"], ["a", "b"], [0, 1])
    keys = [stream_key(*part) for part in parts]
    assert len(set(keys)) == 32


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, "p", "n", "1"), (11, "p", "n", "")), ((0, "ab", "c", "i"), (0, "a", "bc", "i"))],
)
def test_parts_do_not_run_into_each_other(one, other):
    assert stream_key(*one) != stream_key(*other)


def test_keys_fill_128_bits():
    keys = [stream_key(0, "p", "n", str(i)) for i in range(200)]
    assert max(keys) < 2**128
    bits = np.array([[k >> b & 1 for b in range(128)] for k in keys])
    assert (abs(bits.mean(axis=0) - 0.5) < 0.2).all()


@given(st.integers(), st.text(max_size=5), st.text(max_size=5), st.integers(0, 2000))
def test_keys_hashed_in_two_steps_are_the_same(seed, name, item, draw):
    keys = StreamKeys(seed, "perturb", name)
    assert keys.key(item, draw) == stream_key(seed, "perturb", name, item, draw)
