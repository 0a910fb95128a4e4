"""The same label for ever fewer words."""

from dataclasses import dataclass
from typing import ClassVar

from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goal import Answer, Base, label_of, probability, single
from scrutiny.perturb.search.goals.standing import Against, starting_label, why_skipped
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class FewestWords:
    """The starting label for as few words as possible.

    The score is the share of the base's words that are gone, plus p / words of the base, so that of
    two equally short texts the surer one is better; p / words - 1 where the label is lost. The goal
    counts as reached at ``words`` words; short of that, the shortest text found is still the
    result, and its score says how short it is.

    Parameters
    ----------
    words
        How many words may be left.
    against
        What the starting label is: what the model says of the base, or the gold answer.
    fields
        Text fields whose words count ("hypothesis" alone of a pair); empty for all.

    **Measures** how little of a text decides: a model that is as sure of one word as of the whole
    text does not use the rest.

    **Misleads when** the class prior alone gives the label: compare with the empty text.

    References
    ----------
    Feng, Wallace, Grissom, Iyyer, Rodriguez, Boyd-Graber (2018), Pathologies of neural models make
    interpretations difficult.

    Examples
    --------
    >>> FewestWords().words
    1
    """

    id: ClassVar[str] = "input_reduction@1"
    summary: ClassVar[str] = "the model says the same of ever fewer words"

    words: int = 1
    against: Against = "prediction"
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.words < 1:
            raise PlanError(f"At least 1 word is left, not {self.words}.")

    def skips(self, base: Base) -> str | None:
        """As for losing a label."""
        return why_skipped(base, self.against)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """Share of words that are gone while the label holds, and whether few enough are left."""
        prediction, start = single(answer), starting_label(base, self.against)
        names = [n for n in state.origin.names if not self.fields or n in self.fields]
        total = max(1, sum(state.origin.document(name).word_count for name in names))
        sure = probability(prediction, start, base.labels) / total
        if label_of(prediction, base.labels) != base.labels[start]:
            return sure - 1.0, False
        left = sum(state.document(name).word_count for name in names)
        return (total - left) / total + sure, left <= self.words
