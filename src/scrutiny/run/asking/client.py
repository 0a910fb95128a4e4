"""Model client: cache look-up, queries for missing answers in sorted chunks, frequent saving."""

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from scrutiny.core.answers.answer import label_in, labels_in, renamed
from scrutiny.core.boundary.printable import storable
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.long_runs import usually_collected
from scrutiny.core.model import Model
from scrutiny.core.queries.gradients import INCOMPLETE, ParameterGradient, PathGradient
from scrutiny.core.queries.language import Continuation, SentencePair
from scrutiny.core.queries.remote import MAY_MEND, NO_REPLY, RemoteModel
from scrutiny.core.task import Prediction
from scrutiny.data.entity_types import types_differ
from scrutiny.models.answers.checked import BAD, predict_or_fail, read_or_fail
from scrutiny.models.answers.language_answers import ask_or_fail
from scrutiny.run.asking.answer_store import (
    Keeping,
    Pace,
    TaskStore,
    answer_keys,
    nothing_answered,
    own_batches,
    query_keys,
)
from scrutiny.run.asking.identity_check import PREDICT, Witnesses
from scrutiny.run.asking.missing_answers import Tally
from scrutiny.store.stored_forms import (
    decode,
    decode_numbers,
    decode_path,
    decode_replies,
    encode,
    encode_numbers,
    encode_replies,
)

CHUNK = 1024  # largest number of queries that are sorted and sent together
CHUNK_TOKENS = 2**16  # and most tokens, where they are known: some seconds of a small model
MOST_TOLD = 3  # messages of failures that are kept of a shard
HOPELESS = 20  # failed queries in one chunk after which a model counts as broken
_MOST_TRIED = 8  # others that are asked before
#: Reasons that lie in the model rather than in a text, if all have them.
_OF_MODELS = frozenset({"model_error", BAD, "non_finite", "no_unicode", *NO_REPLY})


@dataclass(frozen=True, slots=True)
class _Questions:
    """Queries of one kind.

    Parameters
    ----------
    asked
        The queries.
    keys
        Cache key of each; equal queries have equal keys.
    sizes
        Work that each one makes.
    ask
        Function that returns the model's answers to some queries, in order; or places among them
        with their answers, as they arrive, where ``is_arriving``.
    encode, decode
        Answers to bytes and back.
    most
        Cost of the queries in a chunk.
    batches, by_time
        Where a chunk may be cut, as `Pace.parts` has it.
    witnesses
        Who keeps some of those that are answered.
    """

    asked: Sequence[Any]
    keys: Sequence[bytes]
    sizes: Sequence[int]
    ask: Callable[[Sequence[Any]], Iterable[Any]]
    encode: Callable[[Any], bytes]
    decode: Callable[[bytes], Any]
    most: float = float("inf")
    batches: Callable[[Sequence[int]], list[list[int]]] | None = None
    by_time: bool = False
    witnesses: Witnesses | None = None
    is_arriving: bool = False

    def at(self, places: Sequence[int]) -> list[Any]:
        """Queries at these indices."""
        return [self.asked[i] for i in places]

    def chunks(self, missing: Sequence[int]) -> Iterator[list[int]]:
        """Indices of the queries in each chunk, smallest first."""
        chunk: list[int] = []
        work = 0
        for index in sorted(sorted(missing), key=self.sizes.__getitem__):
            if chunk and (len(chunk) == CHUNK or work + self.sizes[index] > self.most):
                yield chunk
                chunk, work = [], 0
            chunk.append(index)
            work += self.sizes[index]
        if chunk:
            yield chunk


