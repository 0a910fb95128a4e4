"""Loading models: from a model string, or a Python object registered under a name."""

from typing import Any

from scrutiny.core.model import KnowsTrainingText, LoadOptions, Model, PlainModel, as_model
from scrutiny.core.task import Task
from scrutiny.data.reading import iter_examples
from scrutiny.models.answers.user_code import at_home, errors_named
from scrutiny.models.python.objects import PythonModel
from scrutiny.models.python.wrapped import with_training_text
from scrutiny.models.strings.load import load_model, training_source
from scrutiny.models.strings.source import parse
from scrutiny.text.letters import training_hashes


def load_replicate(source: str, task: Task, options: LoadOptions) -> Model:
    """Model of a complete string, with its training text if the user states it.

    What a checkpoint that was trained here knows of its own gives way to that.
    """
    with errors_named(source), at_home(source, is_new=True):
        model = load_model(source, task, options)
    stated = training_source(source, options)
    return model if stated is None else with_training_text(model, lambda: hashes_of(stated))


def hashes_of(source: str) -> Any:
    """Sorted ``uint64`` hashes of the letters of all texts of a data string."""
    return training_hashes(
        text for example in iter_examples(source) for text in example.fields.values()
    )


def load_given(given: Any, task: Task) -> Model:
    """Model wrapping a given Python object."""
    if isinstance(given, PlainModel):
        return as_model(given)
    return PythonModel(given, task, parse(f"python:object:{type(given).__name__}"), batch=None)


def capabilities_of(model: Model, task: Task) -> frozenset[str]:
    """Capabilities of a model, stated or detected.

    A model loaded for a task that must be answered can be asked for answers.
    """
    known = {"training_hashes"} if isinstance(model, KnowsTrainingText) else set()
    if model.n_samples:
        known.add("samples")
    answers = {"predict"} if task.must_be_answered else set()
    return model.capabilities | known | answers
