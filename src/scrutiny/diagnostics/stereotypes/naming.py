"""What estimates and claims of the likelihood diagnostics have in common."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

ALL: Final = "all"
#: Claims of one family share a Holm correction.
FAMILY: Final = "stereotypes"
CHECKS: Final = ("items", "seeds", "choices:variant", "datasets")
Skill = tuple[tuple[str, float], ...]
#: A model that cannot tell grammatical sentences from others has no preferences to speak of.
SKILL: Final[Skill] = (("competence:agreement", 0.5),)
#: What a model needs for that test.
LIKELIHOODS_OF_SENTENCES: Final = frozenset({"masked_logprobs", "token_logprobs"})


class NameGroup(NamedTuple):
    """Items of one name, and how they are told by their columns."""

    name: str
    where: Mapping[str, str]

    def words(self, noun: str) -> str:
        """The group in a sentence: "all pairs", "age pairs"."""
        return f"{self.name} {noun}"


def categories(
    columns: Mapping[str, Mapping[str, int]], within: Mapping[str, str]
) -> Iterator[NameGroup]:
    """All items, then each category where there are several."""
    yield NameGroup(ALL, within)
    named = [name for name in columns.get("a_category", {}) if name and name != ALL]
    for name in named if len(named) > 1 else ():
        yield NameGroup(name, {"a_category": name, **within})


def points(margin: float) -> str:
    """Margin in words."""
    return f"{margin:g} point{'' if margin == 1 else 's'}"
