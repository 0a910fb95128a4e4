"""Labels, spans and borders of words as answers: a class, stretches of a text, a text cut up."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType, PartDifference, fault_of_words
from scrutiny.core.edit import Borders, EditRefusedError, Track
from scrutiny.core.example import Example, Span


class LabelType(AnswerType[str]):
    """Names of classes."""

    name = "label"
    holds = str

    def show(self, answer: str, fields: Mapping[str, str]) -> str:
        """Return the label."""
        return answer

    def key(self, answer: str) -> tuple[str, ...]:
        """Return the label behind a mark that nothing else begins with."""
        return (f"={answer}",)

    def is_said(self, answer: str, brief: str) -> bool:
        """Whether it is this label."""
        return brief == answer

    def labels(self, answer: str) -> tuple[str, ...]:
        """Return the label."""
        return (answer,)

    def renamed(self, answer: str, name: Callable[[str], str]) -> str:
        """Label by another name."""
        return name(answer)


LABEL = LabelType()
_SHOWN: Final = 60  # letters of an answer in a message


class SpansType(AnswerType[tuple[Span, ...]]):
    """Labeled spans in any number: named entities and the like."""

    name = "spans"
    holds = tuple
    places = "spans"

    def fences(self, answer: tuple[Span, ...]) -> tuple[Span, ...]:
        """All of them."""
        return answer

    def parts(self, answer: tuple[Span, ...]) -> tuple[Span, ...]:
        """All of them."""
        return answer

    def decode(self, value: Any) -> tuple[Span, ...]:
        """Spans from their JSON."""
        return tuple(Span(*span) for span in value)

    def check(self, answer: tuple[Span, ...], example: Example) -> str | None:
        """Spans that are none, or lie outside of their text."""
        for span in answer:
            if not isinstance(span, Span):
                return f"is {str(answer)[:_SHOWN]}: spans must be of the type Span."
            length = len(example.fields.get(span.field, ""))
            if span.field not in example.fields or not 0 <= span.start < span.end <= length:
                return (
                    f"has the span {span.field}[{span.start}:{span.end}], but {span.field!r} is "
                    f"{length} code points long. Fields: {', '.join(example.fields)}."
                )
        return None

    def agree(self, a: tuple[Span, ...], b: tuple[Span, ...]) -> Agreement:
        """Twice the number of common spans, of all; their share is F1."""
        ours, theirs = frozenset(a), frozenset(b)
        return Agreement(2 * len(ours & theirs), len(ours) + len(theirs))

    def right_parts(self, given: tuple[Span, ...], right: tuple[Span, ...]) -> frozenset[Span]:
        """Spans of both, with the same borders and label."""
        return frozenset(given) & frozenset(right)

    def judged(
        self, answer: tuple[Span, ...], right: tuple[Span, ...]
    ) -> tuple[tuple[str, bool], ...]:
        """Each span with its label; it is right if its borders and its label are."""
        return tuple([(span.label, span in right) for span in answer])

    def show(self, answer: tuple[Span, ...], fields: Mapping[str, str]) -> str:
        """Spans with their words and labels.

        Examples
        --------
        >>> spans = Span("text", 8, 12, "LOC"), Span("text", 0, 3, "PER")
        >>> SPANS.show(spans, {"text": "Ida saw Rome"})
        'Ida (PER), Rome (LOC)'
        >>> SPANS.show((), {"text": "Nobody"})
        'nothing'
        """
        found = [f"{fields[f][start:end]} ({label})" for f, start, end, label in sorted(answer)]
        return ", ".join(found) or "nothing"

    def brief(self, answer: tuple[Span, ...]) -> str:
        """Number of spans by label, because edits move places but not labels."""
        counts = Counter(self.labels(answer))
        return ", ".join(f"{counts[label]} {label}" for label in sorted(counts)) or "no spans"

    def key(self, answer: tuple[Span, ...]) -> tuple[str, ...]:
        """Places and labels."""
        return ("".join([f"/{s.field} {s.start} {s.end} {s.label}" for s in answer]),)

    def labels(self, answer: tuple[Span, ...]) -> tuple[str, ...]:
        """Label of each span."""
        return tuple([span.label for span in answer if span.label])

    def renamed(self, answer: tuple[Span, ...], name: Callable[[str], str]) -> tuple[Span, ...]:
        """Spans with other labels."""
        return tuple(span._replace(label=name(span.label)) for span in answer)

    def carry(self, answer: tuple[Span, ...], track: Track) -> tuple[Span, ...]:
        """Spans at their new places."""
        return track.spans(answer)


SPANS = SpansType()


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

    def judged(self, answer: Segments, right: Segments) -> tuple[tuple[str, bool], ...]:
        """Each word, which is right if both of its borders are."""
        words = frozenset(right.borders)
        return tuple([("", word in words) for word in answer.borders])

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

    def beside(self, answer: Segments, text: Mapping[str, str]) -> str:
        """Its words."""
        return self.show(answer, text)

    def is_said(self, answer: Segments, brief: str) -> bool | None:
        """Whether these are their lengths, which say all of a text that is known."""
        return brief == self.brief(answer)

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
