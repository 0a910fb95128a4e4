"""Halves of a data set."""

from itertools import pairwise

from scrutiny.tasks.item_hashes import half_of


def test_a_half_never_changes():
    # published runs were split so: a change here is a change of every chosen head
    assert "".join(half_of(f"sentence {i}") for i in range(24)) == "BABAAABAAAABAAAAAABBAAAA"


def test_halves_are_about_equal_and_do_not_follow_the_order():
    halves = [half_of(f"corpus/{i}") for i in range(4000)]
    assert abs(halves.count("A") - 2000) < 3 * 1000**0.5
    changes = sum(a != b for a, b in pairwise(halves))
    assert abs(changes - 2000) < 3 * 1000**0.5
