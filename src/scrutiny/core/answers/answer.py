"""Answer types: what every kind of answer can do, gold or predicted, and its stored form.

Stored answers are JSON that says what type it is of. A label is a string and spans are a list, as
most answers are; others are an object whose only key is the name of their type.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from scrutiny.core.boundary.json_text import canonical_json, plain
from scrutiny.core.edit import Borders, Track
from scrutiny.core.example import Example, Link, Span

A = TypeVar("A")


class Agreement(NamedTuple):
    """Number of parts on which two answers agree, of those that were compared."""

    equal: int
    compared: int

    @property
    def is_whole(self) -> bool:
        """Whether they agree in all."""
        return self.equal == self.compared

    @property
    def share(self) -> float:
        """Share of equal parts; 1 where there was nothing to compare."""
        return self.equal / self.compared if self.compared else 1.0


class PartDifference(NamedTuple):
    """Part of which two answers say different things: its name, both, and what is right of it.

    ``right`` is empty where nobody knows.
    """

    part: str
    before: str
    after: str
    right: str

    @property
    def is_broken(self) -> bool:
        """Whether the answer before was right of it."""
        return self.before == self.right


class AnswerType(ABC, Generic[A]):
    """Type of answers; gold answers and predictions share it.

    Attributes
    ----------
    name
        Name in stored answers.
    holds
        Class of its values, which tells them from those of other types.
    layers
        Names of its layers, where a change may falsify them one by one.
    places
        What its parts are called ("words"), where changed ones are counted.
    merged
        Reason for refusing edits that make two of its fences one; empty if they may.
    is_judged_whole
        Whether a ``score`` beside the whole answer says how sure a model is of it.
    """

    name: ClassVar[str]
    holds: ClassVar[type]
    layers: ClassVar[tuple[str, ...]] = ()
    places: ClassVar[str] = ""
    merged: ClassVar[str] = ""
    is_judged_whole: ClassVar[bool] = False

    def __init__(self) -> None:
        _BY_NAME[self.name] = _BY_CLASS[self.holds] = self

    def has_places(self, answer: A) -> bool:
        """Whether an answer speaks of places in a text, which edits move."""
        return bool(self.places)

    def fences(self, answer: A) -> tuple[Span, ...]:
        """Spans of the text whose borders no edit may cross."""
        return ()

    def parts(self, answer: A) -> Sequence[Span | Link]:
        """Parts that are right or wrong by themselves, as stretches of the text; none of others.

        One that is tied to another stretch (a word to its head) is right if both are.
        """
        return ()

    def spared(self, answer: A) -> tuple[Span, ...]:
        """Spans whose words a change "around" them leaves alone: the fences, or fewer."""
        return self.fences(answer)

    def encode(self, answer: A) -> Any:
        """Answer as a value of JSON: what `plain` finds, unless the type says less."""
        return answer

    def decode(self, value: Any) -> A:
        """Answer from its JSON: what the type holds, made of it."""
        answer: A = self.holds(value)
        return answer

    def given(self, value: Any, example: Example) -> A:
        """Answer from what a user's object returns, or a file of answers holds, for an example.

        Raises
        ------
        TypeError
            If it is none; the message says what would be.
        """
        raise TypeError(f"{self.name} cannot be read from there")

    def check(self, answer: A, example: Example) -> str | None:
        """Fault of a model's answer, as the rest of "The answer …"; None if it has none.

        No fault, unless the type says more: any label and any text may be an answer.
        """
        return None

    def agree(self, a: A, b: A) -> Agreement:
        """Agreement of two answers to one text."""
        return Agreement(int(a == b), 1)

    def right_parts(self, given: A, right: A) -> frozenset[Hashable]:
        """Parts of an answer that a right one to the same text has: spans, heads of words, links.

        The whole answer, where its type has no parts.
        """
        return frozenset({given}) if self.agree(right, given).is_whole else frozenset()

    def as_right(self, answer: A) -> A:
        """Answer as what is right, to score another one by."""
        return answer

    def compared(self, answer: A) -> A:
        """Part of an answer that two models have to share to answer alike: all, unless it says."""
        return answer

    def judged(self, answer: A, right: A) -> tuple[tuple[str, bool], ...]:
        """Parts of an answer of which each is right or wrong: their classes, and whether they are.

        One part without a class, the whole answer, unless the type has parts.
        """
        return (("", self.agree(answer, right).is_whole),)

    def sure_of(self, value: Any) -> float | None:
        """How sure a model is of a whole answer, from 0 to 1, as what it gave for it tells."""
        return None

    @abstractmethod
    def show(self, answer: A, fields: Mapping[str, str]) -> str:
        """Answer in words for a reader, with the text's fields at hand."""

    def brief(self, answer: A) -> str:
        """Answer in a few words without its text, equal for answers that only moved."""
        return self.show(answer, {})

    def beside(self, answer: A, text: Mapping[str, str]) -> str:
        """Answer in a few words beside its text: the brief ones, unless these alone say little."""
        return self.brief(answer)

    def is_said(self, answer: A, brief: str) -> bool | None:
        """Whether few words (`brief`) are those of this right answer; None if they do not tell."""
        return None

    def labels(self, answer: A) -> tuple[str, ...]:
        """Labels in an answer, repeated as they are."""
        return ()

    def renamed(self, answer: A, name: Callable[[str], str]) -> A:
        """Answer with other names for its labels."""
        return answer

    def key(self, answer: A) -> tuple[str, ...]:
        """Parts that tell the answer from others in the identifiers of items."""
        return (canonical_json(self.encode(answer)),)

    def runs(self, answer: A) -> str:
        """Name of the user's code that runs where answers are judged by this one; empty if none."""
        return ""

    def words(self, answer: A) -> tuple[str, ...]:
        """All strings in an answer."""
        return self.labels(answer)

    def segments(self, answer: A) -> Mapping[str, Borders]:
        """Borders of the words that it speaks of one by one, by field."""
        return {}

    def carried(self, answer: A, track: Track) -> Iterable[A]:
        """All right answers to the changed text that come of one: usually the one carried."""
        return (self.carry(answer, track),)

    def without(self, answer: A, layers: Sequence[str]) -> A | None:
        """Answer that says nothing in these layers; None if nothing is left."""
        return answer

    def differences(
        self, before: A, after: A, right: A | None, track: Track, text: str
    ) -> Sequence[PartDifference]:
        """Parts of a changed text of which its answer differs from that before, and what is right.

        None where an answer is short enough to be told whole. ``text`` is that before the change,
        of the field that the answers speak of.

        Raises
        ------
        EditRefusedError
            If the answer before cannot be carried.
        """
        del before, after, right, track, text
        return ()

    def carry(self, answer: A, track: Track) -> A:
        """Answer to the changed text.

        Raises
        ------
        EditRefusedError
            If it cannot be told from the edits; the reason names what is lost.
        """
        return answer

    def kept(self, before: A, after: A, track: Track) -> Agreement:
        """Agreement of the answers to a text and to the changed one, on what both texts have.

        Raises
        ------
        EditRefusedError
            If the first one cannot be carried.
        """
        return self.agree(self.carry(before, track), after)


