"""One look at an endpoint: what is asked, what is asked again, and what came."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.queries.remote import NO_REPLY, RemoteModel
from scrutiny.core.randomness import generator
from scrutiny.core.task import Prediction
from scrutiny.models.answers.checked import predict_or_fail, read_or_fail
from scrutiny.models.http.http_model import HttpModel
from scrutiny.models.http.sending import Sender
from scrutiny.run.watching.baseline import Baseline, Symbol

#: Texts of a request to the model at one time.
_CHUNK: Final = 16
#: One request in so many measures the noise floor, where the baseline does not have it.
_NOISE_SHARE: Final = 20
#: Requests in a row without a reply, after which no more are sent.
_HOPELESS: Final = 32


@dataclass(slots=True)
class Look:
    """What one look has found.

    Parameters
    ----------
    symbols
        Answer to each item that was answered.
    asked
        Items that were asked about, of which some were not answered.
    reasons
        Requests without a reply, by their reason.
    outcomes
        Of each item whose answer differs for the first time and was asked again: whether the
        baseline is the odd one of three answers; in the order in which they were asked.
    retired
        Items that differed for the first time, which no later look bets on.
    noise_asked, noise_changed
        Items that were asked twice whatever they answered, and those of which both answers differ.
    requests
        All texts that were sent.
    served
        Models that the endpoint says have answered.
    stopped
        Why it ended early; empty if it did not.
    """

    symbols: dict[str, Symbol] = field(default_factory=dict)
    asked: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    outcomes: list[bool] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    noise_asked: int = 0
    noise_changed: int = 0
    requests: int = 0
    served: set[str] = field(default_factory=set)
    stopped: str = ""

    def same(self, baseline: Baseline) -> int:
        """Items with the baseline's answer, whatever their probabilities."""
        own = baseline.symbols
        return sum(one.answer == own[item].answer for item, one in self.symbols.items())

    def shift(self, baseline: Baseline) -> float | None:
        """Median change of the log of the odds; None without probabilities."""
        apart = [abs(one.margin - baseline.symbols[i].margin) for i, one in self.symbols.items()]
        known = [one for one in apart if one == one]  # noqa: PLR0124  # NaN is not
        return median(known) if known else None


def look_at(
    model: Model,
    baseline: Baseline,
    *,
    requests: int,
    retired: AbstractSet[str],
    number: int,
) -> Look:
    """Ask items of the baseline once, and again those whose answer differs for the first time.

    Parameters
    ----------
    model
        The endpoint, for the baseline's task.
    baseline
        What it is compared with.
    requests
        Texts that are sent at most.
    retired
        Items that have differed before.
    number
        Of this look, from 1 on: which items are drawn where there are more than requests.
    """
    asker = _Asker(model, baseline, requests)
    items = sorted(baseline.examples)
    order = generator(0, "watch", name="items@1", item=baseline.run, draw=number).permutation(
        len(items)
    )
    waiting = [items[place] for place in order.tolist()]
    look, labels = asker.look, baseline.labels_for(model)
    is_noise_known = baseline.noise is not None
    again: list[str] = []  # differing for the first time, in order
    doubles: list[str] = []  # asked twice in any case
    while waiting:
        # any of the chunk may have to be asked again
        left = requests - look.requests - len(again) - len(doubles) - (0 if is_noise_known else 2)
        size = min(_CHUNK, left // 2, len(waiting))
        if size < 1 or look.stopped:
            break
        chunk, waiting = waiting[:size], waiting[size:]
        look.asked += size
        for item, found in asker.ask(chunk):
            look.symbols[item] = baseline.symbol(found, labels)
            if not is_noise_known and len(doubles) * _NOISE_SHARE < len(look.symbols) - 1:
                doubles.append(item)
            if item not in retired and _differs(look.symbols[item], baseline.symbols[item]):
                again.append(item)
    look.retired = again
    second: dict[str, Symbol] = {}
    both = list(dict.fromkeys([*again, *doubles]))
    for start in range(0, len(both), _CHUNK):
        if not look.stopped:
            came = asker.ask(both[start : start + _CHUNK])
            second |= {item: baseline.symbol(found, labels) for item, found in came}
    for item in again:
        if item in second:
            look.outcomes += _outcome(baseline.symbols[item], look.symbols[item], second[item])
    measured = [item for item in doubles if item in second]
    look.noise_asked = len(measured)
    look.noise_changed = sum(second[i].answer != look.symbols[i].answer for i in measured)
    return look


def _differs(one: Symbol, other: Symbol) -> bool:
    return one[:2] != other[:2]


def _outcome(reference: Symbol, first: Symbol, second: Symbol) -> list[bool]:
    """Whether the reference is the odd one of three answers; nothing if all three differ."""
    if not _differs(first, second):
        return [True]
    return [] if _differs(reference, second) else [False]


class _Asker:
    """Asks an endpoint, and notes what came of it."""

    def __init__(self, model: Model, baseline: Baseline, requests: int) -> None:
        self._sender: Sender | None = None
        if isinstance(model, HttpModel):  # with a budget of its own
            own = model.endpoint
            most = min(filter(None, (own.most_requests, requests * own.samples)))
            self._sender = Sender(own.model_copy(update={"most_requests": most}))
        self._model = model
        self._examples: Mapping[str, Example] = baseline.examples
        self._in_vain = 0
        self.look = Look()

    def ask(self, items: Sequence[str]) -> list[tuple[str, Prediction | Failure]]:
        """Answers to items, without those to which no reply came."""
        look = self.look
        look.requests += len(items)
        try:
            found = self._answers([self._examples[item] for item in items])
        except (ModelError, RunIncompleteError) as error:
            look.stopped = str(error)
            look.reasons["not sent or no reply"] += len(items)
            return []
        missing = [one.reason for one in found if isinstance(one, Failure) and _is_missing(one)]
        look.reasons.update(missing)
        self._in_vain = self._in_vain + len(items) if len(missing) == len(items) else 0
        if self._in_vain >= _HOPELESS:
            look.stopped = f"No reply to {self._in_vain} requests in a row: no more were sent."
        return [(item, one) for item, one in zip(items, found, strict=True) if not _is_missing(one)]

    def _answers(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        model = self._model
        if not isinstance(model, RemoteModel):
            return predict_or_fail(model, examples)
        if isinstance(model, HttpModel) and self._sender is not None:
            came = dict(self._sender.arriving(model.interface, examples, draw=0))
        else:
            came = dict(model.replies(examples))
        replies = [came[place] for place in range(len(examples))]
        for one in replies:
            if not isinstance(one, Failure):
                self.look.served.update(reply.served for reply in one if reply.served)
        return read_or_fail(model, examples, replies)


def _is_missing(found: Prediction | Failure) -> bool:
    """Whether no reply came, or the model itself failed."""
    return isinstance(found, Failure) and found.reason in (*NO_REPLY, "model_error")
