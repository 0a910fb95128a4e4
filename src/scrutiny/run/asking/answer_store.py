"""How answers are stored: keys, the store that tasks reach, the pace of batches, and a buffer.

What a kill can cost is one batch or one second of answers. Where a batch begins and ends can
change the last digits of a network's answers, so its batches are cut as it cuts them itself,
however fast it is; only models that promise not to mind, and objects of the user's own, are cut
by time.

Each commit writes whole pages, nearly as many for a thousand answers as for ten thousand: their
keys are digests, which lie anywhere. A model that answers thousands a second would spend as long
on commits as on answers, so quick answers wait for half a second together.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from hashlib import blake2b
from time import perf_counter
from typing import Any, Final

from scrutiny.core.boundary.json_text import canonical_json, digest, length_prefixed
from scrutiny.core.boundary.printable import storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError, RunIncompleteError, ScrutinyError
from scrutiny.core.example import Example
from scrutiny.core.long_runs import Progress
from scrutiny.core.model import Model
from scrutiny.core.queries.remote import NO_ANSWER
from scrutiny.store.database import AnswerCache, Journal


@dataclass(frozen=True, slots=True)
class TaskStore:
    """Answers of models and memos of the run, as a task reaches them.

    Parameters
    ----------
    get_many
        Gives the stored answers, for those keys that have one.
    put_many
        Stores answers; they are safe when the call returns.
    memo
        Says whether a value is stored under a key, and the value.
    set_memo
        Stores a JSON value for the life of the run.
    """

    get_many: Callable[[Sequence[bytes]], dict[bytes, bytes]]
    put_many: Callable[[Mapping[bytes, bytes]], None]
    memo: Callable[[str], tuple[bool, Any]]
    set_memo: Callable[[str, Any], None]

    @classmethod
    def through(cls, request: Callable[..., Any]) -> "TaskStore":
        """Store of the driver, seen from a worker: ``request`` gets a method and its arguments."""
        return cls(*(partial(request, field.name) for field in fields(cls)))

    def reply(self, method: str, arguments: tuple[Any, ...]) -> Any:
        """Reply to a request of a store that is seen `through` one."""
        return getattr(self, method)(*arguments)


def local_store(answers: AnswerCache | None, journal: Journal, progress: Progress) -> TaskStore:
    """Store of the driver: the only place that opens SQLite; no answers without a cache."""

    def put_many(found: Mapping[bytes, bytes]) -> None:
        if answers is not None:
            answers.put_many(found)
        progress.answered(len(found))

    get_many = _no_answers if answers is None else answers.get_many
    return TaskStore(get_many, put_many, journal.memo, journal.set_memo)


def forgetful_store() -> TaskStore:
    """Store without files: answers are not kept, memos only in memory."""
    memos: dict[str, Any] = {}
    return TaskStore(
        _no_answers, lambda _: None, lambda key: (key in memos, memos.get(key)), memos.__setitem__
    )


def _no_answers(_: Sequence[bytes]) -> dict[bytes, bytes]:
    """No stored answers: those of a run without a cache."""
    return {}


def answer_keys(
    examples: Iterable[Example], *, fingerprint: str, capability: str, label_map: str, draw: int = 0
) -> list[bytes]:
    """Cache keys of a model's answers to these examples.

    Parameters
    ----------
    examples
        Only the texts, the token borders and the language count: identical texts share an answer.
    fingerprint
        The model's own digest of everything that changes an answer.
    capability
        Capability that is called ("predict").
    label_map
        Digest of the mapping of labels.
    draw
        Repetition, for models that answer at random.
    """
    model = digest(canonical_json([fingerprint, capability, label_map, draw]))
    return [blake2b(_asked(model, example), digest_size=16).digest() for example in examples]


def _asked(model: str, example: Example) -> bytes:
    """Bytes that identify a request: the model, and all that it sees of an example."""
    fields, tokens = example.fields, example.tokens or {}
    chunks = [_repeated(model, example.language, str(len(fields)))]
    for field, text in fields.items():
        borders = tokens.get(field)
        written = "" if borders is None else str([f"{a}-{b}" for a, b in borders])
        chunks += [_repeated(field), length_prefixed(text, written)]
    return b"".join(chunks)


@lru_cache(maxsize=256)
def _repeated(*parts: str) -> bytes:
    """`length_prefixed`, cached for parts that many requests share."""
    return length_prefixed(*parts)


def query_keys(queries: Iterable[Any], *, fingerprint: str, capability: str) -> list[bytes]:
    """Cache keys of a model's answers to queries of `scrutiny.core.queries.language`.

    Parameters
    ----------
    queries
        Numbers, texts and tuples of them; equal ones share an answer.
    fingerprint
        The model's own digest of everything that changes an answer.
    capability
        Capability that is called ("masked_logprobs").
    """
    start = blake2b(
        length_prefixed(digest(canonical_json([fingerprint, capability]))), digest_size=16
    )
    keys = []
    for query in queries:
        key = start.copy()
        key.update(_plain_json(query).encode("utf-8", "surrogatepass"))
        keys.append(key.digest())
    return keys


# `canonical_json` of numbers, texts and tuples, without its walk over every number in Python
_plain_json: Final = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False
).encode
_PART_S: Final = 1.0
#: Largest loss by a kill, in words.
BOUND: Final = "A kill costs at most the last batch or second of answers."
BOUND_WITHOUT_CACHE: Final = "Without the cache, a kill costs the shards in work."
_FIRST, _GROWTH = 16, 4  # first number of queries to a model of unknown pace, and its growth


class Pace:
    """Pace of one model, adapted while it is queried.

    Parameters
    ----------
    clock
        Seconds.

    Attributes
    ----------
    has_answered
        Whether it has answered anything so far.
    has_known_type
        Whether one of its spans had a type of the data.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self.clock = clock
        self.has_answered = False
        self.has_known_type = False
        self._at_a_time = _FIRST

    def parts(
        self,
        chunk: Sequence[int],
        *,
        batches: Callable[[Sequence[int]], list[list[int]]] | None,
        by_time: bool,
    ) -> Iterator[list[int]]:
        """Consecutive parts of a chunk, each of which is timed.

        Parameters
        ----------
        chunk
            Indices of questions.
        batches
            Cuts indices as the model cuts them itself, where it says so.
        by_time
            Whether the model may be cut anywhere.
        """
        rest = list(chunk)
        if not by_time:
            is_slow = self._at_a_time < len(rest) and batches is not None
            for part in batches(rest) if batches is not None and is_slow else [rest]:
                yield from self._timed(part)
            return
        while rest:
            part, rest = rest[: self._at_a_time], rest[self._at_a_time :]
            yield from self._timed(part)

    def _timed(self, part: list[int]) -> Iterator[list[int]]:
        """Yield one part, and measure the time until the next is requested."""
        began = self.clock()
        yield part
        fits = int(len(part) * _PART_S / max(self.clock() - began, 1e-9))
        self._at_a_time = max(1, min(fits, _GROWTH * max(self._at_a_time, len(part))))


