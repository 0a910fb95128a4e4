"""Requests and replies: the OpenAI-compatible interfaces, and one of your own by its description.

An interface makes the body of a request for some examples, and reads one reply for each of them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Reply
from scrutiny.models.http.endpoint import Endpoint
from scrutiny.models.http.reply_reading import (
    BadReply,
    at,
    first_tokens,
    likely,
    name,
    scores_of,
    short,
    table,
    tokens_told,
    words,
)
from scrutiny.models.prompting.prompts import Prompt

#: Members that ask for log-probabilities of the likely first tokens: the most that are allowed.
LOGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "chat": {"logprobs": True, "top_logprobs": 20},
    "completions": {"logprobs": 5},
}
#: Members of a body that state how many tokens are written at most, and how many replies.
_WRITES: Final = frozenset(
    {"max_tokens", "max_completion_tokens", "max_output_tokens"}
    | {"max_new_tokens", "n_predict", "num_predict"}
)
_REPLIES: Final = frozenset({"n", "best_of", "num_return_sequences"})
_PLACE: Final = re.compile(r"\{(\w+)\}")


class Interface(ABC):
    """How an endpoint is asked."""

    def __init__(self, endpoint: Endpoint, prompt: Prompt, labels: Sequence[str]) -> None:
        self._endpoint = endpoint
        self._prompt = prompt
        self._labels = tuple(labels)

    @abstractmethod
    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Body of the request for these examples."""

    @abstractmethod
    def replies(self, data: Any, *, count: int) -> list[Reply]:
        """One reply for each example.

        Raises
        ------
        BadReply
            If a part is missing or of the wrong type.
        """


class _OpenAI(Interface):
    """Endpoint that completes texts: members that both of its interfaces share."""

    def _shared(self, draw: int) -> dict[str, Any]:
        e = self._endpoint
        own = {
            "model": e.model or None,
            "max_tokens": 1 if e.by == "logprobs" else e.max_tokens,
            "temperature": e.temperature,
            "seed": None if e.seed is None else e.seed + draw,
            "stop": list(e.stop) or None,
        }
        stated = {name: value for name, value in own.items() if value is not None}
        return {**(LOGS[e.api] if e.by == "logprobs" else {}), **stated, **e.extra}

    def replies(self, data: Any, *, count: int) -> list[Reply]:
        """Reply of the first choice."""
        del count
        told = table(data, "it")
        if told.get("error"):
            raise BadReply(f"it says {short(told['error'])}")
        choice = table(at(told, "choices.0"), "the first choice")
        read, wrote = tokens_told(told)
        served = [words(told.get(one), one) for one in ("model", "system_fingerprint")]
        text, refusal = self._of_choice(choice)
        return [
            Reply(
                text,
                words(choice.get("finish_reason"), "finish_reason"),
                refusal,
                logs=first_tokens(choice.get("logprobs")),
                tokens_in=read,
                tokens_out=wrote,
                served=" ".join(filter(None, served)),
            )
        ]

    @abstractmethod
    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        """Text of a choice, and what it says of a refusal."""


class Chat(_OpenAI):
    """OpenAI-compatible chat: the filled template is what the user says."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Messages, and how the model writes."""
        said = self._prompt.messages(examples[0], system=self._endpoint.system)
        return {"messages": [one._asdict() for one in said], **self._shared(draw)}

    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        message = table(at(choice, "message"), "the message")
        content = message.get("content")
        if isinstance(content, list):  # parts of a message
            parts = [table(part, "a part of the message") for part in content]
            content = "".join(words(part.get("text"), "the text of a part") for part in parts)
        return words(content, "the message"), words(message.get("refusal"), "refusal")


class Completions(_OpenAI):
    """OpenAI-compatible completions: the model goes on behind the filled template."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Prompt, and how the model writes."""
        return {"prompt": self._prompt.alone(examples[0]), **self._shared(draw)}

    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        return words(at(choice, "text"), "the text"), ""


