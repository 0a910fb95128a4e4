"""The text that a model writes shall be another."""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Literal

from scrutiny.core.errors import ModelError, PlanError
from scrutiny.perturb.search.goal import Answer, Base, single
from scrutiny.perturb.search.state import State
from scrutiny.text.tokens import token_texts


@dataclass(frozen=True, slots=True)
class OutputText:
    """Another text than the one written for the base; the score is 1 - their overlap.

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

    id: ClassVar[str] = "output_text@1"
    summary: ClassVar[str] = "the text that the model writes is another"

    overlap: Literal["words", "positions"] = "words"
    most: float | None = None

    def __post_init__(self) -> None:
        if self.most is not None and not 0 <= self.most < 1:
            raise PlanError(f"'most' lies at or above 0 and below 1, not {self.most}.")

    def skips(self, base: Base) -> str | None:
        """``no_output`` where nothing was written for the base."""
        return None if _text(base.answer).strip() else "no_output"

    def judge(self, base: Base, answer: Answer, state: State) -> tuple[float, bool]:
        """1 - overlap with what was written for the base, and whether it is small enough."""
        before, after = _text(base.answer), _text(answer)
        shared = _OVERLAPS[self.overlap](_words(before), _words(after))
        is_reached = before != after if self.most is None else shared <= self.most
        return 1.0 - shared, is_reached


def _text(answer: Answer) -> str:
    text = single(answer).text
    if text is None:
        raise ModelError("The goal output_text needs models that write text.")
    return text


def _words(text: str) -> list[str]:
    return [word.lower() for word in token_texts(text)]


def _of_words(before: list[str], after: list[str]) -> float:
    total = len(before) + len(after)
    return 2.0 * (Counter(before) & Counter(after)).total() / total if total else 1.0


def _of_positions(before: list[str], after: list[str]) -> float:
    same = sum(a == b for a, b in zip(before, after, strict=False))
    return same / len(before) if before else float(not after)


_OVERLAPS = {"words": _of_words, "positions": _of_positions}
