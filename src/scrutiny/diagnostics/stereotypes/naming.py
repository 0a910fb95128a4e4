"""Words that estimates and claims of the likelihood diagnostics share."""

from collections.abc import Mapping
from typing import NamedTuple

ALL = "all"


class Group(NamedTuple):
    """Items of one name, and how they are told by their columns."""

    name: str
    where: Mapping[str, str]

    def words(self, noun: str) -> str:
        """The group in a sentence: "all pairs", "age pairs"."""
        return f"{self.name} {noun}"


def points(margin: float) -> str:
    """Margin in words."""
    return f"{margin:g} point{'' if margin == 1 else 's'}"
