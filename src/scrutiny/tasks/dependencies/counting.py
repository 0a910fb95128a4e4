"""Words whose head, relation and parts of speech are right, by equal borders."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from scrutiny.core.answers.words import ROOT, Words
from scrutiny.core.task import ClassCounts

#: Relations that most sentences have, of the 37 of UD.
RELATIONS: Final = tuple(
    """nsubj obj iobj csubj ccomp xcomp obl advcl advmod aux cop mark nmod appos nummod acl amod det
    case conj cc fixed flat compound parataxis root punct""".split()
)
_Gold = Sequence[int | None]  # the gold word of each word of an answer


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
    same = _same(gold, answer)
    judged = list(_judged(gold, answer, same))
    wanted = [head for head in gold.heads or () if head is not None] if answer.heads else []
    return (
        float(sum(is_right for _, _, is_right in judged)),
        float(sum(is_right and given == name != "" for given, name, is_right in judged)),
        (len(wanted) + len(judged)) / 2,
        *_tags(gold.upos, answer.upos, same),
        *_tags(gold.xpos, answer.xpos, same),
    )


def by_relation(gold: Words, answer: Words) -> dict[str, ClassCounts]:
    """Words by relation: right in head and relation, given, or missed.

    Examples
    --------
    >>> gold = Words("text", ((0, 3), (4, 8)), (1, ROOT), ("nsubj", "root"))
    >>> by_relation(gold, gold._replace(relations=("obj", "root")))["obj"]
    ClassCounts(tp=0, fp=1, fn=0)
    """
    if answer.heads is None:
        return {}
    judged = list(_judged(gold, answer, _same(gold, answer)))
    given = Counter(name for name, _, _ in judged)
    right = Counter(name for name, other, is_right in judged if is_right and name == other)
    arcs = zip(gold.heads or (), gold.relations or (), strict=False)
    wanted = Counter(main_of(name) for head, name in arcs if head is not None)
    return {
        name: ClassCounts(right[name], given[name] - right[name], wanted[name] - right[name])
        for name in wanted | given
    }


def _same(gold: Words, answer: Words) -> _Gold:
    place = {border: i for i, border in enumerate(gold.borders)}
    return [place.get(border) for border in answer.borders]


def _judged(gold: Words, answer: Words, same: _Gold) -> Iterator[tuple[str, str, bool]]:
    """Words of an answer that are scored: relation, that of gold, and whether the head is right."""
    if gold.heads is None or answer.heads is None:
        return
    for i, (word, head) in enumerate(zip(same, answer.heads, strict=True)):
        given = main_of(answer.relations[i]) if answer.relations else ""
        if word is None:
            yield given, "", False
        elif (wanted := gold.heads[word]) is not None:
            found = head if head is None or head == ROOT else same[head]
            name = main_of(gold.relations[word]) if gold.relations else ""
            yield given, name, found == wanted


def _tags(
    gold: Sequence[str] | None, answer: Sequence[str] | None, same: _Gold
) -> tuple[float, float]:
    """Right tags, and tags."""
    if gold is None or answer is None:
        return 0.0, 0.0
    wanted = ["?" if word is None else gold[word] for word in same]  # of words in gold alone: none
    right = sum(bool(tag) and tag == found for tag, found in zip(wanted, answer, strict=True))
    return float(right), (sum(map(bool, gold)) + sum(map(bool, wanted))) / 2
