"""Parts of answers, and how often the words and parts of some items occur with which label."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, Final

from scrutiny.core.answers.answer import label_in, type_of
from scrutiny.core.edit import Borders
from scrutiny.core.example import Example, Link, Span
from scrutiny.text.tokens import token_spans

#: Part of an answer that is right or wrong by itself.
Part = Span | Link
#: Place, from the largest, of the count by which frequencies are divided in the papers.
_FIFTH: Final = 5
#: Characters that mean something in a regular expression.
_SPECIAL: Final = re.compile(r"[.^$*+?{}\[\]\\|()]")


def parts_of(answer: Any, example: Example | None = None) -> frozenset[Part]:
    """Parts of an answer that are right or wrong by themselves; None has none.

    A label is one part, the whole of its item's first text, where the item is given.

    Examples
    --------
    >>> parts_of("good", Example("1", {"text": "Nice."}))
    frozenset({Span(field='text', start=0, end=5, label='good')})
    """
    label = label_in(answer)
    if label is None:
        return frozenset() if answer is None else frozenset(type_of(answer).parts(answer))
    if example is None:
        return frozenset()
    field = next(iter(example.fields))
    return frozenset({Span(field, 0, len(example.fields[field]), label)})


@lru_cache(maxsize=64)
def _own_tokens(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(token_spans(text))


def tokens_in(example: Example, field: str) -> Borders:
    """Borders of the tokens of a text: those of the data where they came in tokens, else ours."""
    given = (example.tokens or {}).get(field)
    return _own_tokens(example.fields[field]) if given is None else given


def borders_in(example: Example, part: Part) -> tuple[tuple[int, int], ...]:
    """Borders of the tokens of a part; one that lies inside of a token is one token itself."""
    inside = tuple(
        [
            (start, end)
            for start, end in tokens_in(example, part.field)
            if part.start <= start and end <= part.end
        ]
    )
    return inside or ((part.start, part.end),)


def words_in(example: Example, part: Part) -> tuple[str, ...]:
    """Tokens of a part as they are written."""
    text = example.fields[part.field]
    return tuple([text[start:end] for start, end in borders_in(example, part)])


class PartCounts:
    """Counts of the words, characters and gold parts of some items, without case.

    Each look-up is made when it is first asked for. A label of None stands for words that are in no
    part.

    Parameters
    ----------
    examples
        Items; those without a gold answer count for their words alone.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples

    @cached_property
    def parts(self) -> Mapping[str, Counter[str]]:
        """How often each text is a gold part, by label."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for example in self._examples:
            for part in parts_of(example.gold, example):
                text = example.fields[part.field][part.start : part.end]
                found[text.casefold()][part.label] += 1
        return found

    @cached_property
    def part_words(self) -> Mapping[tuple[str, ...], int]:
        """How often each row of words is a gold part."""
        return Counter(
            _lower(words_in(example, part))
            for example in self._examples
            for part in parts_of(example.gold, example)
        )

    @cached_property
    def written(self) -> frozenset[str]:
        """Words as they are written."""
        return frozenset(
            example.fields[field][start:end]
            for example in self._examples
            for field in example.fields
            for start, end in tokens_in(example, field)
        )

    @cached_property
    def word_labels(self) -> Mapping[str, Counter[str | None]]:
        """How often each word stands in a part of each label."""
        found: dict[str, Counter[str | None]] = defaultdict(Counter)
        for words, labels, _ in self._texts:
            for word, label in zip(words, labels, strict=True):
                found[word][label] += 1
        return found

    @cached_property
    def character_places(self) -> Mapping[str, Counter[str]]:
        """How often each character begins, continues, ends or is a part: B, M, E, S."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for example in self._examples:
            for part in parts_of(example.gold, example):
                text = example.fields[part.field][part.start : part.end].casefold()
                for character, place in zip(text, places_of(len(text)), strict=True):
                    found[character][place] += 1
        return found

    @cached_property
    def usual_word(self) -> int:
        """How often the fifth most frequent word occurs; at least 1."""
        return fifth_largest(counts.total() for counts in self.word_labels.values())

    @cached_property
    def usual_character(self) -> int:
        """How often the fifth most frequent character of parts occurs; at least 1."""
        return fifth_largest(counts.total() for counts in self.character_places.values())

    def inside(self, words: Sequence[str]) -> Counter[str | None]:
        """Labels of the single words in each place where these words stand in a row."""
        size = len(words)
        return Counter(
            label
            for text, place in self._found(words)
            for label in self._texts[text][1][place : place + size]
        )

    def as_parts(self, words: Sequence[str]) -> Counter[str | None]:
        """Places where these words stand in a row, by the label of the part with these borders."""
        size = len(words)
        return Counter(
            self._texts[text][2].get((place, place + size)) for text, place in self._found(words)
        )

    def as_pattern(self, words: Sequence[str]) -> Counter[str | None]:
        """Labels of the single words where InterpretEval's code finds these words in a row.

        It takes them as a regular expression between two spaces that belong to the match: "d.c."
        matches "dock", and of "oh oh" only the first one is found.
        """
        row = " ".join(_lower(words))
        places = self._matched(row) if _SPECIAL.search(row) else self._apart(words)
        return Counter(
            label
            for text, place in places
            for label in self._texts[text][1][place : place + len(words)]
        )

    def _apart(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Places of words in a row that do not touch the one before."""
        last = (-1, 0)
        for text, place in self._found(words):
            if text != last[0] or place > last[1]:
                last = text, place + len(words)
                yield text, place

    def _matched(self, row: str) -> Iterator[tuple[int, int]]:
        """Places of the matches of a pattern between spaces; none where it is no pattern."""
        text, starts = self._padded
        try:
            pattern = re.compile(f" {row} ")
        except re.error:
            return
        for match in pattern.finditer(text):
            line = bisect_right(starts, match.start()) - 1
            yield line, text.count(" ", starts[line], match.start() + 1) - 1

    @cached_property
    def _padded(self) -> tuple[str, list[int]]:
        """All texts as lines of words with spaces around each, and where each line begins."""
        lines = [f" {' '.join(words)} " for words, _, _ in self._texts]
        return "\n".join(lines), list(accumulate([len(line) + 1 for line in lines], initial=0))

    def _found(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        row = list(_lower(words))
        for text, place in self._places.get(row[0], ()):
            if self._texts[text][0][place : place + len(row)] == row:
                yield text, place

    @cached_property
    def _places(self) -> Mapping[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for text, (words, _, _) in enumerate(self._texts):
            for place, word in enumerate(words):
                found[word].append((text, place))
        return found

    @cached_property
    def _texts(
        self,
    ) -> list[tuple[list[str], list[str | None], dict[tuple[int, int], str]]]:
        """Texts as words, the label of each word, and the label of each part by its words."""
        found = []
        for example in self._examples:
            parts = parts_of(example.gold, example)
            for field, text in example.fields.items():
                borders = tokens_in(example, field)
                words = [text[start:end].casefold() for start, end in borders]
                labels: list[str | None] = [None] * len(words)
                whole = {}
                for part in parts:
                    if part.field != field:
                        continue
                    own = [
                        i for i, (a, b) in enumerate(borders) if part.start <= a and b <= part.end
                    ]
                    if own:
                        whole[own[0], own[-1] + 1] = part.label
                    for i in own:
                        labels[i] = part.label
                found.append((words, labels, whole))
        return found


def fifth_largest(counts: Iterator[int]) -> int:
    """Fifth largest of some counts, by which frequencies are divided; at least 1."""
    ordered = sorted(counts, reverse=True)
    return max(1, ordered[_FIFTH - 1]) if len(ordered) >= _FIFTH else max([1, *ordered])


def places_of(length: int) -> str:
    """Place of each character of a word: one alone is ``S``, else ``B``, ``M``, ``E``.

    Examples
    --------
    >>> places_of(1), places_of(2), places_of(4)
    ('S', 'BE', 'BMME')
    """
    return "S" if length == 1 else f"B{'M' * (length - 2)}E"[:length]


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words)
