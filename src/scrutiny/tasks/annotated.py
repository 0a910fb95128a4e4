"""Texts that ask for no answer: annotated words, running text, corpora of scored heads.

Annotated words have labels that attention heads and vectors are compared with: classes, spans that
belong to an anchor, mentions of one person or thing, pairs that belong together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import (
    ALIGNED_WORDS,
    ANCHORED_SPANS,
    HEAD_COUNTS,
    MENTIONS,
    RUNNING_TEXT,
    WORD_CLASSES,
)
from scrutiny.core.queries.annotation import ANCHOR, TARGET
from scrutiny.core.task import Role
from scrutiny.tasks.cells import indices_of, label_in_cell, list_of, run_of_words, runs_of_words
from scrutiny.tasks.item_hashes import content_key, half_of, held_out_column
from scrutiny.tasks.tasks import OF_SENTENCES, TEXT, WORDS, Borders, ByColumns, list_role, text_role


class Labeled(NamedTuple):
    """Label on the words from ``first`` to ``last``, both counted from 0."""

    first: int
    last: int
    label: str


class Annotated(ByColumns):
    """Words with an annotation; the text is the words joined by single spaces.

    Items of one sentence share ``u_sentence`` (the text itself where no column says which) and
    ``a_half``, the half of the data that the sentence belongs to.
    """

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Labels of a row; none where its annotation is its gold answer.

        Raises
        ------
        DataError
            If the annotation cannot be read, or does not fit the words.
        """
        return iter(())

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes derived from the annotation."""
        return {}

    def spans(
        self, row: Mapping[str, Any], words: Sequence[str], borders: Borders
    ) -> tuple[Span, ...]:
        """Labels of a row as spans of its text."""
        return tuple(
            Span("text", borders[one.first][0], borders[one.last][1], one.label)
            for one in self.labeled(row, words)
        )

    def kept(
        self, row: Mapping[str, Any], texts: Mapping[str, str], words: Sequence[str]
    ) -> dict[str, str | float]:
        """Attributes of a row, with its sentence and its half.

        Raises
        ------
        DataError
            If the half is neither A nor B.
        """
        own = content_key(Example("", texts))[:8].hex()  # whatever is annotated
        told = {"u_sentence": own, **self.told(row, words), **row}
        attributes = super().kept(told, texts, words)
        half = attributes.setdefault("a_half", half_of(str(attributes["u_sentence"])))
        if half not in ("A", "B"):
            raise DataError(f"half is {half!r}; it is A or B")
        return attributes


class AlignedPairs(Annotated):
    """Pairs of groups of words, each pair two lists of word indices."""

    name = "aligned-pairs"
    holds = ALIGNED_WORDS.holds
    identifying_columns = ("pairs",)
    roles = (
        WORDS,
        list_role("pairs", "column of the list of pairs of lists of places of words"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Labels ``PAIR:a`` and ``PAIR:b`` for each pair, numbered from 1."""
        for i, pair in enumerate(list_of(row, "pairs"), 1):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise DataError(f"pairs[{i - 1}] is no pair of lists of places of words")
            for side, value in zip("ab", pair, strict=True):
                where = f"pairs[{i - 1}], side {side},"
                yield Labeled(*run_of_words(value, where, n=len(words)), f"{i}:{side}")


