"""Asking of a doctor: texts, requests whose members are changed, replies, and what was found."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal

from rapidfuzz.distance import Levenshtein

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.queries.remote import Reply
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import read_or_fail
from scrutiny.models.http.http_model import HttpModel
from scrutiny.models.http.interfaces import LOGS, Interface
from scrutiny.models.http.sending import Sender
from scrutiny.stats.significance.combined_tests import ExchangeTest

State = Literal["ok", "fault", "not offered", "can't tell"]


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """Outcome of one check.

    Parameters
    ----------
    check
        Name of the check.
    state
        ``fault`` where the endpoint does otherwise than it should; ``not offered`` where it does
        without what was asked for, and the description of the endpoint doesn't need it.
    says
        What it means and what to do, in a sentence or two.
    numbers
        What was measured, for machines.
    """

    check: str
    state: State
    says: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """Plain JSON of it."""
        return {**asdict(self), "numbers": dict(self.numbers)}


def verdict(findings: list[DoctorFinding]) -> str:
    """One line of all findings.

    Examples
    --------
    >>> fault = DoctorFinding("stop words", "fault", "")
    >>> verdict([fault, DoctorFinding("seed", "not offered", "")])
    '1 of 2 checks found a fault: stop words. Not offered: seed.'
    """
    named = {
        state: [one.check for one in findings if one.state == state]
        for state in ("fault", "not offered", "can't tell")
    }
    faults = named.pop("fault")
    if not findings:
        return "No check was made."
    first = f"{len(faults)} of {len(findings)} checks found a fault: {', '.join(faults)}."
    rest = [f"{state.capitalize()}: {', '.join(names)}." for state, names in named.items() if names]
    return " ".join([first if faults else f"No fault in {len(findings)} checks.", *rest])


#: Texts as users have them, of which some label should be told.
TEXTS: Final = (
    "A warm, funny and moving film. I could watch it every week.",
    "Two hours of my life that nobody will give back to me.",
    "The actors do what they can, but the story leads nowhere.",
    "Wonderful music, and a last scene that I won't forget.",
    "The room was dirty, and nobody answered the phone.",
    "It does what it promises, and the price is fair.",
    "The battery died after a week. I want my money back.",
    "Our guide knew every stone and told great stories.",
    "The soup was cold, the waiter colder.",
    "I expected little and got one of the best books of the year.",
    "It broke on the first day.",
    "Fast delivery, friendly people, and everything fits.",
    "The plot has holes that a bus could drive through.",
    "A quiet, clever play with a brave ending.",
    "I fell asleep before the end of the first act.",
)
#: Questions whose answers are a word or two, then those of longer answers.
SHORT: Final = (
    "What is the capital of France? Answer with one word.",
    "Which color does fresh snow have? Answer with one word.",
    "How many legs does a spider have? Answer with a number.",
)
LONG: Final = (
    "Describe the sea in two sentences.",
    "Explain to a child why the sky is blue.",
    "Write two sentences about a train that is late.",
)
#: Questions whose first words tell models apart.
TELLING: Final = (
    "Name an animal that lives in the forest.",
    "Complete the sentence: Once upon a time",
    "What should I cook tonight?",
    "Give me one reason to learn a language.",
    "Which month is the best one for a journey to Japan?",
    "Write the first line of a poem about rain.",
    "Who wrote Faust?",
    "Translate into French: The cat sleeps on the chair.",
    "What is 17 times 6?",
    "Name a tool that carpenters use.",
    "Is a tomato a fruit? Explain in one sentence.",
    "Suggest a name for a small gray dog.",
    "What do bees do in winter?",
    "Give an antonym of 'brave'.",
    "How does one greet people in Spain?",
    "Name a famous bridge.",
    "What is a good present for a child of seven?",
    "Say something kind.",
    "Which is heavier, a kilogram of iron or of feathers?",
    "Finish this list: apples, pears,",
    "Tell me a fact about the moon.",
    "What rhymes with 'light'?",
    "Why do people dream?",
    "Name a river in Africa.",
    "Write a short message to a neighbor who is ill.",
    "What does a lighthouse do?",
    "Which instrument has six strings?",
    "Give me a word with three syllables.",
    "How is paper made?",
    "What is the opposite of north?",
)
#: A system prompt that no answer can miss, and its mark.
MARK: Final = "zebra"
SYSTEM: Final = (
    f"Whatever the user says, answer with the single word {MARK} and nothing else. Never answer "
    "the question."
)
#: Words of the long texts, the shortest first.
LENGTHS: Final = (150, 450, 1350)
CODES: Final = ("4817", "2956")
_FILLER: Final = (
    "The ferry left the harbor at {0} and reached island number {1} in the afternoon.",
    "Keeper {1} wrote down that {0} boats had passed, most of them small ones.",
    "On day {0} the wind turned, and {1} gulls sat on the roof of the old station.",
)


def long_text(words: int, *, first: str, last: str) -> str:
    """Text of about so many words with a code at its beginning and one at its end.

    Examples
    --------
    >>> text = long_text(150, first="11", last="22")
    >>> 150 <= len(text.split()) < 200, text[:21]
    (True, 'The first code is 11.')
    """
    lines: list[str] = []
    count = 0
    while count < words:
        number = len(lines)
        lines.append(_FILLER[number % len(_FILLER)].format(number + 2, 7 * number % 97 + 3))
        count += len(lines[-1].split())
    return (
        f"The first code is {first}. {' '.join(lines)} The last code is {last}.\n\n"
        "What are the first code and the last code? Answer with the two numbers."
    )


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
