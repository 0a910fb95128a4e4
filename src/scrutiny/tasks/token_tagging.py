"""Token tagging: tokens in, labeled spans out (named entities and the like)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example, Span
from scrutiny.core.task import ClassCounts, Prediction, Score
from scrutiny.tasks.cells import words_of
from scrutiny.tasks.tags import has_bare_types, repairs, spans_of
from scrutiny.tasks.tasks import (
    RAW,
    TAGS,
    TOKENS,
    Borders,
    ByColumns,
    counted,
    counts_by_class,
    counts_of,
)


class TokenTagging(ByColumns):
    """Entities, scored strictly: a predicted span counts if its borders and its type are right."""

    name = "token-tagging"
    roles = (TOKENS, TAGS, RAW)
    identifying_columns = ("tokens", "tags")
    measures = counted("entities")
    answer_type = SPANS
    scored_by = Score(level="entity_f1@1")
    class_words = "type", "entities"

    def gold(self, row: Mapping[str, Any], borders: Borders) -> tuple[Span, ...] | None:
        """Entities of a row; None if it has no tags.

        Raises
        ------
        DataError
            If a tag cannot be read, or there is not one for each token.
        """
        if "tags" not in row:
            return None
        given = row["tags"]
        if isinstance(given, list | tuple) and given and all(isinstance(t, int) for t in given):
            raise DataError("tags are numbers: name them in order, as in names=O|B-PER|I-PER")
        tags = words_of(row, "tags")
        if len(tags) != len(borders):
            raise DataError(f"there are {len(borders)} tokens and {len(tags)} tags")
        return spans_of(tags, borders)

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: entities that had to be repaired, and the doubts of any row."""
        yield from super().doubts(row, example)
        tags = row.get("tags", ())
        if has_bare_types(tags):
            yield (
                "have types without B- or I- (PER); words side by side with the same type were "
                "read as one entity"
            )
        if repairs(tags):
            yield (
                "have entities that begin with I- rather than B-; they were read as conlleval "
                "reads them (an entity starts there)"
            )

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
        if prediction.answer is None:
            raise ModelError(
                "the model predicted no spans; predict an empty tuple if there are none."
            )
        return counts_of(set(gold), set(prediction.answer))

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """Entities by type, by exact span: found, given but wrong, missed.

        Examples
        --------
        >>> gold, answer = (Span("text", 0, 3, "PER"),), (Span("text", 0, 3, "LOC"),)
        >>> TokenTagging().class_counts(gold, answer)["LOC"]
        ClassCounts(tp=0, fp=1, fn=0)
        """
        wanted, got = set(gold), set(answer)
        by_label = (Counter(s.label for s in spans) for spans in (wanted & got, got, wanted))
        return counts_by_class(*by_label)
