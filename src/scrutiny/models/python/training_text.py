"""Models whose training text is known, as hashes of its letters."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from scrutiny.core.example import Example
from scrutiny.core.model import Model
from scrutiny.core.task import Prediction


class ModelWithTrainingText:
    """A model, and the hashes of the letters of every sentence that it was trained on.

    All else is the model's own; hashes are made when they are first asked for.
    """

    def __init__(self, model: Model, make_hashes: Callable[[], Any]) -> None:
        self._model = model
        self._make_hashes = make_hashes
        self._hashes: Any = None
        self.source = model.source
        self.task = model.task
        self.labels = model.labels
        self.is_batch_invariant = model.is_batch_invariant
        self.capabilities = model.capabilities | {"training_hashes"}

    def fingerprint(self) -> str | None:
        """Digest of the model itself: knowing its training text changes no answer."""
        return self._model.fingerprint()

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Predictions of the model."""
        return self._model.predict(examples)

    def training_hashes(self) -> Any:
        """Sorted ``uint64`` hashes of the letters of every training sentence."""
        if self._hashes is None:
            self._hashes = self._make_hashes()
        return self._hashes

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # before __init__ ran there is no model to ask
            raise AttributeError(name)
        return getattr(self._model, name)


def _delegating(model: Model) -> type[ModelWithTrainingText]:
    """Class with a property for every other member of the model.

    From Python 3.12 on, ``isinstance`` of a protocol looks members up without ``__getattr__``: what
    a model can be asked has to stand in the class.
    """
    own = {*dir(ModelWithTrainingText), *vars(ModelWithTrainingText(model, list))}
    members = {
        name: property(attrgetter(f"_model.{name}"))
        for name in dir(model)
        if not name.startswith("_") and name not in own
    }
    return type(ModelWithTrainingText.__name__, (ModelWithTrainingText,), members)


def with_training_text(model: Model, make_hashes: Callable[[], Any]) -> Model:
    """Return the model with its training text known.

    Parameters
    ----------
    model
        Any model.
    make_hashes
        Gives the sorted ``uint64`` hashes; called at most once, and only if they are asked for.
    """
    return _delegating(model)(model, make_hashes)
