"""Free answers: a prompt in, whatever a model writes to it out.

Of each prompt may be stated what is expected: words, a pattern, JSON of a shape, a language, a
length, a refusal, references, or a Python function. How answering ended has a name for every
answer (`scrutiny.core.answers.responses`), and none of these is a wrong answer: the shares of
right, wrong, refused, cut off and empty ones add up to all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from statistics import fmean
from typing import Any, Final

from scrutiny.core.answers.criteria import RESPONSE, Criteria
from scrutiny.core.answers.json_shapes import shape_fault
from scrutiny.core.answers.responses import OUTCOMES, Response
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.languages import code_of
from scrutiny.core.messages import SPEAKERS, Message, is_said_by_model, message_fields
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, RoleKind, Score
from scrutiny.tasks.cells import language_of, text_of
from scrutiny.tasks.question_answering import compare
from scrutiny.tasks.response_checks import PYTHON, is_right, other_language, scorer_of, version_of
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import Borders, ByColumns, text_role
from scrutiny.tasks.translation import OF_CHRF, chrf_counts
from scrutiny.text.language_detection import tell

_PROMPT: Final = "prompt"
_EXPECTED: Final[RoleKind] = "expected"


#: How answering ended, as 1 or 0; the languages of answer and prompt are told of some.
_OF_OUTCOMES: Final = tuple(
    Measure(name, unit="items")
    for name in (
        *("wrong", "answered", "refused", "cut_off", "empty"),
        *("other_language", "languages_told"),
    )
)
_WRONG: Final = "wrong_share@1"
_TOLD: Final = tuple(
    f"{name}_share@1" for name in ("refused", "cut_off", "empty", "other_language")
)


class FreeGeneration(ByColumns):
    """Prompts that are answered freely, scored by what is expected of each answer.

    A model without skill gives the prompt back, or always declines.
    """

    name = "generation"
    roles = (
        text_role(_PROMPT, "column of the prompt: a text, or the list of the messages", "messages",
                  "instruction", "question", "text", "input", "query"),
        Role("system", "column of what the system says before the prompt", "messages",
             ("system", "system_prompt")),
        Role("reference", "column of a text that is well written, or of a list of them", _EXPECTED,
             ("reference", "references", "ideal", "completion")),
        Role("equals", "column of a text that the answer is, or of a list of which it is one",
             _EXPECTED, ("equals",)),
        Role("contains", "column of words that the answer has, or of a list all of which it has",
             _EXPECTED, ("contains",)),
        Role("contains_any", "column of a list of words of which the answer has one", _EXPECTED,
             ("contains_any",)),
        Role("lacks", "column of words that the answer does not have, or of a list", _EXPECTED,
             ("lacks",)),
        Role("matches", "column of a regular expression that is found in the answer, or of a list",
             _EXPECTED, ("matches",)),
        Role("json", "column of the JSON Schema of an answer that is JSON; true for any",
             _EXPECTED, ("json_schema", "json")),
        Role("answer_language", "column of the code of the language that the answer is in",
             _EXPECTED, ("answer_language",)),
        Role("least_words", "column of the least number of words of the answer", _EXPECTED,
             ("least_words",)),
        Role("most_words", "column of the largest number of words of the answer", _EXPECTED,
             ("most_words",)),
        Role("outcome", "column of how answering is to end: answered, or refused", _EXPECTED,
             ("outcome",)),
        Role("seen", "column of whether a model may have seen the text: yes, or no", "group",
             ("seen",)),
        Role("scorer", "Python function that says whether an answer is right, python:FILE.py:NAME",
             "function"),
        Role("conversation", "column of what prompts that belong together share", "unit",
             ("conversation", "conversation_id")),
    )  # fmt: skip
    side_by_side = ((_PROMPT,), ("messages",), ("instruction",))
    identifying_columns = (_PROMPT,)
    measures = (
        Measure("hit", unit="items"),
        *_OF_OUTCOMES,
        Measure("exact", unit="items"),
        Measure("overlap"),
        *OF_CHRF,
    )
    answer_type = RESPONSE
    scored_by = Score(
        level="accuracy@1",
        no_skill="the share that giving the prompt back gets, or declining everything",
    )

    _is_by_chrf: bool = False

    def on(self, examples: Sequence[Example]) -> "FreeGeneration":
        """Free answers as they are scored on these items.

        By chrF where every item has a reference, and nothing else is expected; else by the share of
        right answers, which is that of answers where nothing is expected of any.
        """
        told, golds = FreeGeneration(), [e.gold for e in examples if e.gold is not None]
        has_references = bool(golds) and all(one.references for one in golds)
        stated = sum(one.is_stated for one in golds)
        if has_references and not stated:
            told._is_by_chrf = True
            told.scored_by = Score(
                level="chrf@1",
                also=("answer_f1@1", "exact_match@1", *_TOLD),
                tolerance=0.016,
                no_skill="the score of the prompts as they are, given back",
            )
            return told
        also = (("answer_f1@1",) if has_references else ()) + ((_WRONG,) if stated else ()) + _TOLD
        note = ""
        if stated < len(golds):
            note = (
                f"Of {len(golds) - stated:,} of {len(golds):,} items nothing is expected: an "
                "answer counts as right there if there is one."
            )
        name = "right answers" if stated else "answers given"
        told.scored_by = replace(self.scored_by, also=also, note=note, names={"accuracy@1": name})
        return told

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The prompt, and each earlier message as a field of its own behind it."""
        given = row.get(_PROMPT)
        before: list[Message] = []
        if (listed := _listed(given)) is not None:
            *before, last = _messages(listed)
            prompt = last.content
        else:
            prompt = text_of(row, _PROMPT)
        if row.get("system") not in (None, ""):
            before = [Message("system", text_of(row, "system")), *before]
        return {_PROMPT: prompt, **message_fields(before)}

    def closed(self, texts: Mapping[str, str]) -> tuple[Span, ...]:
        """What the system and the assistant say, which no user writes."""
        return tuple(Span(f, 0, len(text)) for f, text in texts.items() if is_said_by_model(f))

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Criteria:
        """What is expected of the answer, which may be nothing but that there is one.

        Raises
        ------
        DataError
            If a cell cannot be read.
        """
        prompt = self.texts(row)[_PROMPT]
        scorer = str(row.get("scorer") or "")
        if scorer and not scorer.startswith(PYTHON):
            raise DataError(f"scorer is {scorer!r}: it is a function, python:FILE.py:NAME")
        name = scorer.removeprefix(PYTHON)
        if name:
            scorer_of(name)
        any_of = tuple(_texts(row, "contains_any"))
        stated = language_of(row) if row.get("language") else ""
        return Criteria(
            references=tuple(_texts(row, "reference")),
            equals=tuple(_texts(row, "equals")),
            contains=(*((one,) for one in _texts(row, "contains")), *((any_of,) if any_of else ())),
            lacks=tuple(_texts(row, "lacks")),
            matches=tuple(_patterns(row)),
            shape=_shape(row),
            language=_language(row),
            least_words=_number(row, "least_words"),
            most_words=_number(row, "most_words"),
            outcome=_outcome(row),
            scorer=name,
            version=version_of(name) if name else "",
            prompt=prompt if name else "",
            asked_in=stated or tell(prompt),
        )

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: criteria that the prompt itself meets, and the doubts of any row."""
        yield from super().doubts(row, example)
        gold = example.gold
        has_words = gold.contains or gold.equals or gold.matches
        if has_words and not gold.scorer and is_right(gold, Response(example.text)):
            yield "have a prompt that meets what is expected of the answer: giving it back is right"

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Whether the answer is right, how answering ended, and its likeness to the references."""
        answer = prediction.answer
        if isinstance(answer, Criteria):  # what is right stands for a right answer
            return (1.0, 0.0, 1.0) + (0.0,) * (len(self.measures) - 3)
        said = answer if isinstance(answer, Response) else Response(str(answer))
        outcome, right = said.outcome, is_right(gold, said)
        is_answer = outcome == "answered"
        is_told = is_answer and bool(gold.asked_in)
        is_other = is_told and bool(other_language(said, gold.asked_in))
        ended = [float(outcome == one) for one in OUTCOMES]
        pairs = [compare(said, one) for one in gold.references] or [(0.0, 0.0)]
        exact, overlap = (max(values) for values in zip(*pairs, strict=True))
        counts = chrf_counts(said, gold.references) if self._is_by_chrf else (0.0,) * len(OF_CHRF)
        wrong = float(is_answer and not right)
        return (
            float(right),
            wrong,
            *ended,
            float(is_other),
            float(is_told),
            exact,
            overlap,
            *counts,
        )

    def chance(self, examples: Sequence[Example]) -> float:
        """Score of giving every prompt back, or of declining everything, if that is more.

        0 where a function judges, which is asked about answers of models alone, and where nothing
        is expected.
        """
        return max(_echo(self, examples), _declining(examples))

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever gets it."""
        echo, declining = _echo(self, examples), _declining(examples)
        if max(echo, declining) <= 0:
            return ""
        return "giving the prompt back" if echo >= declining else "declining everything"


def _echo(task: FreeGeneration, examples: Sequence[Example]) -> float:
    """Score of the prompts as answers."""
    golds = [e.gold for e in examples]
    is_told = task._is_by_chrf or any(gold.is_stated for gold in golds)
    if not is_told or any(gold.scorer for gold in golds):
        return 0.0
    return level_of(task, examples, [Prediction(Response(e.text)) for e in examples])


def _declining(examples: Sequence[Example]) -> float:
    """Share of items of which a refusal is right."""
    return fmean(e.gold.outcome == "refused" for e in examples) if examples else 0.0


def _listed(given: Any) -> Sequence[Any] | None:
    """Messages of a cell: a list, or one in JSON, as a table of texts has it; None for a text."""
    if isinstance(given, str) and _LIST.match(given):
        with suppress(ValueError):  # a text may begin so
            given = parse_json(given)
    return given if isinstance(given, list | tuple) else None


_LIST: Final = re.compile(r'\s*\[\s*\{\s*"role"')


def _messages(listed: Sequence[Any]) -> list[Message]:
    """Messages of a conversation that a model is to go on with.

    Raises
    ------
    DataError
        If one cannot be read, or the last is not the user's.
    """
    if not listed:
        raise DataError("the list of messages is empty")
    found = []
    for place, one in enumerate(listed, 1):
        role = one.get("role") if isinstance(one, Mapping) else None
        if role not in SPEAKERS:
            said = f"message {place} is {one!r:.60}"
            shape = '{"role": "user", "content": "…"}'
            raise DataError(f"{said}: it is {shape}, and a role is {', '.join(SPEAKERS)}")
        found.append(Message(role, text_of({"content": one.get("content")}, "content")))
    if found[-1].role != "user":
        raise DataError("the last message is not the user's, so there is nothing to answer")
    return found


def _texts(row: Mapping[str, Any], name: str) -> list[str]:
    """Texts of a cell: one, a list of them, or a list of JSON; none where it is empty."""
    value = row.get(name)
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError):  # a text may begin with a bracket
            value = parse_json(value)
    if not value and value != 0:
        return []
    if not isinstance(value, list | tuple):
        value = [value]
    return [text_of({name: _number_text(one)}, name) for one in value]


def _number_text(value: Any) -> Any:
    """Number as it is written; other values as they are."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value


