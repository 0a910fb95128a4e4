"""Responses as answers, and criteria: what is expected of one, stated beside its prompt.

Those that a text alone decides are decided here. In which language a response is and what a
function of the user's says of it are asked of `scrutiny.tasks.response_checks`.
"""

import re
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from scrutiny.core.answers.answer import Agreement, AnswerType
from scrutiny.core.answers.json_shapes import fits_shape, json_in
from scrutiny.core.answers.responses import ENDS_REFUSED, ENDS_SHORT, Response, folded, normal
from scrutiny.core.boundary.json_text import canonical_json, parse_json
from scrutiny.core.example import Example


class Criteria(NamedTuple):
    """Criteria of a free answer; it is right where all of them hold.

    Parameters
    ----------
    references
        Texts that are written well; they are compared by metrics, and decide nothing alone.
    equals
        Texts of which it is one, case, spaces and marks around it aside; none for any.
    contains
        Groups of words: it has one of each group, as whole words in any case.
    lacks
        Words that it does not have.
    matches
        Regular expressions that are found in it.
    shape
        JSON Schema of the JSON that it is, as JSON; ``true`` for any JSON.
    language
        Code of the language that it is in.
    least_words, most_words
        Bounds of its number of words; 0 for none.
    outcome
        How answering is expected to end: ``answered``, or ``refused``.
    scorer
        Python function that says whether it is right, ``FILE.py:OBJECT``.
    version
        Digest of the file that this function stands in: another function is another item.
    prompt
        What was asked, for that function.
    asked_in
        Language of the prompt; empty where it is too short to tell.
    """

    references: tuple[str, ...] = ()
    equals: tuple[str, ...] = ()
    contains: tuple[tuple[str, ...], ...] = ()
    lacks: tuple[str, ...] = ()
    matches: tuple[str, ...] = ()
    shape: str = ""
    language: str = ""
    least_words: int = 0
    most_words: int = 0
    outcome: str = "answered"
    scorer: str = ""
    version: str = ""
    prompt: str = ""
    asked_in: str = ""

    @property
    def is_stated(self) -> bool:
        """Whether they expect more than that there is an answer, references aside."""
        told = self._replace(references=(), prompt="", asked_in="")
        return told != Criteria()

    def held(self, text: str) -> Iterator[tuple[str, bool]]:
        """Each that the text alone decides, in words, and whether it holds."""
        if self.equals:
            said = " or ".join(map(repr, self.equals))
            yield f"is {said}", normal(text) in set(map(normal, self.equals))
        whole = folded(text)
        for group in self.contains:
            yield f"contains {' or '.join(map(repr, group))}", any(has(whole, w) for w in group)
        for words in self.lacks:
            yield f"lacks {words!r}", not has(whole, words)
        for pattern in self.matches:
            yield f"matches {pattern!r}", re.search(pattern, text) is not None
        if self.shape:
            value = json_in(text)
            fits = value is not None and fits_shape(value[0], parse_json(self.shape))
            yield ("is JSON" if self.shape == "true" else f"is JSON of {self.shape}"), fits
        n_words = len(text.split())
        if self.least_words:
            yield f"has {self.least_words} words or more", n_words >= self.least_words
        if self.most_words:
            yield f"has {self.most_words} words at most", n_words <= self.most_words

    def __str__(self) -> str:
        said = [name for name, _ in self.held("")]
        said += [f"is in {self.language}"] if self.language else []
        said += [f"is right by {self.scorer}"] if self.scorer else []
        if self.outcome != "answered":
            return f"no answer: {self.outcome}"
        if said:
            return f"an answer that {' and '.join(said)}"
        return f"an answer like {self.references[0]!r}" if self.references else "any answer"


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    """Pattern of whole words; those of scripts that write no spaces have no borders."""
    start, end = (
        edge if words[at].isascii() and words[at].isalnum() else "" for edge, at in _EDGES
    )
    return re.compile(start + re.escape(words) + end)


_EDGES: Final = ((r"(?<!\w)", 0), (r"(?!\w)", -1))


def has(whole: str, words: str) -> bool:
    """Whether a `folded` text has these words, whole.

    Examples
    --------
    >>> has(folded("It is Paris!"), "paris"), has(folded("14 days"), "4"), has("is it?", "?")
    (True, False, True)
    """
    wanted = normal(words)
    return bool(wanted) and _pattern(wanted).search(whole) is not None


