"""Context of a diagnostic without a run: one model, no files."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from scrutiny.core.diagnostic import Failure
from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.randomness import generator
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import predict_or_fail
from scrutiny.models.answers.checked_language import ask_or_fail


class ToyContext:
    """Context that calls a model directly; also a reference, the single model of its family.

    Parameters
    ----------
    task
        Task of the examples.
    model
        Called by `predict`; None while variants are prepared.
    seed
        The run's seed.
    reference
        The second model, for diagnostics of two; asked directly as well.

    Attributes
    ----------
    asked
        ``(item, variant)`` of every question, in order.
    queries
        ``(capability, query)`` of every question to a language model, in order.
    arrays
        What was kept by `array`.
    """

    languages: frozenset[str] = frozenset()
    subject = "reference"
    replicate: str | None = None

    def __init__(
        self,
        task: Task,
        model: Model | None = None,
        *,
        seed: int = 0,
        reference: Model | None = None,
    ) -> None:
        self.task = task
        self.seed = seed
        self.model: Any = model  # none while variants are prepared
        self.labels: tuple[str, ...] = () if model is None else model.labels
        self.resources: Mapping[str, Any] = {}
        self.asked: list[tuple[str, str | None]] = []
        self.queries: list[tuple[str, Any]] = []
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._made: dict[str, Any] = {}
        self.reference: Any = None if reference is None else ToyContext(task, reference)

    def predict(
        self,
        examples: Sequence[Example],
        *,
        variants: Sequence[str | None] | None = None,
        draw: int = 0,
    ) -> list[Prediction | Failure]:
        """Checked answers of the model, asked anew for every ``draw``."""
        del draw
        names = variants or [None] * len(examples)
        self.asked += [(e.id, name) for e, name in zip(examples, names, strict=True)]
        if self.model is None:
            return [Failure("no_model")] * len(examples)
        return predict_or_fail(self.model, examples)

    def ask(self, capability: str, queries: Sequence[Any]) -> list[Any | Failure]:
        """Checked answers of the model to queries of `scrutiny.core.queries.language`."""
        self.queries += [(capability, query) for query in queries]
        if self.model is None:
            return [Failure("no_model")] * len(queries)
        return ask_or_fail(self.model, capability, queries)

    def rng(self, purpose: str, name: str, item: str, draw: int = 0) -> np.random.Generator:
        """Random generator for this name, the same as in a run."""
        return generator(self.seed, purpose, name=name, item=item, draw=draw)

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """Value of ``make()``, computed once per context."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def array(self, name: str, value: np.ndarray[Any, Any]) -> None:
        """Store an array."""
        self.arrays[name] = value