def _patterns(row: Mapping[str, Any]) -> Iterator[str]:
    """Regular expressions of a row."""
    stated = row.get("matches") or ()
    for pattern in [stated] if isinstance(stated, str) else stated:
        try:
            re.compile(text_of({"matches": pattern}, "matches"))
        except re.error as error:
            raise DataError(f"matches is {pattern!r:.60}, no regular expression: {error}") from None
        yield pattern


def _shape(row: Mapping[str, Any]) -> str:
    """JSON Schema of a row as canonical JSON; empty without one."""
    value = row.get("json")
    if isinstance(value, str) and value.strip():
        try:
            value = parse_json(value)
        except ValueError:
            raise DataError(f"json is {value!r:.60}: it is a JSON Schema, or true") from None
    if value in (None, "", False):
        return ""
    if fault := shape_fault(value):
        raise DataError(f"json: the shape {fault}")
    return canonical_json(value)


def _language(row: Mapping[str, Any]) -> str:
    """Code of the language that the answer is in; empty without one."""
    value = row.get("answer_language")
    if value in (None, ""):
        return ""
    code = code_of(value) if isinstance(value, str) else ""
    if not code:
        raise DataError(f"answer_language is {value!r:.60}, no code of a language (en, pt-BR)")
    return code


def _number(row: Mapping[str, Any], name: str) -> int:
    """Whole number of a cell; 0 where it is empty."""
    value = row.get(name)
    if value in (None, ""):
        return 0
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if isinstance(value, bool) or not (number >= 1 and number.is_integer()):
        raise DataError(f"{name} is {value!r:.60}, no whole number from 1 on")
    return int(number)


def _outcome(row: Mapping[str, Any]) -> str:
    """How answering is to end."""
    value = row.get("outcome")
    if value in (None, ""):
        return "answered"
    if value not in OUTCOMES[:2]:
        raise DataError(f"outcome is {value!r:.60}: it is {' or '.join(OUTCOMES[:2])}")
    return str(value)
