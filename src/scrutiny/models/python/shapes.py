"""Optional members of a user's object: one protocol for each.

Such an object knows nothing of scrutiny. It is looked at here, once, where a `PythonModel` is made
of it; everything behind reads the members that a model declares.
"""

from functools import partial
from types import MethodType
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class AnswersLabels(Protocol):
    """``predict(texts)``, as in scikit-learn's classifiers."""

    def predict(self, texts: Any) -> Any:
        """Label, or tags, of each text."""


@runtime_checkable
class NamesLabels(Protocol):
    """``labels``, in the order of the probabilities."""

    labels: Any


@runtime_checkable
class StatesFingerprint(Protocol):
    """``fingerprint()``: identity of everything that affects the answers."""

    def fingerprint(self) -> Any:
        """Text that changes whenever an answer may change, or `None`."""


@runtime_checkable
class StatesInput(Protocol):
    """``input``: ``"text"`` or ``"words"``, what it is given."""

    input: Any


@runtime_checkable
class StatesSamples(Protocol):
    """``n_samples``: number of samples behind its probabilities."""

    n_samples: Any


@runtime_checkable
class PromisesBatches(Protocol):
    """``is_batch_invariant``: whether answers are bit-equal in any batch."""

    is_batch_invariant: Any


def gives_probabilities(obj: Any) -> bool:
    """Whether an object has ``predict_proba(texts)``; in scikit-learn this depends on settings."""
    return hasattr(obj, "predict_proba")


def owner_of(obj: Any) -> Any:
    """Object that a bound method or a partial call belongs to, whose labels are its own."""
    while True:
        if isinstance(obj, partial):
            obj = obj.func
        elif isinstance(obj, MethodType):
            obj = obj.__self__
        else:
            return obj


def can_be_asked(obj: Any) -> bool:
    """Whether an object can be asked about texts in any way."""
    return callable(obj) or isinstance(obj, AnswersLabels) or gives_probabilities(obj)
