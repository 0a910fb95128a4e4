"""What an object of the user's may have: each part is a shape of its own, and all may be lacking.

Such an object knows nothing of scrutiny. It is looked at here, once, where a `PythonModel` is made
of it; everything behind reads the members that a model declares.
"""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class AnswersLabels(Protocol):
    """``predict(texts)``, as classifiers of scikit-learn have it."""

    def predict(self, texts: Any) -> Any:
        """Label, or tags, of each text."""
        ...


@runtime_checkable
class NamesLabels(Protocol):
    """``labels``, in the order of the probabilities."""

    labels: Any


@runtime_checkable
class StatesFingerprint(Protocol):
    """``fingerprint()``: what the answers depend on, so that they can be kept."""

    def fingerprint(self) -> Any:
        """Text that is another one whenever an answer may be, or nothing."""
        ...


@runtime_checkable
class StatesSamples(Protocol):
    """``n_samples``: how many samples its probabilities are frequencies of."""

    n_samples: Any


@runtime_checkable
class PromisesBatches(Protocol):
    """``is_batch_invariant``: whether answers are bit-equal in any batch."""

    is_batch_invariant: Any


def gives_probabilities(obj: Any) -> bool:
    """Whether an object has ``predict_proba(texts)``; by its settings, scikit-learn's may not."""
    return hasattr(obj, "predict_proba")


def can_be_asked(obj: Any) -> bool:
    """Whether an object can be asked about texts in any way."""
    return callable(obj) or isinstance(obj, AnswersLabels) or gives_probabilities(obj)
