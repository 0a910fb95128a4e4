"""Expectations of free answers: words, a topic, a pattern, JSON, a language, a length, a refusal.

Each is one of the criteria that a prompt may state of its answer (`core.answers.criteria`).
"""

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Final

from scrutiny.core.answers.criteria import Criteria
from scrutiny.core.answers.json_shapes import shape_fault
from scrutiny.core.answers.responses import Response
from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import PlanError
from scrutiny.core.example import Example
from scrutiny.core.expectation import Expectation, Seen, TestKind
from scrutiny.core.languages import code_of
from scrutiny.tasks.response_checks import is_right
from scrutiny.text.inflection import lemma
from scrutiny.text.lexicon import is_stop_word
from scrutiny.text.tokens import token_texts
from scrutiny.text.wordnet import POS_OF, synonyms

_NO_TEXT: Final = Failure("no_text", status="skipped")


@dataclass(frozen=True, slots=True)
class Meets(Expectation):
    """The answer is a text that meets a criterion."""

    test_kind: ClassVar[TestKind] = "minimum functionality"

    @property
    @abstractmethod
    def criteria(self) -> Criteria:
        """What is expected."""

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether it does; answers that are no texts cannot be told."""
        answer = seen.case.answer.answer
        if not isinstance(answer, Text):
            return _NO_TEXT
        said = answer if isinstance(answer, Response) else Response(answer)
        return is_right(self.criteria, said)

    def wanted(self, example: Example) -> str:
        """The criterion."""
        return str(self.criteria)


@dataclass(frozen=True, slots=True)
class Contains(Meets):
    """The answer has these words, whole, in any case; with bars between them, one of several.

    Parameters
    ----------
    text
        The words.
    """

    id: ClassVar[str] = "contains@1"

    text: str = ""

    def __post_init__(self) -> None:
        _stated(self.text, "contains", "text")

    @property
    def criteria(self) -> Criteria:
        """One of these."""
        return Criteria(contains=(tuple(part.strip() for part in self.text.split("|")),))


@dataclass(frozen=True, slots=True)
class Lacks(Meets):
    """The answer does not have these words, whole, in any case.

    Parameters
    ----------
    text
        The words.
    """

    id: ClassVar[str] = "lacks@1"

    text: str = ""

    def __post_init__(self) -> None:
        _stated(self.text, "lacks", "text")

    @property
    def criteria(self) -> Criteria:
        """None of these."""
        return Criteria(lacks=(self.text,))


@dataclass(frozen=True, slots=True)
class Matches(Meets):
    """A regular expression is found in the answer.

    Parameters
    ----------
    pattern
        As Python writes it.
    """

    id: ClassVar[str] = "matches@1"

    pattern: str = ""

    def __post_init__(self) -> None:
        _stated(self.pattern, "matches", "pattern")
        try:
            re.compile(self.pattern)
        except re.error as error:
            said = f"matches(pattern={self.pattern!r}) is no regular expression: {error}."
            raise PlanError(said) from None

    @property
    def criteria(self) -> Criteria:
        """The expression."""
        return Criteria(matches=(self.pattern,))


@dataclass(frozen=True, slots=True)
class IsJson(Meets):
    """The answer is JSON, bare or in one fence, of a shape where one is stated.

    Parameters
    ----------
    shape
        JSON Schema as JSON; empty for any.
    """

    id: ClassVar[str] = "json@1"

    shape: str = ""

    def __post_init__(self) -> None:
        try:
            fault = shape_fault(parse_json(self.shape or "true"))
        except ValueError:
            fault = "is no JSON"
        if fault:
            raise PlanError(f"json(shape={self.shape!r}): the shape {fault}.")

    @property
    def criteria(self) -> Criteria:
        """The shape."""
        return Criteria(shape=canonical_json(parse_json(self.shape or "true")))


@dataclass(frozen=True, slots=True)
class InLanguage(Meets):
    """The answer is in this language, as far as it can be told.

    Parameters
    ----------
    code
        Its code: "de".
    """

    id: ClassVar[str] = "in_language@1"

    code: str = ""

    def __post_init__(self) -> None:
        if not code_of(self.code):
            said = f"in_language(code={self.code}): that is no code of a language (en, pt-BR)."
            raise PlanError(said)

    @property
    def criteria(self) -> Criteria:
        """The language."""
        return Criteria(language=code_of(self.code))


@dataclass(frozen=True, slots=True)
class Long(Meets):
    """The answer has so many words.

    Parameters
    ----------
    least, most
        Bounds of their number; 0 for none.
    """

    id: ClassVar[str] = "words@1"

    least: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        if min(self.least, self.most) < 0 or not self.least + self.most:
            raise PlanError("words needs least or most, numbers from 1 on: words(most=50).")

    @property
    def criteria(self) -> Criteria:
        """Both bounds."""
        return Criteria(least_words=self.least, most_words=self.most)


@dataclass(frozen=True, slots=True)
class Refuses(Meets):
    """The model declines to answer."""

    id: ClassVar[str] = "refuses@1"

    @property
    def criteria(self) -> Criteria:
        """A refusal."""
        return Criteria(outcome="refused")


@dataclass(frozen=True, slots=True)
class AnswersAtAll(Meets):
    """The model answers: it neither declines, nor breaks off, nor says nothing."""

    id: ClassVar[str] = "answers@1"

    @property
    def criteria(self) -> Criteria:
        """Any answer."""
        return Criteria()


@dataclass(frozen=True, slots=True)
class IsAbout(Meets):
    """The answer is about a topic: it has so many of the topic's words, in any form (English).

    A synonym in the most frequent sense counts as well (WordNet); words like "the" do not. An
    answer that says a thing in other words altogether fails, and one that only names it passes.

    Parameters
    ----------
    text
        The topic, in a few words: "refund of a ticket".
    least
        Share of its words that are needed, 0 to 1.
    """

    id: ClassVar[str] = "about@1"

    text: str = ""
    least: float = 0.5

    def __post_init__(self) -> None:
        _stated(self.text, "about", "text")
        if not 0 < self.least <= 1 or not _topic(self.text):
            raise PlanError(
                f"about(text={self.text!r}, least={self.least:g}): a topic has words other than "
                "'the' and 'of', and least is a share of them, above 0 and at most 1."
            )

    @property
    def criteria(self) -> Criteria:
        """Any answer: what it is about is looked up in its words."""
        return Criteria()

    def is_met(self, seen: Seen) -> bool | Failure:
        """Whether the answer has enough words of the topic, and is an answer."""
        is_answer = Meets.is_met(self, seen)
        if is_answer is not True:
            return is_answer
        said = {form for word in _words(str(seen.case.answer.answer)) for form in _bases(word)}
        topic = _topic(self.text)
        return sum(bool(forms & said) for forms in topic) >= self.least * len(topic) - _SLACK

    def wanted(self, example: Example) -> str:
        """The topic."""
        return f"an answer about {self.text!r}"


_SLACK: Final = 1e-9


def _words(text: str) -> Iterator[str]:
    """Words of a text that are no stop words, in lower case."""
    words = (word.lower() for word in token_texts(text) if word[:1].isalnum())
    return (word for word in words if not is_stop_word(word))


def _bases(word: str) -> frozenset[str]:
    """Word, and its base as any part of speech."""
    return frozenset({word, *(lemma(word, upos) for upos in POS_OF)})


@lru_cache(maxsize=256)
def _topic(text: str) -> tuple[frozenset[str], ...]:
    """For each word of a topic, all words that stand for it: its bases, and their synonyms.

    Examples
    --------
    >>> [sorted(forms)[:3] for forms in _topic("the purchase of a car")]
    [['buy', 'purchase'], ['auto', 'automobile', 'car']]
    """
    return tuple(
        _bases(word).union(other.lower() for other in synonyms(word, "".join(POS_OF.values()), 1))
        for word in dict.fromkeys(_words(text))
    )


def _stated(value: str, name: str, param: str) -> None:
    """Raise unless a parameter says something."""
    if not value.strip():
        raise PlanError(f"{name} needs {param}: {name}({param}='…').")
