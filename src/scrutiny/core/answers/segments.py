"""Borders of words as answers: a text cut into words, where writing puts no spaces."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType, PartDifference, fault_of_words
from scrutiny.core.edit import Borders, EditRefusedError, Track
from scrutiny.core.example import Example, Span


class Segments(NamedTuple):
    """Words of one text field.

    Parameters
    ----------
    field
        Name of the text field.
    borders
        ``(start, end)`` of each word in code points, in order; blanks belong to none.
    """

    field: str
    borders: tuple[tuple[int, int], ...]


def segments_from(words: Sequence[str], text: str, field: str = "text") -> Segments | None:
    """Words one after the other in a text, with blanks alone between them; None if they are not.

    Examples
    --------
    >>> segments_from(["ab", "c"], "ab c"), segments_from(["ab"], "abc")
    (Segments(field='text', borders=((0, 2), (3, 4))), None)
    """
    borders, done = [], 0
    for word in words:
        done += len(text) - done - len(text[done:].lstrip())
        if not word or not text.startswith(word, done):
            return None
        borders.append((done, done + len(word)))
        done += len(word)
    return None if text[done:].strip() else Segments(field, tuple(borders))


class SegmentsType(AnswerType[Segments]):
    """Texts cut into words; a word is right if both of its borders are."""

    name = "segments"
    holds = Segments
    places = "words"

    def decode(self, value: Any) -> Segments:
        """Words from their JSON."""
        field, borders = value
        return Segments(field, tuple((start, end) for start, end in borders))

    def given(self, value: Any, example: Example) -> Segments:
        """Words of a list, or of a string with spaces between them, that make up the text."""
        field, text = next(iter(example.fields.items()))
        words = value.split() if isinstance(value, str) else value
        is_list = isinstance(words, Sequence) and all(isinstance(word, str) for word in words)
        found = segments_from(words, text, field) if is_list else None
        if found is None:
            raise TypeError(
                "an answer is a list of words, or a string with spaces between them, that one "
                "after the other are the text"
            )
        return found

    def check(self, answer: Segments, example: Example) -> str | None:
        """Words out of order, or outside of their text."""
        return fault_of_words(answer.borders, len(example.fields.get(answer.field, "")))

    def agree(self, a: Segments, b: Segments) -> Agreement:
        """Twice the number of common words, of all; their share is F1."""
        ours, theirs = frozenset(a.borders), frozenset(b.borders)
        return Agreement(2 * len(ours & theirs), len(ours) + len(theirs))

    def differences(
        self, before: Segments, after: Segments, right: Segments | None, track: Track, text: str
    ) -> Sequence[PartDifference]:
        """Stretches of the changed text that are cut otherwise than they were."""
        shown = track.texts[after.field]
        old = self.carry(before, track)
        gold = None if right is None else self.carry(right, track)
        common = sorted(_ends(old) & _ends(after))
        found = []
        for start, end in zip([0, *common], common, strict=False):
            was, now = (_within(one, start, end, shown) for one in (old, after))
            if was != now:
                told = "" if gold is None else _within(gold, start, end, shown)
                found.append(PartDifference(shown[start:end].strip(), was, now, told))
        return found

    def show(self, answer: Segments, fields: Mapping[str, str]) -> str:
        """Words with bars between them.

        Examples
        --------
        >>> SEGMENTS.show(Segments("text", ((0, 2), (2, 3))), {"text": "abc"})
        'ab | c'
        """
        return " | ".join(fields[answer.field][start:end] for start, end in answer.borders)

    def brief(self, answer: Segments) -> str:
        """Lengths of the words."""
        return " ".join(str(end - start) for start, end in answer.borders)

    def parts(self, answer: Segments) -> tuple[Span, ...]:
        """Its words."""
        return tuple([Span(answer.field, start, end) for start, end in answer.borders])

    def segments(self, answer: Segments) -> Mapping[str, Borders]:
        """Its words."""
        return {answer.field: answer.borders}

    def carry(self, answer: Segments, track: Track) -> Segments:
        """Words of the changed text, each of which continues one.

        Raises
        ------
        EditRefusedError
            ``new_word``, ``split_word``, ``regrouped_words``: edits do not say where its borders
            are; ``merged_words``: words have become one.
        """
        new = track.words(answer.field, answer.borders)
        for word in new:
            lost = word.lost or ("merged_words" if len(word.of) > 1 else "")
            if lost:
                raise EditRefusedError(lost, "the edits do not say where the borders of words are")
        return Segments(answer.field, tuple([(word.start, word.end) for word in new]))


SEGMENTS = SegmentsType()


def _ends(answer: Segments) -> frozenset[int]:
    """Places at which a word ends."""
    return frozenset(end for _, end in answer.borders)


def _within(answer: Segments, start: int, end: int, text: str) -> str:
    """Words that lie in a stretch of the text, with bars between them."""
    inside = [text[a:b] for a, b in answer.borders if start <= a and b <= end]
    return " | ".join(inside)
