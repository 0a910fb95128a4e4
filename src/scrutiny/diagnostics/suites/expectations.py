"""Built-in expectations: the gold answer, the same answer, a label, a probability that moves."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.answers.words import Words
from scrutiny.core.boundary.parameters import read_parameters
from scrutiny.core.diagnostic import Failure
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.expectation import Asked, Expectation, Seen, TestKind
from scrutiny.core.registry import registry
from scrutiny.perturb.engine.recipe_syntax import read_recipe
from scrutiny.reliability.metrics import metric_name, metric_of
from scrutiny.reliability.panel import columns_of
from scrutiny.reliability.row_statistics import Additive
from scrutiny.store.stored_forms import edits_of
from scrutiny.tasks.scores import score_of
from scrutiny.text.edits import edits_of_fields, track_of

#: A score that is less than it should be by so little is as it should be.
_SLACK: Final = 1e-9
_NO_GOLD: Final = Failure("no_gold", status="skipped")
_NO_TREE: Final = Failure("no_tree", status="skipped")
_NO_BASE: Final = Failure("no_base", status="skipped")
#: The answer to the item was wrong, so the case does not count.
WAS_WRONG: Final = Failure("was_wrong", status="skipped")
_NO_SCORES: Final = Failure("no_probabilities", status="skipped")


@dataclass(frozen=True, slots=True)
class Gold(Expectation):
    """The answer is the gold answer of the case: a minimum functionality test, a contrast set.

    Parameters
    ----------
    least
        Smallest score of an answer that counts as right: 1 for all of it.
    metric
        Score of the task that says so; empty for the one that it is told by.
    """

    id: ClassVar[str] = "gold@1"
    test_kind: ClassVar[TestKind] = "minimum functionality"

    least: float = 1.0
    metric: str = ""

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether the score of the answer is as high as that."""
        return self.is_right(seen.case, seen)

    def is_right(self, asked: Asked, seen: Seen) -> bool | Failure:
        """Whether an answer is right; a text in which there is nothing to find counts as right."""
        if asked.example.gold is None:
            return _NO_GOLD
        scored = seen.task.score(asked.example.gold, asked.answer, labels=seen.labels)
        level = metric_of(metric_name(self.metric) if self.metric else score_of(seen.task).level)
        assert isinstance(level, Additive)  # as scores of tasks are
        columns = [
            place
            for need in level.needs
            for place in columns_of(seen.task.measures, need, {}) or ()
        ]
        value = float(level.combine(level.make(np.array([scored[place] for place in columns]))))
        return bool(np.isnan(value) or value >= self.least - _SLACK)


@dataclass(frozen=True, slots=True)
class StaysRight(Gold):
    """A right answer stays right: texts that an attack found for another model.

    Where the answer to the item that was changed is wrong, the case does not count.
    """

    id: ClassVar[str] = "stays_right@1"
    test_kind: ClassVar[TestKind] = "invariance"
    needs_base = True
    fails = "break"

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether the answer is right, where it was before."""
        before = _NO_BASE if seen.base is None else self.is_right(seen.base, seen)
        if before is True:
            return self.is_right(seen.case, seen)
        return before or WAS_WRONG


@dataclass(frozen=True, slots=True)
class Follows(StaysRight):
    """A right answer follows the change: the case has another right answer, and gets it.

    Where the answer to the item that was changed is wrong, the case does not count.
    """

    id: ClassVar[str] = "follows@1"
    test_kind: ClassVar[TestKind] = "directional"
    fails = "stay behind"


@dataclass(frozen=True, slots=True)
class Attaches(Gold):
    """The phrase of a preposition hangs on the right word of a parse, whatever the rest is.

    This is the word that the preposition's head depends on: "bombed" of "in" in "they bombed our
    barracks in 1983" (Gardner et al. 2020, UD English).

    Parameters
    ----------
    word
        Number of the preposition in the sentence, from 1.
    before
        Its number in the sentence that was changed; 0 for the same.
    """

    id: ClassVar[str] = "attaches@1"

    word: int = 0
    before: int = 0

    def __post_init__(self) -> None:
        if self.word < 1 or self.before < 0:
            raise PlanError("attaches needs word, the number of a preposition: attaches(word=3).")

    def is_right(self, asked: Asked, seen: Seen) -> bool | Failure:
        """Whether it hangs on the same word as in the gold tree."""
        if asked.example.gold is None:
            return _NO_GOLD
        number = self.word if asked.example.case is not None else self.before or self.word
        gold, said = asked.example.gold, asked.answer.answer
        if not (isinstance(gold, Words) and isinstance(said, Words)) or number > len(gold.borders):
            return _NO_TREE
        place = gold.borders[number - 1]
        return _site(gold, place) == _site(said, place)

    def wanted(self, example: Example) -> str:
        """Word that it hangs on."""
        gold = example.gold
        site = _site(gold, gold.borders[self.word - 1]) if isinstance(gold, Words) else None
        return "no word" if site is None else example.fields[gold.field][site[0] : site[1]]

    def told(self, asked: Asked, labels: tuple[str, ...]) -> str:
        """Word that the answer hangs it on."""
        said, gold = asked.answer.answer, asked.example.gold
        if not (isinstance(said, Words) and isinstance(gold, Words)):
            return "no tree"
        number = self.word if asked.example.case is not None else self.before or self.word
        site = _site(said, gold.borders[number - 1])
        return "no word" if site is None else asked.example.fields[said.field][site[0] : site[1]]


def _site(words: Words, place: tuple[int, int]) -> tuple[int, int] | None:
    """Borders of the head of the head of the word at a place; None where there is none."""
    at: int | None = words.borders.index(place) if place in words.borders else None
    for _ in range(2):
        at = words.heads[at] if at is not None and words.heads is not None else None
        if at is None or at < 0:
            return None
    return words.borders[at] if at is not None else None


@dataclass(frozen=True, slots=True)
class Same(Expectation):
    """The answer is that to the item that was changed, carried by the edits: an invariance test.

    Where none are stated, answers with places are carried by the words that differ.
    """

    id: ClassVar[str] = "same@1"
    test_kind: ClassVar[TestKind] = "invariance"
    needs_base = True
    fails = "change"

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether both answers agree in all that both texts have."""
        case, base = seen.case, seen.base
        if base is None:
            return _NO_BASE
        made = case.example.case
        edits = edits_of([made.edits])[0] if made is not None and made.edits else ()
        if not edits and has_places(base.answer.answer):
            edits = edits_of_fields(base.example, case.example)
        if not edits:
            return base.answer.agrees(case.answer)
        kind = type_of(base.answer.answer)
        try:
            track = track_of(base.example, edits)
            return kind.kept(base.answer.answer, case.answer.answer, track).is_whole
        except EditRefusedError as error:
            return Failure(error.reason, status="undefined")

    def wanted(self, example: Example) -> str:
        """The same as before."""
        return "the same"