class Own(Interface):
    """Endpoint of your own: a body with places for texts, and paths into its reply."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Body with the texts filled in."""
        del draw
        takes_all = "{messages}" in _texts_in(self._endpoint.body)
        ask = self._prompt.around if takes_all else lambda e: (self._prompt.alone(e), "")
        said = self._prompt.messages(examples[0], system=self._endpoint.system)
        messages = [one._asdict() for one in said]
        return _filled(self._endpoint.body, examples, [ask(e)[0] for e in examples], messages)

    def replies(self, data: Any, *, count: int) -> list[Reply]:
        """Reply for each text of the request."""
        e = self._endpoint
        rows = at(data, e.items) if e.items or e.batch > 1 else [data]
        if not isinstance(rows, list) or len(rows) != count:
            found = f"{len(rows)} parts" if isinstance(rows, list) else f"a {type(rows).__name__}"
            raise BadReply(f"{e.items or 'the reply'} holds {found} for {count} texts")
        return [self._of(row) for row in rows]

    def _of(self, row: Any) -> Reply:
        e = self._endpoint
        read, wrote = tokens_told(row)
        return Reply(
            words(at(row, e.text), e.text) if e.text else "",
            label=name(at(row, e.label), e.label) if e.label else None,
            scores=scores_of(at(row, e.scores), self._labels) if e.scores else None,
            logs=likely(at(row, e.logprobs)) if e.logprobs else {},
            tokens_in=read,
            tokens_out=wrote,
        )


INTERFACES: Final[Mapping[str, type[Interface]]] = {
    "chat": Chat,
    "completions": Completions,
    "own": Own,
}


def lacks_places(body: Any, fields: Sequence[str], *, batch: int) -> str:
    """Places for the texts of an item that a body of your own lacks; empty if it has them all.

    Examples
    --------
    >>> lacks_places({"a": "{text}"}, ("text",), batch=1), lacks_places({}, ("text",), batch=1)
    ('', 'its body has no place for {text}')
    """
    values = list(_texts_in(body))
    if "{texts}" in values or "{messages}" in values:
        return ""
    places = {place for value in values for place in _PLACE.findall(value)}
    if "texts" in places:
        return 'in its body, "{texts}" must be a whole value: a list stands in its place'
    if batch > 1:
        said = f"batch={batch} puts several texts into one request"
        return f'{said}, and no value of its body is "{{texts}}"'
    lacking = [field for field in fields if field not in places and "prompt" not in places]
    return f"its body has no place for {{{lacking[0]}}}" if lacking else ""


def _texts_in(value: Any) -> Iterator[str]:
    """Texts among the values of a body, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(part)


def most_written(body: Any) -> int:
    """Most tokens that a body asks for, of all its replies; 0 if it states no limit.

    Examples
    --------
    >>> most_written({"max_tokens": 16, "max_completion_tokens": 400, "n": 2})
    800
    """
    stated = list(_stated(body))
    replies = max((most for member, most in stated if member in _REPLIES), default=1)
    return replies * max((most for member, most in stated if member in _WRITES), default=0)


def _stated(body: Any) -> Iterator[tuple[str, int]]:
    """Limits that a body states, however deep."""
    if isinstance(body, Mapping):
        for member, value in body.items():
            if member in _WRITES | _REPLIES and isinstance(value, int) and value > 0:
                yield member, value
            else:
                yield from _stated(value)


def _filled(
    value: Any, examples: Sequence[Example], filled: Sequence[str], messages: Sequence[Any] = ()
) -> Any:
    """Copy of a body with its places filled in."""
    if isinstance(value, Mapping):
        return {name: _filled(part, examples, filled, messages) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, examples, filled, messages) for part in value]
    if value == "{messages}":
        return list(messages)
    if not isinstance(value, str):
        return value
    if value == "{texts}":
        return list(filled)
    texts = {**examples[0].fields, "prompt": filled[0]}
    return _PLACE.sub(lambda match: texts.get(match[1], match[0]), value)