class ModelClient:
    """Model client with answer cache; answers use the data's labels."""

    def __init__(
        self,
        model: Model,
        store: TaskStore,
        *,
        fingerprint: str,
        to_data: Mapping[str, str],
        digest: str,
        witnesses: Mapping[str, Witnesses] | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.model = model
        self._pace = pace or Pace()
        #: Types of the data's spans, for a tagger that does not say which it has.
        self._types = frozenset() if model.labels else frozenset(to_data.values())
        self._witnesses = witnesses or {}
        self.tally = Tally()
        self._store = store
        self._fingerprint = fingerprint
        #: Labels of the model that have other names in the data.
        self._to_data = {own: label for own, label in to_data.items() if own != label}
        self._digest = digest
        #: The model's labels in the data's words, in the order of the scores; the data's types, if
        #: a tagger does not say which it has.
        self.labels = tuple(to_data.get(label, label) for label in model.labels or to_data)

    def predict(self, examples: Sequence[Example], *, draw: int = 0) -> list[Prediction | Failure]:
        """Predictions in order; each distinct text is sent once for every ``draw``.

        Stored answers belong to items, not to texts: they are looked up for each, and not kept
        a second time.
        """
        if self.model.has_stored_answers_only:
            self.tally.cached += len(examples)
            stored = self._predict(examples)
            self._look_at_failures(stored)
            return stored
        if isinstance(self.model, RemoteModel):
            return self._read(self.model, examples, draw=draw)
        keys = answer_keys(
            examples,
            fingerprint=self._fingerprint,
            capability="predict",
            label_map=self._digest,
            draw=draw,
        )

        self._ask_again(PREDICT)
        return self._answers(
            _Questions(
                examples,
                keys,
                [sum(map(len, example.fields.values())) for example in examples],
                self._predict,
                encode,
                decode,
                batches=own_batches(self.model, examples),
                by_time=self.model.is_batch_invariant or self.model.is_of_the_user,
                witnesses=self._witnesses.get(PREDICT),
            )
        )

    def _read(
        self, model: RemoteModel, examples: Sequence[Example], *, draw: int
    ) -> list[Prediction | Failure]:
        """Answers of an endpoint, from replies that are kept as they came."""
        keys = answer_keys(
            examples, fingerprint=self._fingerprint, capability="reply", label_map="", draw=draw
        )
        before = model.spent()
        replies = self._answers(
            _Questions(
                examples,
                keys,
                [0] * len(keys),
                partial(model.replies, draw=draw),
                encode_replies,
                decode_replies,
                is_arriving=True,
            )
        )
        self.tally.spent = self.tally.spent.plus(model.spent().since(before))
        self.tally.redirects = model.redirects()
        lacking = sum(isinstance(one, Failure) and one.reason in MAY_MEND for one in replies)
        self.tally.unanswered = (self.tally.unanswered or 0) + lacking
        found = [self._translate(one) for one in read_or_fail(model, examples, replies)]
        self._tell([one for one in found if isinstance(one, Failure)])
        return found

    def ask_again(self) -> None:
        """Repeat, once per process, some queries that this run began with.

        Raises
        ------
        ModelError
            If the model answers differently now.
        """
        for capability in self._witnesses:
            self._ask_again(capability)

    def _ask_again(self, capability: str) -> None:
        witnesses = self._witnesses.get(capability)
        if witnesses is not None:
            self.tally.asked += witnesses.ask_again(partial(self._asked, capability))

    def _asked(self, capability: str, questions: Sequence[Any]) -> list[Any | Failure]:
        """Checked answers of the model."""
        if capability == PREDICT:
            return self._predict(questions)
        with usually_collected():
            return ask_or_fail(self.model, capability, questions)

    def _predict(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Checked predictions of the model, in the data's labels."""
        with usually_collected():
            answers = predict_or_fail(self.model, examples)
        self._look_at_types(answers)
        return [self._translate(answer) for answer in answers] if self._to_data else answers

    def _look_at_types(self, answers: Sequence[Prediction | Failure]) -> None:
        """Raise if no span has a type of the data, where the model does not say which it has."""
        if not self._types or self._pace.has_known_type:
            return
        given = [
            label
            for answer in answers
            if isinstance(answer, Prediction)
            for label in labels_in(answer.answer)
        ]
        self._pace.has_known_type = not set(given).isdisjoint(self._types)
        if len(given) >= HOPELESS and not self._pace.has_known_type:
            found = sorted(set(given))
            raise ModelError(types_differ(self.model.source, found, sorted(self._types)))

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers to queries of `scrutiny.core.queries`, in order; distinct ones once.

        Labels of gradient queries are in the data's words.
        """
        if not queries:
            return []
        queries = [self._in_own_words(query) for query in queries]
        keys = query_keys(queries, fingerprint=self._fingerprint, capability=capability)

        self._ask_again(capability)
        return self._answers(
            _Questions(
                queries,
                keys,
                list(map(_tokens, queries)),
                partial(self._asked, capability),
                encode_numbers,
                decode_path if capability == "path_gradients" else decode_numbers,
                most=CHUNK_TOKENS,
                by_time=self.model.is_batch_invariant,
                witnesses=self._witnesses.get(capability),
            )
        )

    def _answers(self, questions: _Questions) -> list[Any | Failure]:
        """Answers from the cache, and from the model for those that are missing."""
        keys = questions.keys
        firsts = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        found = self._store.get_many(list(firsts))
        self._pace.has_answered |= bool(found)
        # Decoded answers of the cache; unreadable ones are left out, to be asked again.
        answers: dict[bytes, Any] = {}
        for key, value in found.items():
            try:
                answers[key] = questions.decode(value)
            except (ValueError, TypeError, IndexError, struct.error):
                continue
        missing = [i for key, i in firsts.items() if key not in answers]
        with Keeping(self._store, self._pace.clock) as keeping:
            for chunk in questions.chunks(missing):
                came = self._arriving if questions.is_arriving else self._ask
                answers.update(came(questions, chunk, keeping))
        self.tally.asked += len(missing)
        self.tally.cached += len(keys) - len(missing)
        return [answers[key] for key in keys]

    def _ask(
        self, questions: _Questions, chunk: Sequence[int], keeping: Keeping
    ) -> dict[bytes, Any]:
        """Send one chunk and store its answers; failures are not stored."""
        answered: dict[bytes, Any] = {}
        for part in self._pace.parts(chunk, batches=questions.batches, by_time=questions.by_time):
            start = perf_counter()
            found = [*questions.ask(questions.at(part))]
            self.tally.model_seconds += perf_counter() - start
            own = dict(zip([questions.keys[i] for i in part], found, strict=True))
            answered.update(own)
            rest = chunk[len(answered) :]
            self._look_at_failures(list(answered.values()), partial(_spread, questions, rest))
            if questions.witnesses is not None:
                questions.witnesses.keep(questions.at(part), found)
            keeping.take(
                {k: questions.encode(a) for k, a in own.items() if not isinstance(a, Failure)}
            )
        return answered

    def _arriving(
        self, questions: _Questions, chunk: Sequence[int], keeping: Keeping
    ) -> dict[bytes, Any]:
        """Send one chunk and store each answer as it comes; failures are not stored."""
        came: dict[bytes, Any] = {}
        start = perf_counter()
        for place, answer in questions.ask(questions.at(chunk)):
            key = questions.keys[chunk[place]]
            came[key] = answer
            if isinstance(answer, Failure):
                self._look_at_failures(list(came.values()))
            else:
                keeping.at_once({key: questions.encode(answer)})
        self.tally.model_seconds += perf_counter() - start
        return came

    def _tell(self, failures: Sequence[Failure]) -> None:
        """Record what is said of failures; those of other reasons come first."""
        by_reason = {failure.reason: failure.message for failure in reversed(failures)}
        messages = [*by_reason.values(), *(failure.message for failure in failures[:MOST_TOLD])]
        told = dict.fromkeys([*self.tally.failures, *map(storable, messages)])
        self.tally.failures = [*told][:MOST_TOLD]

    def _look_at_failures(
        self,
        answers: Sequence[Any | Failure],
        ask_others: Callable[[], Iterable[Any | Failure]] = tuple,
    ) -> None:
        """Record the first failure; raise if a model only ever fails.

        One answer, in the cache or from another chunk, shows that it is not: long texts that fail
        together, or all that an interrupted run has left to ask, are failed rows. The shortest
        texts come first, so some others are asked before it is given up.
        """
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        self._pace.has_answered |= len(failures) < len(answers)
        asked = len(answers)
        if not failures:
            return
        self._tell([one for one in failures if one.reason != INCOMPLETE])  # who asks tries again
        failed = sum(failure.reason in _OF_MODELS for failure in failures)
        if self._pace.has_answered or not failed == asked >= HOPELESS:
            return
        self._pace.has_answered = any(not isinstance(other, Failure) for other in ask_others())
        if not self._pace.has_answered:
            raise nothing_answered(self.model.source, asked, failures)

    def _translate(self, answer: Prediction | Failure) -> Prediction | Failure:
        """Answer with its labels, or those of its spans, translated to the data's."""
        if isinstance(answer, Failure) or not self._to_data:
            return answer
        if (label := label_in(answer.answer)) is not None:
            named = self._to_data.get(label)
            return answer if named is None else answer._replace(answer=named)
        return answer._replace(answer=renamed(answer.answer, self._named))

    def _in_own_words(self, query: Any) -> Any:
        """Query with its label in the model's words, where it names one."""
        if not isinstance(query, PathGradient | ParameterGradient):
            return query
        own = dict(zip(self.labels, self.model.labels, strict=False))
        return query._replace(target=own.get(query.target, query.target))

    def _named(self, label: str) -> str:
        """Label of the model in the data's words."""
        return self._to_data.get(label, label)


def _spread(questions: _Questions, rest: Sequence[int]) -> Iterable[Any | Failure]:
    """Answers to a few of the remaining queries, of all sizes."""
    few = rest[:: max(1, len(rest) // _MOST_TRIED)][-_MOST_TRIED:]
    return questions.ask(questions.at(few)) if few else ()


def _tokens(query: Any) -> int:
    """Approximate number of tokens of a query: its cost."""
    if isinstance(query, SentencePair):
        return (len(query.first) + len(query.second)) // 4 + 1
    if isinstance(query, PathGradient | ParameterGradient):
        return query.cost
    if isinstance(query, Continuation):
        return len(query.ids)
    if query and isinstance(query[0], int):
        return len(query)
    return sum(len(cloze.ids) for cloze in query)