def fault_of_words(borders: Borders, length: int) -> str | None:
    """Fault of the borders of an answer's words: one out of order, or outside of the text."""
    done = 0
    for start, end in borders:
        if not done <= start < end <= length:
            return f"has the word {start}:{end} in {length} code points, or twice."
        done = end
    return None


_BY_CLASS: dict[type, AnswerType[Any]] = {}
_BY_NAME: dict[str, AnswerType[Any]] = {}


def type_of(answer: Any) -> AnswerType[Any]:
    """Type of an answer.

    Raises
    ------
    TypeError
        If it is none.
    """
    return _type_of_class(answer.__class__)


@cache
def _type_of_class(of: type) -> AnswerType[Any]:
    for parent in of.__mro__:
        if parent in _BY_CLASS:
            return _BY_CLASS[parent]
    raise TypeError(f"{of.__name__} is no answer")


def fences_of(answer: Any) -> tuple[Span, ...]:
    """Spans of an answer of any type, whose borders no edit may cross; None has none."""
    return () if answer is None else type_of(answer).fences(answer)


def spared_of(answer: Any) -> tuple[Span, ...]:
    """Spans of an answer whose words a change around them leaves alone; None has none."""
    return () if answer is None else type_of(answer).spared(answer)


def is_answer(value: Any) -> bool:
    """Whether a value is an answer of any type."""
    return any(parent in _BY_CLASS for parent in value.__class__.__mro__)