def own_batches(
    model: Model, examples: Sequence[Example]
) -> Callable[[Sequence[int]], list[list[int]]]:
    """Cutter of queries, by their indices, into the batches that the model makes itself.

    A model that does not say, or fails at it, gets all of them together.
    """

    def cut(indices: Sequence[int]) -> list[list[int]]:
        try:
            parts = model.batches([examples[i] for i in indices])
        except Exception:  # asking says what is wrong, and with which of them
            parts = None
        return [list(indices)] if parts is None else [[indices[i] for i in part] for part in parts]

    return cut


def nothing_answered(source: str, asked: int, failures: Sequence[Failure]) -> ScrutinyError:
    """Error of a model that has answered none of so many texts: broken, or not in reach."""
    said = storable(failures[0].message).rstrip(".")
    if {failure.reason for failure in failures} <= NO_ANSWER:
        return RunIncompleteError(
            f"{source} replied to none of the {asked:,} texts it was asked; the first request: "
            f"{said}. Once it replies, the same command goes on."
        )
    return ModelError(
        f"{source} has answered none of the {asked:,} texts it was asked; the first error: "
        f"{said}. Fix the model, then re-issue the same command."
    )


#: Seconds for which quick answers are buffered: half of what a kill may cost.
WAIT_S: Final = 0.5
_QUICK_S: Final = 0.1  # slower parts are stored at once: the next may take ten times as long


class Keeping:
    """Context that buffers and stores answers; those of a slow part are stored at once.

    Parameters
    ----------
    store
        Where they are kept.
    clock
        Seconds.
    """

    def __init__(self, store: TaskStore, clock: Callable[[], float] = perf_counter) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[bytes, bytes] = {}
        self._last = self._kept = clock()

    def __enter__(self) -> "Keeping":
        return self

    def __exit__(self, *_: object) -> None:
        self._keep()

    def take(self, answers: Mapping[bytes, bytes]) -> None:
        """Add the answers of one part of the queries."""
        self._waiting.update(answers)
        now = self._clock()
        is_quick = now - self._last <= _QUICK_S
        self._last = now
        if not is_quick or now - self._kept >= WAIT_S:
            self._keep()

    def at_once(self, answers: Mapping[bytes, bytes]) -> None:
        """Store what was paid for, or waited for long."""
        self._waiting.update(answers)
        self._keep()

    def _keep(self) -> None:
        """Store all buffered answers."""
        waiting, self._waiting = self._waiting, {}
        if waiting:
            self._store.put_many(waiting)
        self._last = self._kept = self._clock()
