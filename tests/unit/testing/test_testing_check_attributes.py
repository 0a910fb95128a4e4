"""Attributes keep their promises, and broken ones are told."""

import pytest

from scrutiny.core.errors import ConformanceError
from scrutiny.core.registry import registry
from scrutiny.data.attribute import attribute
from scrutiny.testing import check_attribute


@pytest.mark.parametrize("name", registry().names("attribute"))
def test_built_in_attributes_keep_their_promises(name):
    check_attribute(registry().load("attribute", name))


def made(function, says="with something", **more):
    return attribute(says, **more)(function)


def counting():
    seen = []

    def count(example) -> int:
        seen.append(example)
        return len(seen)

    return count


def a_number(example) -> bool:
    return 3


def english(example) -> bool:
    return True


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (made(counting()), "has another value when it is looked at again"),
        (made(a_number), "it gives yes or no, and 3 for"),
        (made(english, says=" "), "has no phrase"),
        (english, "put @attribute"),
    ],
)
def test_broken_promises_are_said(broken, sentence):
    with pytest.raises(ConformanceError, match=sentence):
        check_attribute(broken)
