"""Loading of models from model strings."""

from dataclasses import replace

from scrutiny.core.errors import ConformanceError
from scrutiny.core.model import MEMBERS, LoadOptions, Model, PlainModel, as_model
from scrutiny.core.task import Task
from scrutiny.models.strings.adapters import adapter
from scrutiny.models.strings.lineage import checkpoint_folder, with_training_hashes
from scrutiny.models.strings.source import TRAINING, parse
from scrutiny.models.strings.types import TYPES, with_types

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
