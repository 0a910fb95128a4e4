"""Words whose head, relation and parts of speech are right, by equal borders."""

from collections.abc import Sequence

from scrutiny.core.answers.words import ROOT, Words


def main_of(relation: str) -> str:
    """Relation without its subtype.

    Examples
    --------
    >>> main_of("nmod:poss")
    'nmod'
    """
    return relation.partition(":")[0]


def counts(gold: Words, answer: Words) -> tuple[float, ...]:
    """Right heads, right arcs, arcs; right and all UPOS; right and all XPOS.

    Words are the same if their borders are. Arcs, UPOS and XPOS are the mean of those of both
    sides, so that a right share is F1; without words on one side alone, it is accuracy. What gold
    leaves out of a word is counted on neither side. A layer that one side lacks has no words.

    Examples
    --------
    >>> gold = Words("text", ((0, 3), (4, 8)), (1, ROOT), ("nsubj", "root"))
    >>> counts(gold, gold._replace(relations=("obj", "root")))
    (2.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0)
    """
    place = {border: i for i, border in enumerate(gold.borders)}
    same = [place.get(border) for border in answer.borders]  # the gold word of each predicted one
    return (
        *_arcs(gold, answer, same),
        *_tags(gold.upos, answer.upos, same),
        *_tags(gold.xpos, answer.xpos, same),
    )


def _arcs(gold: Words, answer: Words, same: Sequence[int | None]) -> tuple[float, float, float]:
    """Right heads, right heads and relations, and arcs."""
    if gold.heads is None or answer.heads is None:
        return 0.0, 0.0, 0.0
    theirs, ours = gold.relations or (), answer.relations or ()
    heads = arcs = n_predicted = 0
    for i, (word, head) in enumerate(zip(same, answer.heads, strict=True)):
        wanted = None if word is None else gold.heads[word]
        if word is not None and wanted is None:
            continue
        n_predicted += 1
        found = head if head is None or head == ROOT else same[head]
        if word is None or found is None or found != wanted:
            continue
        heads += 1
        arcs += bool(theirs) and bool(ours) and main_of(theirs[word]) == main_of(ours[i])
    n_gold = sum(head is not None for head in gold.heads)
    return float(heads), float(arcs), (n_gold + n_predicted) / 2


def _tags(
    gold: Sequence[str] | None, answer: Sequence[str] | None, same: Sequence[int | None]
) -> tuple[float, float]:
    """Right tags, and tags."""
    if gold is None or answer is None:
        return 0.0, 0.0
    wanted = ["?" if word is None else gold[word] for word in same]  # of words in gold alone: none
    right = sum(bool(tag) and tag == found for tag, found in zip(wanted, answer, strict=True))
    return float(right), (sum(map(bool, gold)) + sum(map(bool, wanted))) / 2
