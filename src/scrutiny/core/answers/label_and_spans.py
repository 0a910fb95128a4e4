"""Labels and spans as answers: the name of one class, and labeled stretches of the text."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from scrutiny.core.answers.answer import Agreement, AnswerType
from scrutiny.core.edit import Track
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
