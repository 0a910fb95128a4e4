"""Views of annotated examples: spans on words become word indices.

An example holds text, the borders of its words (``Example.tokens``) and labeled spans. A view reads
the labels of one kind of annotation; it is pure and independent of models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scrutiny.core.answers import words as answers
from scrutiny.core.errors import DataError
from scrutiny.core.example import Example, Span

#: Labels of anchored spans.
ANCHOR: Final = "anchor"
TARGET: Final = "target"
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnchoredWords:
    """Anchor with its target words: a cue and its scope.

    Parameters
    ----------
    words
        Of the sentence.
    anchors, targets
        Indices of words, ascending, each once.
    n_listed
        Targets as the source lists them; a word that it lists twice counts twice.
    """

    words: Words
    anchors: tuple[int, ...]
    targets: tuple[int, ...]
    n_listed: int

    @classmethod
    def of(cls, example: Example) -> "AnchoredWords":
        """View of an example whose spans are labeled ``anchor`` and ``target``.

        Raises
        ------
        DataError
            If it has no words, or a span does not lie on words.
        """
        words, covered = _words(example)
        spans = [(span.label, covered(span)) for span in example.spans]
        anchors = {word for label, found in spans if label == ANCHOR for word in found}
        listed = [word for label, found in spans if label == TARGET for word in found]
        return cls(words, tuple(sorted(anchors)), tuple(sorted(set(listed))), len(listed))

    def anchored_at(self, anchors: Sequence[int]) -> "AnchoredWords":
        """Return the same targets with other anchor words."""
        return replace(self, anchors=tuple(anchors))


@dataclass(frozen=True, slots=True)
class Arcs:
    """Dependencies: the head of each word and the relation between them.

    Both are parallel to the words (`scrutiny.core.answers.words.Words`).
    """

    words: Words
    heads: tuple[int | None, ...]
    relations: tuple[str, ...]

    @classmethod
    def of(cls, example: Example) -> "Arcs":
        """View of an example whose gold answer is dependencies.

        Raises
        ------
        DataError
            If it is not.
        """
        gold = example.gold
        if not isinstance(gold, answers.Words) or gold.heads is None or gold.relations is None:
            raise DataError(f"{_where(example)}: the example has no dependencies.")
        text = example.fields[gold.field]
        words = tuple([text[start:end] for start, end in gold.borders])
        return cls(words, gold.heads, gold.relations)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a mention, its cluster and its kind (pronoun, proper, nominal)."""

    words: tuple[int, ...]
    cluster: str
    kind: str


@dataclass(frozen=True, slots=True)
class Mentions:
    """Mentions of a text in the order of their first word; those of one cluster corefer."""

    words: Words
    mentions: tuple[Mention, ...]

    @classmethod
    def of(cls, example: Example) -> "Mentions":
        """View of an example whose spans are labeled ``CLUSTER:KIND``.

        Raises
        ------
        DataError
            If a label is no such pair, or a span does not lie on words.
        """
        words, covered = _words(example)
        found = []
        for span in example.spans:
            cluster, _, kind = span.label.partition(":")
            if not cluster or not kind:
                raise DataError(
                    f"{_where(example)}: {span.label!r} is no mention. Mentions are CLUSTER:KIND."
                )
            found.append(Mention(covered(span), cluster, kind))
        return cls(words, tuple(sorted(found, key=lambda mention: mention.words)))


@dataclass(frozen=True, slots=True)
class WordClasses:
    """Class of each word; None for words without one."""

    words: Words
    classes: tuple[str, ...]

    @classmethod
    def of(cls, example: Example) -> "WordClasses":
        """View of an example whose spans are labeled with classes.

        Raises
        ------
        DataError
            If a word has two classes, or a span does not lie on words.
        """
        words, covered = _words(example)
        classes = [""] * len(words)
        for span in example.spans:
            for word in covered(span):
                if classes[word]:
                    raise DataError(f"{_where(example)}: {words[word]!r} has two classes.")
                classes[word] = span.label
        return cls(words, tuple(classes))


@dataclass(frozen=True, slots=True)
class AlignedWords:
    """Pairs of groups of words that belong together, by the name of the pair."""

    words: Words
    pairs: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    @classmethod
    def of(cls, example: Example) -> "AlignedWords":
        """View of an example whose spans are labeled ``PAIR:a`` and ``PAIR:b``.

        Raises
        ------
        DataError
            If a pair lacks a side, or a span does not lie on words.
        """
        words, covered = _words(example)
        sides: dict[str, dict[str, tuple[int, ...]]] = {}
        for span in example.spans:
            pair, _, side = span.label.rpartition(":")
            sides.setdefault(pair, {})[side] = covered(span)
        lacking = next((pair for pair, both in sides.items() if set(both) != {"a", "b"}), None)
        if lacking is not None:
            raise DataError(
                f"{_where(example)}: the pair {lacking!r} has the sides "
                f"{', '.join(sorted(sides[lacking]))}; a pair has one span {lacking}:a and one "
                f"{lacking}:b."
            )
        return cls(words, tuple((both["a"], both["b"]) for both in sides.values()))


def _words(example: Example) -> tuple[Words, Callable[[Span], tuple[int, ...]]]:
    """Words of an example, and a function that gives the indices of those that a span covers."""
    tokens = example.tokens or {}
    if not tokens:
        raise DataError(f"{_where(example)}: the example has no words, only text.")
    field, borders = next(iter(tokens.items()))
    first = {start: word for word, (start, _) in enumerate(borders)}
    last = {end: word for word, (_, end) in enumerate(borders)}

    def covered(span: Span) -> tuple[int, ...]:
        start, end = first.get(span.start), last.get(span.end)
        if span.field != field or start is None or end is None or end < start:
            raise DataError(
                f"{_where(example)}: the span {span.label!r} at {span.start} to {span.end} of "
                f"{span.field!r} does not begin and end at borders of words of {field!r}."
            )
        return tuple(range(start, end + 1))

    return tuple(example.fields[field][start:end] for start, end in borders), covered


def _where(example: Example) -> str:
    """Place of an example, for messages."""
    return example.source or f"item {example.id}"
