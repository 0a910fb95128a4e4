"""Extractive question answering: a question and a text in, the words that answer it out.

Exact match and F1 of extracted answers are computed as SQuAD and MLQA do, and are means over
questions.
"""

import re
import string
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from statistics import fmean
from typing import Any, ClassVar, Final

import numpy as np

from scrutiny.core.answers.texts import EXTRACT, AnyOf, Extract, words_of_both
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.reliability.replicates import mcnemar_of_hits
from scrutiny.reliability.row_statistics import Additive
from scrutiny.tasks.cells import text_of
from scrutiny.tasks.scores import OF_SHARES
from scrutiny.tasks.tasks import Borders, ByColumns, text_role

_CONTEXT: Final = "context"
Given = Mapping[str, Any] | list[Any] | Extract | str
#: Measures of one answer, against the right answer that is most like it.
OF_ANSWERS: Final = (Measure("exact", unit="items"), Measure("overlap", unit="F1"))


class QuestionAnswering(ByColumns):
    """Questions that words of a text answer, scored by F1 and exact match.

    Answers are compared by their words, wherever they stand. A model without skill points at a
    stretch as long as the right answer, anywhere in the text.
    """

    name = "question-answering"
    keeps_articles: ClassVar[bool] = False
    roles = (
        text_role("question", "column of the question", "query"),
        text_role(_CONTEXT, "column of the text that answers it", "passage", "paragraph"),
        Role("answers", "column of the right answers", "gold", ("answers", "answer")),
        Role("paragraph", "column of the text's identifier", "unit", ("paragraph_id",)),
        Role("article", "column of the article of a text", "unit", ("article", "title")),
    )
    side_by_side = (("question", "context"),)
    identifying_columns: tuple[str, ...] = ("question", "context", "answers")
    answer_type = EXTRACT
    measures = OF_ANSWERS
    scored_by = Score(
        level="answer_f1@1",
        also=("exact_match@1",),
        no_skill="the score of words as many as the right answer's, anywhere in the text",
    )

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row, with its answers at their places."""
        if self.answer in row:
            context = text_of(row, _CONTEXT)
            row = {**row, self.answer: AnyOf(dict.fromkeys(_answers(row[self.answer], context)))}
        return super().parse(row, source=source)

    def gold(self, row: Mapping[str, Any], borders: Borders) -> AnyOf | None:
        """Right answers of a row; None if it has no column of them."""
        return row.get(self.answer)

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Exact match and F1, each with the right answer that gives the most."""
        given, keeps = prediction.answer.text, self.keeps_articles
        rights = gold if isinstance(gold, AnyOf) else (gold,)
        found = [compare(given, right.text, keeps_articles=keeps) for right in rights]
        return max(exact for exact, _ in found), max(overlap for _, overlap in found)

    def chance(self, examples: Sequence[Example]) -> float:
        """Mean F1 of all stretches of a text that are as long as its first right answer.

        Or the share of questions without an answer, which giving none gets, if that is more.
        """
        stretches = fmean(of_stretches(e.fields[_CONTEXT], e.gold[0].text) for e in examples)
        return max(stretches, fmean(not e.gold[0].text for e in examples))

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: no answer in the text, where giving none is right; and those of any row."""
        yield from super().doubts(row, example)
        if example.gold and not example.gold[0].text:
            yield "have no answer in their text: right is an answer without words"


class SituationQuestions(QuestionAnswering):
    """Questions about a situation, scored as ROPES is: an article is a word like any other.

    Its names are letters, and "sample" is not "Sample A".
    """

    name = "situation-questions"
    identifying_columns = ()
    keeps_articles = True


class ComparedQuestions(QuestionAnswering):
    """Base of questions whose answers are compared in another way than SQuAD's."""

    identifying_columns = ()

    @abstractmethod
    def compared(self, given: str, right: str) -> tuple[float, float]:
        """Exact match and F1 of an answer with a right one."""

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Exact match and F1, each with the right answer that gives the most."""
        given = prediction.answer.text
        rights = gold if isinstance(gold, AnyOf) else (gold,)
        found = [self.compared(given, right.text) for right in rights]
        return max(exact for exact, _ in found), max(overlap for _, overlap in found)


class MultiSpanQuestions(ComparedQuestions):
    """Questions that spans, a number or a date answer, scored as DROP and Quoref are.

    Several spans are one answer, with bars between them (Ada|Bo), in any order. Each is compared
    with the one of the right answer that it fits best (Dua et al. 2019).
    """

    name = "multi-span-questions"

    def compared(self, given: str, right: str) -> tuple[float, float]:
        """Exact match and F1 of spans."""
        return compare_spans(given, right)

    def chance(self, examples: Sequence[Example]) -> float:
        """Mean F1 of all stretches of a text that are as long as its first right span."""
        first = ((e.fields[_CONTEXT], e.gold[0].text.partition("|")[0]) for e in examples)
        return fmean(of_stretches(context, span) for context, span in first)


def _answers(given: Given, context: str) -> Iterator[Extract]:
    """Right answers of a cell: texts, or objects with ``text`` and ``answer_start``.

    Lists of either, and the object of lists that the hub's data sets have, are read as well; one of
    empty lists is that of a question which the text does not answer (SQuAD 2.0). An
    `Extract` of a reader is taken as it is: answers of some corpora stand in no text.

    Raises
    ------
    DataError
        If one has no words, or they do not stand in the text.
    """
    if isinstance(given, Mapping) and isinstance(given.get("text"), list):
        if not given["text"]:
            given = Extract("")
    if isinstance(given, Mapping) and isinstance(given.get("text"), list):
        starts = given.get("answer_start")
        starts = starts if isinstance(starts, list) else [starts]
        pairs = zip_longest(given["text"], starts)
        given = [{"text": text, "answer_start": start} for text, start in pairs]
    several = given if isinstance(given, list) else [given]
    if not several:
        raise DataError("there is no answer")
    for one in several:
        if isinstance(one, Extract):
            yield one
            continue
        text, start = one, None
        if isinstance(one, Mapping):
            text, start = one.get("text"), one.get("answer_start")
        words = text_of({"the answer": text}, "the answer")
        if start is not None and (isinstance(start, bool) or not isinstance(start, int)):
            raise DataError(f"answer_start is {start!r:.60}, and it is a whole number, from 0")
        place = context.find(words) if start is None else start
        if place < 0 or context[place : place + len(words)] != words:
            where = "in its text" if start is None else f"at {start} of its text"
            raise DataError(f"the answer {words!r:.60} does not stand {where}")
        yield Extract(words, _CONTEXT, place)


@lru_cache(maxsize=1 << 16)
def compare(answer: str, gold: str, *, keeps_articles: bool = False) -> tuple[float, float]:
    """Exact match, and F1 of the words, of an answer and one right answer.

    Examples
    --------
    >>> compare("the Denver Broncos", "Denver Broncos."), compare("Broncos", "Denver Broncos")
    ((1.0, 1.0), (0.0, 0.6666666666666666))
    """
    ours, theirs = words_of_both(answer, gold, keeps_articles=keeps_articles)
    if ours == theirs:
        return 1.0, 1.0
    common = sum((Counter(ours) & Counter(theirs)).values())
    return 0.0, 2 * common / (len(ours) + len(theirs))


@lru_cache(maxsize=1 << 16)
def compare_spans(answer: str, gold: str) -> tuple[float, float]:
    """Exact match, and F1 of spans that fit each other best, of an answer and one right answer.

    As in the script of DROP, but for its rounding to two decimals. Spans with numbers fit only
    spans that have one of them; words of a span count once.

    Examples
    --------
    >>> compare_spans("Bo|the Ada", "Ada|Bo"), compare_spans("5 men", "4 men")
    ((1.0, 1.0), (0.0, 0.0))
    """
    from scipy.optimize import linear_sum_assignment

    ours, theirs = ([_span_words(span) for span in one.split("|")] for one in (answer, gold))
    is_exact = len(ours) == len(theirs) and set(map(tuple, ours)) == set(map(tuple, theirs))
    fits = np.array([[_fit(set(mine), set(right)) for mine in ours] for right in theirs])
    best = fits[linear_sum_assignment(-fits)].sum()
    return float(is_exact), float(best) / max(len(ours), len(theirs))


def _fit(mine: set[str], right: set[str]) -> float:
    """F1 of two sets of words; 0 if the right ones have numbers, and none of them is there."""
    numbers = {word for word in right if _number(word) is not None}
    if numbers and not numbers & mine:
        return 0.0
    common = len(mine & right)
    precision = common / len(mine) if mine else 1.0
    recall = common / len(right) if right else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _span_words(span: str) -> list[str]:
    """Words of a span: in lower case, cut at hyphens, without articles; numbers as numbers.

    Examples
    --------
    >>> _span_words("The 40-yard pass, 3.0")
    ['40.0', 'yard', 'pass', '3.0']
    """
    found = []
    for part in re.split(r"[ -]", span.lower()):
        number = _number(part)
        word = "".join(c for c in part if c not in string.punctuation) if number is None else ""
        number = _number(word) if number is None else number
        found += re.sub(r"\b(a|an|the)\b", " ", word).split() if number is None else [str(number)]
    return found


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


@lru_cache(maxsize=1 << 14)
def of_stretches(text: str, answer: str) -> float:
    """Mean F1 of an answer and every stretch of a text with as many words.

    Examples
    --------
    >>> of_stretches("He was born in Rome.", "in Rome")  # was born: 0, born in: 1/2, in Rome: 1
    0.375
    """
    ours, theirs = words_of_both(text, answer)
    n = len(theirs)
    if not 0 < n <= len(ours):
        return 0.0
    wanted = Counter(theirs)
    common = (Counter(ours[i : i + n]) & wanted for i in range(len(ours) - n + 1))
    return fmean(one.total() / n for one in common)


EXACT_MATCH: Final = Additive(
    "exact_match@1",
    "exact match",
    ("exact",),
    pair_tests=mcnemar_of_hits,
    headline="exact match",
    **OF_SHARES,
)
ANSWER_F1: Final = Additive("answer_f1@1", "answer F1", ("overlap",), **OF_SHARES)
