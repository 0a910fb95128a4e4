"""Asking of a doctor: requests whose members are changed, and replies with all that came."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from rapidfuzz.distance import Levenshtein

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Reply
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import read_or_fail
from scrutiny.models.http.interfaces import LOGS, Interface
from scrutiny.models.http.model import HttpModel
from scrutiny.models.http.sending import Sender
from scrutiny.stats.significance.exchange import ExchangeTest

#: Tokens of a longer answer.
LONG_ANSWER: Final = 48
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Heard(Reply):
    """A reply, and the JSON that it was read from."""

    data: Any = None


class _AsTheyAre(Interface):
    """Sends bodies as they are; examples are their places."""

    def __init__(self, bodies: Sequence[Any], own: Interface) -> None:
        self._bodies = bodies
        self._own = own

    def body(self, examples: Sequence[Example], *, draw: int) -> Any:
        """Body of this place."""
        del draw
        return self._bodies[int(examples[0].id)]

    def replies(self, data: Any, *, count: int) -> list[Reply]:
        """Reply as the endpoint's own interface reads it."""
        (reply,) = self._own.replies(data, count=count)
        return [Heard(**{one.name: getattr(reply, one.name) for one in fields(Reply)}, data=data)]


class Asker:
    """An endpoint that is examined.

    Parameters
    ----------
    model
        Model behind it, which makes bodies for texts and reads replies.
    sender
        Sends the requests.
    """

    def __init__(self, model: HttpModel, sender: Sender) -> None:
        self.model = model
        self.endpoint = sender.endpoint
        self.sender = sender
        self.gives_logs = False
        self.texts: list[str] = []  # all that was written so far

    @property
    def api(self) -> str:
        """Interface: ``chat``, ``completions`` or ``own``."""
        return self.endpoint.api

    @property
    def gives_numbers(self) -> bool:
        """Whether replies hold probabilities."""
        return self.gives_logs or bool(self.endpoint.scores)

    def about(self, text: str) -> Body:
        """Body that the model sends for a text."""
        body: Body = self.model.interface.body([self._example(text)], draw=0)
        return body

    def said(self, text: str, *, system: str = "", tokens: int = LONG_ANSWER, **more: Any) -> Body:
        """Body in which the user says this, at temperature 0; an endpoint of your own gets a text.

        Parameters
        ----------
        text
            What the user says.
        system
            Of a chat.
        tokens
            Most tokens of the answer.
        more
            Other members.
        """
        if self.api == "own":
            return self.about(text)
        own = {"max_tokens": tokens, "temperature": 0, **more}
        named = {"model": self.endpoint.model} if self.endpoint.model else {}
        if self.api == "completions":
            return {**self.endpoint.extra, **named, "prompt": f"{text}\n", **own}
        around = [{"role": "system", "content": system}] if system else []
        messages = [*around, {"role": "user", "content": text}]
        return {**self.endpoint.extra, **named, "messages": messages, **own}

    def logs(self) -> Mapping[str, Any]:
        """Members that ask for log-probabilities."""
        return LOGS.get(self.api, {})

    def told(self, text: str, **more: Any) -> Body:
        """Body of `said` that asks for log-probabilities, where they are known to come."""
        return self.said(text, **more, **(self.logs() if self.gives_logs else {}))

    def ask(self, bodies: Sequence[Body]) -> list[Heard | Failure]:
        """Replies in order.

        Raises
        ------
        ModelError
            If no request can succeed.
        RunIncompleteError
            If a budget is spent.
        """
        examples = [Example(str(place), {}) for place in range(len(bodies))]
        interface = _AsTheyAre(bodies, self.model.interface)
        came = dict(self.sender.arriving(interface, examples, draw=0))
        found: list[Heard | Failure] = []
        for place in range(len(bodies)):
            one = came[place]
            found.append(one if isinstance(one, Failure) else one[0])  # type: ignore[arg-type]
        self.texts += [one.text for one in found if isinstance(one, Heard)]
        return found

    def read(self, heard: Heard) -> Prediction | Failure:
        """Answer of a reply, as in a run."""
        (found,) = read_or_fail(self.model, [self._example("")], [(heard,)])
        return found

    def _example(self, text: str) -> Example:
        return Example("0", dict.fromkeys(self.model.fields, text))


def distance(one: Heard, other: Heard) -> float:
    """How far two replies lie apart: probabilities if there are any, otherwise texts."""
    if one.logs and other.logs:
        a, b = ({t: _share(math.exp(min(v, 0.0))) for t, v in x.logs.items()} for x in (one, other))
        return math.fsum(abs(a.get(t, 0.0) - b.get(t, 0.0)) for t in {*a, *b}) / 2
    if one.scores and other.scores and len(one.scores) == len(other.scores):
        pairs = [(_share(a), _share(b)) for a, b in zip(one.scores, other.scores, strict=True)]
        return math.fsum(abs(a - b) for a, b in pairs) / 2
    said = (one.label or one.text, other.label or other.text)
    return float(Levenshtein.normalized_distance(*said))


def _share(value: float) -> float:
    """Number that an endpoint calls a probability, between 0 and 1."""
    return min(1.0, max(0.0, value))


def enter(test: ExchangeTest, four: Sequence[Heard]) -> bool:
    """Enter two answers of each of two sides into their test; gives whether all are the same."""
    between = [distance(one, other) for one in four[:2] for other in four[2:]]
    test.add([distance(*four[:2]), distance(*four[2:])], between)
    return not any(between)


def was_refused(found: Sequence[Heard | Failure]) -> bool:
    """Whether a request was refused as such; other failures say nothing about its members."""
    return any(isinstance(one, Failure) and one.reason == "bad_request" for one in found)


def replies_of(found: Sequence[Heard | Failure]) -> list[Heard]:
    """Replies among what was found."""
    return [one for one in found if isinstance(one, Heard)]
