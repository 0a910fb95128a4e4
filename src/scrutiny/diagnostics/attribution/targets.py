"""Targets of explanations: the part of an answer that is explained, and how sure a model is of it.

==================  ==============================================  ===========================
answer              explained                                       words that may be removed
==================  ==============================================  ===========================
label               the label: its probability                      all
option              the chosen one, while it is chosen              all but those of options
spans, tags         one of them, drawn: its words with its label    all but its own
extract             the words, while they are given                 those of the other texts
anything else       the whole: the share of it that stays           all
==================  ==============================================  ===========================

A model that gives no probability of the part that is explained is sure of it (1) or gives it no
more (0).
"""

from collections.abc import Sequence
from typing import Any, Final

from scrutiny.core.answers.answer import type_of
from scrutiny.core.answers.choices import Option, is_option_field
from scrutiny.core.answers.texts import Extract
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import EVIDENCE, Example, Span
from scrutiny.core.facts import EXTRACTS, LABELS, OPTIONS, SPANS
from scrutiny.core.task import Prediction

#: Answers that diagnostics of attributions explain.
EXPLAINED: Final = (LABELS, OPTIONS, SPANS, EXTRACTS)
WHY_ONLY: Final = "of other answers no single part is explained"
_NOTHING: Final = Failure("names_nothing", "the model names nothing in this text", "skipped")


def target_of(answer: Prediction, example: Example, labels: Sequence[str]) -> Any:
    """The label, or the whole answer; of several spans one, drawn by the item's name; or a failure.

    Examples
    --------
    >>> spans = Span("text", 0, 3, "PER"), Span("text", 8, 12, "LOC")
    >>> target_of(Prediction(spans), Example("1", {"text": "Ida saw Rome"}), []).label
    'LOC'
    """
    given = answer.answer
    if given is None:
        return answer.label_among(labels)
    if not _are_spans(given):
        return given
    if not given:
        return _NOTHING
    ordered = sorted(given)
    return ordered[int(digest(example.id, size=4), 16) % len(ordered)]


def _are_spans(answer: Any) -> bool:
    """Whether an answer is spans in any number."""
    return answer.__class__ is tuple


def sureness(
    answer: Prediction,
    target: Any,
    example: Example,
    labels: Sequence[str],
    changed: Example | None = None,
) -> float:
    """How sure an answer is of the target, from 0 to 1.

    Parameters
    ----------
    answer
        To the item, or to the changed one.
    target
        What is explained: a place in a text is one of the item.
    example, changed
        The item, and what is left of it.
    labels
        Labels in the data's words, in the order of the scores.
    """
    given, scores = answer.answer, answer.scores
    if target.__class__ is str:
        if scores is None or target not in labels:
            return float(given == target)
        return float(scores[list(labels).index(target)])
    if isinstance(target, Span):
        now = changed or example
        words = example.fields[target.field][target.start : target.end]
        sure = scores or (1.0,) * len(given or ())
        kept = [
            float(score)
            for span, score in zip(given or (), sure, strict=False)
            if (span.field, span.label) == (target.field, target.label)
            and now.fields[span.field][span.start : span.end] == words
        ]
        return max(kept, default=0.0)
    kind = type_of(target)
    if given is None or type_of(given) is not kind:
        return 0.0
    share = kind.agree(target, given).share
    is_one = kind.is_judged_whole and scores is not None and len(scores) == 1
    return share * float(scores[0]) if is_one and scores else share


def is_kept(
    answer: Prediction,
    target: Any,
    example: Example,
    labels: Sequence[str],
    changed: Example | None = None,
) -> bool:
    """Whether an answer still is, or holds, the target."""
    if target.__class__ is str:
        return answer.label_among(labels) == target
    return sureness(answer._replace(scores=None), target, example, labels, changed) == 1.0


def may_be_removed(target: Any, field: str) -> bool:
    """Whether words of a field are weighed: not those of options, nor where an extract stands."""
    if isinstance(target, Option):
        return not is_option_field(field)
    return not (isinstance(target, Extract) and field == target.field)


def stretches_that_stay(target: Any, example: Example) -> list[tuple[str, int, int]]:
    """Stretches whose words stay: the span that is explained, and what no change may touch."""
    own = (target,) if isinstance(target, Span) else ()
    marked = (span for span in example.spans if not span.label.startswith(EVIDENCE))
    return [(s.field, s.start, s.end) for s in (*own, *example.protected, *marked)]


def target_in_words(target: Any, example: Example) -> str:
    """Target for a reader: "positive", "Rome (LOC)", the text of an option."""
    if isinstance(target, Span):
        return type_of((target,)).show((target,), example.fields)
    return "" if target is None else type_of(target).show(target, example.fields)
