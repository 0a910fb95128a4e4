"""Classification: one class of a text, of a pair, of two marked parts; or several labels."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from scrutiny.core.answers.choices import LABEL_SET, LabelSet
from scrutiny.core.answers.label_and_spans import LABEL
from scrutiny.core.columns.item_columns import label_counts
from scrutiny.core.errors import DataError, ModelError
from scrutiny.core.example import EVIDENCE, MARKED, Example, Span
from scrutiny.core.randomness import Rng
from scrutiny.core.record import Measure
from scrutiny.core.task import ClassCounts, ExchangesLabels, Prediction, Role, Score
from scrutiny.tasks.cells import indices_of, labels_of, list_of, text_of
from scrutiny.tasks.tasks import LABEL as LABEL_ROLE
from scrutiny.tasks.tasks import (
    OF_SENTENCES,
    TEXT,
    TEXT_PAIR,
    TWO_TEXTS,
    Borders,
    ByColumns,
    counted,
    counts_of,
)

#: What people say that a label rests on: a column that has to be named, as many are called so.
RATIONALE: Final = Role(
    EVIDENCE,
    "column of the list of [start, end] of what the label rests on",
    "list",
)


class Classification(ByColumns, ExchangesLabels):
    """One label for one or several texts; a task only states its columns."""

    measures = (
        Measure("hit", unit="items"),
        Measure("pred", unit="index of a label"),
        Measure("p_gold", unit="probability"),
    )
    scored_by = Score(level="accuracy@1", no_skill="the share of the commonest label")
    answer_type = LABEL

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Hit, index of the predicted label, and probability of the gold label.

        A model that gives labels without probabilities is taken at its word: the probability is 1
        or 0.
        """
        if gold not in labels:
            what = "there is no gold label" if gold is None else f"the gold label is {gold!r}"
            raise DataError(f"{what}; the model's labels are {', '.join(labels)}.")
        if prediction.answer not in labels:
            raise ModelError(
                f"the model predicted {prediction.answer!r}, which is none of its labels: "
                f"{', '.join(labels)}."
            )
        hit = float(prediction.answer == gold)
        p_gold = hit
        if prediction.scores is not None:
            if len(prediction.scores) != len(labels):
                raise ModelError(
                    f"the model gave {len(prediction.scores)} scores for {len(labels)} labels."
                )
            p_gold = float(prediction.scores[labels.index(gold)])
        return hit, float(labels.index(prediction.answer)), p_gold

    def spans(
        self, row: Mapping[str, Any], words: Sequence[str], borders: Borders
    ) -> tuple[Span, ...]:
        """Spans of evidence that the label rests on, where the row says which.

        Raises
        ------
        DataError
            If a place lies outside the text.
        """
        if not row.get(EVIDENCE) or not any(role.name == EVIDENCE for role in self.roles):
            return ()
        texts = self.texts(row)
        first = next(iter(texts))
        found = []
        for place in list_of(row, EVIDENCE):
            *field, start, end = place if isinstance(place, list | tuple) else (place, 0)
            name = field[0] if field else first
            whole = len(texts.get(name, ""))
            if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= whole):
                raise DataError(
                    f"{EVIDENCE} holds {place!r:.60}, and a place is [start, end] in the first "
                    "text, or [field, start, end]"
                )
            found.append(Span(name, start, end, EVIDENCE))
        return tuple(found)

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """One class right, or one given and another one missed."""
        if gold == answer:
            return {gold: ClassCounts(tp=1.0)}
        return {gold: ClassCounts(fn=1.0), answer: ClassCounts(fp=1.0)}

    def chance(self, examples: Sequence[Example]) -> float:
        """Share of the most frequent label."""
        counts = label_counts(examples)
        if not counts:
            raise DataError("The data has no gold labels, so there is no chance level.")
        return max(counts.values()) / counts.total()

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever answers the most frequent label to everything.

        Examples
        --------
        >>> examples = [Example(str(i), {}, gold) for i, gold in enumerate(["ham", "spam", "ham"])]
        >>> TextClassification().without_skill(examples)
        "always answering 'ham'"
        """
        counts = label_counts(examples)
        return f"always answering {counts.most_common(1)[0][0]!r}" if counts else ""

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with gold labels exchanged at random; label counts stay the same."""
        return _exchanged(examples, rng)


