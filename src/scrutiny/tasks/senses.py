"""Word senses: a marked word of a text, and descriptions of its senses, of which one is meant."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, Final

from scrutiny.core.answers.choices import RANKING, Ranking, option_fields, options_in
from scrutiny.core.errors import DataError
from scrutiny.core.example import MARKED, Example, Span
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.tasks.cells import indices_of, list_of, text_of
from scrutiny.tasks.tasks import OF_SENTENCES, TEXT, Borders, ByColumns, counted

_TARGET: Final = re.compile(r"<t>(.*?)</t>", re.DOTALL)
_SENSES: Final = "senses"


class WordSenses(ByColumns):
    """Which sense a marked word has: ``the <t>bank</t> of a river``, scored as by Raganato et al.

    Models read the text with its mark, and a description of each sense of the word, which they put
    in order; the first is their answer. Of several right senses any will do. No change touches the
    marked word or the descriptions. A model without skill takes the first sense of each word, or
    guesses.
    """

    name = "word-senses"
    roles = (
        TEXT,
        Role("target", "column of [start, end] of the word", "list", is_anchor=True),
        Role(
            _SENSES,
            "column of the list of descriptions of its senses",
            "texts",
            (_SENSES, "glosses"),
            is_needed=True,
            may_change=False,
        ),
        Role("sense", "column of the right sense, or of a list: places from 0", "gold", ("sense",)),
        Role("lemma", "column of the word's base form", names=("lemma",)),
        Role("pos", "column of its part of speech: n, v, a or r", names=("pos",)),
        *OF_SENTENCES[:2],
    )
    measures = (
        *counted("words"),
        Measure("hit", unit="items"),
        Measure("pred", unit="place of a sense"),
        Measure("sure", unit="highest score"),
    )
    answer_type = RANKING
    holds = "marked words with senses"
    scored_by = Score(
        level="sense_f1@1",
        alone=("recall_at_precision(90)@1",),
        no_skill="the score of always taking the first sense of a word, or of guessing",
    )

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The text with its marked word, and the descriptions.

        Raises
        ------
        DataError
            If there is not one word that is marked, or no sense.
        """
        text = text_of(row, "text")
        if "target" in row:
            place = indices_of(row["target"], "target", n=len(text) + 1)
            if len(place) != 2 or not place[0] < place[1]:
                raise DataError(f"target is {row['target']!r:.60}; it is [start, end]")
            start, end = place
            text = f"{text[:start]}<t>{text[start:end]}</t>{text[end:]}"
        if len(_TARGET.findall(text)) != 1 or not _target(text).strip():
            raise DataError(
                "text has not one marked word; it is marked as in the <t>bank</t> of a river, or "
                "by a column target of [start, end]"
            )
        given = [text_of({_SENSES: one}, _SENSES) for one in list_of(row, _SENSES)]
        if not given:
            raise DataError("senses is empty")
        return {"text": text, **option_fields(given)}

    def closed(self, texts: Mapping[str, str]) -> tuple[Span, ...]:
        """The marked word with its marks, and the descriptions."""
        marked = _TARGET.search(texts["text"])
        own = () if marked is None else (Span("text", *marked.span(), MARKED),)
        return (*own, *(Span(name, 0, len(t)) for name, t in texts.items() if name != "text"))

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row, with a span for the marked word."""
        found = super().parse(row, source=source)
        marked = _TARGET.search(found.text)
        return (
            found if marked is None else replace(found, spans=(Span("text", *marked.span(1), "t"),))
        )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Ranking | None:
        """Right senses of a row; None without a column of them."""
        if self.answer not in row:
            return None
        value, count = row[self.answer], len(list_of(row, _SENSES))
        places = value if isinstance(value, list | tuple) else [value]
        if not places:
            raise DataError("sense is empty")
        return Ranking(sorted(set(indices_of(places, "sense", n=count))))

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Whether the first sense is right, or given but wrong and missed; a hit; place, sureness.

        A model that does not say how sure it is is as sure of all, as for rankings.
        """
        if gold is None:
            raise DataError("there is no right sense.")
        first = frozenset(prediction.answer[:1])
        right = float(not first.isdisjoint(gold))
        sure = prediction.scores[0] if prediction.scores else 1.0
        return right, len(first) - right, 1 - right, right, float(prediction.answer[0]), float(sure)

    def chance(self, examples: Sequence[Example]) -> float:
        """Share of the words whose first sense is right, or mean share of right senses."""
        known = [(e.gold, len(options_in(e.fields))) for e in examples if e.gold is not None]
        if not known:
            raise DataError("The data has no right senses, so there is no chance level.")
        guessing = fmean(len(gold) / count for gold, count in known)
        return max(guessing, fmean(float(0 in gold) for gold, _ in known))

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever takes the first sense."""
        return "always taking the first sense"


def _target(text: str) -> str:
    """The marked word; empty without one."""
    found = _TARGET.search(text)
    return found[1] if found else ""
