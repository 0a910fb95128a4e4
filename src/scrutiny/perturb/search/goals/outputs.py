"""Goals about other outputs: generated text, or predicted spans."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from scrutiny.core.answers.answer import has_places, type_of
from scrutiny.core.answers.text import TEXT
from scrutiny.core.boundary.limits import shares
from scrutiny.core.edit import EditRefusedError
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Span
from scrutiny.perturb.search.goal import Answer, Base, Goal, single
from scrutiny.perturb.search.goals.starting import Against
from scrutiny.perturb.search.state import State
from scrutiny.text.edits.apply import apply_to_answer
from scrutiny.text.tokens import token_texts


@dataclass(frozen=True, slots=True)
class OutputText(Goal):
    """The generated text changes.

    Another text than the one generated for the base; the score is 1 - their overlap.

    Parameters
    ----------
    overlap
        ``words``: F1 between the words of both, as many times as they occur, in lower case;
        ``positions``: share of the base output's words that stand at the same position.
    most
        Largest overlap at which the goal is reached; with nothing, any other text will do.

    **Measures** whether what a model writes hangs on the wording of its input.

    **Misleads when** outputs are sampled: two answers to the same text differ as well. Compare with
    the base asked twice.

    References
    ----------
    Cheng, Yi, Chen, Zhang, Hsieh (2020), Seq2Sick.

    Examples
    --------
    >>> OutputText(most=0.0).overlap
    'words'
    """

    id = "output_text@1"

    overlap: Literal["words", "positions"] = "words"
    most: float | None = None

    def __post_init__(self) -> None:
        shares(self, "most")

    def skips(self, base: Base) -> str | None:
        """``no_output`` if nothing was generated for the base."""
        return None if _text(base.answer).strip() else "no_output"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - overlap with the output for the base, and whether the overlap is small enough."""
        before, after = _text(base.answer), _text(answer)
        shared = _OVERLAPS[self.overlap](_words(before), _words(after))
        is_reached = before != after if self.most is None else shared <= self.most
        return 1.0 - shared, is_reached


def _text(answer: Answer) -> str:
    text = single(answer).answer
    if text is None or type_of(text) is not TEXT:
        raise ModelError("The goal output_text needs models that write text.")
    return str(text)


def _words(text: str) -> list[str]:
    return [word.lower() for word in token_texts(text)]


def _of_words(before: list[str], after: list[str]) -> float:
    total = len(before) + len(after)
    return 2.0 * (Counter(before) & Counter(after)).total() / total if total else 1.0


def _of_positions(before: list[str], after: list[str]) -> float:
    same = sum(a == b for a, b in zip(before, after, strict=False))
    return same / len(before) if before else float(not after)


_OVERLAPS = {"words": _of_words, "positions": _of_positions}


@dataclass(frozen=True, slots=True)
class Tagging(Goal):
    """Any predicted span changes.

    Predicted spans that differ from the expected ones; the score is 1 - F1 between them.

    Expected are the starting spans, carried by the edits: a name that only moved is not lost.

    Parameters
    ----------
    against
        What the starting spans are: the gold answer, or what the model says of the base.
    what
        ``any`` difference, or only spans that are ``lost`` (the score is then the share of
        expected spans that are not predicted with the same borders and label).

    **Measures** whether spans can be lost, and for ``any`` whether false ones can be brought about.

    **Misleads when** an edit changes what the expected spans should be, which nobody checks.

    Examples
    --------
    >>> Tagging(what="lost").against
    'gold'
    """

    id = "tagging@1"

    against: Against = "gold"
    what: Literal["any", "lost"] = "any"

    def skips(self, base: Base) -> str | None:
        """``no_gold`` without gold spans; ``already_wrong`` if the model misses them already."""
        if self.against == "prediction":
            return "nothing_to_lose" if self._has_nothing(single(base.answer).answer) else None
        gold = base.example.gold
        if not has_places(gold):
            return "no_gold"
        if self._has_nothing(gold):
            return "nothing_to_lose"
        _, is_wrong = self._compare(frozenset(gold), single(base.answer).answer)
        return "already_wrong" if is_wrong else None

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - F1, or the share that is lost; not reached where the edits break a span."""
        expected = self._expected(base, state)
        if expected is None:
            return 0.0, False
        return self._compare(expected, single(answer).answer)

    def _has_nothing(self, spans: tuple[Span, ...] | None) -> bool:
        return self.what == "lost" and not spans

    def _expected(self, base: Base, state: State) -> frozenset[Span] | None:
        """Starting spans at their positions in the text; `None` if an edit broke one."""
        if self.against == "gold":
            return frozenset(state.example.gold)
        try:
            return frozenset(
                apply_to_answer(single(base.answer).answer or (), base.example, state.edits)
            )
        except EditRefusedError:
            return None

    def _compare(
        self, expected: frozenset[Span], spans: tuple[Span, ...] | None
    ) -> tuple[float, bool]:
        predicted = frozenset(spans or ())
        hits = len(expected & predicted)
        if self.what == "lost":
            return 1.0 - hits / len(expected) if expected else 0.0, hits < len(expected)
        total = len(expected) + len(predicted)
        return (1.0 - 2.0 * hits / total if total else 0.0), expected != predicted
