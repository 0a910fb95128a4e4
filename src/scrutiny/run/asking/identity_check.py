"""Identity check: is this the model that the run queried before.

A model that states a fingerprint is known by it. Of another, what can be read is compared at every
start, and where that is not everything, some of what it answered before is asked again: queries and
answers have a form in JSON, one for classifiers, and one for each capability of language models.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.json_text import as_tuples
from scrutiny.core.boundary.secrets import redacted
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.queries.gradients import FOLLOWED, ParameterGradient, PathGradient
from scrutiny.core.queries.language import ASKED, Cloze, Continuation, SentencePair
from scrutiny.core.task import Prediction
from scrutiny.models.strings.adapters import without_limits
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.store.stored_forms import as_json, decode

#: Prefix of the keys of these memos; a finished run needs them at its next start.
MEMOS: Final = ("fingerprint/", "witnesses", "again", "place/")
MOST: Final = 32  # queries that are stored and repeated
Ask = Callable[[Sequence[Any]], Sequence[Any | Failure]]


def memo_name(family: str, source: str, dataset: str) -> str:
    """Name of a replicate that is asked on a dataset, as used in memos."""
    return f"{family}/{redacted(without_limits(source))}/{dataset}"


def must_be_the_same(store: TaskStore, name: str, source: str, stated: str, *, keep: bool) -> None:
    """Raise if a replicate has changed since this run first queried it.

    Parameters
    ----------
    store
        Of the run.
    name
        Of the replicate on its dataset, from `memo_name`.
    source
        Its model string.
    stated
        Its fingerprint, or the digest of its inspected state.
    keep
        Whether to store the digest if there is none yet: the model is about to be queried.

    Raises
    ------
    ModelError
        If it has: half of the records would be another model's.
    """
    known, before = store.memo(f"fingerprint/{name}")
    if known and before != stated:
        raise ModelError(
            f"{source} has changed since this run began: its code, weights, tokenizer or "
            "configuration are not those of the records that are done. Put it back as it was and "
            "re-issue the same command, or choose another --out."
        )
    if keep and not known:
        store.set_memo(f"fingerprint/{name}", stated)


PREDICT: Final = "predict"
_TOLERANCE: Final = 1e-4  # how far probabilities may differ between batches
_OF_LOGARITHMS: Final = 1e-3  # and logarithms of them
_SHOWN: Final = 60  # letters of a question in a message


@dataclass(frozen=True, slots=True)
class Form:
    """Serialization and comparison of the queries and answers of one capability.

    Parameters
    ----------
    key
        What the keys of its memos end with, before the slash.
    question, asked
        What a model gets to see of a question as JSON, and the question again.
    answer, answered
        An answer as JSON, and back.
    differ
        Whether two answers are those of different models.
    shown, short
        A question and an answer in a few words.
    """

    key: str
    question: Callable[[Any], Any]
    asked: Callable[[Any], Any]
    answer: Callable[[Any], Any]
    answered: Callable[[Any], Any]
    differ: Callable[[Any, Any], bool]
    shown: Callable[[Any], str]
    short: Callable[[Any], str]

    def do_differ(self, a: Any | Failure, b: Any | Failure) -> bool:
        """Whether two answers come from different models; failures count as equal."""
        return not (isinstance(a, Failure) or isinstance(b, Failure)) and self.differ(a, b)

    def in_short(self, answer: Any | Failure) -> str:
        """Short text of an answer or failure."""
        return answer.reason if isinstance(answer, Failure) else self.short(answer)


def _example_json(example: Example) -> dict[str, Any]:
    tokens = None if example.tokens is None else {k: list(v) for k, v in example.tokens.items()}
    return {"fields": dict(example.fields), "tokens": tokens, "language": example.language}


def _example(question: Mapping[str, Any]) -> Example:
    tokens = question["tokens"]
    return Example(
        "asked-again",
        question["fields"],
        tokens=None
        if tokens is None
        else {k: tuple((a, b) for a, b in v) for k, v in tokens.items()},
        language=question["language"],
    )


def _predictions_differ(a: Prediction, b: Prediction) -> bool:
    if a.scores is not None and b.scores is not None:
        return _numbers_differ(a.scores, b.scores, tolerance=_TOLERANCE)
    return not a.agrees(b)


def _numbers_differ(a: Any, b: Any, *, tolerance: float) -> bool:
    """Whether two numbers, or rows of them, differ by more than batching can explain."""
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        if len(a) != len(b):
            return True
        return any(_numbers_differ(x, y, tolerance=tolerance) for x, y in zip(a, b, strict=True))
    return not math.isclose(a, b, abs_tol=tolerance, rel_tol=tolerance)


def _prediction_in_short(answer: Prediction) -> str:
    scores = "" if answer.scores is None else f" ({max(answer.scores):.4g})"
    said = "" if answer.answer is None else type_of(answer.answer).brief(answer.answer)
    return f"{said or 'no label'}{scores}"


def _numbers_in_short(answer: Any) -> str:
    while isinstance(answer, Sequence) and answer:
        answer = answer[0]
    return f"{answer:.4g}" if isinstance(answer, float) else str(answer)


_QUERIES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "masked_logprobs": lambda question: tuple(Cloze(*cloze) for cloze in as_tuples(question)),
    "token_logprobs": lambda question: Continuation(*as_tuples(question)),
    "next_sentence": lambda question: SentencePair(*question),
    "attention_received": as_tuples,
    "path_gradients": lambda question: PathGradient(*as_tuples(question)),
    "parameter_gradients": lambda question: ParameterGradient(*as_tuples(question)),
}


def _same(value: Any) -> Any:
    return value


#: Form of each capability that goes through the cache.
FORMS: Final[Mapping[str, Form]] = {
    PREDICT: Form(
        key="",
        question=_example_json,
        asked=_example,
        answer=as_json,
        answered=lambda text: decode(text.encode()),
        differ=_predictions_differ,
        shown=lambda example: example.text[:_SHOWN],
        short=_prediction_in_short,
    ),
    **{
        name: Form(
            key=f"-{name}",
            question=_same,
            asked=_QUERIES[name],
            answer=_same,
            answered=as_tuples,
            differ=partial(_numbers_differ, tolerance=_OF_LOGARITHMS),
            shown=lambda query: str(query)[:_SHOWN],
            short=_numbers_in_short,
        )
        for name in (*ASKED, *FOLLOWED)
    },
}


class Witnesses:
    """Queries that a model answered at the start of a run, repeated at a resume.

    Parameters
    ----------
    store
        Of the run.
    name
        Of the replicate on its dataset, from `memo_name`.
    source
        Its model string.
    form
        Of the questions.
    """

    def __init__(
        self, store: TaskStore, name: str, source: str, form: Form = FORMS[PREDICT]
    ) -> None:
        self._store = store
        self._name = name
        self._source = source
        self._form = form
        self._is_settled = False
        self._kept: list[tuple[Any, Any]] = []

    def ask_again(self, ask: Ask) -> int:
        """Repeat the stored queries, once per process; returns their number.

        Raises
        ------
        ModelError
            If the model answers differently now, and would answer so again.
        """
        if self._is_settled or self._kept:
            return 0
        form = self._form
        known, kept = self._store.memo(f"witnesses{form.key}/{self._name}")
        if not known:
            return 0
        self._is_settled = True
        questions = [form.asked(question) for question, _ in kept]
        before = [form.answered(answer) for _, answer in kept]
        now = ask(questions)
        changed = [n for n in range(len(kept)) if form.do_differ(before[n], now[n])]
        asked = len(kept)
        if changed:
            again = ask([questions[n] for n in changed])
            asked += len(changed)
            if not any(form.do_differ(now[n], a) for n, a in zip(changed, again, strict=True)):
                self._refuse(questions, before, now, changed)
        outcome = "does not repeat its own answers" if changed else "the same"
        key = f"again{form.key}/{self._name}"
        if self._store.memo(key) != (True, [len(kept), outcome]):
            self._store.set_memo(key, [len(kept), outcome])
        return asked

    def keep(self, questions: Sequence[Any], answers: Sequence[Any | Failure]) -> None:
        """Store some of the first queries with answers, until there are enough; no failures."""
        if self._is_settled:
            return
        good = [
            (self._form.question(question), self._form.answer(answer))
            for question, answer in zip(questions, answers, strict=True)
            if not isinstance(answer, Failure)
        ]
        if good:
            step = max(1, len(good) // (MOST - len(self._kept)))
            self._kept = [*self._kept, *good[::step]][:MOST]
            self._is_settled = len(self._kept) == MOST
            self._store.set_memo(f"witnesses{self._form.key}/{self._name}", self._kept)

    def _refuse(
        self,
        questions: Sequence[Any],
        before: Sequence[Any],
        now: Sequence[Any | Failure],
        changed: Sequence[int],
    ) -> None:
        first, form = changed[0], self._form
        raise ModelError(
            f"{self._source} has changed since this run began: of {len(questions)} questions that "
            f"it had answered and was asked again, it answers {len(changed)} differently. "
            f"{form.shown(questions[first])!r} was {form.in_short(before[first])} and is "
            f"{form.in_short(now[first])} now. Put the model back as it was and re-issue the same "
            "command, or choose another --out."
        )


def outcomes(store: TaskStore, name: str) -> "Iterator[Again]":
    """Outcome of the repeated queries of a replicate, for each kind of query."""
    for form in FORMS.values():
        known, value = store.memo(f"again{form.key}/{name}")
        if known:
            yield Again(*value)


@dataclass(frozen=True, slots=True)
class Again:
    """Outcome of repeated queries: their number, and whether the answers were the same."""

    asked: int
    outcome: str
