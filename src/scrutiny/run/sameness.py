"""Whether a model is the one that this run asked before.

A model that states a fingerprint is known by it. Of another, what can be read is compared at every
start, and where that is not everything, some of what it answered before is asked again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.secrets import redacted
from scrutiny.core.task import Prediction
from scrutiny.models.python_reading import Reading, read_object
from scrutiny.store.answers import decode, encode

#: What the keys of these memos begin with; a finished run needs them at its next start.
MEMOS: Final = ("fingerprint/", "witnesses/", "again/")
MOST: Final = 32  # questions that are kept, and asked again
_TOLERANCE: Final = 1e-4  # how far probabilities may differ between batches
_SHOWN: Final = 60  # letters of a text in a message

Predict = Callable[[Sequence[Example]], Sequence[Prediction | Failure]]


class Memos(Protocol):
    """Values kept for the life of a run: the journal, or a desk."""

    def memo(self, key: str) -> tuple[bool, Any]:
        """Whether a value is kept under a key, and the value."""
        ...

    def set_memo(self, key: str, value: Any) -> None:
        """Keep a JSON value for the life of the run."""
        ...


def who(family: str, source: str, dataset: str) -> str:
    """Name of a replicate on a dataset, as memos have it."""
    return f"{family}/{redacted(source)}/{dataset}"


def reading_of(model: Model) -> Reading | None:
    """What can be read of a model that states no fingerprint; nothing where it states one."""
    return None if model.fingerprint() is not None else read_object(model)


def must_be_the_same(memos: Memos, name: str, source: str, stated: str, *, keep: bool) -> None:
    """Refuse a replicate that changed since this run first asked it.

    Parameters
    ----------
    memos
        Of the run.
    name
        Of the replicate on its dataset, from `who`.
    source
        Its model string.
    stated
        Its fingerprint, or the digest of what was read of it.
    keep
        Whether to keep the digest where there is none yet: the model is about to be asked.

    Raises
    ------
    ModelError
        If it did: half of the records would be another model's.
    """
    known, before = memos.memo(f"fingerprint/{name}")
    if known and before != stated:
        raise ModelError(
            f"{source} has changed since this run began: its code, weights, tokenizer or "
            "configuration are not those of the records that are done. Put it back as it was and "
            "re-issue the same command, or choose another --out."
        )
    if keep and not known:
        memos.set_memo(f"fingerprint/{name}", stated)


class Witnesses:
    """Questions that a model answered at the beginning of a run, to be asked again at a resume.

    Parameters
    ----------
    memos
        Of the run.
    name
        Of the replicate on its dataset, from `who`.
    source
        Its model string.
    """

    def __init__(self, memos: Memos, name: str, source: str) -> None:
        self._memos = memos
        self._name = name
        self._source = source
        self._is_settled = False
        self._kept: list[tuple[dict[str, Any], str]] = []

    def ask_again(self, predict: Predict) -> int:
        """Ask once in a process what was answered before; gives the number of questions.

        Raises
        ------
        ModelError
            If the model answers differently now, and would answer so again.
        """
        if self._is_settled or self._kept:
            return 0
        known, kept = self._memos.memo(f"witnesses/{self._name}")
        if not known:
            return 0
        self._is_settled = True
        examples = [_example(n, question) for n, (question, _) in enumerate(kept)]
        before = [decode(answer.encode()) for _, answer in kept]
        now = predict(examples)
        changed = [n for n in range(len(kept)) if _differ(before[n], now[n])]
        asked = len(kept)
        if changed:
            again = predict([examples[n] for n in changed])
            asked += len(changed)
            if not any(_differ(now[n], a) for n, a in zip(changed, again, strict=True)):
                self._refuse(examples, before, now, changed)
        outcome = Again(len(kept), "does not repeat its own answers" if changed else "the same")
        self._memos.set_memo(f"again/{self._name}", [outcome.asked, outcome.outcome])
        return asked

    def keep(self, examples: Sequence[Example], answers: Sequence[Prediction | Failure]) -> None:
        """Keep some of the first questions, and of the next until there are enough; no failures."""
        if self._is_settled:
            return
        good = [
            (_question(example), encode(answer).decode())
            for example, answer in zip(examples, answers, strict=True)
            if isinstance(answer, Prediction)
        ]
        if good:
            step = max(1, len(good) // (MOST - len(self._kept)))
            self._kept = [*self._kept, *good[::step]][:MOST]
            self._is_settled = len(self._kept) == MOST
            self._memos.set_memo(f"witnesses/{self._name}", self._kept)

    def _refuse(
        self,
        examples: Sequence[Example],
        before: Sequence[Prediction],
        now: Sequence[Prediction | Failure],
        changed: Sequence[int],
    ) -> None:
        first = changed[0]
        raise ModelError(
            f"{self._source} has changed since this run began: of {len(examples)} questions that "
            f"it had answered and was asked again, it answers {len(changed)} differently. "
            f"{examples[first].text[:_SHOWN]!r} was {_short(before[first])} and is "
            f"{_short(now[first])} now. Put the model back as it was and re-issue the same "
            "command, or choose another --out."
        )


@dataclass(frozen=True, slots=True)
class Again:
    """What came of asking again: how many questions, and whether the answers were the same."""

    asked: int
    outcome: str


def compared(reading: Reading | None, again: Sequence[Again]) -> str:
    """How a family is known to be the same at a resume, in words for the manifest.

    Parameters
    ----------
    reading
        What was read of its first replicate; nothing where it states a fingerprint.
    again
        What came of asking its replicates again.
    """
    if reading is None:
        return "the fingerprint that it states is compared at every start"
    if reading.is_whole:
        return "all that it is made of was read, and is compared at every start"
    asked = sum(one.asked for one in again)
    outcomes = ", ".join(dict.fromkeys(one.outcome for one in again))
    done = f"{asked} were: {outcomes}" if again else "none was so far"
    return (
        "its code, arrays and estimators were read and are compared at every start; at a resume "
        f"questions that it has answered are asked again ({done})"
    )


def _question(example: Example) -> dict[str, Any]:
    """What a model gets to see of an example, as JSON."""
    tokens = None if example.tokens is None else {k: list(v) for k, v in example.tokens.items()}
    return {"fields": dict(example.fields), "tokens": tokens, "language": example.language}


def _example(number: int, question: Mapping[str, Any]) -> Example:
    """Example of `_question`."""
    tokens = question["tokens"]
    return Example(
        f"asked-again-{number}",
        question["fields"],
        tokens=None
        if tokens is None
        else {k: tuple((a, b) for a, b in v) for k, v in tokens.items()},
        language=question["language"],
    )


def _differ(a: Prediction | Failure, b: Prediction | Failure) -> bool:
    """Whether two answers are those of different models; a failure says nothing."""
    if isinstance(a, Failure) or isinstance(b, Failure):
        return False
    if a.scores is not None and b.scores is not None:
        if len(a.scores) != len(b.scores):
            return True
        pairs = zip(a.scores, b.scores, strict=True)
        return not all(math.isclose(x, y, abs_tol=_TOLERANCE) for x, y in pairs)
    return (a.label, a.spans, a.text) != (b.label, b.spans, b.text)


def _short(answer: Prediction | Failure) -> str:
    """Answer in a few words."""
    if isinstance(answer, Failure):
        return answer.reason
    scores = "" if answer.scores is None else f" ({max(answer.scores):.4g})"
    return f"{answer.label or answer.text or 'no label'}{scores}"
