"""Dependencies: the head of each word, the relation between them, and parts of speech.

Words whose head, relation and parts of speech are right are counted by equal borders.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.answers.words import ROOT, WORDS, Words
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.record import Measure
from scrutiny.core.task import ClassCounts, Prediction, Role, Score
from scrutiny.tasks.annotated import Annotated
from scrutiny.tasks.cells import list_of
from scrutiny.tasks.item_hashes import held_out_column
from scrutiny.tasks.tasks import OF_SENTENCES, Borders, counts_by_class, list_role
from scrutiny.tasks.tasks import WORDS as COLUMN_OF_WORDS

#: Layers that a file may have besides heads and relations.
_TAGS: Final = ("upos", "xpos")
#: Words of a circle that a message names.
_MOST_SHOWN: Final = 4
#: Relations that most sentences have, of the 37 of UD.
RELATIONS: Final = tuple(
    """nsubj obj iobj csubj ccomp xcomp obl advcl advmod aux cop mark nmod appos nummod acl amod det
    case conj cc fixed flat compound parataxis root punct""".split()
)


class DependencyArcs(Annotated):
    """Dependencies numbered as in CoNLL-U: heads from 1, 0 for the root.

    A parser is scored as in the CoNLL 2018 shared task: by words with the same borders, relations
    without their subtypes. Models that give no parses are read otherwise: their attention, their
    vectors.
    """

    name = "dependency-arcs"
    answer_type = WORDS
    classes = RELATIONS
    class_words = "relation", "words"
    answers_are_optional = True
    identifying_columns = ("heads", "relations")
    roles = (
        COLUMN_OF_WORDS,
        list_role("heads", "column of the list of heads, from 1, 0 for the root", "head"),
        list_role("relations", "column of the list of relations", "deprels", "deprel"),
        Role("upos", "column of the list of universal parts of speech", "list", ("upos",)),
        Role("xpos", "column of the list of the treebank's parts of speech", "list", ("xpos",)),
        Role("raw", "column of the sentence as it was written", "list", ("raw",)),
        *OF_SENTENCES,
    )
    measures = tuple(
        Measure(name, unit="words")
        for name in "right_heads right_arcs arcs right_upos upos right_xpos xpos".split()
    )
    scored_by = Score(
        level="las@1",
        also=("uas@1", "upos@1", "xpos@1"),
        kept=("upos@1",),
        no_skill="that of the commonest relation to the next word, or to the one before",
    )

    def gold(self, row: Mapping[str, Any], borders: Borders) -> Words:
        """Annotation of a row's words.

        Raises
        ------
        DataError
            If it cannot be read, or does not fit the words.
        """
        n = len(borders)
        words = row["words"]
        heads = [_head(head, i, words) for i, head in enumerate(list_of(row, "heads", n=n))]
        _must_lead_to_a_root(heads, words)
        relations = list_of(row, "relations", n=n)
        for i, relation in enumerate(relations):
            if heads[i] is not None and not (isinstance(relation, str) and relation):
                raise DataError(f"relations[{i}] is {relation!r}, no name of a relation")
        named = ["" if head is None else r for head, r in zip(heads, relations, strict=True)]
        tags = [_tags(row, name, n) for name in _TAGS]
        return Words("text", borders, tuple(heads), tuple(named), *tags)

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: sentences that are no tree, and the doubts of any row."""
        yield from super().doubts(row, example)
        if example.gold.heads.count(ROOT) != 1:
            yield "have no root or several"

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes: whether the sentence is held out of trainings."""
        return held_out_column(" ".join(words))

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Words that are right, and words that are counted, layer by layer.

        Raises
        ------
        DataError
            If there is no gold.
        ModelError
            If the model's answer is none of this type.
        """
        if gold is None:
            raise DataError("there is no gold annotation.")
        if not isinstance(prediction.answer, Words):
            raise ModelError("the model gave no annotation of words.")
        return counts(gold, prediction.answer)

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """Words by relation; one is found if its head is right, too."""
        return by_relation(gold, answer)

    def chance(self, examples: Sequence[Example]) -> float:
        """LAS of the commonest relation to a neighbor.

        Examples
        --------
        >>> gold = Words("text", ((0, 1), (2, 3), (4, 5)), (1, 2, ROOT), ("det", "det", "root"))
        >>> DependencyArcs().chance([Example("1", {"text": "a b c"}, gold)])
        0.6666666666666666
        """
        golds = [example.gold for example in examples if example.gold is not None]
        near = Counter(
            (head - i, main_of(relation))
            for gold in golds
            for i, (head, relation) in enumerate(zip(gold.heads, gold.relations, strict=True))
            if head is not None and head != ROOT and abs(head - i) == 1
        )
        total = sum(head is not None for gold in golds for head in gold.heads)
        return max(near.values(), default=0) / total if total else 0.0


def _head(head: Any, place: int, words: Sequence[str]) -> int | None:
    """Head of a word, counted from 0."""
    if head is None:
        return None
    if isinstance(head, bool) or not isinstance(head, int) or not 0 <= head <= len(words):
        raise DataError(
            f"heads[{place}] is {head!r}; heads are counted from 1 to {len(words)}, and 0 is the "
            "root"
        )
    if head == place + 1:
        raise DataError(f"heads[{place}]: the word {words[place]!r} is its own head")
    return head - 1


def _must_lead_to_a_root(heads: Sequence[int | None], words: Sequence[str]) -> None:
    """Raise if the heads of some word lead back to it: then the sentence is no tree.

    A sentence whose words all have a head among its words has such a circle, and no root.
    """
    seen: list[int] = [0] * len(heads)  # the word from which each was first reached
    for start in range(1, len(heads) + 1):
        place: int | None = start - 1
        while place is not None and place != ROOT and not seen[place]:
            seen[place] = start
            place = heads[place]
        if place is not None and place != ROOT and seen[place] == start:
            circle = [place]
            while (head := heads[circle[-1]]) is not None and head != place:
                circle.append(head)
            shown = ", ".join(f"{i + 1} {words[i]!r}" for i in circle[:_MOST_SHOWN])
            rest = " and others" if len(circle) > _MOST_SHOWN else ""
            lack = "" if ROOT in heads else ", and no word is the root (head 0)"
            raise DataError(f"heads go round in a circle, through the words {shown}{rest}{lack}")


def _tags(row: Mapping[str, Any], name: str, n: int) -> tuple[str, ...] | None:
    """Parts of speech of a row, empty for words without; None if no word has any."""
    if row.get(name) is None:
        return None
    found = ["" if tag is None else tag for tag in list_of(row, name, n=n)]
    odd = next((i for i, tag in enumerate(found) if not isinstance(tag, str)), None)
    if odd is not None:
        raise DataError(f"{name}[{odd}] is {found[odd]!r}, no part of speech")
    return tuple(found) if any(found) else None


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
        *_right_tags(gold.upos, answer.upos, same),
        *_right_tags(gold.xpos, answer.xpos, same),
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
    return counts_by_class(right, given, wanted)


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


def _right_tags(
    gold: Sequence[str] | None, answer: Sequence[str] | None, same: _Gold
) -> tuple[float, float]:
    """Right tags, and tags."""
    if gold is None or answer is None:
        return 0.0, 0.0
    wanted = ["?" if word is None else gold[word] for word in same]  # of words in gold alone: none
    right = sum(bool(tag) and tag == found for tag, found in zip(wanted, answer, strict=True))
    return float(right), (sum(map(bool, gold)) + sum(map(bool, wanted))) / 2
