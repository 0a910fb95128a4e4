"""Objects of the user's own code: ``python:module:object`` and ``python:./file.py:object``.

Such an object knows nothing of scrutiny. Its optional members, a protocol for each, are looked at
here, once, where a `PythonModel` is made of it; everything behind reads what a model declares.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from types import MethodType
from typing import Any, Final

from scrutiny.core.answers.label_and_spans import LABEL, SPANS
from scrutiny.core.boundary.json_text import canonical_json, digest
from scrutiny.core.boundary.secrets import from_environment, redacted, without_secrets
from scrutiny.core.diagnostic import Failure
from scrutiny.core.errors import ModelError
from scrutiny.core.example import Example
from scrutiny.core.messages import Message, earlier_messages
from scrutiny.core.model import KnowsTrainingText, LoadOptions, Model, PlainModel, as_model
from scrutiny.core.task import Prediction, Task
from scrutiny.models.answers.checked import first_failure_raised
from scrutiny.models.answers.returned_answers import from_given, from_tags, input_words
from scrutiny.models.answers.returned_labels import answered_label, from_answers, from_rows
from scrutiny.models.python.recurrent_objects import OF_CELLS, ReadsCells, holds_recurrent
from scrutiny.models.python.user_objects import (
    DRAW,
    SAMPLES,
    SampledModel,
    ask_pipeline,
    file_must_be_there,
    find_object,
    is_pipeline,
    labels_of_pipeline,
    stated_samples,
)
from scrutiny.models.strings.adapters import Adapter
from scrutiny.models.strings.model_strings import TRAINING, ModelSource
from scrutiny.models.strings.training_records import with_training_text


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
    has_answers = callable(obj) or hasattr(obj, "predict") or gives_probabilities(obj)
    return has_answers or holds_recurrent(obj)


_VERSION: Final = "python@1"
_OWN_OPTIONS: Final = ("labels", "task", "input", SAMPLES, DRAW, TRAINING)


class PythonModel(Model):
    """A user's object, used through its only suitable method or call.

    In order of preference ``predict_proba`` (an array of shape ``(n, k)``), ``predict``
    (labels), or the call itself (any of these, or a mapping from labels to probabilities for each
    text). It is given a list of texts; of tuples of texts, where the task has several fields; of
    lists of words, with ``#input=words``. Taggers return tags or spans, translators texts, readers
    the words that answer, parsers `Words`. Pipelines of transformers are asked for all labels.

    An answer that cannot be used is a failure of its item alone.
    """

    capabilities: frozenset[str] = frozenset({"predict"})
    #: Nothing is promised of its batches, so they may be as small as its pace wants.
    is_of_the_user = True

    def __init__(
        self, obj: Any, task: Task, source: ModelSource, *, batch: int | None = None
    ) -> None:
        self.source = redacted(source.text)
        self.task = task.name
        self.is_batch_invariant = bool(getattr(obj, "is_batch_invariant", False))
        samples = getattr(obj, "n_samples", None)
        self.n_samples = None if samples is None or callable(samples) else int(samples) or None
        labels = source.labels() or _labels_of(obj, source)
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise ModelError(
                f"{source.text!r}: its label {twice!r} occurs twice among {len(labels)} labels. "
                "Each column of the probabilities needs a label of its own."
            )
        self.labels = labels
        self._object = obj
        self._kind = task.answer_type
        stated = getattr(obj, "input", None)
        self._input = source.options.get("input", stated if isinstance(stated, str) else "text")
        if self._input not in {"text", "words"}:
            raise ModelError(f"{self.source!r}: input= is text or words, not {self._input!r}.")
        self._identity = canonical_json(
            [source.target, without_secrets(source.options_of_answers())]
        )
        self._batch = batch
        #: Number of the sample that is drawn, given to objects that take it.
        self.draw: int | None = None

    def fingerprint(self) -> str | None:
        """Digest of the object's own ``fingerprint()``, or `None` if it has none."""
        own = getattr(self._object, "fingerprint", None)
        stated = own() if callable(own) else None
        if stated is None:
            return None
        return digest(_VERSION, self._identity, canonical_json(self.labels), str(stated))

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """One prediction for each example, in order.

        Raises
        ------
        AnswerError
            For the first of them whose answer cannot be used.
        """
        return first_failure_raised(self.answers_or_failures(examples))

    def answers_or_failures(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """One prediction for each example, in order, or what is wrong with it."""
        size = self._batch or max(1, len(examples))
        return [
            answer
            for start in range(0, len(examples), size)
            for answer in self._ask(examples[start : start + size])
        ]

    def _ask(self, examples: Sequence[Example]) -> list[Prediction | Failure]:
        """Predictions of one call of the object."""
        given = input_words(examples) if self._input == "words" else texts(examples)
        count = len(examples)
        if self._kind in (None, LABEL) and gives_probabilities(self._object):
            rows = self._object.predict_proba(given)
            return from_rows(rows, self.labels, count=count, source=self.source)
        # Return value of the object for a list of inputs.
        if is_pipeline(self._object):
            answers = ask_pipeline(self._object, given)
        else:
            ask = getattr(self._object, "predict", self._object)
            try:
                takes_draw = self.draw is not None and DRAW in inspect.signature(ask).parameters
            except ValueError:  # a built-in without a signature
                takes_draw = False
            answers = ask(given, draw=self.draw) if takes_draw else ask(given)
        if self._kind is SPANS:
            has_words = self._input == "words"
            return from_tags(answers, examples, source=self.source, has_words=has_words)
        if self._kind is None or self._kind is LABEL:
            return from_answers(answers, self.labels, count=count, source=self.source)
        return from_given(answers, examples, self._kind, source=self.source)


class RecurrentObject(ReadsCells, PythonModel):
    """A user's object that holds a torch LSTM or GRU: what others are, and its cells."""

    capabilities = PythonModel.capabilities | OF_CELLS

    def __init__(
        self, obj: Any, task: Task, source: ModelSource, *, batch: int | None = None
    ) -> None:
        super().__init__(obj, task, source, batch=batch)
        if not task.must_be_answered:
            self.capabilities = OF_CELLS


def around_object(
    obj: Any, task: Task, source: ModelSource, *, batch: int | None = None
) -> PythonModel:
    """Model around a user's object, with the cells of one that holds a recurrent layer."""
    kind = RecurrentObject if holds_recurrent(obj) else PythonModel
    return kind(obj, task, source, batch=batch)


def load(source: ModelSource, task: Task, options: LoadOptions) -> Model:
    """Model around the object that ``python:`` names.

    A class, or a function whose parameters all have defaults or come from the options behind the
    ``#``, makes the model; any other callable is the model.

    Raises
    ------
    ModelError
        If it cannot be imported, made, or asked.
    """
    obj, sampled = find_object(source), stated_samples(source)
    stated = {k: v for k, v in source.options.items() if k not in _OWN_OPTIONS}
    arguments = from_environment(stated, source=source.text)
    if inspect.isclass(obj) or _makes_models(obj, arguments):
        try:
            inspect.signature(obj).bind(**arguments)
        except TypeError as error:
            raise ModelError(
                f"{source.text!r}: the object cannot be made from the options behind the #: "
                f"{error}."
            ) from error
        except ValueError:
            pass  # a built-in without a signature: its own error will do
        obj = obj(**arguments)
    elif arguments:
        raise ModelError(
            f"{source.text!r}: the object takes no option {next(iter(arguments))!r}. Options are "
            f"{', '.join(_OWN_OPTIONS)}, or parameters of a class or of a function that makes "
            "the model."
        )
    if isinstance(obj, PlainModel) and isinstance(obj.capabilities, Set):  # and no mock of all
        if sampled:
            raise ModelError(f"{source.text!r} is a model of its own: it must sample by itself.")
        return as_model(obj)  # it takes examples and states its own labels
    if not can_be_asked(obj):
        raise ModelError(
            f"{source.text!r} is a {type(obj).__name__}. It must be a callable, or have "
            "predict_proba(texts) or predict(texts); or be a class or function that makes one."
        )
    batch = options.batch if isinstance(options.batch, int) else None
    asked = around_object(obj, task, source, batch=batch)
    model: Model = SampledModel(asked, **sampled) if sampled else asked
    if isinstance(obj, KnowsTrainingText) and callable(obj.training_hashes):
        return with_training_text(model, obj.training_hashes)
    return model


def _labels_of(obj: Any, source: ModelSource) -> tuple[str, ...]:
    """Labels of an object or of the one that its method belongs to.

    As ``labels``, as scikit-learn's ``classes_``, or those of a pipeline of transformers.
    """
    obj = owner_of(obj)
    if is_pipeline(obj):
        return labels_of_pipeline(obj)
    for name in ("labels", "classes_"):
        stated = getattr(obj, name, None)
        if stated is None or callable(stated):
            continue
        if isinstance(stated, (str, bytes, Mapping, Iterator)) or not isinstance(stated, Iterable):
            raise ModelError(
                f"{source.text!r}: its {name} is a {type(stated).__name__}. State the labels as a "
                "list or a tuple of names, in the order of the probabilities."
            )
        return tuple(answered_label(value) for value in stated)
    return ()


def _makes_models(obj: Any, arguments: Mapping[str, str]) -> bool:
    """Whether an object is a function that needs only these arguments."""
    if not (inspect.isfunction(obj) or inspect.ismethod(obj)):
        return False
    needed = [
        p.name
        for p in inspect.signature(obj).parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return all(name in arguments for name in needed)


def texts(examples: Sequence[Example]) -> list[Any]:
    """Text of each example, or the tuple of its texts if it has several fields.

    A conversation is the list of its messages, ``{"role": "user", "content": "…"}``.
    """
    before = [earlier_messages(example.fields) for example in examples]
    if any(before):
        return [
            [one._asdict() for one in (*said, Message("user", e.text))] if said else e.text
            for e, said in zip(examples, before, strict=True)
        ]
    if all(len(example.fields) == 1 for example in examples):
        return [example.text for example in examples]
    return [tuple(example.fields.values()) for example in examples]


ADAPTER: Final = Adapter(load, must_be_there=file_must_be_there)
