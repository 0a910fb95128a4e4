"""Labels of words that a probe is asked for, and labels at random for the same words.

A control task gives every word, wherever it stands, one label at random: a probe that does well on
it has learned a list of words, and needs no layer for that.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from scrutiny.core.answers.words import Words
from scrutiny.core.example import Example, Span
from scrutiny.core.facts import SPANS, Facts
from scrutiny.core.randomness import Rng
from scrutiny.diagnostics.layers.phrases import Phrase, base_phrases, chunk_tags, constituents
from scrutiny.diagnostics.layers.word_vectors import words_of
from scrutiny.tasks.tags import to_bio


def _of_tree(read: Callable[[Words], Sequence[str] | None]) -> Callable[[Example], Sequence[str]]:
    """Labels of a tree; empty for an item without one."""

    def labels(example: Example) -> Sequence[str]:
        return (isinstance(example.gold, Words) and read(example.gold)) or ()

    return labels


def _relations(words: Words) -> Sequence[str] | None:
    """Relations without their subtypes."""
    return words.relations and [name.partition(":")[0] for name in words.relations]


def _tags(example: Example) -> Sequence[str]:
    """Tags of spans of words; empty for an item without any annotation."""
    if example.gold is None or isinstance(example.gold, Words):
        return ()
    spans = [span for span in example.gold if isinstance(span, Span)]
    return [tag.removeprefix("S-") for tag in to_bio(words_of(example)[1], spans)]


#: Labels of the words of an item, by their kind.
KINDS: Final[Mapping[str, Callable[[Example], Sequence[str]]]] = {
    "upos": _of_tree(lambda words: words.upos),
    "xpos": _of_tree(lambda words: words.xpos),
    "relation": _of_tree(_relations),
    "chunk": _of_tree(chunk_tags),
    "tag": _tags,
}
#: What kinds are called.
IN_WORDS: Final = {
    "upos": "part of speech",
    "xpos": "part of speech (treebank's own)",
    "relation": "relation to its head",
    "chunk": "base phrase",
    "tag": "tag",
}


def kinds_of(facts: Facts, asked: Sequence[str]) -> tuple[str, ...]:
    """Kinds of labels on a task: those asked for, or the usual ones."""
    return tuple(asked) or (("tag",) if SPANS.are_of(facts) else ("upos", "chunk"))


def neighbors_in_phrases(example: Example) -> list[bool]:
    """Whether each word and the next one are in one base phrase; empty without a tree."""
    if not isinstance(example.gold, Words) or not (found := base_phrases(example.gold)):
        return []
    of = [-1 - i for i in range(len(example.gold.borders))]
    for number, phrase in enumerate(found):
        of[phrase.start : phrase.end] = [number] * (phrase.end - phrase.start)
    return [one == other for one, other in pairwise(of)]


def phrases_of(example: Example, *, shortest: int, longest: int) -> list[Phrase]:
    """Phrases of an item: constituents of its tree, or its spans."""
    if isinstance(example.gold, Words):
        return constituents(example.gold, shortest=shortest, longest=longest)
    borders = words_of(example)[1]
    first = {start: i for i, (start, _) in enumerate(borders)}
    last = {end: i + 1 for i, (_, end) in enumerate(borders)}
    spans = [s for s in example.gold or () if s.start in first and s.end in last]
    found = [Phrase(first[s.start], last[s.end], s.label) for s in spans]
    return [one for one in found if shortest <= one.end - one.start <= longest]


def control_labels(
    forms: Iterable[Sequence[str]], labels: Iterable[Sequence[str]], rng: Rng
) -> dict[str, str]:
    """Label at random of each word, drawn with the frequencies of the labels of all words.

    The same words have the same labels whatever the order of the texts.

    **References**: Hewitt & Liang (2019), Designing and interpreting probes with control tasks.
    """
    known = sorted({word for own in forms for word in own})
    counts = sorted(Counter(label for own in labels for label in own if label).items())
    total = sum(count for _, count in counts)
    if not total:
        return {}
    names = [name for name, _ in counts]
    drawn: Any = rng.choice(len(names), size=len(known), p=[count / total for _, count in counts])
    return {word: names[i] for word, i in zip(known, drawn.tolist(), strict=True)}
