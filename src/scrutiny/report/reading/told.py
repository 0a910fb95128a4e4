"""What answers of a case say: in few words, or by the parts that differ."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

from scrutiny.core.answers.answer import Difference, type_of
from scrutiny.core.answers.stored import answer_of, answer_text
from scrutiny.core.edit import Edit, EditRefusedError
from scrutiny.core.example import Example
from scrutiny.text.edits.apply import track_of

NO_ANSWER: Final = "no answer"
_MOST_PARTS: Final = 3


def told(
    stored: Sequence[tuple[str | None, str | None]],
    item: Mapping[str, Any],
    edits: Sequence[Edit],
    read: frozenset[str],
) -> tuple[list[tuple[str, str]], str]:
    """Answers of each replicate before and after a change, and the right one.

    Long answers are told by the parts that differ; then what is right is told of those of the
    first replicate that has any.

    Parameters
    ----------
    stored
        Answers of each replicate before and after, as they are stored.
    item
        Its row: gold answer, source and texts.
    edits
        What was changed.
    read
        Measures that are read: other layers are not told.
    """
    shown, gold = [], ""
    for both in stored:
        parts = _differences(both, item, edits, read)
        sides = [_of_parts(parts, side) for side in ("before", "after", "right")]
        before, after, right = sides if parts else (*(said(one, read) for one in both), "")
        shown.append((before, after))
        gold = gold or right
    return shown, gold or said(item["gold"], read)


def _differences(
    both: tuple[str | None, str | None],
    item: Mapping[str, Any],
    edits: Sequence[Edit],
    read: frozenset[str],
) -> list[Difference]:
    """Parts of which two stored answers say different things, those that broke first."""
    before, after, right = (
        None if one is None else _with_layers(one, read) for one in (*both, item["gold"])
    )
    if before is None or after is None:
        return []
    example = Example("", json.loads(item["fields"]))
    text = next(iter(example.fields.values()))
    try:
        parts = type_of(before).differences(before, after, right, track_of(example, edits), text)
    except EditRefusedError:
        return []
    return sorted(parts, key=lambda part: not part.is_broken)


def _of_parts(parts: Sequence[Difference], side: Literal["before", "after", "right"]) -> str:
    """What one side says of the first parts, and how many more there are.

    Examples
    --------
    >>> _of_parts([Difference("it", "obj of sold", "obj of She", "obj of sold")], "after")
    'it obj of She'
    """
    shown = [f"{part.part} {getattr(part, side)}" for part in parts[:_MOST_PARTS]]
    shown += [f"{len(parts) - _MOST_PARTS} more"] * (len(parts) > _MOST_PARTS)
    return "; ".join(shown)


def said(stored: str | None, read: frozenset[str]) -> str:
    """Answer in few words, of the layers that are read."""
    return NO_ANSWER if stored is None else _brief(_with_layers(stored, read))


@lru_cache(maxsize=1 << 14)
def right_of_case(stored: str, read: frozenset[str]) -> str:
    """Right answer of a case as it is told: without layers that its diagnostic does not read."""
    answer = answer_of(stored)
    left = _with_layers(stored, read)
    return stored if left == answer else answer_text(left)


def brief_words(stored: str) -> str:
    """Answer of a case told in a few words, equal for answers that only moved."""
    return _brief(answer_of(stored))


def _with_layers(stored: str, read: frozenset[str]) -> Any:
    """Answer without layers that are not among those that are read, if any of them is."""
    answer = answer_of(stored)
    kind = None if answer is None else type_of(answer)
    if kind is None or not read.intersection(kind.layers):
        return answer
    return kind.without(answer, [layer for layer in kind.layers if layer not in read])


def _brief(answer: Any) -> str:
    return "none" if answer is None else type_of(answer).brief(answer)
