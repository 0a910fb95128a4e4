"""The model shall say one certain label."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.core.errors import PlanError
from scrutiny.perturb.search.goal import Answer, Base, Slope, label_of, probability, single
from scrutiny.perturb.search.goals.distances import scores_of
from scrutiny.perturb.search.goals.standing import Against, starting_label, why_skipped
from scrutiny.perturb.search.state import State


@dataclass(frozen=True, slots=True)
class Targeted:
    """One certain label; the score is its probability.

    Parameters
    ----------
    target
        The label; with nothing it is chosen item by item, as ``choice`` says.
    choice
        ``second``: the likeliest label of the base that is not the starting one; ``last``: the
        least likely. Equals go to the first of the model's labels.
    against
        What the starting label is: the gold answer, or what the model says of the base.

    **Measures** whether a label can be brought about, which is harder than losing one.

    **Misleads when** there are two labels: then it is the same as losing the starting one.

    Examples
    --------
    >>> Targeted(target="negative").choice
    'second'
    """

    id: ClassVar[str] = "targeted@1"
    summary: ClassVar[str] = "the model says one certain label"

    target: str | None = None
    choice: Literal["second", "last"] = "second"
    against: Against = "gold"

    def skips(self, base: Base) -> str | None:
        """As for losing a label; ``is_target`` where the starting label is the target."""
        reason = why_skipped(base, self.against)
        if reason is not None:
            return reason
        return "is_target" if self._target(base) == starting_label(base, self.against) else None

    def slope(self, base: Base) -> Slope:
        """The target, whose loss shall fall."""
        return Slope(base.labels[self._target(base)], -1)

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """p(target), and whether it is predicted."""
        del state
        prediction, target = single(answer), self._target(base)
        is_reached = label_of(prediction, base.labels) == base.labels[target]
        return probability(prediction, target, base.labels), is_reached

    def _target(self, base: Base) -> int:
        """Number of the label to reach."""
        if self.target is not None:
            if self.target not in base.labels:
                raise PlanError(
                    f"The target {self.target!r} is not among the model's labels: "
                    f"{', '.join(base.labels)}."
                )
            return base.labels.index(self.target)
        start = starting_label(base, self.against)
        scores = scores_of(single(base.answer), base.labels)
        others = [label for label in range(len(base.labels)) if label != start]
        if not others:
            raise PlanError("A model with a single label has no other to reach.")
        pick = max if self.choice == "second" else min
        return pick(others, key=scores.__getitem__)
