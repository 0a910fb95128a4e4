"""What a judge is asked of each item, and its replies; or its stored verdicts."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from scrutiny.core.diagnostic import Context, Failure
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction
from scrutiny.diagnostics.judges.judge_design import AGAIN, AS_GIVEN, LONGER, SWAPPED
from scrutiny.diagnostics.judges.questions import (
    answers_of,
    formatted,
    one_answer,
    only,
    padded,
    swapped,
)
from scrutiny.diagnostics.judges.verdicts import UNPARSED, JudgeParams
from scrutiny.models.answers.returned_labels import answered_label
from scrutiny.perturb.engine.apply import perturb
from scrutiny.tasks.judgments import STORED
from scrutiny.text.edits import apply_edits

Reply = Prediction | Failure
NOT_STORED: Final = Failure("not_stored", status="skipped")
_UNCHANGED: Final = Failure("unchanged", status="skipped")


class JudgeQuestions(NamedTuple):
    """JudgeQuestions beside an item, each by its name, and the answer that it changes.

    A question that cannot be asked (no word could be changed) is the reason why.
    """

    asked: Mapping[str, Example | Failure]
    fields: Mapping[str, str]


def questions_of(example: Example, params: JudgeParams, ctx: Context) -> JudgeQuestions:
    """JudgeQuestions beside an item: exchanged, longer, formatted, changed."""
    asked: dict[str, Example | Failure] = {}
    fields: dict[str, str] = {}
    is_pair = len(answers_of(example)) > 1
    better = {params.first: "answer_a", params.second: "answer_b"} if is_pair else {}
    if is_pair:
        asked[SWAPPED] = swapped(example)
    for name in (LONGER, *params.formats):
        field = fields[name] = one_answer(example, ctx.rng("shown", name, example.id))
        one = padded(example, field) if name == LONGER else formatted(example, field, name)
        asked[name] = one if one.fields != example.fields else _UNCHANGED
    for name in params.keeping:
        asked[name] = _changed(example, name, ctx)
    for name in params.changing:
        rng = ctx.rng("changed", name, example.id)
        field = fields[name] = one_answer(example, rng, better.get(str(example.gold), ""))
        asked[name] = _changed(only(example, field), name, ctx)
    return JudgeQuestions(asked, fields)


def _changed(example: Example, recipe: str, ctx: Context) -> Example | Failure:
    """The item with words changed; what is wrong where no words could be."""
    variant = perturb(example, recipe, seed=ctx.seed)
    if variant.status != "ok":
        return Failure(variant.reason or "unchanged", status=variant.status)
    return apply_edits(example, variant.edits)


def replies_to(
    examples: Sequence[Example], questions: Sequence[JudgeQuestions], ctx: Context
) -> list[dict[str, Reply]]:
    """Replies to each item as given, again, and to each question beside it."""
    if ctx.model.has_stored_answers_only:
        return [
            _stored(example, one.asked, ctx.labels)
            for example, one in zip(examples, questions, strict=True)
        ]
    first, again = (ctx.predict(examples, draw=draw) for draw in range(2))
    found: list[dict[str, Reply]] = [
        {AS_GIVEN: one, AGAIN: other} for one, other in zip(first, again, strict=True)
    ]
    texts, places = [], []
    for place, one in enumerate(questions):
        for name, question in one.asked.items():
            if isinstance(question, Failure):
                found[place][name] = question
            else:
                texts.append(question)
                places.append((place, name))
    for (place, name), reply in zip(places, ctx.predict(texts) if texts else (), strict=True):
        found[place][name] = reply
    return found


def _stored(
    example: Example, asked: Mapping[str, object], labels: Sequence[str]
) -> dict[str, Reply]:
    """Stored verdicts of an item; what was not asked back then is skipped."""
    found: dict[str, Reply] = {**dict.fromkeys((AS_GIVEN, AGAIN, *asked), NOT_STORED)}
    for name, column in zip((AS_GIVEN, SWAPPED, AGAIN), STORED, strict=True):
        given = answered_label(example.attributes.get(f"a_{column}", ""))
        if given and name in found:
            found[name] = Prediction(given) if given in labels else Failure(UNPARSED)
    return found
