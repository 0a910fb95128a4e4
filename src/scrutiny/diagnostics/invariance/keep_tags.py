"""A tagger shall tag as before, though the text is another."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.perturb.search.goal import Answer, Base, Goal
from scrutiny.perturb.search.goals.outputs import Tagging
from scrutiny.perturb.search.state import State

_TAGGED = Tagging(against="prediction")


@dataclass(frozen=True, slots=True)
class KeepTags(Goal):
    """The same spans, carried by the edits; the score is F1 with them less what is missing.

    Parameters
    ----------
    least
        Words that have to change.

    Examples
    --------
    >>> KeepTags(least=2).least
    2
    """

    id: ClassVar[str] = "keep_tags@1"
    summary: ClassVar[str] = "the model tags another text as before"

    least: int = 1

    def skips(self, base: Base) -> str | None:
        """Never: no tags can be kept, too."""
        return None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """F1 of the spans less the words that are missing, and whether nothing is."""
        lost, is_other = _TAGGED.judge(base, answer, state)
        missing = max(0, self.least - state.words_changed)
        is_same = state.texts == state.origin.texts
        return 1.0 - lost - missing, not (is_other or missing or is_same)
