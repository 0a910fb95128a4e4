"""Coreference: a document in, clusters of its mentions out."""

from collections.abc import Mapping, Sequence
from typing import Any

from scrutiny.core.answers.clusters import CLUSTERS, Clusters, clusters_of
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.tasks.columns.by_columns import Borders, ByColumns
from scrutiny.tasks.columns.cells import text_of
from scrutiny.tasks.columns.roles import TEXT, WORDS
from scrutiny.tasks.columns.word_cells import list_of
from scrutiny.tasks.coreference.counts import count, without_singletons
from scrutiny.tasks.coreference.metrics import OF_DOCUMENTS
from scrutiny.tasks.scored import level_of


class Coreference(ByColumns):
    """Mentions of the same person or thing, scored as in CoNLL-2012: exact borders, three metrics.

    Clusters of one mention are scored as both sides give them; ``linked_conll_f1`` leaves them out
    on both sides.
    """

    name = "coreference"
    roles = (
        WORDS._replace(is_needed=False),
        TEXT._replace(is_needed=False),
        Role(
            "clusters",
            "column of the list of clusters, each a list of mentions",
            "gold",
            ("clusters",),
        ),
        Role("document", "column of the document of a text", "unit", ("document", "doc_key")),
    )
    identifying_columns = ("words", "clusters")
    measures = OF_DOCUMENTS
    answer_type = CLUSTERS
    scored_by = Score(
        level="conll_f1@1",
        also=("muc_f1@1", "b_cubed_f1@1", "ceaf_e_f1@1", "linked_conll_f1@1", "mention_f1@1"),
        no_skill=(
            "the better score of two answers that have all mentions: each in a cluster of its own, "
            "and all in one"
        ),
    )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Clusters | None:
        """Clusters of a row; None if it has no such column.

        A mention is the first and the last of its words, counted from 0; in a text without words
        its code points, end excluded.

        Raises
        ------
        DataError
            If they cannot be read.
        """
        if "clusters" not in row:
            return None
        given = list_of(row, "clusters")
        length = borders[-1][1] if borders else len(text_of(row, "text"))
        example = Example("", {"text": " " * length}, tokens={"text": borders})
        try:
            found = CLUSTERS.given({"words": given} if borders else given, example)
        except TypeError as error:
            raise DataError(f"clusters: {error}") from error
        if wrong := CLUSTERS.check(found, example):
            raise DataError(f"clusters: the gold answer {wrong.removesuffix('.')}")
        return found

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Counts of all clusters, and of those of two mentions or more.

        Raises
        ------
        ModelError
            If the model's answer is none of this type.
        """
        if not isinstance(prediction.answer, Clusters):
            raise ModelError("the model gave no clusters.")
        ours, theirs = gold.clusters, prediction.answer.clusters
        return (*count(ours, theirs), *count(without_singletons(ours), without_singletons(theirs)))

    def chance(self, examples: Sequence[Example]) -> float:
        """CoNLL F1 of two answers that know all mentions and nothing of reference: the better."""
        known = [example for example in examples if example.gold is not None]
        alone = [[[place] for place in e.gold.mentions] for e in known]
        return max(
            level_of(self, known, [Prediction(clusters_of("text", c)) for c in answers])
            for answers in (alone, [[e.gold.mentions] for e in known])
        )
