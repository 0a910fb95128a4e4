"""Verdicts of a judge as outcomes by name, as numbers, and under each policy for odd ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scrutiny.core.boundary.parameters import shares
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.judges.judge_metrics import USUAL_WIDTH
from scrutiny.diagnostics.judges.questions import FORMATS

#: Outcome of a reply that came and names no verdict.
UNPARSED: Final = "unparsed"
#: Reasons of failures where a reply came and is no verdict; others (no connection) are failures.
_CAME: Final = frozenset({UNPARSED, "empty", "refused", "cut_off", "bad_answer"})
#: Labels that say of one answer that it is good, where none is stated.
_GOOD: Final = ("yes", "good", "correct", "pass", "true", "right", "acceptable", "positive", "1")
#: Policies for ties and verdicts that cannot be read, in words; the first is the default.
POLICIES: Final[Mapping[str, str]] = {
    "named": "outcomes of their own",
    "unparsed dropped": "unparsed left out",
    "unparsed wrong": "unparsed counts as wrong",
    "both dropped": "ties and unparsed left out",
    "tie is first": "ties count as the first label, unparsed left out",
}


@dataclass(frozen=True, slots=True)
class JudgeParams:
    """What a judge is tested with.

    Parameters
    ----------
    tolerance
        Bias that can be lived with, as a share of the verdicts: of order, length, form, author.
    noise
        Share of verdicts that may vary when the same is asked again.
    own
        What the judge is called in the columns of authors: answers of this name are its own.
    first, second, tie
        Verdicts on two answers: the first is better, the second is, neither.
    positive
        Verdict that one answer is good; empty where verdicts are numbers or speak for themselves.
    formats
        Ways to show one answer otherwise: bullets, bold, heading.
    keeping, changing
        Changes of an answer's words that keep its meaning, and that do not.
    half_width
        Half of the interval that human labels are counted for.
    """

    tolerance: float = 0.05
    noise: float = 0.05
    own: str = ""
    first: str = "A"
    second: str = "B"
    tie: str = "tie"
    positive: str = ""
    formats: tuple[str, ...] = ("bullets", "bold")
    keeping: tuple[str, ...] = ("typos", "contraction")
    changing: tuple[str, ...] = ("reverse_negation", "number_swap", "antonym_swap")
    half_width: float = USUAL_WIDTH

    def __post_init__(self) -> None:
        shares(self, "tolerance", "noise", "half_width", zero=False)
        unknown = [name for name in self.formats if name not in FORMATS]
        if unknown:
            raise PlanError(f"formats {unknown[0]!r} is none of {', '.join(FORMATS)}.")


@dataclass(frozen=True, slots=True)
class VerdictScale:
    """Verdicts as numbers from 0 to 1, and the labels that mean the same with answers exchanged.

    Parameters
    ----------
    labels
        Of the judge, in order.
    values
        Number of each label: of pairs 1 if the first is better and .5 for a tie; of one answer 1
        if it is good, or its score between the lowest and the highest label.
    tie
        Label of a tie; empty where there is none.
    mirrored
        Label of the same verdict where the answers are exchanged.
    """

    labels: tuple[str, ...]
    values: Mapping[str, float]
    tie: str
    mirrored: Mapping[str, str]

    @classmethod
    def of(cls, labels: Sequence[str], params: JudgeParams, *, is_pairs: bool) -> "VerdictScale":
        """VerdictScale of a judge's labels.

        Raises
        ------
        PlanError
            If they do not say which is better.

        Examples
        --------
        >>> VerdictScale.of(["1", "2", "5"], JudgeParams(), is_pairs=False).values
        {'1': 0.0, '2': 0.25, '5': 1.0}
        """
        own = tuple(labels)
        if is_pairs:
            found = {one.casefold(): one for one in own}
            first, second, tie = (
                found.get(name.casefold(), "") for name in (params.first, params.second, params.tie)
            )
            odd = [one for one in own if one not in (first, second, tie)]
            if not first or not second or odd:
                raise PlanError(
                    f"The verdicts {', '.join(own)} do not say which of two answers is better. Say "
                    "it with -P first=A -P second=B -P tie=tie, or give the judge "
                    "#labels=A|B|tie."
                )
            values = {first: 1.0, second: 0.0, **({tie: 0.5} if tie else {})}
            mirrored = {first: second, second: first, **({tie: tie} if tie else {})}
            return cls(own, values, tie, mirrored)
        return cls(own, _of_one(own, params.positive), "", {one: one for one in own})

    def outcome(self, answer: Prediction | Failure, *, is_swapped: bool = False) -> str | Failure:
        """Verdict of a reply, in the order of the item: a label, or `UNPARSED`."""
        if isinstance(answer, Failure):
            return UNPARSED if answer.reason in _CAME else answer
        label = answer.label_among(self.labels)
        if label is None or label not in self.values:
            return UNPARSED
        return self.mirrored[label] if is_swapped else label

    def value(self, outcome: str) -> float:
        """Number of an outcome; the middle for one that cannot be read."""
        return self.values.get(outcome, 0.5)

    def under(self, policy: str, judge: str, human: str) -> tuple[float, float] | None:
        """Indices of both verdicts under a policy; None where it leaves the item out."""
        if policy == "unparsed wrong" and judge == UNPARSED:
            judge = next(one for one in self.labels if one != human)
        if policy == "tie is first" and self.tie:
            first = max(self.labels, key=self.value)
            judge, human = (first if one == self.tie else one for one in (judge, human))
        leaves = {"both dropped": {UNPARSED, self.tie}, "named": set[str]()}
        if {judge, human} & leaves.get(policy, {UNPARSED}) - {""}:
            return None
        names = (*self.labels, UNPARSED)
        return float(names.index(judge)), float(names.index(human))


def _of_one(labels: Sequence[str], positive: str) -> dict[str, float]:
    """Numbers of verdicts on one answer."""
    try:
        numbers = {} if positive else {one: float(one) for one in labels}
    except ValueError:
        numbers = {}
    if numbers:
        low, high = min(numbers.values()), max(numbers.values())
        return {one: (at - low) / ((high - low) or 1.0) for one, at in numbers.items()}
    known = {one.casefold(): one for one in labels}
    wanted = [positive.casefold()] if positive else _GOOD
    good = next((known[name] for name in wanted if name in known), None)
    if good is None:
        raise PlanError(
            f"The verdicts {', '.join(labels)} do not say that an answer is good. Say which does "
            f"with -P positive={labels[-1] if labels else 'good'}."
        )
    return {one: float(one == good) for one in labels}
