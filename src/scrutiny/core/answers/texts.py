"""Texts as answers: written, copied from a text (extracts), and several right ones to one item.

Extracts are compared by words. English is normalized as SQuAD's script does it (Rajpurkar et al.
2016): lower case, without punctuation and articles, cut at spaces. Where Chinese characters occur,
each is a word, letters and digits between them are cut at spaces, and the punctuation of all
scripts goes (MLQA, Lewis et al. 2020; CMRC, Cui et al. 2019). Several right answers are references
of a translation, or answers of annotators.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from unicodedata import category

from scrutiny.core.answers.answer import Agreement, AnswerType, from_json, to_json, type_of
from scrutiny.core.edit import EditRefusedError, Track
from scrutiny.core.example import Example, Span


class Text(str):
    """Text as an answer, which is no name of a class."""

    __slots__ = ()


class TextType(AnswerType[Text]):
    """Texts that are written: translations, summaries, replies."""

    name = "text"
    holds = Text

    def given(self, value: Any, example: Example) -> Text:
        """Text of a string."""
        if not isinstance(value, str):
            raise TypeError("an answer is a string")
        return Text(value)

    def right_parts(self, given: Text, right: Text) -> frozenset[Hashable]:
        """Words of both, in lower case, as often as both have them."""
        return _numbered(given.lower().split()) & _numbered(right.lower().split())

    def show(self, answer: Text, fields: Mapping[str, str]) -> str:
        """Return the text itself."""
        return str(answer)

    def words(self, answer: Text) -> tuple[str, ...]:
        """Return the text."""
        return (answer,)


TEXT = TextType()


def _numbered(words: Sequence[str]) -> frozenset[Hashable]:
    """Words, each with how often it has occurred before."""
    seen: Counter[str] = Counter()
    found = []
    for word in words:
        found.append((word, seen[word]))
        seen[word] += 1
    return frozenset(found)


class Extract(NamedTuple):
    """Words of a text field, with their place where it is known.

    Parameters
    ----------
    text
        The words.
    field
        Name of the text field; empty if the place is unknown.
    start
        Code point at which they begin.
    """

    text: str
    field: str = ""
    start: int = 0


class ExtractType(AnswerType[Extract]):
    """Stretches of a text, which are right or wrong by their words."""

    name = "extract"
    holds = Extract
    is_judged_whole = True

    def has_places(self, answer: Extract) -> bool:
        """Whether its place is known."""
        return bool(answer.field)

    def fences(self, answer: Extract) -> tuple[Span, ...]:
        """Return its place, where it is known."""
        return (_span(answer),) if answer.field else ()

    def encode(self, answer: Extract) -> Any:
        """Words and place; words alone where it is unknown."""
        return list(answer) if answer.field else [answer.text]

    def decode(self, value: Any) -> Extract:
        """Extract from its JSON."""
        return Extract(*value)

    def given(self, value: Any, example: Example) -> Extract:
        """Extract of words; of words and their start, as pipelines of transformers give it.

        A start is a code point of the last field.
        """
        start = None
        if isinstance(value, Mapping):
            start = value.get("start", value.get("answer_start"))
            value = value.get("answer", value.get("text"))
        if not isinstance(value, str) or not isinstance(start, int | None):
            raise TypeError('an answer is a string, or {"answer": string, "start": whole number}')
        return Extract(value) if start is None else Extract(value, [*example.fields][-1], start)

    def check(self, answer: Extract, example: Example) -> str | None:
        """Words that do not stand where they are said to."""
        if not answer.field:
            return None
        end = answer.start + len(answer.text)
        there = example.fields.get(answer.field, "")[answer.start : end]
        if there == answer.text:
            return None
        return (
            f"is {answer.text!r:.60} at {answer.field}[{answer.start}:{end}], where the text has "
            f"{there!r:.60}."
        )

    def agree(self, a: Extract, b: Extract) -> Agreement:
        """Whether both have the same words that count, wherever they stand."""
        ours, theirs = words_of_both(a.text, b.text)
        return Agreement(int(ours == theirs), 1)

    def right_parts(self, given: Extract, right: Extract) -> frozenset[Hashable]:
        """Words of both that count, as often as both have them."""
        ours, theirs = words_of_both(given.text, right.text)
        return _numbered(ours) & _numbered(theirs)

    def is_said(self, answer: Extract, brief: str) -> bool:
        """Whether these are its words."""
        return self.agree(answer, Extract(brief)).equal == 1

    def show(self, answer: Extract, fields: Mapping[str, str]) -> str:
        """Return the words."""
        return answer.text

    def words(self, answer: Extract) -> tuple[str, ...]:
        """Return the words."""
        return (answer.text,)

    def carry(self, answer: Extract, track: Track) -> Extract:
        """Words that stand now where the extract stood.

        Raises
        ------
        EditRefusedError
            ``crosses_span``, ``empties_span``: an edit crosses its border, or leaves nothing;
            ``replaced_answer``: an edit puts other spans in its place; ``dropped_answer``: an edit
            drops it.
        """
        if not answer.field:
            return answer
        place = (_span(answer),)
        if track.replaces(place):
            raise EditRefusedError("replaced_answer", "an edit puts other spans in its place")
        found = [span for span in track.spans(place) if span.label == place[0].label]
        if not found:
            raise EditRefusedError("dropped_answer", "an edit drops the words that answer")
        _, start, end, _ = found[0]
        return Extract(track.texts[answer.field][start:end], answer.field, start)

    def carried(self, answer: Extract, track: Track) -> Iterator[Extract]:
        """The extract at its new place, and its old words where they still stand in the text."""
        new = self.carry(answer, track)
        yield new
        if new.text != answer.text:
            place = track.texts[answer.field].find(answer.text)
            if place >= 0:
                yield Extract(answer.text, answer.field, place)


def _span(answer: Extract) -> Span:
    """Place of an extract."""
    return Span(answer.field, answer.start, answer.start + len(answer.text), "the answer")


_ARTICLE: Final = re.compile(r"\b(a|an|the)\b")
_HAN: Final = re.compile("([\u4e00-\u9fff])")
_PUNCTUATION: Final = frozenset(string.punctuation)


def _words_of(text: str, *, is_chinese: bool = False, keeps_articles: bool = False) -> list[str]:
    """Words of an extracted answer that count.

    Examples
    --------
    >>> _words_of("The  Golden 'Anniversary'!"), _words_of("在2016年。", is_chinese=True)
    (['golden', 'anniversary'], ['在', '2016', '年'])
    """
    lower = text.lower()
    if is_chinese:
        kept = "".join(c for c in lower if c not in _PUNCTUATION and category(c)[0] != "P")
        return _HAN.sub(r" \1 ", kept).split()
    kept = "".join(c for c in lower if c not in _PUNCTUATION)
    return (kept if keeps_articles else _ARTICLE.sub(" ", kept)).split()


def words_of_both(
    one: str, other: str, *, keeps_articles: bool = False
) -> tuple[list[str], list[str]]:
    """Words by which two answers of the type `Extract` are compared, Chinese if one of them is."""
    is_chinese = _HAN.search(one + other) is not None
    ours, theirs = (
        _words_of(text, is_chinese=is_chinese, keeps_articles=keeps_articles)
        for text in (one, other)
    )
    return ours, theirs


EXTRACT = ExtractType()


class AnyOf(tuple[Any, ...]):
    """Right answers to one item, any of which will do; all of one type, and one at least."""

    __slots__ = ()


class AnyOfType(AnswerType[AnyOf]):
    """Sets of right answers; only gold answers are such."""

    name = "any of"
    holds = AnyOf

    def has_places(self, answer: AnyOf) -> bool:
        """Whether one of them does."""
        return any(type_of(one).has_places(one) for one in answer)

    def fences(self, answer: AnyOf) -> tuple[Span, ...]:
        """Spans of each answer."""
        return tuple(span for one in answer for span in type_of(one).fences(one))

    def encode(self, answer: AnyOf) -> Any:
        """JSON of each."""
        return [to_json(one) for one in answer]

    def decode(self, value: Any) -> AnyOf:
        """Answers from their JSON."""
        return AnyOf(from_json(one) for one in value)

    def check(self, answer: AnyOf, example: Example) -> str | None:
        """A model has to decide."""
        return "is several answers; a model gives one."

    def show(self, answer: AnyOf, fields: Mapping[str, str]) -> str:
        """All of them."""
        return " or ".join(type_of(one).show(one, fields) for one in answer)

    def brief(self, answer: AnyOf) -> str:
        """All of them in few words."""
        return " or ".join(type_of(one).brief(one) for one in answer)

    def is_said(self, answer: AnyOf, brief: str) -> bool | None:
        """Whether it is one of them."""
        told = [type_of(one).is_said(one, brief) for one in answer]
        return None if None in told else any(told)

    def labels(self, answer: AnyOf) -> tuple[str, ...]:
        """Labels of all."""
        return tuple(label for one in answer for label in type_of(one).labels(one))

    def renamed(self, answer: AnyOf, name: Callable[[str], str]) -> AnyOf:
        """Answers with other labels."""
        return AnyOf(type_of(one).renamed(one, name) for one in answer)

    def right_parts(self, given: Any, right: AnyOf) -> frozenset[Hashable]:
        """Parts of one answer that any of these has."""
        return frozenset().union(*(type_of(one).right_parts(given, one) for one in right))

    def carry(self, answer: AnyOf, track: Track) -> AnyOf:
        """Right answers to the changed text that come of each."""
        found = [right for one in answer for right in type_of(one).carried(one, track)]
        return AnyOf(dict.fromkeys(found))


ANY_OF = AnyOfType()


def judged_parts(answer: Any, right: Any) -> tuple[tuple[str, bool], ...]:
    """Parts of an answer with their classes and whether each is right, `AnswerType.judged`.

    Of several right answers, the one that makes the most parts right.

    Examples
    --------
    >>> judged_parts(Extract("Rome"), AnyOf([Extract("Roma"), Extract("Rome")]))
    (('', True),)
    """
    kind = type_of(answer)
    rights = right if isinstance(right, AnyOf) else (right,)
    each = [kind.judged(answer, one) for one in rights]
    return max(each, key=lambda parts: sum(is_right for _, is_right in parts))


def is_right(answer: Any, right: Any) -> bool:
    """Whether an answer is wholly a right one, or one of several.

    Examples
    --------
    >>> is_right(Extract("Rome"), AnyOf([Extract("Roma"), Extract("Rome")]))
    True
    """
    rights = right if isinstance(right, AnyOf) else (right,)
    return any(type_of(answer).agree(answer, one).is_whole for one in rights)
