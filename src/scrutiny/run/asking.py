"""Asking a model: look up, ask what is missing in sorted chunks, keep each chunk at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction
from scrutiny.models.checked import predict_or_fail
from scrutiny.run.desk import Desk
from scrutiny.store.answers import answer_keys, decode, encode

CHUNK = 1024  # examples asked, and committed, at a time: what a kill can cost
HOPELESS = 20  # texts in one go without a single answer


@dataclass(slots=True)
class Tally:
    """What asking has cost so far."""

    asked: int = 0
    cached: int = 0
    model_seconds: float = 0.0
    failure: str = ""  # message of the first answer that failed


class Asker:
    """One model, asked through the answer cache; answers come back in the data's labels."""

    def __init__(
        self, model: Model, desk: Desk, *, fingerprint: str, to_data: Mapping[str, str], digest: str
    ) -> None:
        self.model = model
        self.tally = Tally()
        self._desk = desk
        self._fingerprint = fingerprint
        self._to_data = to_data
        self._digest = digest
        self._has_answered = False
        #: The model's labels in the data's words, in the order of the scores.
        self.labels = tuple(to_data.get(label, label) for label in model.labels)

    def predict(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Answers in order; each distinct text is asked once.

        Stored answers belong to items, not to texts: they are looked up for each, and not kept
        a second time.
        """
        if getattr(self.model, "has_stored_answers_only", False):
            self.tally.cached += len(examples)
            return [self._translate(a) for a in predict_or_fail(self.model, examples)]
        keys = answer_keys(
            examples, fingerprint=self._fingerprint, capability="predict", label_map=self._digest
        )
        firsts = {key: i for i, key in reversed(list(enumerate(keys)))}
        found = self._desk.get_many(list(firsts))
        self._has_answered |= bool(found)
        answers: dict[bytes, Prediction | Failure] = {k: decode(v) for k, v in found.items()}
        missing = [i for key, i in firsts.items() if key not in answers]
        missing.sort(key=lambda i: (_length(examples[i]), i))
        for start in range(0, len(missing), CHUNK):
            chunk = missing[start : start + CHUNK]
            answers |= self._ask([examples[i] for i in chunk], [keys[i] for i in chunk])
        self.tally.asked += len(missing)
        self.tally.cached += len(keys) - len(missing)
        return [answers[key] for key in keys]

    def _ask(
        self, examples: Sequence[Example], keys: Sequence[bytes]
    ) -> dict[bytes, Prediction | Failure]:
        """Ask one chunk and keep what was answered; failures are asked again next time."""
        start = perf_counter()
        raw = predict_or_fail(self.model, examples)
        self.tally.model_seconds += perf_counter() - start
        self._has_answered |= any(isinstance(answer, Prediction) for answer in raw)
        self._look_at_failures([answer for answer in raw if isinstance(answer, Failure)], len(raw))
        answers = {key: self._translate(answer) for key, answer in zip(keys, raw, strict=True)}
        self._desk.put_many(
            {k: encode(answer) for k, answer in answers.items() if isinstance(answer, Prediction)}
        )
        return answers

    def _look_at_failures(self, failures: Sequence[Failure], asked: int) -> None:
        """Keep the first message; a model that only ever raises is broken, and not its items.

        One answer, in the cache or from another chunk, shows that it is not: long texts that fail
        together, or all that an interrupted run has left to ask, are failed rows.
        """
        if not failures:
            return
        self.tally.failure = self.tally.failure or failures[0].message
        raised = sum(failure.reason == "model_error" for failure in failures)
        if raised == asked >= HOPELESS and not self._has_answered:
            raise ModelError(
                f"{self.model.source} raised an error for each of the {asked:,} texts it was "
                f"asked; the first: {failures[0].message}. Mend the model, then re-issue the same "
                "command."
            )

    def _translate(self, answer: Prediction | Failure) -> Prediction | Failure:
        """Answer with its label in the data's words."""
        if isinstance(answer, Failure) or answer.label is None:
            return answer
        return answer._replace(label=self._to_data.get(answer.label, answer.label))


def _length(example: Example) -> int:
    return sum(len(text) for text in example.fields.values())
