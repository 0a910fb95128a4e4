"""Requests and replies: the OpenAI-compatible interfaces, and one of your own by its description.

An interface makes the body of a request for some examples, and reads one reply for each of them.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Final

from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Reply
from scrutiny.models.choice.prompt import Prompt
from scrutiny.models.http.endpoint import Endpoint

#: Members that ask for log-probabilities of the likely first tokens: the most that are allowed.
LOGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "chat": {"logprobs": True, "top_logprobs": 20},
    "completions": {"logprobs": 5},
}
_SHOWN: Final = 200
_PLACE: Final = re.compile(r"\{(\w+)\}")


class BadReply(Exception):
    """A reply is not what its interface says; asked again, another may come."""


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
        if isinstance(data, Mapping) and data.get("error"):
            raise BadReply(f"it says {_short(data['error'])}")
        choice = at(data, "choices.0")
        usage = data.get("usage") or {}
        served = [data.get("model"), data.get("system_fingerprint")]
        text, refusal = self._of_choice(choice)
        return [
            Reply(
                text,
                str(choice.get("finish_reason") or ""),
                refusal,
                logs=_first_token(choice.get("logprobs")),
                tokens_in=_count(usage.get("prompt_tokens")),
                tokens_out=_count(usage.get("completion_tokens")),
                served=" ".join(map(str, filter(None, served))),
            )
        ]

    @abstractmethod
    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        """Text of a choice, and what it says of a refusal."""


class Chat(_OpenAI):
    """OpenAI-compatible chat: the filled template is what the user says."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Messages, and how the model writes."""
        system = [{"role": "system", "content": self._endpoint.system}]
        said = {"role": "user", "content": self._prompt.around(examples[0])[0]}
        return {
            "messages": [*(system if self._endpoint.system else []), said],
            **self._shared(draw),
        }

    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        message = at(choice, "message")
        content = message.get("content")
        if isinstance(content, list):  # parts of a message
            content = "".join(str(part.get("text", "")) for part in content)
        return str(content or ""), str(message.get("refusal") or "")


class Completions(_OpenAI):
    """OpenAI-compatible completions: the model goes on behind the filled template."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Prompt, and how the model writes."""
        return {"prompt": self._prompt.around(examples[0])[0], **self._shared(draw)}

    def _of_choice(self, choice: Mapping[str, Any]) -> tuple[str, str]:
        return str(at(choice, "text") or ""), ""


class Own(Interface):
    """Endpoint of your own: a body with places for texts, and paths into its reply."""

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Body with the texts filled in."""
        del draw
        filled = [self._prompt.around(example)[0] for example in examples]
        return _filled(self._endpoint.body, examples, filled)

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
        text = str(at(row, e.text)) if e.text else ""
        label = str(at(row, e.label)) if e.label else None
        return Reply(text, label=label, scores=self._scores(row) if e.scores else None)

    def _scores(self, row: Any) -> tuple[float, ...]:
        """Probabilities in the order of the labels, however they are named."""
        found = at(row, self._endpoint.scores)
        if isinstance(found, list) and found and isinstance(found[0], Mapping):
            found = {str(one.get("label")): one.get("score") for one in found}
        if isinstance(found, Mapping):
            missing = [label for label in self._labels if label not in found]
            if missing:
                raise BadReply(f"no score for {missing[0]!r} in {_short(found)}")
            found = [found[label] for label in self._labels]
        try:
            return tuple(float(value) for value in found)
        except (TypeError, ValueError):
            raise BadReply(f"{_short(found)} are no scores") from None


INTERFACES: Final[Mapping[str, type[Interface]]] = {
    "chat": Chat,
    "completions": Completions,
    "own": Own,
}


def at(data: Any, path: str) -> Any:
    """Part of JSON at a path of members and places: ``data.0.label``; all of it if empty.

    Raises
    ------
    BadReply
        If there is no such part.

    Examples
    --------
    >>> at({"data": [{"label": "good"}]}, "data.0.label")
    'good'
    """
    found = data
    for step in path.split(".") if path else []:
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise BadReply(f"there is no {path!r} in {_short(data)}") from None
    return found


def _filled(value: Any, examples: Sequence[Example], filled: Sequence[str]) -> Any:
    """Copy of a body with its places filled in."""
    if isinstance(value, Mapping):
        return {name: _filled(part, examples, filled) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, examples, filled) for part in value]
    if not isinstance(value, str):
        return value
    if value == "{texts}":
        return list(filled)
    texts = {**examples[0].fields, "prompt": filled[0]}
    return _PLACE.sub(lambda match: texts.get(match[1], match[0]), value)


def _first_token(logs: Any) -> dict[str, float]:
    """Log-probabilities of the likely first tokens, in either form that servers give them."""
    if not isinstance(logs, Mapping):
        return {}
    content = logs.get("content")
    if content:
        top = content[0].get("top_logprobs") or content[:1]
        return {str(one.get("token")): float(one["logprob"]) for one in top}
    top = logs.get("top_logprobs") or [{}]
    return {str(token): float(value) for token, value in (top[0] or {}).items()}


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _short(value: Any) -> str:
    """Beginning of JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
