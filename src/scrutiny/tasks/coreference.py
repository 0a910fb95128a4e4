"""Coreference: a document in, clusters of its mentions out; counts per document, and metrics.

Counts are as the reference scorer's (Pradhan, Luo, Recasens, Hovy, Ng and Strube 2014, version
8.01): a mention counts as found if its borders are exact, and mentions that only one side has stay
in all sums of that side. MUC (Vilain et al. 1995) counts links: a cluster of n mentions needs
n - 1. B-cubed (Bagga and Baldwin 1998) asks for each mention how much of its cluster the other
side's cluster of that mention has. CEAF-e (Luo 2005) assigns clusters one to one so that the sum of
phi4, twice the common mentions over the mentions of both, is largest. Metrics are F1 of sums over
documents.

``mention_f1@1``
    **Measures**: mentions whose borders are right, whatever they refer to.
``muc_f1@1``
    **Measures**: links: how many a cluster of the one side lacks to be one on the other.
    **Misleads when**: everything is put into few clusters: wrong links cost little, and mentions
    that stand alone count for nothing.
``b_cubed_f1@1``
    **Measures**: for each mention the share of its cluster that it is together with.
    **Misleads when**: mentions mostly stand alone: leaving all alone is then nearly right.
``ceaf_e_f1@1``
    **Measures**: likeness of clusters, paired one to one as well as can be; each counts the same.
    **Misleads when**: many small clusters outweigh the few that a text is about.
``conll_f1@1``, ``linked_conll_f1@1``
    **Measures**: the mean of these three; the second leaves out clusters of one mention, of the
    gold answer and of the model.
    **Misleads when**: numbers of data with and without annotated singletons are compared.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from scrutiny.core.answers.clusters import CLUSTERS, Clusters, clusters_of
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import Prediction, Role, Score
from scrutiny.reliability.row_statistics import Additive, Array, divide
from scrutiny.tasks.cells import list_of, text_of
from scrutiny.tasks.scores import level_of
from scrutiny.tasks.tasks import TEXT, WORDS, Borders, ByColumns


class PartitionCounts(NamedTuple):
    """What two partitions of mentions have in common, and what each has.

    Parameters
    ----------
    common, gold, answer
        Mentions of both, of the gold clusters and of the answer.
    links, gold_links, answer_links
        Links, as MUC counts them.
    recalled, precise
        Sums of B-cubed's recall and precision over the mentions.
    alike, gold_clusters, answer_clusters
        Sum of phi4 over the best assignment of clusters, and how many there are to assign.
    """

    common: float
    gold: float
    answer: float
    links: float
    gold_links: float
    answer_links: float
    recalled: float
    precise: float
    alike: float
    gold_clusters: float
    answer_clusters: float


#: Begins the names of counts that leave out clusters of one mention, on both sides.
LINKED: Final = "linked_"
#: Measures of one document: counts of all clusters, and of those of two mentions or more.
OF_DOCUMENTS: Final = tuple(
    Measure(prefix + name, unit="documents")
    for prefix in ("", LINKED)
    for name in PartitionCounts._fields
)


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


Partition = Collection[Collection[Hashable]]


def count(gold: Partition, answer: Partition) -> PartitionCounts:
    """Counts of an answer against gold clusters.

    Examples
    --------
    >>> found = count(["a", "bc", "def"], ["a", "bcx", "dy", "z"])
    >>> found.links, found.gold_links, found.recalled, found.alike
    (1, 3, 3.3333333333333335, 2.2)
    """
    ours, theirs = [len(c) for c in gold], [len(c) for c in answer]
    place = {mention: k for k, cluster in enumerate(answer) for mention in cluster}
    cells = Counter((i, place[m]) for i, cluster in enumerate(gold) for m in cluster if m in place)
    common = cells.total()
    return PartitionCounts(
        common,
        sum(ours),
        sum(theirs),
        common - len(cells),
        sum(ours) - len(ours),
        sum(theirs) - len(theirs),
        sum(n * n / ours[i] for (i, _), n in cells.items()),
        sum(n * n / theirs[k] for (_, k), n in cells.items()),
        _assigned({(i, k): 2 * n / (ours[i] + theirs[k]) for (i, k), n in cells.items()}),
        len(ours),
        len(theirs),
    )


def without_singletons(partition: Partition) -> list[Collection[Hashable]]:
    """Coreference clusters of two mentions or more."""
    return [cluster for cluster in partition if len(cluster) > 1]


def _assigned(alike: Mapping[tuple[int, int], float]) -> float:
    """Largest sum of likenesses of pairs, where no cluster is in two of them."""
    from scipy.optimize import linear_sum_assignment

    if not alike:
        return 0.0
    rows, columns = (
        {at: n for n, at in enumerate(sorted(set(side)))} for side in zip(*alike, strict=True)
    )
    matrix = np.zeros((len(rows), len(columns)))
    for (i, k), value in alike.items():
        matrix[rows[i], columns[k]] = value
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


_MENTIONS: Final = ("common", "gold", "answer")
_MUC: Final = ("links", "gold_links", "answer_links")
_B_CUBED: Final = ("recalled", "precise", "gold", "answer")
_CEAF_E: Final = ("alike", "gold_clusters", "answer_clusters")


def _f1(sums: Array) -> Array:
    """F1 of what was found, what there is and what was given; NaN if there is nothing."""
    found, gold, answer = np.moveaxis(sums, -1, 0)
    return divide(2 * found, gold + answer)


def _muc(sums: Array) -> Array:
    """MUC F1; 0 where neither side has a link, as in the reference scorer."""
    return np.nan_to_num(_f1(sums))


def _muc_alone(sums: Array) -> Array:
    """MUC F1 behind the mentions of both sides; NaN where neither has any."""
    return np.where(sums[..., :2].sum(axis=-1) > 0, _muc(sums[..., 2:]), np.nan)


def _b_cubed(sums: Array) -> Array:
    """B-cubed F1 of the sums of recall and precision, and the mentions of both sides."""
    recalled, precise, gold, answer = np.moveaxis(sums, -1, 0)
    value = divide(2 * recalled * precise, recalled * answer + precise * gold)
    return np.where(gold + answer > 0, np.nan_to_num(value), np.nan)


def _conll(sums: Array) -> Array:
    """Mean of the three F1s."""
    return np.asarray((_muc(sums[..., :3]) + _b_cubed(sums[..., 3:7]) + _f1(sums[..., 7:])) / 3)


def _things(sums: Array) -> Array:
    """Mean of what there is and what was given: mentions, links or clusters, the last needs."""
    return np.asarray(sums[..., -2:].mean(axis=-1))


def _metric(
    name: str,
    says: str,
    needs: tuple[str, ...],
    combine: Callable[[Array], Array],
    *,
    prefix: str = "",
    **stated: Any,
) -> Additive:
    """Metric of sums of counts over documents."""
    return Additive(
        f"{name}@1",
        says,
        tuple(prefix + need for need in needs),
        lambda measures: measures,
        combine,
        scale="logit",
        higher_is="better",
        tolerance=0.02,
        flips_over=_things,
        **stated,
    )


CONLL_F1: Final = _metric("conll_f1", "CoNLL F1", (*_MUC, *_B_CUBED, *_CEAF_E), _conll)
MUC_F1: Final = _metric("muc_f1", "MUC F1", ("gold", "answer", *_MUC), _muc_alone, headline="MUC")
B_CUBED_F1: Final = _metric("b_cubed_f1", "B-cubed F1", _B_CUBED, _b_cubed, headline="B-cubed")
CEAF_E_F1: Final = _metric("ceaf_e_f1", "CEAF-e F1", _CEAF_E, _f1, headline="CEAF-e")
LINKED_CONLL_F1: Final = _metric(
    "linked_conll_f1",
    "CoNLL F1 without singletons",
    CONLL_F1.needs,
    _conll,
    prefix=LINKED,
    headline="CoNLL F1 without singletons",
)
MENTION_F1: Final = _metric("mention_f1", "mention F1", _MENTIONS, _f1, headline="mention F1")
