"""Tokens in, labeled spans out: named entities and the like."""

from collections.abc import Mapping, Sequence
from typing import Any

from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Score, Task
from scrutiny.data.tasks.cells import attributes_of, checked, id_of, language_of
from scrutiny.data.tasks.tags import repairs, spans_of, token_borders


class TokenTagging(Task):
    """Entities, scored strictly: a predicted span counts if its borders and its type are right.

    The text is the tokens joined by single spaces; their borders are kept as the ``tokens`` layer.
    """

    name = "token-tagging"
    fields = ("text",)
    columns = ("tokens", "tags")
    told_by = ("tokens", "tags")
    measures = (
        Measure("tp", unit="entities"),
        Measure("fp", unit="entities"),
        Measure("fn", unit="entities"),
    )
    scored_by = Score(level="entity_f1@1", margin=0.02)

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row with lists ``tokens`` and, where there is gold, ``tags``."""
        tokens = _strings(row, "tokens")
        borders = token_borders(tokens)
        gold = None
        if "tags" in row:
            tags = _strings(row, "tags")
            if len(tags) != len(tokens):
                raise DataError(f"there are {len(tokens)} tokens and {len(tags)} tags")
            gold = spans_of(tags, borders)
        return Example(
            id=id_of(row),
            fields={"text": " ".join(tokens)},
            gold=gold,
            tokens={"text": borders},
            source=source,
            attributes=attributes_of(row),
            language=language_of(row),
        )

    def oddities(self, row: Mapping[str, Any]) -> str:
        """What had to be mended in a row that reads, or nothing."""
        return "unopened" if repairs(row.get("tags", ())) else ""

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """True positives, false positives and false negatives, by exact span and type.

        Raises
        ------
        DataError
            If there is no gold.
        ModelError
            If the model predicted no spans, not even an empty tuple.
        """
        if gold is None:
            raise DataError("there are no gold entities.")
        if prediction.spans is None:
            raise ModelError(
                "the model predicted no spans; an empty tuple says that there are none."
            )
        wanted: set[Span] = set(gold)
        got = set(prediction.spans)
        right = len(wanted & got)
        return float(right), float(len(got) - right), float(len(wanted) - right)

    def chance(self, golds: Sequence[Any]) -> float:
        """Zero: without skill, no entity is found."""
        return 0.0


def _strings(row: Mapping[str, Any], name: str) -> list[str]:
    """List of non-empty strings in a cell."""
    value = row.get(name)
    if not isinstance(value, list | tuple):
        raise DataError(f"{name} is missing" if value is None else f"{name} is not a list")
    if not value:
        raise DataError(f"{name} is empty")
    for i, item in enumerate(value):
        if not isinstance(item, str) or not item or item.isspace():
            raise DataError(f"{name}[{i}] is empty or no text")
        checked(item, name)
    return list(value)