def _exchanged(examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
    """Examples with gold answers exchanged at random."""
    order = rng.permutation(len(examples)).tolist()
    golds = [examples[k].gold for k in order]
    return tuple(replace(e, gold=gold) for e, gold in zip(examples, golds, strict=True))


class TextClassification(Classification):
    """Text classification: sentiment, topic, any label of a whole text."""

    name = "text-classification"
    has_cells_apart = True
    roles = (TEXT, LABEL_ROLE, RATIONALE)
    identifying_columns = ("text",)


class TextPairClassification(Classification):
    """Classification of text pairs: inference, paraphrase, question and answer."""

    name = "text-pair-classification"
    has_cells_apart = True
    roles = (TEXT, TEXT_PAIR, LABEL_ROLE, RATIONALE)
    side_by_side = TWO_TEXTS
    identifying_columns = ("text", "text_pair")


_MARK: Final = re.compile(r"<(/?)(e[12])>")
_DIRECTION: Final = re.compile(r"\((?:e1,\s*e2|e2,\s*e1)\)$")
_NO_RELATION: Final = "no_relation"
_MARKED: Final = ["<e1>", "</e1>", "<e2>", "</e2>"]


class RelationClassification(Classification):
    """Relation of two parts of a text, which are marked in it: ``<e1>Ida</e1> left <e2>Rome</e2>``.

    Models read the text with its marks. No change touches the marked parts but those for them.
    Where a file has their places in columns of their own, the marks are put there.

    Classes are scored one by one as SemEval-2010 task 8 has it: ``R(e1,e2)`` and ``R(e2,e1)`` are
    one class, which a wrong direction misses. The label of pairs without a relation is none: that
    which the format has (``Other``, or ``none`` in lists of entities), or a column ``no_relation``
    names on every row. Without such a column each label is a relation.
    """

    name = "relation-classification"
    roles = (
        TEXT,
        Role("e1", "column of [start, end] of the first part", "list", is_anchor=True),
        Role("e2", "column of [start, end] of the second part", "list", is_anchor=True),
        LABEL_ROLE._replace(names=(*LABEL_ROLE.names, "relation")),
        Role(
            _NO_RELATION,
            "column of the label of pairs without a relation",
            "label",
            (_NO_RELATION,),
        ),
        OF_SENTENCES[0],
    )
    identifying_columns = ()
    class_words = "relation", "items"
    _no_relation: frozenset[str] = frozenset()

    def on(self, examples: Sequence[Example]) -> "RelationClassification":
        """Task with the relations of these items, without their directions."""
        told = RelationClassification()
        stated = (e.attributes.get(f"a_{_NO_RELATION}") for e in examples)
        told._no_relation = frozenset(str(label) for label in stated if label is not None)
        golds = {e.gold for e in examples if e.gold is not None} - told._no_relation
        told.classes = tuple(sorted(set(map(_relation, golds))))
        return told

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """One relation right, or one given and another one missed, which may be the same."""
        wanted, given = (
            "" if label in self._no_relation else _relation(label) for label in (gold, answer)
        )
        is_right = gold == answer
        return {
            one: ClassCounts(
                tp=float(is_right),
                fp=float(one == given and not is_right),
                fn=float(one == wanted and not is_right),
            )
            for one in {wanted, given} - {""}
        }

    def texts(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The text with its two marked parts.

        Raises
        ------
        DataError
            If there are not two of them, marked once each, or their places overlap.
        """
        text = text_of(row, "text")
        if "e1" in row or "e2" in row:
            text = _with_marks(text, row)
        found = [mark.group() for mark in _MARK.finditer(text)]
        if found not in (_MARKED, [*_MARKED[2:], *_MARKED[:2]]):
            raise DataError(
                f"text has the marks {' '.join(found) or 'of no part'}; its two parts are marked "
                "once each, as in <e1>Ida</e1> left <e2>Rome</e2>, or by columns e1 and e2 of "
                "[start, end]"
            )
        return {"text": text}

    def parse(self, row: Mapping[str, Any], *, source: str) -> Example:
        """Example of a row, with a span for each marked part."""
        found = super().parse(row, source=source)
        marks = list(_MARK.finditer(found.text))
        spans = [
            Span("text", first.end(), last.start(), first[2])
            for first, last in zip(marks[::2], marks[1::2], strict=True)
        ]
        if any(not found.text[span.start : span.end].strip() for span in spans):
            raise DataError("one of the marked parts is empty")
        return replace(found, spans=tuple(spans))

    def closed(self, texts: Mapping[str, str]) -> tuple[Span, ...]:
        """Marked parts with their marks."""
        marks = list(_MARK.finditer(texts["text"]))
        pairs = zip(marks[::2], marks[1::2], strict=True)
        return tuple(Span("text", first.start(), last.end(), MARKED) for first, last in pairs)


def _relation(label: str) -> str:
    """Relation that a label names, without its direction.

    Examples
    --------
    >>> [_relation(label) for label in ("Cause-Effect(e2,e1)", "born in")]
    ['Cause-Effect', 'born in']
    """
    return _DIRECTION.sub("", label)


def _with_marks(text: str, row: Mapping[str, Any]) -> str:
    """Text with marks around the places of its two parts."""
    marks = []
    for name in ("e1", "e2"):
        place = indices_of(row.get(name), name, n=len(text) + 1)
        if len(place) != 2 or not place[0] < place[1]:
            raise DataError(f"{name} is {row.get(name)!r:.60}; it is [start, end] in code points")
        marks.append((place[0], place[1], name))
    (start, end, first), (later, last, second) = sorted(marks)
    if later < end:
        raise DataError("e1 and e2 overlap")
    return (
        f"{text[:start]}<{first}>{text[start:end]}</{first}>{text[end:later]}"
        f"<{second}>{text[later:last]}</{second}>{text[last:]}"
    )


class MultiLabelClassification(ByColumns, ExchangesLabels):
    """Several labels of a text, of which any number applies; scored by micro-F1.

    A model without skill gives the same labels to every text: those, the commonest, with which it
    scores most.
    """

    name = "multi-label-classification"
    roles = (
        TEXT,
        Role(
            "label",
            "column of the list of gold labels, or of labels with bars between them (a|b)",
            "gold",
            ("labels", "classes", "categories", *LABEL_ROLE.names),
        ),
    )
    identifying_columns = ()
    measures = (
        *counted("labels"),
        Measure("exact", unit="items"),
        Measure("asked", unit="labels"),
    )
    answer_type = LABEL_SET
    scored_by = Score(
        level="micro_f1@1",
        also=("exact_match@1", "hamming@1"),
        no_skill="the score of always giving the same labels, the best such",
    )
    class_words = "label", "items"
    _labels: frozenset[str] = frozenset()

    def on(self, examples: Sequence[Example]) -> "MultiLabelClassification":
        """Task over the labels of these items, of which each is right or wrong on every item."""
        told = MultiLabelClassification()
        told._labels = told._labels.union(*(e.gold for e in examples if e.gold))
        return told

    def gold(self, row: Mapping[str, Any], borders: Borders) -> LabelSet | None:
        """Gold labels of a row; an empty list is none of them, which is an answer."""
        found = labels_of(row, self.answer)
        return None if found is None else LabelSet(found)

    def score(
        self, gold: Any, prediction: Prediction, *, labels: Sequence[str]
    ) -> tuple[float, ...]:
        """Labels that are right, given but wrong, and missed; whether all are right; all asked.

        Asked are the labels of the data and of the model.
        """
        if gold is None:
            raise DataError("there are no gold labels.")
        given = prediction.answer
        asked = len(self._labels.union(labels, gold, given))
        return (*counts_of(gold, given), float(gold == given), float(asked))

    def class_counts(self, gold: Any, answer: Any) -> Mapping[str, ClassCounts]:
        """Each label by itself: found, given but wrong, missed."""
        right, wrong, missed = gold & answer, answer - gold, gold - answer
        return {
            label: ClassCounts(label in right, label in wrong, label in missed)
            for label in gold | answer
        }

    def chance(self, examples: Sequence[Example]) -> float:
        """Micro-F1 of the labels that are best given to every text."""
        return _best_constant(examples)[0]

    def without_skill(self, examples: Sequence[Example]) -> str:
        """Whoever gives these labels to every text.

        Examples
        --------
        >>> golds = [["joy", "love"], ["joy"], ["joy"], ["fear"]]
        >>> examples = [Example(str(i), {}, LabelSet(gold)) for i, gold in enumerate(golds)]
        >>> task = MultiLabelClassification()
        >>> task.without_skill(examples), round(task.chance(examples), 3)
        ("always answering 'joy'", 0.667)
        """
        labels = _best_constant(examples)[1]
        return f"always answering {', '.join(map(repr, labels))}" if labels else ""

    def permute(self, examples: Sequence[Example], rng: Rng) -> tuple[Example, ...]:
        """Examples with sets of labels exchanged at random."""
        return _exchanged(examples, rng)


def _best_constant(examples: Sequence[Example]) -> tuple[float, tuple[str, ...]]:
    """Best micro-F1 of giving the same labels to all items, and these labels.

    The k commonest are the best k: F1 is twice their count, of all gold labels and all given ones.
    """
    golds = [example.gold for example in examples if example.gold is not None]
    counts = Counter(label for gold in golds for label in gold)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    found, best, right = 0.0, 0, 0
    for k, (_, count) in enumerate(ordered, 1):
        right += count
        level = 2 * right / (k * len(golds) + counts.total())
        if level > found:
            found, best = level, k
    return found, tuple(label for label, _ in ordered[:best])
