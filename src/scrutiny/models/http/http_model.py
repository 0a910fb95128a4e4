"""Models behind a URL: ``http://host/v1#api=chat,model=NAME``, or ``http:FILE.toml``.

The options are those of `scrutiny.models.http.endpoint.Endpoint`.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import FREE_ANSWERS, WRITES
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.queries.remote import RemoteModel, Replies, Reply, Spent
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import first_failure_raised, predict_or_fail
from scrutiny.models.http.endpoint import OF_SENDING, Endpoint, read_endpoint
from scrutiny.models.http.interfaces import INTERFACES, lacks_places
from scrutiny.models.http.reply_reading import short
from scrutiny.models.http.sending import sender_of
from scrutiny.models.prompting.prompts import Prompt, asking_parts
from scrutiny.models.prompting.wordings import (
    WORDINGS,
    Wording,
    by_wording,
    reworded,
    wording_of,
)
from scrutiny.models.prompting.written_labels import (
    LabelReading,
    check_reading,
    written_response,
    written_text,
)
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_strings import ModelSource

_SUM_TOLERANCE: Final = 0.02  # of scores that an endpoint has rounded
_MOST: Final = 1 + _SUM_TOLERANCE  # a probability
_ROUNDED: Final = 0.01  # a log-probability


class HttpModel(RemoteModel):
    """Model behind an endpoint, for tasks whose answers are labels or texts."""

    def __init__(self, endpoint: Endpoint, task: Task, *, source: str) -> None:
        self.source = source
        self.task = task.name
        self.is_versioned = bool(endpoint.revision)
        self.at_once = endpoint.concurrency
        self.endpoint = endpoint
        self.writes_texts = task.facts.any_of(WRITES)
        self._written = written_response if FREE_ANSWERS.are_of(task.facts) else written_text
        choices = tuple(endpoint.choices.items()) or tuple((one, one) for one in endpoint.labels)
        if not self.writes_texts and len(choices) < 2:
            raise ModelError(
                f"{source!r} does not say what its labels are. Add them: labels=negative|positive, "
                "or with the words that stand for each, choices=0=negative|1=positive."
            )
        self.labels = () if self.writes_texts else tuple(label for label, _ in choices)
        gives_scores = endpoint.samples > 1 or endpoint.by == "logprobs" or bool(endpoint.scores)
        self.capabilities = frozenset(
            {"predict", "varies"} if gives_scores else {"predict", "varies", "no_probabilities"}
        )
        self.n_samples = endpoint.samples if endpoint.samples > 1 else None
        self._task = task
        self.fields = task.fields
        words = [words for _, words in choices] if endpoint.api != "own" else []
        parts = asking_parts(endpoint.template, task, words, source=source)
        self._prompt = Prompt(parts, choices)
        self._reading = LabelReading(endpoint.read, dict(choices))
        self.interface = INTERFACES[endpoint.api](endpoint, self._prompt, self.labels)
        if self.labels and endpoint.api != "own":
            self.capabilities |= {WORDINGS}
        self._in_wordings: dict[str, HttpModel] = {"": self}

    def behind(self, endpoint: Endpoint) -> "HttpModel":
        """The same questions to another endpoint."""
        return HttpModel(endpoint, self._task, source=self.source)

    def fingerprint(self) -> str:
        """Digest of what is asked and how it is read; the model itself is out of sight."""
        return digest(self.asked_of(), self.endpoint.read_as())

    def asked_of(self) -> str:
        """Digest of all that can change a reply."""
        return self.endpoint.asked_of(self._prompt.plain())

    def replies(
        self, examples: Sequence[Example], *, draw: int = 0
    ) -> Iterator[tuple[int, Replies | Failure]]:
        """Index and replies of each example, in the order in which they come."""
        for key, places in by_wording(examples).items():
            interface = self._in_wording(key).interface
            own = [examples[place] for place in places]
            for place, came in sender_of(self.endpoint).arriving(interface, own, draw=draw):
                yield places[place], came

    def wordings(self, stated: Sequence[Wording]) -> list[Wording]:
        """Those wordings in which its prompt is another one than its own."""
        own = self.asked_of()
        return [one for one in stated if self._in_wording(one.key()).asked_of() != own]

    def _in_wording(self, key: str) -> "HttpModel":
        """The same model, asked in a wording, by its key."""
        if key not in self._in_wordings:
            wording, made = wording_of(key), copy(self)
            system = wording.system if self.endpoint.api == "chat" else ""
            made.endpoint = self.endpoint.model_copy(update={"system": system} if system else {})
            made._prompt = reworded(self._prompt, wording, self.fields)
            made._reading = replace(self._reading, words=dict(made._prompt.choices))
            made.interface = INTERFACES[made.endpoint.api](made.endpoint, made._prompt, made.labels)
            self._in_wordings[key] = made
        return self._in_wordings[key]

    def spent(self) -> Spent:
        """Requests, tokens and money that this process has spent on the endpoint."""
        return sender_of(self.endpoint).ledger.spent()

    def redirects(self) -> Mapping[str, str]:
        """Addresses of the endpoint that have redirected, each with the one that answered."""
        return sender_of(self.endpoint).redirects()

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One answer for each example, in order.

        Raises
        ------
        AnswerError
            If one of them has none.
        """
        return first_failure_raised(predict_or_fail(self, examples))

    def read(self, example: Example, replies: Replies) -> Prediction | Failure:
        """Label or text of the replies to one example; of several, the most frequent."""
        (key,) = by_wording([example])
        found = [self._in_wording(key)._read(one) for one in replies]
        answered = [one for one in found if isinstance(one, Prediction)]
        if len(found) == 1 or not answered:
            return found[0]
        counts = Counter(one.answer for one in answered)
        places = {label: place for place, label in enumerate(self.labels)}
        answer = max(counts, key=lambda one: (counts[one], -places.get(one, len(places))))
        said = next(one.said for one in answered if one.answer == answer)
        scores = tuple(counts[label] / len(answered) for label in self.labels) or None
        return Prediction(answer, scores, said)

    def _read(self, reply: Reply) -> Prediction | Failure:
        if self.writes_texts:
            return self._written(reply)
        if reply.scores is not None or reply.label is not None:
            if reply.label is not None and reply.label not in self.labels:
                known = ", ".join(self.labels)
                return Failure("unparsed", f"The label {reply.label!r} is none of: {known}")
            scores = reply.scores
            if scores is None:
                return Prediction(reply.label)
            is_sound = len(scores) == len(self.labels) and all(0 <= one <= _MOST for one in scores)
            total = math.fsum(scores) if is_sound else 0.0
            if abs(total - 1) > _SUM_TOLERANCE:
                said = f"{short(scores)} are no probabilities of {len(self.labels)} labels"
                return Failure("unparsed", said)
            return Prediction(reply.label, tuple(score / total for score in scores))
        if self.endpoint.by == "logprobs":
            return self._by_first_token(reply)
        return self._reading.answer(reply)

    def _by_first_token(self, reply: Reply) -> Prediction | Failure:
        """Probabilities of the labels' first tokens, renormalized over the labels."""
        if not reply.logs:
            return Failure("no_logprobs", "The reply holds no log-probabilities of its tokens.")
        wrong = next((one for one in reply.logs.items() if not one[1] <= _ROUNDED), None)
        if wrong is not None:
            said = f"{wrong[1]:g} of the token {short(wrong[0])} is no log-probability"
            return Failure("no_logprobs", f"{said}: that is a number, and none above 0.")
        shares = [0.0] * len(self.labels)
        for token, log in reply.logs.items():
            meant = [
                i for i, (_, words) in enumerate(self._prompt.choices) if _begins(words, token)
            ]
            if len(meant) == 1:  # one that begins several labels says nothing
                shares[meant[0]] += math.exp(log)
        total = math.fsum(shares)
        if total <= 0:
            likely = max(reply.logs, key=lambda token: reply.logs[token])
            return Failure("unparsed", f"No likely first token tells a label; {likely!r} leads.")
        return Prediction(None, tuple(share / total for share in shares), reply.text)


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model behind a URL, an OpenAI-compatible one or your own: ``http://host/v1#api=chat``.

    Raises
    ------
    ModelError
        If an option or the file cannot be read, or if the task has answers of another type.
    """
    del options
    if not task.gives_labels and not task.facts.any_of(WRITES):
        raise ModelError(
            f"{source.text!r}: endpoints answer with labels or texts, not {task.name}."
        )
    endpoint = read_endpoint(source)
    check_reading(endpoint.read, source=source.text)
    first = endpoint.logprobs if endpoint.by == "logprobs" else ""
    if endpoint.api == "own" and (
        endpoint.body is None or not (endpoint.label or endpoint.scores or endpoint.text or first)
    ):
        raise ModelError(
            f"{source.text!r}: an endpoint of your own needs body, with {{text}} where the text "
            "goes, and one of label, scores, text, and logprobs with by=logprobs, where its reply "
            "holds them; best in a file: "
            "http:FILE.toml. api=chat and api=completions are the OpenAI-compatible ones."
        )
    if endpoint.api == "own" and (
        said := lacks_places(endpoint.body, task.fields, batch=endpoint.batch)
    ):
        raise ModelError(f"{source.text!r}: {said}, so what is asked would not be sent.")
    return HttpModel(endpoint, task, source=source.text)


def _begins(words: str, token: str) -> bool:
    """Whether the words of a label begin with a token, blanks and case aside."""
    own, first = words.strip().casefold(), token.strip().casefold()
    return bool(first) and (own.startswith(first) or first.startswith(own))


ADAPTER: Final = Adapter(load, of_asking=OF_SENDING)
