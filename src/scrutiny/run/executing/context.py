"""Context of a task: the services that a diagnostic uses while it prepares and measures."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from scrutiny.core.diagnostic import Failure, Reference
from scrutiny.core.errors import ConformanceError
from scrutiny.core.example import Example
from scrutiny.core.model import Model, Replicate
from scrutiny.core.randomness import generator
from scrutiny.core.task import Prediction, Task
from scrutiny.run.asking.answer_store import TaskStore
from scrutiny.run.asking.client import ModelClient

_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


class Outputs(dict[tuple[str, str | None], Prediction]):
    """Answers by item and variant; those to a text that no variant names are none of the item's.

    ``items`` are those of the task, as they are.
    """

    def __init__(self, items: Sequence[Example] = ()) -> None:
        super().__init__()
        self._texts = {item.id: item.fields for item in items}

    def keep(self, example: Example, variant: str | None, answer: Prediction) -> None:
        """Store an answer, unless it is one to another text than the item's."""
        if variant is not None or self._texts.get(example.id, example.fields) == example.fields:
            self[example.id, variant] = answer


class AskedReference:
    """Reference model of a task, queried like the first; its answers are separate outputs."""

    def __init__(
        self,
        client: ModelClient,
        *,
        subject: str,
        replicate: Replicate,
        items: Sequence[Example] = (),
    ) -> None:
        self.subject = subject
        self.replicate = replicate.key
        self.condition = replicate.condition
        self.model = client.model
        self.labels = client.labels
        self.tally = client.tally
        self.outputs = Outputs(items)
        self._client = client

    def predict(
        self, examples: Sequence[Example], *, variants: Sequence[str | None] | None = None
    ) -> list[Prediction | Failure]:
        """Predictions, stored as outputs under item and variant."""
        return _predict(self._client, self.outputs, examples, variants)

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers to queries of `scrutiny.core.queries.language`, in order."""
        return self._client.ask(capability, queries)


class RunContext:
    """Context of one task; ``client`` is None while variants are prepared."""

    def __init__(
        self,
        *,
        task: Task,
        seed: int,
        store: TaskStore,
        client: ModelClient | None = None,
        reference: AskedReference | None = None,
        languages: frozenset[str] = frozenset(),
        items: Sequence[Example] = (),
    ) -> None:
        self.task = task
        self.languages = languages
        self.dataset: Sequence[Example] = ()
        self.seed = seed
        self.reference: Reference | None = reference
        self.outputs = Outputs(items)
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.read_training: Callable[[], Sequence[Example]] = tuple
        self._store = store
        self._client = client

    @property
    def training(self) -> Sequence[Example]:
        """Items of the training set that the plan names beside the data, read when it is asked."""
        return self.read_training()

    @property
    def model(self) -> Model:
        """The cell's model, for capabilities beyond `predict`."""
        assert self._client is not None  # nobody looks for it while variants are prepared
        return self._client.model

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's labels, named as in the data, in the order of the scores."""
        return () if self._client is None else self._client.labels

    def predict(
        self,
        examples: Sequence[Example],
        *,
        variants: Sequence[str | None] | None = None,
        draw: int = 0,
    ) -> list[Prediction | Failure]:
        """Predictions of the cell's model, stored as outputs under item and variant.

        Parameters
        ----------
        examples
            Examples to predict.
        variants
            Name of the variant of each example; None for original items. Answers to a text that
            is not the item's and that no variant names are no outputs.
        draw
            How often the same was asked before; such answers are no outputs.
        """
        if self._client is None:
            return [Failure("no_model")] * len(examples)
        if draw:
            return self._client.predict(examples, draw=draw)
        return _predict(self._client, self.outputs, examples, variants)

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Answers of the cell's model to queries of `scrutiny.core.queries.language`, in order.

        Raises
        ------
        ModelError
            If the model lacks the capability or answers in a shape that it does not allow.
        """
        if self._client is None:
            return [Failure("no_model")] * len(queries)
        return self._client.ask(capability, queries)

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> np.random.Generator:
        """Random generator for this name, the same for every model and replicate."""
        return generator(self.seed, purpose, name=name, item=item, draw=draw)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Value of ``make()``, a JSON value, computed once per run."""
        known, value = self._store.memo(key)
        if not known:
            value = make()
            self._store.set_memo(key, value)
        return value

    def array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        """Store an array of numbers with the records: ``arrays/TASK/NAME.npy``.

        Raises
        ------
        ConformanceError
            For objects, or a name that is no plain file name.
        """
        if value.dtype.hasobject or not _FILE_NAME.fullmatch(name):
            raise ConformanceError(
                f"An array has a plain name and holds numbers; {name!r} holds {value.dtype}."
            )
        self.arrays[name] = np.ascontiguousarray(value)


def _predict(
    client: ModelClient,
    outputs: Outputs,
    examples: Sequence[Example],
    variants: Sequence[str | None] | None,
) -> list[Prediction | Failure]:
    """Predictions of a model, stored as outputs."""
    names = variants or [None] * len(examples)
    if client.model.has_stored_answers_only:
        # such models look answers up by item and variant
        examples = [
            replace(e, attributes={**e.attributes, "variant": name or ""})
            if name or "variant" in e.attributes
            else e
            for e, name in zip(examples, names, strict=True)
        ]
    answers = client.predict(examples)
    for example, name, answer in zip(examples, names, answers, strict=True):
        if isinstance(answer, Prediction):
            outputs.keep(example, name, answer)
    return answers
