"""Adapter of the built-in models: ``builtin:sentiment/seed-2``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from scrutiny.core.boundary.json_text import digest
from scrutiny.core.example import Example
from scrutiny.core.facts import ONE_TEXT
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.returned_labels import from_probabilities
from scrutiny.models.builtin.builtin_families import builtin_target, targets
from scrutiny.models.strings.adapters import Adapter, must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource

if TYPE_CHECKING:
    from scrutiny.models.builtin.builtin_network import BuiltinNetwork


_VERSION: Final = "builtin@1"


class BuiltinModel(Model):
    """A built-in classifier of English texts; exact integer arithmetic, no torch."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict", "training_hashes"})

    def __init__(self, classifier: "BuiltinNetwork", task: Task, source: ModelSource) -> None:
        self.source = source.text
        self.task = task.name
        self.labels = source.labels_for(classifier.labels)
        self._classifier = classifier

    def fingerprint(self) -> str:
        """Digest of the weights and the label names."""
        return digest(_VERSION, self._classifier.fingerprint(), "|".join(self.labels))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order."""
        if not examples:
            return []
        rows = self._classifier.predict_proba([example.text for example in examples])
        return from_probabilities(rows, self.labels, count=len(examples), source=self.source)

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training text and sentence."""
        return self._classifier.training_hashes()


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Built-in model of a target such as ``sentiment/seed-2``; ``sentiment`` is the first.

    Raises
    ------
    ModelError
        If there is no such model, or if it cannot answer the task.
    """
    from scrutiny.models.builtin.builtin_network import BuiltinNetwork

    source.refuse_unknown_options(("labels", TRAINING))
    must_answer_task(task, (ONE_TEXT,), source=source.text)
    return BuiltinModel(BuiltinNetwork(*builtin_target(source.target)), task, source)


def _must_be_there(source: ModelSource) -> None:
    """Refuse a target that is not a built-in model."""
    builtin_target(source.target)


ADAPTER: Final = Adapter(load, targets=targets, must_be_there=_must_be_there)