class AnchoredSpans(Annotated):
    """Sentence with the words of one anchor, and its target words, which may be none.

    A sentence with several anchors is several items. ``a_cue`` is the anchor in lower case;
    ``a_heldout`` is whether trainings on this data leave the sentence out.
    """

    name = "anchored-spans"
    holds = ANCHORED_SPANS.holds
    identifying_columns = ("anchor", "target")
    roles = (
        WORDS,
        list_role("anchor", "column of the list of places of the anchor's words", "cue"),
        list_role("target", "column of the list of places of words that belong to it", "scope"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """Spans of the anchor and of its target; a word listed twice has two."""
        anchor = indices_of(row.get("anchor"), "anchor", n=len(words))
        target = indices_of(row.get("target"), "target", n=len(words))
        if not anchor:
            raise DataError("anchor has no words")
        for label, indices in ((ANCHOR, sorted(set(anchor))), (TARGET, target)):
            for first, last in runs_of_words(indices):
                yield Labeled(first, last, label)

    def told(self, row: Mapping[str, Any], words: Sequence[str]) -> Mapping[str, str]:
        """Attributes: the anchor's words in lower case, and whether the sentence is held out."""
        cue = " ".join(words[i].lower() for i in sorted(set(row["anchor"])))
        return {"a_cue": cue, **held_out_column(" ".join(words))}


#: Kinds of mentions.
KINDS: Final = ("pronoun", "proper", "nominal")


class MentionClusters(Annotated):
    """Mentions: objects with ``words``, ``cluster`` and ``kind``."""

    name = "mention-clusters"
    holds = MENTIONS.holds
    identifying_columns = ("mentions",)
    roles = (
        WORDS,
        list_role("mentions", "column of the list of mentions: words, cluster, kind"),
        Role("pronoun", "column of the pronoun that a text is about", names=("pronoun",)),
        Role("gender", "column of the gender of that pronoun", names=("gender",)),
        *OF_SENTENCES,
    )

    def doubts(self, row: Mapping[str, Any], example: Example) -> Iterator[str]:
        """Doubts: pronouns that are not among the text's words, and the doubts of any row."""
        yield from super().doubts(row, example)
        pronoun = str(example.attributes.get("a_pronoun", "")).casefold()
        if pronoun and pronoun not in example.text.casefold().split():
            yield "have a pronoun that is not among their words"

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """One label ``CLUSTER:KIND`` for each mention."""
        for i, mention in enumerate(list_of(row, "mentions")):
            where = f"mentions[{i}]"
            if not isinstance(mention, Mapping):
                raise DataError(f"{where} is no object with words, cluster and kind")
            first, last = run_of_words(mention.get("words"), f"{where}.words", n=len(words))
            cluster, kind = label_in_cell(mention.get("cluster")), mention.get("kind")
            if not cluster or ":" in cluster:
                raise DataError(
                    f"{where}.cluster is {mention.get('cluster')!r}; it is a name without a colon"
                )
            if kind not in KINDS:
                raise DataError(f"{where}.kind is {kind!r}; it is {', '.join(KINDS)}")
            yield Labeled(first, last, f"{cluster}:{kind}")


class TokenClasses(Annotated):
    """Class of each word; ``None`` or empty for words without."""

    name = "token-classes"
    holds = WORD_CLASSES.holds
    identifying_columns = ("classes",)
    roles = (
        WORDS,
        list_role("classes", "column of the list of the words' classes", "upos", "pos"),
        *OF_SENTENCES,
    )

    def labeled(self, row: Mapping[str, Any], words: Sequence[str]) -> Iterator[Labeled]:
        """One label for each word that has a class."""
        for i, label in enumerate(list_of(row, "classes", n=len(words))):
            if label is None or label == "":
                continue
            if not isinstance(label, str):
                raise DataError(f"classes[{i}] is {label!r}, no name of a class")
            yield Labeled(i, i, label)


class Passages(ByColumns):
    """Running text, one passage per item, for language modeling.

    Its columns do not distinguish it from classification: state the task.
    """

    name = "passages"
    holds = RUNNING_TEXT.holds
    roles = (
        text_role("text", TEXT.meaning, "passage", "paragraph", "sentence"),
        Role("document", "column of the document of a passage", "unit", ("document",)),
    )


class StoredHeads(ByColumns):
    """Corpus on which attention heads have been scored elsewhere.

    It is one item as a whole: its counts cannot be taken apart into sentences.
    """

    name = "stored-heads"
    holds = HEAD_COUNTS.holds
    roles = (text_role("corpus", "column of the name of a corpus"),)
