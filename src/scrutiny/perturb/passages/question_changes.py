"""Sentences that look like an answer and are none, and questions that the passage does not answer.

Both stand on a parse of the question (`scrutiny.perturb.passages.parsed_question`) and change what
it speaks of (`scrutiny.perturb.passages.other_facts`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

from scrutiny.core.answers.answer import fences_of
from scrutiny.core.answers.texts import AnyOf, Extract
from scrutiny.core.edit import Edit
from scrutiny.core.example import Example
from scrutiny.core.facts import EXTRACTS
from scrutiny.core.randomness import Rng
from scrutiny.core.transformation import (
    Document,
    Effect,
    SetsGold,
    Site,
    may_change_unless,
)
from scrutiny.perturb.engine.changes import (
    ONE_SITE,
    Candidates,
    Change,
    Sites,
    whole_text,
    with_unknown,
)
from scrutiny.perturb.passages.other_facts import altered, other_answer
from scrutiny.perturb.passages.parsed_question import ParsedQuestion, statement_of, written
from scrutiny.perturb.passages.sentences_in_order import sentences_of, spelled_like
from scrutiny.perturb.resources.capabilities import Parser
from scrutiny.perturb.resources.loading import find_resource

_ALTERNATIVES: Final = 4


@lru_cache(maxsize=256)
def _parsed(parser: Parser, text: str) -> ParsedQuestion:
    """A question with its parse, which several changes and draws share."""
    (parse,) = parser.annotate([text])
    return ParsedQuestion(text, parse)


def _question_of(document: Document) -> ParsedQuestion:
    """The item's question, parsed."""
    text = next(iter(document.example.fields.values()))
    return _parsed(find_resource(document.resources, "parser"), text)


def _is_asked_about(document: Document, number: int) -> bool:
    """Whether the item is a question and a passage, and the document is the one of this number."""
    fields = [*document.example.fields]
    is_asked = len(fields) > 1 and document.example.fields[fields[0]].rstrip().endswith("?")
    return is_asked and document.field == fields[number]


@dataclass(frozen=True, slots=True)
class Distractor(Change):
    """A sentence that looks like an answer to the question and speaks of something else.

    The question becomes a statement with an answer of the same kind, in which names and numbers
    are others, or a word is turned round: "Where was Ida born?" gives "Vera was born in Lima.".
    A question whose parse the rules do not know gets none.

    Parameters
    ----------
    at
        Where it comes: behind the passage, before it, or before the sentence with the answer.

    **Measures** whether a reader looks for the words of the question and not for what they ask.

    **Misleads when** the sentence answers after all: what it changed was not what the question
    hangs on.

    References
    ----------
    Jia and Liang (2017). Adversarial examples for evaluating reading comprehension systems.
    Wang and Bansal (2018). Robust machine comprehension models via adversarial training: answers of
    the same kind, and sentences at other places.
    Gui et al. (2021). TextFlint: AddSentDiverse.
    """

    id = "distractor@1"
    resources = ("parser",)
    effect: ClassVar[Mapping[str, Effect]] = {
        **may_change_unless("extract"),
        "response": "may change",
    }
    intensity = ONE_SITE
    where = "anywhere"
    wants = (EXTRACTS,)
    is_default = False  # a sentence that nobody would write there

    at: Literal["end", "start", "answer"] = "end"

    def sites(self, document: Document) -> Sites:
        """The passage of a question that it answers."""
        has_answer = bool(_right_answer(document))
        return whole_text(document) if has_answer and _is_asked_about(document, -1) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The sentence at its place; a few are drawn."""
        question = _question_of(document)
        statement = statement_of(question)
        if statement is None:
            return
        passage, right = document.text.lower(), _right_answer(document)
        for _ in range(_ALTERNATIVES):
            other = other_answer(right, statement, rng, passage=passage)
            changed = altered(question, rng, passage=passage)
            if other and any(map(statement.has, changed)):
                said = spelled_like(document, written(question, statement, other, changed))
                yield (with_unknown(document, self._placed(document, said)),)

    def _placed(self, document: Document, said: str) -> Edit:
        """Edit that puts a sentence at its place."""
        end = len(document.text.rstrip())
        if self.at == "end":
            return Edit(document.field, end, end, f" {said}")
        place = next((s.start for s in fences_of(document.example.gold)), 0)
        every = sentences_of(document)
        at = every[0].start
        if self.at == "answer":
            at = next((s.start for s in reversed(every) if s.start <= place), at)
        return Edit(document.field, at, at, f"{said} ")


def _right_answer(document: Document) -> str:
    """Words of the first right answer; empty where the passage has none."""
    gold = document.example.gold
    first = gold[0] if isinstance(gold, AnyOf) else gold
    return first.text if isinstance(first, Extract) else ""


@dataclass(frozen=True, slots=True)
class OtherQuestion(Change, SetsGold):
    """A question about something else, which the passage does not answer.

    Its names and numbers are others, or a word is turned round ("first", "last"); none of what
    comes stands in the passage. Right is to give no answer.

    **Measures** whether a reader notices what is asked: over-stable ones give the old answer.

    **Misleads when** a reader cannot give none (SQuAD 1.1): all its answers are wrong, and what
    tells is how many stay the same. Or when a changed word is not what the question hangs on.

    References
    ----------
    Rajpurkar, Jia, Liang (2018). Know what you don't know: unanswerable questions for SQuAD; rules
    for such questions as in Jia and Liang (2017).
    Tang et al. (2021). DuReader-robust: over-stability.
    """

    id = "other_question@1"
    resources = ("parser",)
    effect: ClassVar[Mapping[str, Effect]] = {
        "*": "may change",
        "extract": "sets",
        "response": "may change",
    }
    intensity = ONE_SITE
    where = "anywhere"
    wants = (EXTRACTS,)
    is_default = False  # a question of another item, not another wording

    def sites(self, document: Document) -> Sites:
        """The question of a passage."""
        return whole_text(document) if _is_asked_about(document, 0) else ()

    def candidates(self, document: Document, site: Site, rng: Rng) -> Candidates:
        """The question with all that changes; a few are drawn."""
        question = _question_of(document)
        passage = [*document.example.fields.values()][-1].lower()
        for _ in range(_ALTERNATIVES):
            changed = altered(question, rng, passage=passage)
            edits = [
                Edit(
                    document.field, question.parse.spans[a][0], question.parse.spans[b - 1][1], new
                )
                for a, (b, new) in sorted(changed.items())
            ]
            if edits:
                yield tuple([with_unknown(document, edit) for edit in edits])

    def gold_after(self, gold: Any, before: Example, edits: Sequence[Edit]) -> Any:
        """No answer."""
        return AnyOf((Extract(""),)) if isinstance(gold, AnyOf) else Extract("")
