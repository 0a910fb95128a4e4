"""The checkpoint folder behind a model string, whatever its scheme."""

from pathlib import Path

from scrutiny.core.errors import ModelError
from scrutiny.models.strings.adapters import as_checkpoint
from scrutiny.models.strings.source import ModelSource, parse


def checkpoint_source(source: ModelSource) -> ModelSource:
    """The ``hf:`` source that a model string comes down to; its text stays the user's.

    Raises
    ------
    ModelError
        If the model is no checkpoint of transformers, or is not there.
    """
    found = as_checkpoint(source)
    if found is None:
        raise ModelError(
            f"{source.text!r} is no checkpoint of transformers, so it has no architecture, "
            "configuration and tokenizer to start from. Those are hf:, zoo: and named models."
        )
    return found


def checkpoint_folder(text: str) -> Path:
    """Folder with the configuration, the tokenizer and the weights of a model string.

    Raises
    ------
    ModelError
        If the model is no checkpoint of transformers, or is not there.

    Notes
    -----
    A hub name is fetched, unless HF_HUB_OFFLINE is set.
    """
    from scrutiny.models.hf.checkpoint import find_checkpoint

    return find_checkpoint(checkpoint_source(parse(text))).folder
