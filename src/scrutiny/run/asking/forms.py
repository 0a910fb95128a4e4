"""Serialization of queries and answers as JSON, so that queries can be repeated.

One form for what classifiers are asked, and one for each capability of language models.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.boundary.json_text import as_tuples
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.language import ASKED, Cloze, Continuation, SentencePair
from scrutiny.core.task import Prediction
from scrutiny.store.encoded import as_json, decode

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
        for name in ASKED
    },
}