class CriteriaType(AnswerType[Criteria]):
    """Criteria of responses; only what is right of a prompt is such."""

    name = "criteria"
    holds = Criteria

    def encode(self, answer: Criteria) -> Any:
        """Criteria that are stated, by name."""
        usual = Criteria()._asdict()
        return {name: v for name, v in answer._asdict().items() if v != usual[name]}

    def decode(self, value: Any) -> Criteria:
        """Criteria from their JSON.

        Raises
        ------
        TypeError
            If one of them is none.
        """
        made, usual = Criteria(**{n: _tuples(part) for n, part in value.items()}), Criteria()
        for name, part in made._asdict().items():
            if type(part) is not type(getattr(usual, name)):
                raise TypeError(f"{name} is {part!r:.60}")
        return made

    def given(self, value: Any, example: Example) -> Criteria:
        """Raise: no model gives criteria."""
        raise TypeError("criteria say what is right of a response, and are none")

    def check(self, answer: Criteria, example: Example) -> str | None:
        """Say that a model gives a response."""
        return "is what is expected of a response; a model gives a response."

    def is_said(self, answer: Criteria, brief: str) -> bool | None:
        """Whether few words are those of a response that meets all that a text alone decides.

        None where a language or a function decides, or nothing is stated.
        """
        if answer.language or answer.scorer or not answer.is_stated:
            return None
        marked = _OUTCOME.match(brief)
        said = brief[marked.end() :] if marked else brief
        outcome = marked[1] if marked else "answered"
        is_answer = outcome == "answered"
        return outcome == answer.outcome and (not is_answer or all(h for _, h in answer.held(said)))

    def right_parts(self, given: Any, right: Criteria) -> frozenset[Hashable]:
        """Criteria that a free answer meets, as far as its text alone decides them."""
        is_given = given.outcome == right.outcome
        held = frozenset(name for name, holds in right.held(given) if holds)
        return held | {right.outcome} if is_given else frozenset()

    def runs(self, answer: Criteria) -> str:
        """Name of the function of the user's that judges."""
        return answer.scorer

    def show(self, answer: Criteria, fields: Mapping[str, str]) -> str:
        """All of them."""
        return str(answer)

    def key(self, answer: Criteria) -> tuple[str, ...]:
        """All but what is told from the prompt."""
        return (canonical_json(self.encode(answer._replace(prompt="", asked_in=""))),)


_OUTCOME: Final = re.compile(r"\[(refused|cut off|empty)\] ?")  # as responses are shown


def _tuples(value: Any) -> Any:
    """Lists of JSON as tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


CRITERIA = CriteriaType()


_ENDS: Final = (*sorted(ENDS_SHORT | ENDS_REFUSED), "stop")


class ResponseType(AnswerType[Response]):
    """Texts that are written freely: replies, stories, code."""

    name = "response"
    holds = Response

    def encode(self, answer: Response) -> Any:
        """Text; with its end, where one was told."""
        return [str(answer), answer.end] if answer.end else str(answer)

    def decode(self, value: Any) -> Response:
        """Response from its JSON."""
        return Response(value) if isinstance(value, str) else Response(*value)

    def given(self, value: Any, example: Example) -> Response:
        """Response of a string, or of a mapping with ``text`` and ``end``."""
        end = ""
        if isinstance(value, Response):
            return value
        if isinstance(value, Mapping):
            value, end = value.get("text"), value.get("end", value.get("finish_reason")) or ""
        if not isinstance(value, str) or not isinstance(end, str) or (end and end not in _ENDS):
            raise TypeError(
                'an answer is a string, or {"text": string, "end": one of stop, length, refused}'
            )
        return Response(value, end)

    def agree(self, a: Response, b: Response) -> Agreement:
        """Whether both ended alike, and have the same words, up to `normal`."""
        is_same = a.outcome == b.outcome and normal(a) == normal(b)
        return Agreement(int(is_same), 1)

    def right_parts(self, given: Response, right: Response) -> frozenset[Hashable]:
        """The whole response, if it says the same."""
        return frozenset({normal(given)}) if self.agree(given, right).is_whole else frozenset()

    def as_right(self, answer: Response) -> Any:
        """What another response has to be to say the same."""
        said = answer.outcome
        return Criteria(equals=(str(answer),) if said == "answered" else (), outcome=said)

    def show(self, answer: Response, fields: Mapping[str, str]) -> str:
        """Text, behind how it ended where that is no answer."""
        said = answer.outcome
        return str(answer) if said == "answered" else f"[{said}] {answer}".rstrip()

    def words(self, answer: Response) -> tuple[str, ...]:
        """Return the text."""
        return (str(answer),)


RESPONSE = ResponseType()