def type_named(name: str) -> AnswerType[Any]:
    """Type of answers by its name in stored answers."""
    return _BY_NAME[name]


def labels_in(answer: Any) -> tuple[str, ...]:
    """Labels in an answer, repeated as they are; none where there is no answer.

    Examples
    --------
    >>> labels_in("good"), labels_in(None)
    (('good',), ())
    """
    return () if answer is None else type_of(answer).labels(answer)


def renamed(answer: Any, name: Callable[[str], str]) -> Any:
    """Answer with other names for its labels; None stays None."""
    return None if answer is None else type_of(answer).renamed(answer, name)


def label_in(answer: Any) -> str | None:
    """Name of the class that an answer consists of; None if it is another answer, or none.

    Examples
    --------
    >>> label_in("good"), label_in(())
    ('good', None)
    """
    return answer if answer.__class__ is str else None


def has_places(answer: Any) -> bool:
    """Whether an answer speaks of places in a text, which edits move; None has none."""
    if answer is None or answer.__class__ is str:  # as most are
        return False
    return type_of(answer).has_places(answer)


def segments_of(answer: Any) -> Mapping[str, Borders]:
    """Borders of the words that an answer speaks of one by one, by field; None speaks of none."""
    return {} if answer is None else type_of(answer).segments(answer)


_NULL: Final = "null"
_OF_JSON: Final = ("", "[", "{", '"')  # what texts of JSON begin with, and the empty label
_BARE: Final = {str: "label", list: "spans"}


def to_json(answer: Any) -> Any:
    """Answer as a value of JSON; None is none.

    Examples
    --------
    >>> to_json("good"), to_json(())
    ('good', [])
    """
    if answer is None or answer.__class__ is str:
        return answer
    kind = type_of(answer)
    value = plain(kind.encode(answer))
    return value if _BARE.get(value.__class__) == kind.name else {kind.name: value}


def answer_json(answer: Any) -> str:
    """Answer as canonical JSON.

    Examples
    --------
    >>> answer_json("good"), answer_of(answer_json("good"))
    ('"good"', 'good')
    """
    if answer.__class__ is str:
        return _label_json(answer)
    return canonical_json(to_json(answer))


def answer_text(answer: Any) -> str:
    """Answer as a text for tables: a label as it is, unless it looks like JSON.

    Examples
    --------
    >>> answer_text("good"), answer_text("[odd]"), answer_text(())
    ('good', '"[odd]"', '[]')
    """
    is_plain = answer.__class__ is str and answer[:1] not in _OF_JSON and answer != _NULL
    return answer if is_plain else answer_json(answer)


def answer_of(text: str) -> Any:
    """Answer from `answer_json` or `answer_text`."""
    return from_json(json.loads(text)) if text[:1] in _OF_JSON or text == _NULL else text


@lru_cache(maxsize=1024)
def _label_json(label: str) -> str:
    """JSON of a label, of which a million answers have a few."""
    return canonical_json(label)


def from_json(value: Any) -> Any:
    """Answer from `to_json`."""
    if value is None or value.__class__ is str:
        return value
    if value.__class__ is dict:
        ((name, value),) = value.items()
        return type_named(name).decode(value)
    return type_named(_BARE[list]).decode(value)
