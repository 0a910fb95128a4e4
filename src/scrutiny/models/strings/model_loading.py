"""Loading of models from model strings, with a tagger's types in the words of the data.

``#types=PERSON:PER|GPE:LOC|LOC:LOC``: a tagger may tell more types apart than the data does, or
give them other names. Types that the map does not name are left out of its answers; ``-:MISC``
says that nothing is answered as MISC, and by itself that all other types have the data's names
already.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, Final
from urllib.parse import unquote

from scrutiny.core.answers.answer import is_answer, renamed
from scrutiny.core.answers.label_and_spans import SPANS
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.boundary.parameters import known
from scrutiny.core.errors import ConformanceError, ModelError
from scrutiny.core.example import Example
from scrutiny.core.model import (
    MEMBERS,
    AnswersOneByOne,
    LoadOptions,
    Model,
    ModelAround,
    PlainModel,
    around,
    as_model,
)
from scrutiny.core.task import Prediction, Task
from scrutiny.models.strings.adapters import adapter
from scrutiny.models.strings.model_strings import TRAINING, ModelSource, parse
from scrutiny.models.strings.training_records import checkpoint_folder, with_training_hashes

#: Option with the map.
TYPES: Final = "types"
#: What stands for the type of a model that has none for a type of the data.
NOTHING: Final = "-"
_NONE: Final = f"{NOTHING}:"  # how the key of such an entry begins
_VERSION: Final = "types@1"


class NamesTypes(ModelAround):
    """A tagger whose types have the data's names; all else is its own.

    Parameters
    ----------
    model
        Any tagger.
    mapping
        Type of the data by type of the model.
    """

    capabilities: frozenset[str]
    labels: tuple[str, ...]

    def __init__(self, model: Model, mapping: Mapping[str, str]) -> None:
        super().__init__(model)
        self.labels = tuple(dict.fromkeys(mapping.values()))
        # a slope is that of a type of the model's own, and several may have become one
        self.capabilities = model.capabilities - {"gradients"}
        self._mapping = dict(mapping)

    def fingerprint(self) -> str | None:
        """Digest of the model and of the map, or `None`."""
        own = self._model.fingerprint()
        return None if own is None else digest(_VERSION, own, canonical_json(self._mapping))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Spans of each example, in order."""
        return [self._named(answer) for answer in self._model.predict(examples)]

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Any]:
        """Spans of each example, in order, or what is wrong with the answer."""
        own = self._model
        ask = own.answers_or_failures if isinstance(own, AnswersOneByOne) else own.predict
        return [self._named(answer) for answer in ask(examples)]

    def _named(self, answer: Any) -> Any:
        """Answer with the data's types; what is no answer of spans stays as it is."""
        if not isinstance(answer, Prediction) or not is_answer(answer.answer):
            return answer
        if isinstance(answer.answer, SPANS.holds):
            kept = [getattr(s, "label", None) in self._mapping for s in answer.answer]
            scores = answer.scores and tuple(compress(answer.scores, kept))
            answer = answer._replace(answer=tuple(compress(answer.answer, kept)), scores=scores)
        return answer._replace(answer=renamed(answer.answer, lambda name: self._mapping[name]))


def with_types(model: Model, source: ModelSource, task: Task) -> Model:
    """Tagger whose types have the names that ``types=`` gives them; any other model as it is.

    Raises
    ------
    ModelError
        If the map cannot be read, or the answers of the task have no types.
    UnknownNameError
        If it names a type that the model does not have.
    """
    stated = source.options.get(TYPES)
    if stated is None:
        return model
    if task.answer_type is not SPANS:
        raise ModelError(
            f"{source.text!r}: types= names the types of a tagger's entities, and answers to "
            f"{task.name} have none; leave it out."
        )
    mapping = read_types(stated, source=source.text)
    names = [name for name in mapping if not name.startswith(_NONE)]
    if model.labels:
        known("type of the model", names, model.labels, where=f"types= of {source.text!r}")
    if not names:
        if not model.labels:
            return model  # its types are not known before it answers, and none is renamed
        mapping |= {label: label for label in model.labels}
    return around(NamesTypes, model)(model, mapping)


def read_types(stated: str, *, source: str) -> dict[str, str]:
    """Types of the data by types of the model, read from ``PERSON:PER|GPE:LOC``.

    Special characters are written as ``%2C``.

    Raises
    ------
    ModelError
        For an entry without a colon, an empty name, or a type of the model that stands twice.

    Examples
    --------
    >>> read_types("PERSON:PER|GPE:LOC|LOC:LOC", source="spacy:en")
    {'PERSON': 'PER', 'GPE': 'LOC', 'LOC': 'LOC'}
    """
    mapping: dict[str, str] = {}
    for part in stated.split("|"):
        model, colon, data = (unquote(piece).strip() for piece in part.partition(":"))
        key = f"{_NONE}{data}" if model == NOTHING else model
        if not (model and colon and data) or key in mapping:
            raise ModelError(
                f"{source!r}: types={stated} cannot be read at {part!r}: it is written "
                "PERSON:PER|GPE:LOC|LOC:LOC, a type of the model before each colon, each once, and "
                "that of the data behind it."
            )
        mapping[key] = data
    return mapping


_DEFAULT = LoadOptions()


def load_model(source: str, task: Task, options: LoadOptions = _DEFAULT) -> Model:
    """Loaded model of a complete model string, for one task.

    A checkpoint that was trained here knows its training text.

    Parameters
    ----------
    source
        ``scheme:target#option=value``, without captures: the source of a `Replicate`.
    task
        What it will be asked.
    options
        Device, batch size, and the ``-M key=value`` options, which the string's own override.

    Raises
    ------
    UnknownNameError
        If no adapter has that scheme.
    ModelError
        If the string, the checkpoint or the object cannot be used for the task.
    ConformanceError
        If a plug-in's adapter returns something that is no `Model`.
    """
    parsed = parse(source).with_options(options.options)
    own = {name: value for name, value in parsed.options.items() if name != TYPES}
    loaded = adapter(parsed.scheme).load(replace(parsed, options=own), task, options)
    if not isinstance(loaded, PlainModel):
        raise ConformanceError(
            f"The adapter of {parsed.scheme}: returned a {type(loaded).__name__}, which is no "
            "model: it must subclass scrutiny.core.model.Model, or have "
            f"{', '.join(MEMBERS)}."
        )
    model = with_types(as_model(loaded), parsed, task)
    folder = checkpoint_folder(source)
    return model if folder is None else with_training_hashes(model, folder)


def training_source(source: str, options: LoadOptions = _DEFAULT) -> str | None:
    """Data string of a model's training text, if the user stated one.

    It comes from ``#training=`` or ``-M training=``; a data string with options of its own fits
    into the latter only.
    """
    return parse(source).with_options(options.options).options.get(TRAINING)
