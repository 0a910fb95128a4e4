"""Choosing among texts of the item: multiple choice, and ranking of candidates.

Options and candidates are texts that changes may touch, and models are given them behind the
others. The right one is named by its place from 0, its letter or its text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from statistics import fmean
from typing import Any

from scrutiny.core.answers.choices import (
    OPTION_OF,
    RANKING,
    Option,
    Ranking,
    options_in,
    place_of,
)
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.tasks.cells import texts_of
from scrutiny.tasks.tasks import TEXT, Borders, ByColumns, text_role


class MultipleChoice(ByColumns):
    """Questions with options of which one is right, scored by accuracy.

    A model without skill guesses, or always takes the option at the same place.
    """

    name = "multiple-choice"
    roles: tuple[Role, ...] = (
        text_role("text", "column of the text, or of the question alone", *TEXT.names),
        Role("question", "column of the question about the text", "text", ("question", "query")),
        Role(
            "options",
            "column of the list of options, or of options with bars between them (a|b|c)",
            "texts",
            ("options", "choices", "choice", "endings"),
            is_needed=True,
        ),
        Role(
            "answer",
            "column of the right option: its place from 0, its letter (A) or its text",
            "gold",
            ("answer", "label", "answer_key", "answerkey", "gold", "correct"),
        ),
        Role("paragraph", "column of the text's identifier", "unit", ("paragraph_id",)),
    )
    identifying_columns: tuple[str, ...] = ("text", "options")
    measures = (Measure("hit", unit="items"), Measure("pred", unit="place of an option"))
    answer_type = OPTION_OF
    scored_by = Score(
        level="accuracy@1", no_skill="the share that guessing gets, or always the same place"
    )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Option | None:
        """Right option of a row; None without a column of them."""
        if self.answer not in row:
            return None
        return Option(_places(row, self.answer, "options")[0])

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Hit, and place of the option that is taken."""
        if gold is None:
            raise DataError("there is no right option.")
        return float(prediction.answer == gold), float(prediction.answer)

    def chance(self, examples: Sequence[Example]) -> float:
        """Mean share of one option among those of an item; or that of the commonest place."""
        return max(_guessing(examples), max(_shares(examples).values()))

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever takes the option at the commonest place, where guessing gets less.

        Examples
        --------
        >>> texts = {"text": "Is it?", "option_1": "yes", "option_2": "no"}
        >>> examples = [Example(str(i), texts, Option(i % 3 == 0)) for i in range(6)]
        >>> MultipleChoice().without_skill(examples)
        'always taking option 1'
        """
        place, share = max(_shares(examples).items(), key=lambda pair: pair[1])
        is_more = share > _guessing(examples)
        return f"always taking option {place + 1}" if is_more else "guessing among the options"


def _guessing(examples: Sequence[Example]) -> float:
    """Accuracy of a guess among the options of each item."""
    return fmean(1 / len(options_in(example.fields)) for example in examples)


def _shares(examples: Sequence[Example]) -> dict[int, float]:
    """Share of the items whose right option is at each place."""
    counts = Counter(int(e.gold) for e in examples if e.gold is not None)
    if not counts:
        raise DataError("The data has no right options, so there is no chance level.")
    return {place: n / counts.total() for place, n in sorted(counts.items())}


class PassageRanking(ByColumns):
    """Queries with candidates to be put in order, scored by the mean reciprocal rank.

    The rank is that of the first candidate that is right. A model without skill gives a random
    order.
    """

    name = "passage-ranking"
    roles = (
        text_role("query", "column of the query", "question", "text"),
        Role(
            "candidates",
            "column of the list of candidates, or of candidates with bars between them",
            "texts",
            ("candidates", "passages", "documents"),
            is_needed=True,
        ),
        Role(
            "relevant",
            "column of the right candidate, or of a list of them: places from 0, or texts",
            "gold",
            ("relevant", "positive", "answer", "label"),
        ),
        Role("paragraph", "column of what the queries were written about", "unit"),
    )
    identifying_columns = ("query", "candidates")
    measures = (
        Measure("hit", unit="items"),
        Measure("pred", unit="place of a candidate"),
        Measure("reciprocal", unit="1 / rank"),
        Measure("sure", unit="highest score"),
    )
    answer_type = RANKING
    scored_by = Score(
        level="mrr@1",
        also=("accuracy@1",),
        alone=("recall_at_precision(90)@1",),
        no_skill="the mean reciprocal rank of a random order",
        names={"accuracy@1": "accuracy at rank 1"},
    )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Ranking | None:
        """Right candidates of a row; None without a column of them."""
        if self.answer not in row:
            return None
        return Ranking(sorted(_places(row, self.answer, "candidates")))

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Whether the first is right, its place, 1 by the rank of the first right one, sureness.

        A candidate that is not in an answer's order has no rank, which counts as 0. A model that
        does not say how sure it is answers always: it is as sure of all.
        """
        if gold is None:
            raise DataError("there is no right candidate.")
        order = prediction.answer
        ranks = (rank for rank, place in enumerate(order, 1) if place in gold)
        rank = next(ranks, 0)
        sure = prediction.scores[0] if prediction.scores else 1.0
        return float(rank == 1), float(order[0]), 1 / rank if rank else 0.0, float(sure)

    def chance(self, examples: Sequence[Example]) -> float:
        """Mean reciprocal rank of random orders of the candidates."""
        known = [e for e in examples if e.gold is not None]
        if not known:
            raise DataError("The data has no right candidates, so there is no chance level.")
        return fmean(expected_reciprocal(len(options_in(e.fields)), len(e.gold)) for e in known)

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever puts the candidates in a random order."""
        return "a random order of the candidates"


def expected_reciprocal(n: int, right: int) -> float:
    """Mean of 1 by the rank of the first right one in a random order of n candidates.

    Examples
    --------
    >>> expected_reciprocal(4, 1), expected_reciprocal(2, 2)  # (1 + 1/2 + 1/3 + 1/4) / 4
    (0.5208333333333333, 1.0)
    """
    ways = comb(n, right)
    return sum(comb(n - k, right - 1) / (k * ways) for k in range(1, n - right + 2))


def _places(row: Mapping[str, Any], name: str, among: str) -> list[int]:
    """Places, from 0, of the options that a cell names: one, or each of a list.

    Raises
    ------
    DataError
        If it names none, or one that is not there.
    """
    value, options = row[name], texts_of(row, among)
    named = value if isinstance(value, list | tuple) else [value]
    places = {one: place_of(one, options) for one in map(_plain, named)}
    wrong = next((one for one, place in places.items() if place is None), None)
    if wrong is not None or not places:
        raise DataError(
            f"{name} is {value!r:.60}, and there are {len(options)} {among}: it is the place of "
            "one, from 0, its letter (A, B, …) or its text"
        )
    return [place for place in places.values() if place is not None]


def _plain(value: Any) -> Any:
    """A value that can be told from others: objects and lists of a cell as texts."""
    return value if isinstance(value, str | int | float) else repr(value)