@dataclass(frozen=True, slots=True)
class Is(Expectation):
    """The answer is this label, whatever the gold answer.

    Parameters
    ----------
    label
        In the data's words.
    """

    id: ClassVar[str] = "is@1"
    test_kind: ClassVar[TestKind] = "minimum functionality"

    label: str = ""

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether it is."""
        return bool(
            seen.case.answer.answer == _known(self.label, seen.labels, of=seen.case.example)
        )

    def wanted(self, example: Example) -> str:
        """The label."""
        return self.label


@dataclass(frozen=True, slots=True)
class IsNot(Is):
    """The answer is any label but this one.

    Parameters
    ----------
    label
        In the data's words.
    """

    id: ClassVar[str] = "is_not@1"

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether it is another one."""
        return not Is.is_met(self, seen)

    def wanted(self, example: Example) -> str:
        """Any label but this one."""
        return f"not {self.label}"


@dataclass(frozen=True, slots=True)
class Moves(Expectation):
    """The probability of a label moves as far as it should: a directional test.

    The change from the item to the case is at least ``least`` and at most ``most``; -0.1 is down by
    ten points. A model that gives labels alone is taken at its word, 1 or 0, where only a label
    that changes can break the rule, and is not asked elsewhere.

    Parameters
    ----------
    label
        In the data's words.
    least, most
        Bounds of the change of its probability.
    """

    id: ClassVar[str] = "moves@1"
    test_kind: ClassVar[TestKind] = "directional"
    needs_base = True
    fails = "move wrongly"

    label: str = ""
    least: float = -1.0
    most: float = 1.0

    @property
    def needs_probabilities(self) -> bool:
        """Whether it should move in any case: that of a label that stays does not show."""
        return self.least > 0 or self.most < 0

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether the change lies between both bounds."""
        if seen.base is None:
            return _NO_BASE
        both = seen.case, seen.base
        place = seen.labels.index(_known(self.label, seen.labels, of=seen.case.example))
        after, before = (
            one.answer.scores[place] if one.answer.scores is not None else None for one in both
        )
        if after is None or before is None:
            if self.needs_probabilities:
                return _NO_SCORES
            after, before = (float(one.answer.answer == self.label) for one in both)
        return bool(self.least - _SLACK <= after - before <= self.most + _SLACK)

    def told(self, asked: Asked, labels: tuple[str, ...]) -> str:
        """Label with its probability, where the model gives one."""
        scores = asked.answer.scores
        if scores is None:
            return Expectation.told(self, asked, labels)
        return (
            f"{self.label} {scores[labels.index(_known(self.label, labels, of=asked.example))]:.2f}"
        )

    def wanted(self, example: Example) -> str:
        """How the probability should move."""
        low = f"up by {self.least:g} or more" if self.least > 0 else ""
        low = low or (f"not down by more than {-self.least:g}" if self.least > -1 else "")
        high = f"down by {-self.most:g} or more" if self.most < 0 else ""
        high = high or (f"not up by more than {self.most:g}" if self.most < 1 else "")
        return f"{self.label} {' and '.join(filter(None, (low, high)))}".strip()


#: Parameters of expectations that are words, which may look like numbers.
_WORDS: Final = ("label", "text", "pattern", "shape", "code")


@lru_cache(maxsize=256)
def parse_expectation(text: str) -> Expectation:
    """Expectation of a case, as the diagnostic of suites judges it, read from its written form.

    Raises
    ------
    PlanError, UnknownNameError
        If it cannot be read.

    Examples
    --------
    >>> parse_expectation("moves(label=positive,most=0.1)").most
    0.1
    >>> parse_expectation("is(label=1)").label, parse_expectation("is(label='1')").label
    ('1', '1')
    """
    steps = read_recipe(text, words=_WORDS)
    if len(steps) > 1:
        raise PlanError(f"The expectation {text!r} is {len(steps)} in one: a case has one.")
    name, written = steps[0]
    kind = registry().load("expectation", name)
    made: Expectation = kind(**read_parameters(kind, written, of=kind.id))
    return made


def _known(label: str, labels: tuple[str, ...], *, of: Example) -> str:
    """Label that the model has, of which a case speaks.

    Raises
    ------
    PlanError
        If it has none of this name.
    """
    if label not in labels:
        raise PlanError(
            f"The case {of.id!r} of the suite speaks of the label {label!r}, and the model's "
            f"labels are {', '.join(labels)}: labels are in the words of the suite's gold "
            "answers, or of the model where there are none."
        )
    return label
