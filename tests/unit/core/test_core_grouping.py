"""Values that belong together keep their order, and their names that of their first value."""

from scrutiny.core.record import grouped


def test_names_and_values_stand_in_the_order_in_which_they_appear():
    found = grouped([("b", 1), ("a", 2), ("b", 3)])
    assert list(found.items()) == [("b", [1, 3]), ("a", [2])]


def test_nothing_is_no_group():
    assert grouped(iter(())) == {}


def test_pairs_are_taken_once_each_however_they_come():
    assert grouped(dict.fromkeys([(0, 1), (0, 2), (0, 1)])) == {0: [1, 2]}
